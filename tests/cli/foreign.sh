#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Foreign text is data: no control character from a file or its name reaches the output, and a new line in it starts no
# new line of output.
# needs: binary lib
. "$(dirname "$0")/../lib.sh"

esc=$'\e]0;evil\a\e[31m'
evil="$esc"$'\nFORGED\r\x9b\xc2\x9b\xe2\x80\xae'   # ESC, BEL, new line, CR, C1 bare and in UTF-8, right-to-left override
traces=$PWD/traces/kernels
cd "$tmp" || exit 1

# shows NAME STATUS MARK COMMAND...: the command ends with STATUS, and MARK, the visible form of the input, is in its
# output.
shows() {
  local name=$1 want=$2 mark=$3 status
  shift 3
  "$@" >out 2>err </dev/null
  status=$?
  cat out err >both
  if [ $status -ne "$want" ]; then not_ok "$name" "exit status $status, expected $want" "$(head -n 5 err)"
  elif [ "$(tr -d '\n\040-\176' <both | wc -c)" -ne 0 ]; then not_ok "$name" 'found other bytes than text:' "$(cat -v both)"
  elif grep -q '^FORGED' both; then not_ok "$name" 'a new line came through:' "$(head -n 5 both)"
  elif ! grep -qF -- "$mark" both; then not_ok "$name" "expected $mark in:" "$(head -n 5 both)"
  else ok "$name"; fi
}
seen='\x1b[31m\nFORGED\r\x9b\u009b\u202e'

# ---- names of files ----
cp "$traces/vecadd/vecadd.ptx" "$evil.ptx"
cp "$traces/vecadd/vecadd.ptx" .
small_launch vecadd >"$evil.launch"
printf 'gpu:\n  sms: 0\n' >"$evil.conf"
printf 'nonsense\n' >bad.launch
cp bad.launch "$evil bad.launch"
shows 'analyze: the name of a PTX file' 0 "$seen" "$regtwin" analyze "$evil.ptx"
shows 'analyze --live: the name of a PTX file' 0 "$seen" "$regtwin" analyze "$evil.ptx" --live
shows 'analyze --ranges: the name of a PTX file' 0 "$seen" "$regtwin" analyze "$evil.ptx" --ranges
shows 'analyze --slices: the name of a PTX file' 0 "$seen" "$regtwin" analyze "$evil.ptx" --slices=int
shows 'analyze --dot: the name of a PTX file' 0 digraph "$regtwin" analyze "$evil.ptx" --dot -
shows 'analyze --intervals: the name of a PTX file' 0 "$seen" "$regtwin" analyze "$evil.ptx" --intervals
cp "$OLDPWD/tests/data/sass/saxpy_loop.dot" "$evil.dot"
shows 'analyze --cfg: the name of a graph' 0 "$seen" "$regtwin" analyze --intervals --cfg "$evil.dot"
shows 'run: the name of a launch file' 0 "$seen" "$regtwin" run "$evil.launch"
shows 'run --json: the name of a launch file' 0 '\\x1b[31m\\nFORGED\\r' "$regtwin" run "$evil.launch" --json -
shows 'run: the name of a bad launch file' 2 "$seen bad.launch:1:1: error" "$regtwin" run "$evil bad.launch"
shows 'run: no such file' 2 "$seen" "$regtwin" run "no $evil.launch"
shows 'run: no such kernel' 2 "$seen" "$regtwin" run "no $evil"
shows 'run --config: the name of a bad file' 2 "$seen.conf:2:8: error" "$regtwin" run vecadd --size small --config "$evil.conf"
printf 'gpu:\n  sms: 1\n' >"$evil.conf"
shows 'run --config: the name of a file' 0 '\x1b[31m' "$regtwin" run vecadd --size small --config "$evil.conf"
shows 'config --dump --config: the name of a file' 0 '\x1b[31m' "$regtwin" config --dump --config "$evil.conf"
shows 'compare: the name of a launch file' 0 '\x1b[31m' "$regtwin" compare "$evil.launch" --systems baseline,FR-Base
shows 'compare: the name of a bad launch file' 2 "$seen" "$regtwin" compare "$evil bad.launch" --systems baseline,FR-Base
shows 'compare: a system' 2 '\x1b[31m' "$regtwin" compare vecadd --size small --systems "baseline,$evil"
shows 'quality: the names of launch files' 0 exact "$regtwin" quality --metric exact "$evil.launch" "$evil.launch"
shows 'characterize: the name of a launch file' 0 '\x1b[31m' "$regtwin" characterize "$evil.launch"
shows 'characterize --markdown: the name of a launch file' 0 '\x1b\[31m\\nFORGED' "$regtwin" characterize --markdown "$evil.launch"
shows 'tune: the name of a launch file' 0 '\x1b[31m' "$regtwin" tune --metric exact --seeds 0 --size small -o w "$evil.launch"
shows 'analyze --slices: the name of a launch file' 0 vecadd.ptx "$regtwin" analyze "$evil.launch" --slices=int

