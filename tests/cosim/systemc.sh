#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# SystemC: the C API; blocks, C and Verilated, as modules on the streams of their bench and of kernels; the SM
# over TLM-2.0. usage: systemc.sh [BLOCK ...]; without: three small blocks, built in a place of their own.
# needs: binary lib cosim-built
. "$(dirname "$0")/../lib.sh"
blocks=("$@") out=build/cosim/systemc
[ $# -gt 0 ] || { blocks=(slice/sit slice/tve slice/vcl); out=build/cosim-test/systemc; }
run() { echo "build/cosim/obj/$1/plain/run"; }
built() {   # make's arguments...: what it says is in $tmp/log
  make --no-print-directory -s -j"${JOBS:-1}" "$@" >"$tmp/log" 2>&1
}

targets=("$out"/{test,example,regtwin-tlm})
for b in "${blocks[@]}"; do targets+=("$(run "$b")"); done
if ! built SC_OUT="$out" SC_BLOCKS="${blocks[*]}" "${targets[@]}"; then
  not_ok 'the build' "$(grep -v '^  [A-Z]* ' "$tmp/log" | tail -n 20)"
  exit 1
fi

"$out/test" api "$tmp/api.vcd" || not_ok 'the C API'
for b in "${blocks[@]}"; do
  rm -f "$tmp/bench.stim"
  "$(run "$b")" --block "$b" --cycles 1000 --record "$tmp/bench.stim" >"$tmp/log" 2>&1
  [ -f "$tmp/bench.stim" ] || not_ok "$b: record" "$(cat "$tmp/log")"
  for stream in "$tmp/bench.stim" "traces/streams/$b"-*.stim; do
    [ -f "$stream" ] || continue
    "$out/test" "${b##*/}" "$stream" 1000 || not_ok "$b on $(basename "$stream")"
  done
done

# the commands of docs/develop/systemc.md print what it says
printed() {   # name, program, arguments...
  local name=$1 program=$2
  shift 2
  awk -v call="\$ build/cosim/systemc/$program $*" '$0 == call { on = 1; next } /^```/ { on = 0 } on' \
    docs/develop/systemc.md >"$tmp/want"
  "$out/$program" "$@" >"$tmp/got" 2>"$tmp/err"
  same "$name" "$tmp/want" "$tmp/got"
}
printed 'the example of docs/develop/systemc.md' example build/sit.vcd
cp "$tmp/want" "$tmp/want_example"
check 'its VCD' grep -q ' grant_o ' build/sit.vcd
printed 'the SM over TLM-2.0: every request is answered, as in docs/develop/systemc.md' regtwin-tlm vecadd 100
"$out/regtwin-tlm" kmeans >"$tmp/got" 2>"$tmp/err"
check 'atomics over TLM-2.0' grep -qE ' [1-9][0-9]* atomics' "$tmp/got"
check 'and every one answered' grep -q '^replies equal reads and atomics: [1-9]' "$tmp/got"
cycles() { "$out/regtwin-tlm" vecadd "$1" 2>&1 | sed -n 's/.*: \([0-9]*\) SM cycles.*/\1/p'; }
check 'a slower target makes the kernel slower' test "$(cycles 400)" -gt "$(cycles 100)"

# a program of one's own with one block: here the example under another name
cp cosim/systemc/example.c "$tmp/own_program.c"
if built systemc-program PROGRAM="$tmp/own_program.c" BLOCK=sit SC_OUT="$out"; then
  "$out/program/own_program" build/sit.vcd >"$tmp/got" 2>"$tmp/err"
  printed_by=$(tail -n 1 "$tmp/log")
  equal 'make systemc-program prints the path of the program' "$printed_by" "$out/program/own_program"
  same 'which does what the example does' "$tmp/want_example" "$tmp/got"
else not_ok 'make systemc-program' "$(tail -n 20 "$tmp/log")"; fi
make --no-print-directory -s systemc-program PROGRAM="$tmp/none.c" BLOCK=slice/sit SC_OUT="$out" >"$tmp/log" 2>&1
equal 'a program that there is not: exit status' $? 2
has 'and its message' 'systemc-program: expected a file of C or C\+\+ in PROGRAM=' "$tmp/log"
make --no-print-directory -s systemc-program PROGRAM="$tmp/own_program.c" SC_OUT="$out" >"$tmp/log" 2>&1
equal 'a program without a block: exit status' $? 2
has 'and its message' '^systemc-program: expected BLOCK=slice/sit, or several blocks in SC_BLOCKS=.*, found neither' "$tmp/log"
sed 's/^int main/it &/' cosim/systemc/example.c >"$tmp/wrong_program.c"
make --no-print-directory -s systemc-program PROGRAM="$tmp/wrong_program.c" BLOCK=slice/sit SC_OUT="$tmp/wrong" >"$tmp/log" 2>&1
equal 'a program that does not compile: exit status' $? 2
has 'its error' 'wrong_program\.c:7:[0-9]+: error: ' "$tmp/log"
check 'before any Verilog is compiled' test ! -e "$tmp/wrong/program/obj"
# a golden model from plain C, as docs/develop/systemc.md has it
awk '/^```c$/ { c++; on = c == 2; next } /^```/ { on = 0 } on' docs/develop/systemc.md >"$tmp/plain.c"
command=$(sed -n 's/^\$ \(gcc .*\) plain\.c \(.*\) -o plain$/\1 '"${tmp//\//\\/}"'\/plain.c \2 -o '"${tmp//\//\\/}"'\/plain/p' docs/develop/systemc.md)
check 'the program in C of the page compiles' bash -c "$command"
awk '$0 == "$ ./plain" { on = 1; next } /^```/ { on = 0 } on' docs/develop/systemc.md >"$tmp/want"
"$tmp/plain" >"$tmp/got" 2>&1
same 'and prints what the page says' "$tmp/want" "$tmp/got"

cp -r rtl "$tmp/rtl"
sed -i "s/rebias = 8'd112/rebias = 8'd111/" "$tmp/rtl/slice/vcl.sv"
"$(run slice/vcl)" --cycles 1000 --record "$tmp/vcl.stim" >"$tmp/log" 2>&1
if built SC_BLOCKS=slice/vcl COSIM_RTL="$tmp/rtl" COSIM_OUT="$tmp/cosim" "$tmp/cosim/systemc/test"; then
  "$tmp/cosim/systemc/test" vcl "$tmp/vcl.stim" 1000 >"$tmp/got"
  check 'a fault in the Verilated module is seen' grep -q '^# value_o cycle .* golden .* SystemC RTL' "$tmp/got"
else not_ok 'the build of a faulty block' "$(tail -n 20 "$tmp/log")"; fi
