# SPDX-License-Identifier: Apache-2.0
# compile_commands.json for clangd and its like, from the commands that `make -nB` prints: a source that is compiled more than once by its first command.
# usage: make -nB V=1 TARGETS | awk -v dir="$PWD" -f compile_commands.awk
function quoted(s) { gsub(/\\/, "\\\\", s); gsub(/"/, "\\\"", s); gsub(/\t/, " ", s); return "\"" s "\"" }
BEGIN { print "[" }
match($0, / -c [^ ]+\.(c|cpp) /) {
  file = substr($0, RSTART + 4, RLENGTH - 5)
  if (file in seen || file ~ /^build\// || file ~ /^\//) next
  seen[file] = 1
  printf "%s{\"directory\": %s, \"file\": %s, \"command\": %s}", n++ ? ",\n" : "", quoted(dir), quoted(file), quoted($0)
}
END { print (n ? "\n" : "") "]"; if (!n) { print "compile_commands.awk: found no command that compiles" > "/dev/stderr"; exit 2 } }