# ---- arguments ----
shows 'an argument: a command' 2 '\x1b[31m' "$regtwin" "$evil"
shows 'an argument: an option' 2 '\x1b[31m' "$regtwin" run "--$evil"
shows 'an argument: --size' 2 '\x1b[31m' "$regtwin" run vecadd --size "$evil"
shows 'an argument: --set' 2 '\x1b[31m' "$regtwin" run vecadd --size small --set "$evil=1"
shows 'an argument: --json' 2 '\x1b[31m' "$regtwin" run vecadd --size small --json "no/$evil"
shows 'an argument: config --explain' 2 '\x1b[31m' "$regtwin" config --explain "$evil"
shows 'an argument: experiment' 2 '\x1b[31m' "$regtwin" experiment "$evil"

# ---- contents of a launch file ----
launch() { printf '%s\n' "$@" >x.launch; }
launch "ptx \"$esc.ptx\""
shows 'a launch file: the name of a PTX file' 2 '\x1b[31m' "$regtwin" run x.launch
launch "$evil"
shows 'a launch file: a word' 2 '\x1b' "$regtwin" run x.launch
launch 'ptx vecadd.ptx' "launch $esc grid 1 block 32"
shows 'a launch file: a kernel' 2 '\x1b' "$regtwin" run x.launch
launch 'ptx vecadd.ptx' "buffer a$esc f32 1 zero"
shows 'a launch file: a buffer' 2 '\x1b' "$regtwin" run x.launch
launch 'ptx vecadd.ptx' "buffer a u8 4 file \"no $esc\"" 'launch vecadd grid 1 block 32 args(a, a, a, u32:1)'
shows 'a launch file: a file to read' 2 '\x1b[31m' "$regtwin" run x.launch

# ---- contents of PTX ----
ptx() { printf '.version 6.0\n.target sm_50\n.address_size 64\n%s\n' "$1" >x.ptx; }
ptx "$evil"
shows 'PTX: a word' 2 'found' "$regtwin" analyze x.ptx
ptx ".entry k() { add.$esc; }"
shows 'PTX: an opcode' 2 'found' "$regtwin" analyze x.ptx
ptx ".file 1 \"$esc\" .visible .entry k() { ret; } .extern .func \"$esc\";"
shows 'PTX: a string' 2 'found' "$regtwin" analyze x.ptx

# ---- contents of a graph ----
graph() { printf 'digraph f {\nsubgraph "cluster_%s" {\n"%s" [label="{<entry>%s}"]\n}\n}\n' "$1" "$1" "$2" >x.dot; }
graph "$esc" 'EXIT;'
shows 'a graph: a function and a node' 0 '\x1b[31m' "$regtwin" analyze --intervals --cfg x.dot
graph a "$esc;"
shows 'a graph: an instruction' 2 'found' "$regtwin" analyze --intervals --cfg x.dot
graph a "MOV R0, $esc;"
shows 'a graph: an operand, drawn' 0 digraph "$regtwin" analyze --intervals --cfg x.dot --dot -

# ---- contents of a configuration and a manifest ----
conf() { printf '%s\n' "$1" >x.conf; }
conf "\"\\e[31m\\nFORGED\": {x: 1}"
shows 'a configuration: a section' 2 '\x1b[31m\nFORGED' "$regtwin" config --dump --config x.conf
conf 'gpu: {"k\e[31m\nFORGED": 1}'
shows 'a configuration: a key' 2 '\x1b[31m\nFORGED' "$regtwin" config --dump --config x.conf
conf 'gpu: {sms: "v\e[31m\nFORGED\x9b"}'
shows 'a configuration: a value' 2 '\x1b[31m\nFORGED\u009b' "$regtwin" config --dump --config x.conf
conf $'gpu: {sms: \x9b}'
shows 'a configuration: no UTF-8' 2 'x.conf:1:12: error' "$regtwin" config --dump --config x.conf
export REGTWIN_TRACES=$tmp/suite
mkdir -p suite
cp -r "$traces/vecadd" suite
{ printf '# %s\n' "$evil" | head -n 1 && cat "$traces/vecadd/vecadd.launch"; } >suite/vecadd/vecadd.launch
manifest() {   # what, suite, differs, name of a paper
  printf 'what: "%s"\nsuite: "%s"\nentry: vecadd\nmetric: exact\npapers: {finereg: {name: "%s", group: type-r}}\ndiffers: "%s"\n' \
    "$1" "$2" "$4" "$3" >suite/vecadd/about.yaml
}
y='\e[31m\nFORGED\x9b'
for at in 0 1 2 3; do
  m=(w S no TR)
  m[at]+=$y
  manifest "${m[@]}"
  "$regtwin" list kernels >/dev/null 2>&1
  status=$?   # refused or shown: both are right
  shows "a manifest: list -v, value $at" $status '\x1b[31m' "$regtwin" list kernels -v
  shows "a manifest: list, value $at" $status vecadd "$regtwin" list kernels
  shows "a manifest: list --limits, value $at" $status vecadd "$regtwin" list kernels --limits
  shows "a manifest: characterize --markdown, value $at" $status vecadd "$regtwin" characterize --size small --markdown vecadd
done
printf '%s\n' "$evil" >suite/vecadd/about.yaml
shows 'a manifest: no YAML' 2 'about.yaml' "$regtwin" list kernels
manifest w S no TR
mv suite/vecadd "suite/$evil"
mv "suite/$evil/vecadd.launch" "suite/$evil/$evil.launch"
shows 'a kernel folder: list' 0 '\x1b[31m' "$regtwin" list kernels
shows 'a kernel folder: list -v' 0 '\x1b[31m' "$regtwin" list kernels -v
unset REGTWIN_TRACES
