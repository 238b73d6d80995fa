#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# make demo: its five steps, that the commands print what it shows; other kernels and systems; names that are none. Step five with Verilator, and
# without it the recorded table. How long it takes is no mark.
# needs: binary cosim-runtime
. "$(dirname "$0")/../lib.sh"

# A PATH with all programs of ours but Verilator.
bin=$tmp/bin
mkdir "$bin"
IFS=: read -ra dirs <<<"$PATH"
for ((i = ${#dirs[@]} - 1; i >= 0; i--)); do find -L "${dirs[i]}" -maxdepth 1 -type f ! -name 'verilator*' -exec ln -sf -t "$bin" {} + 2>/dev/null; done
demo() { PATH=$bin make --no-print-directory demo "$@"; }
steps() { grep -c '^==== [1-5] of 5 ' "$1"; }
# What step N shows, from its command to the line before "next"; its command, or that of "next".
joined() { sed -e ':a' -e '/\\$/{N;s/ *\\\n */ /;ba' -e '}' "$1"; }
# The names of the rows of a table with numbers, before the units.
rows() { sed '/^Units:/,$d' "$@" | sed -n 's/^  \([A-Za-z+-]*\) .*[0-9].*/\1/p' | xargs; }
shown() { joined "$2" | sed -n "/^==== $1 of 5 /,/^  next (/p" | sed '1,/^\$ /d; /^  next (/d' | sed '${/^$/d}'; }
typed() { joined "$2" | sed -n "/^==== $1 of 5 /,/^  next (/s/^\\\$ //p"; }
follows() { joined "$2" | sed -n "/^==== $1 of 5 /,/^  next (/s/^  next ([^)]*): //p"; }

# ---- the story, without Verilator
demo >"$tmp/o" 2>"$tmp/err"
equal 'make demo: status' $? 0
equal 'five steps' "$(steps "$tmp/o")" 5
for n in 1 2 3 4 5; do
  sed -n "/^==== $n of 5 /,/^\$/p" "$tmp/o" | sed '1d;$d' | xargs -d '\n' >"$tmp/sentence"
  has "step $n: one sentence" '^[A-Z][^.!?]*[a-z]\.$' "$tmp/sentence"
  check "step $n: at most 35 words" test "$(wc -w <"$tmp/sentence")" -le 35
  has "step $n: what to type next" '^(build/regtwin|make) [a-z]' <(follows $n "$tmp/o")
done
for n in 1 2 3 4; do
  read -ra command < <(typed $n "$tmp/o")
  "${command[@]}" >"$tmp/again" 2>/dev/null
  shown $n "$tmp/o" >"$tmp/shown"
  same "step $n: what the command prints" "$tmp/again" "$tmp/shown"
done
equal 'the kernel is not reduced' "$(grep -c -- '--size' "$tmp/o")" 0
check 'all of it fits 80 columns' test "$(awk '{ if (length($0) > n) n = length($0) } END { print n + 0 }' "$tmp/o")" -le 80
for n in 1 3 4; do
  read -ra command < <(follows $n "$tmp/o")
  check "step $n: what comes next runs" "${command[@]}"
done
shown 1 "$tmp/o" >"$tmp/s"
has 'step 1: its IPC on the baseline' '^  warp instructions per cycle +IPC +[0-9]\.[0-9]{3}$' "$tmp/s"
shown 2 "$tmp/o" >"$tmp/s"
has 'step 2: what holds it back' '^Class: [A-Za-z0-9 ]+(: [A-Za-z0-9 ]+)?$' "$tmp/s"
shown 3 "$tmp/o" >"$tmp/s"
equal 'step 3: three architectures beside the baseline' "$(rows "$tmp/s")" 'baseline FineReg SL-Full-P LB'
shown 4 "$tmp/o" >"$tmp/s"
equal 'step 4: what each costs' "$(sed -n 's/^  \([A-Za-z-]*\) .*[0-9] to .*/\1/p' "$tmp/s" | xargs)" 'FineReg SL-Full-P LB'
has 'step 5: that it is recorded, and why' '^RECORDED, not run here: found no verilator\.' "$tmp/o"
tr '\n' ' ' <"$tmp/o" >"$tmp/line"
has 'step 5: in which file, when, at which commit' 'cosim/records/demo.txt, of 20[0-9-]{8} at commit [0-9a-f]+ with Verilator [0-9.]+' "$tmp/line"
sed 1d cosim/records/demo.txt >"$tmp/want"
sed -n '/^RECORDED/,/^Five steps /p' "$tmp/o" | sed '1,/^$/d; /^Five steps /d' | sed '${/^$/d}' >"$tmp/shown"
same 'step 5: the recorded table' "$tmp/want" "$tmp/shown"
has 'which has a divergence' '^DIVERGE lm cycle [0-9]+ ' "$tmp/shown"
has 'and the command that shows its wave' '^  next \(the wave\): make wave BLOCK=linebacker/lm ' "$tmp/shown"
check 'the faulty copy is there for them' test -s build/demo/rtl/linebacker/lm.sv
has 'how long it took' '^Five steps in [0-9]+ s, ' "$tmp/o"

# ---- another kernel, another system: those that the demo itself names
read -ra named < <(sed -n 's/^  make demo \(KERNEL=.*\)/\1/p' "$tmp/o")
system=$(printf '%s\n' "${named[@]}" | sed -n 's/^SYSTEM=//p')
demo "${named[@]}" SIZE=small >"$tmp/o" 2>"$tmp/err"
equal "${named[*]}: status" $? 0
hasnt 'no figures of earlier Verilog' '~' "$tmp/o"
equal 'five steps' "$(steps "$tmp/o")" 5
shown 1 "$tmp/o" >"$tmp/s"
has 'on the machine of its paper' '^regtwin [0-9.]+ +one SM of maxwell, system baseline$' "$tmp/s"
shown 3 "$tmp/o" >"$tmp/s"
equal 'beside the baseline' "$(rows "$tmp/s")" "baseline $system"
shown 4 "$tmp/o" >"$tmp/s"
has 'its cost' "^  ${system/+/[+]} +[0-9,]+ +[0-9.]+ to [0-9.]+" "$tmp/s"
demo KERNEL=traces/kernels/vecadd/vecadd.launch SYSTEM=vt,Malekeh MACHINE=rtx2060 SIZE=small >"$tmp/o" 2>"$tmp/err"
equal 'a launch file, two systems, a machine: status' $? 0
has 'by their own names' '^The baseline and VT, Malekeh side by side\.$' "$tmp/o"
equal 'all are there' "$(shown 3 "$tmp/o" | rows)" 'baseline VT Malekeh'

# ---- names that are none: what there is
refused() {   # name, pattern, arguments...
  local name=$1 want=$2
  shift 2
  demo "$@" >"$tmp/o" 2>"$tmp/err"
  equal "$name: status" $? 2
  has "$name: message" "$want" "$tmp/err"
  check "$name: nothing has begun" test ! -s "$tmp/o"
  check "$name: lines of at most 80" test "$(awk '{ if (length($0) > n) n = length($0) } END { print n + 0 }' "$tmp/err")" -le 80
}
listed() { sed -n '/expected one of$/,/^\(or\|several\) /p' "$tmp/err" | sed '1d;$d' | xargs -n 1 | sort; }
refused 'a kernel that there is not' '^make demo: KERNEL=bsf: found no such kernel, expected one of$' KERNEL=bsf
listed >"$tmp/found"
kernels | sort >"$tmp/want"
same 'all kernels are named' "$tmp/want" "$tmp/found"
has 'and that it may be a file' '^or the path of a launch file$' "$tmp/err"
refused 'a system that there is not' '^make demo: SYSTEM=LTFR: found no such system, expected one of$' SYSTEM=VT,LTFR
listed >"$tmp/found"
find cmodel/systems -name '*.conf' -printf '%f\n' | sed 's/\.conf$//' | grep -vx baseline | sort >"$tmp/want"
same 'all systems are named' "$tmp/want" "$tmp/found"
refused 'the baseline beside itself' '^make demo: SYSTEM=baseline: found what others are compared with, expected one of$' SYSTEM=baseline
refused 'a machine that there is not' '^make demo: MACHINE=gtx: found no such machine, expected one of$' MACHINE=gtx
has 'all machines are named' '^  common gtx480 gtx980 maxwell rtx2060$' "$tmp/err"
refused 'a name with an end of line' '^make demo: KERNEL=a\?b: found no such kernel' $'KERNEL=a\033b'

# ---- a step that fails
demo SIZE=huge >"$tmp/o" 2>"$tmp/err"
equal 'a size that the kernel has not: status' $? 2
has 'its own message' "found no size 'huge', expected one of this file's: small, default" "$tmp/err"
equal 'nothing after the first step' "$(steps "$tmp/o")" 1

# ---- with Verilator: step five finds the planted fault, prints what was recorded, and leaves the tree's own Verilog as it is
tree() { find rtl -type f -exec sha256sum {} + | sort; }
tree >"$tmp/before"
rm -rf build/demo
make --no-print-directory demo SIZE=small >"$tmp/o" 2>"$tmp/err"
equal 'status' $? 0
hasnt 'nothing is recorded' '^RECORDED' "$tmp/o"
sed -n '/^==== 5 of 5 /,/^Five steps /p' "$tmp/o" | sed '1,/^$/d; /^Five steps /d' | sed '${/^$/d}' >"$tmp/found"
sed 1d cosim/records/demo.txt >"$tmp/want"
same 'what was recorded is what it prints (else: make demo-record)' "$tmp/want" "$tmp/found"
has 'the fault is one character' "^  the copy: .*= \{hit, 1'd0\} > " "$tmp/found"
tree >"$tmp/after"
same 'the Verilog of the tree is as it was' "$tmp/before" "$tmp/after"
equal 'one line of the copy differs' "$(diff rtl/linebacker/lm.sv build/demo/rtl/linebacker/lm.sv | grep -c '^>')" 1
made=$(stat -c %y build/demo/cosim/obj/linebacker/lm/plain/run)
check 'once more' make --no-print-directory demo SIZE=small
equal 'nothing is built again' "$(stat -c %y build/demo/cosim/obj/linebacker/lm/plain/run)" "$made"

# A block without the fault is not taken for a success.
cp cmodel/make/demo.sh "$tmp/demo.sh"
sed -i "s|^cd .*|cd '$PWD'|; s|{hit, 1'd0} >|{hit, 2'd0}  >|" "$tmp/demo.sh"
SIZE=small bash "$tmp/demo.sh" >"$tmp/o" 2>"$tmp/err"
equal 'a copy without a fault: status' $? 1
has 'a copy without a fault: message' '^make demo: lockstep has not found the fault \(status 0\)$' "$tmp/err"
hasnt 'and no divergence' '^DIVERGE' "$tmp/o"
