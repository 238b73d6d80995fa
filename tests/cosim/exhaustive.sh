#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A sample of make exhaustive agrees, for every block without a clock and every width (a prime step meets
# every exponent); and a fault in a C model is seen by both of its comparisons.
# needs: cosim-built
. "$(dirname "$0")/../lib.sh"

make --no-print-directory -s exhaustive JOBS=1 PART=2039 >"$tmp/out" 2>&1
status=$?
table() {   # name, heading, block, lines that it must have: each compared something and found no difference
  local name=$1
  if awk -v head="$2" -v block="$3" -v want="$4" '/ compared / { in_it = index($0, head) == 1 }
    in_it && $1 == block { lines++; if ($(NF - 2) != 0 || $(NF - 3) < 100) bad++ }
    END { exit !(lines == want && !bad) }' "$tmp/out"; then
    ok "$name"
  else not_ok "$name" "exit status $status" "$(grep -A9 "$3" "$tmp/out")"; fi
}
table 'RTL and C: tve' 'RTL and C' slice/tve 1
table 'RTL and C: wve' 'RTL and C' slice/wve 1
table 'RTL and C: vcl, n of 2 to 8' 'RTL and C' slice/vcl 7
table 'RTL and C: vtl, floats of 2 to 8, integers of 1 to 8' 'RTL and C' slice/vtl 15
table 'C and MPFR: vcl, n of 2 to 7' 'C and MPFR' slice/vcl 6
table 'C and MPFR: vtl, floats of 2 to 7, integers of 1 to 8' 'C and MPFR' slice/vtl 14
check 'exit status' test $status -eq 0

# the truncator with ties that go up, in the C model only
o=build/cosim/obj
sed 's/ + (v >> k & 1)) >> k/ + 1) >> k/' cmodel/blocks/slice/vtl.c >"$tmp/vtl.c"
if cmp -s "$tmp/vtl.c" cmodel/blocks/slice/vtl.c; then not_ok 'the fault is planted'; fi
gcc -std=gnu11 -O2 -ffp-contract=off -Icmodel -Icosim/engine -DDESC_BLOCK=vtl -DDESC_COMBINATIONAL \
  '-DDESC_DEF="blocks/slice/vtl.def"' "-DDESC_SOURCE=\"$tmp/vtl.c\"" -c cosim/engine/describe.c -o "$tmp/vtl.o"
gcc $o/exhaustive.o "$tmp/vtl.o" $o/slice/{tve,wve,vcl}/twin.o \
  $o/slice/{tve,wve,vcl,vtl}/plain/{shim.o,V*__ALL.a} $o/slice/twins.a \
  build/verilator/{verilated,verilated_threads}.o build/cosim-engine/{show,clock}.o -lstdc++ -lm -pthread -o "$tmp/exhaustive"
gcc $o/exhaustive-mpfr.o "$tmp/vtl.o" $o/slice/twins.a build/cosim-engine/show.o -lmpfr -lgmp -lm -o "$tmp/exhaustive-mpfr"
for p in exhaustive exhaustive-mpfr; do
  "$tmp/$p" --part 2039 slice/vtl >"$tmp/out" 2>&1
  status=$?
  differ=$(awk '/^slice\/vtl .*float.*n = 4 / { print $(NF - 2) }' "$tmp/out")
  if [ $status -eq 1 ] && [ "${differ:-0}" -gt 0 ]; then ok "$p sees a fault"
  else not_ok "$p sees a fault" "exit status $status" "$(tail -n 5 "$tmp/out")"; fi
done
make --no-print-directory -s exhaustive BLOCK=slice/sit >"$tmp/out" 2>&1
if [ $? -eq 2 ] && grep -q "found block 'slice/sit', expected one without a clock" "$tmp/out"; then
  ok 'a block with a clock is refused'
else not_ok 'a block with a clock is refused' "$(cat "$tmp/out")"; fi

# control characters in a name are not printed
make --no-print-directory -s $o/covreport $o/cmutate >/dev/null
evil=$'\e[31m\nx'
shown() {   # command...: it fails, and shows the name
  "$@" >"$tmp/out" 2>&1
  [ $? -eq 2 ] && grep -qF '\x1b[31m\nx' "$tmp/out" && ! grep -q $'\e' "$tmp/out"
}
for p in build/cosim/exhaustive 'build/cosim/exhaustive --part' 'build/cosim/exhaustive-mpfr --part' "$o/cmutate list"; do
  # shellcheck disable=SC2086
  check "a name is shown: $p" shown $p "$evil"
done
check 'a name is shown: covreport' shown $o/covreport "$evil" "$tmp/waivers" "$tmp/info" "$tmp/list"
