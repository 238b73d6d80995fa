# SPDX-License-Identifier: Apache-2.0
# compile_commands.json for clangd and its like, from the commands that `make -nB` prints: a source that is compiled more than once by its first command.
# A command that compiles several sources, or links at once, becomes one for each source that compiles it alone.
# usage: make -nB V=1 TARGETS | awk -v dir="$PWD" -f compile_commands.awk
function quoted(s) { gsub(/\\/, "\\\\", s); gsub(/"/, "\\\"", s); gsub(/\t/, " ", s); return "\"" s "\"" }
function is_source(word) { return word ~ /\.(c|cpp)$/ && word !~ /^(build)?\// }
BEGIN { print "[" }
/ -o / && !/ -E / {
  out = ""
  for (i = 1; i <= NF && $i != "-o"; i++) ;
  if ($0 !~ / -c /) out = " -c -o " $(i + 1) ".o"
  for (k = 1; k <= NF; k++) {
    if (!is_source($k) || $k in seen) continue
    seen[$k] = 1
    command = $0
    if (out != "") {
      command = $1
      for (j = 2; j <= NF; j++)
        if (j != i && j != i + 1 && ($j == $k || $j !~ /(\.(c|cpp|o|a|so)|\.so\.[0-9.]+)$|^-(l|Wl,|no-pie$)/)) command = command " " $j
      command = command out
    }
    printf "%s{\"directory\": %s, \"file\": %s, \"command\": %s}", n++ ? ",\n" : "", quoted(dir), quoted($k), quoted(command)
  }
}
END { print (n ? "\n" : "") "]"; if (!n) { print "compile_commands.awk: found no command that compiles" > "/dev/stderr"; exit 2 } }
