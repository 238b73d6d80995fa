#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Traces of Accel-Sim (docs/use/accel-sim.md): run as they are, imported, exported; what is exported, an independent reader by the rules of
# Accel-Sim's parser accepts (tests/cli/traceg_check.c); export and import keep instructions, lanes, addresses and CTAs; files that are cut
# off, damaged or wrong are refused with their place, and leave nothing.
. "$(dirname "$0")/../lib.sh"
here=tests/data/traceg
gcc -O1 -Wall -Wextra -Werror tests/cli/traceg_check.c -o "$tmp/check" || not_ok 'the independent reader compiles'

# ---- as they are
"$regtwin" run $here/kernelslist.g --json "$tmp/a.json" >"$tmp/out" 2>"$tmp/err"
equal 'a list runs' $? 0
equal 'all of its instructions' "$(get warp_instructions "$tmp/a.json") $(get ctas "$tmp/a.json")" '80 3'
has 'copies are passed over, which a line says' ': 3 copies to the GPU are passed over$' "$tmp/err"
equal 'an unknown opcode is one warning, with counts' \
  "$(grep -c 'warning: .*found 1 unknown opcodes in 1 of 80 instructions (STRANGE.OP), which take the default class' "$tmp/err")/$(grep -c warning "$tmp/err")" 1/1
cp $here/*.traceg "$tmp"
xz -k "$tmp/kernel-1.traceg" "$tmp/kernel-2.traceg"
sed 's/traceg$/traceg.xz/' $here/kernelslist.g >"$tmp/xz.g"
"$regtwin" run "$tmp/xz.g" --json "$tmp/b.json" >"$tmp/out" 2>&1
work() { statistics "$tmp/$1.json" | grep -vE '"(kernel|launch_file)"' >"$tmp/$1"; }
work a
work b
same 'compressed: the same' "$tmp/a" "$tmp/b"
printf 'kernel-2.traceg\nkernel-1.traceg 7\n' >"$tmp/more.g"
"$regtwin" trace import "$tmp/more.g" -o "$tmp/i.trf" >"$tmp/out" 2>&1
equal 'a list with more after a name: exit status' $? 2
has 'a list with more after a name' "more.g:2:17: error: found '7', expected the end of the line\$" "$tmp/out"
printf 'MemcpyDtoH,0x0,4\n../up.traceg \033[1m\n# end\nkernel-2.traceg\n' >"$tmp/others.g"
"$regtwin" trace import "$tmp/others.g" -o "$tmp/i.trf" >"$tmp/out" 2>"$tmp/err"
equal 'a list with other lines is read' $? 0
has 'which are one warning with its place' "others.g:2: found '../up.traceg .x1b\[1m', expected a kernel's file or a copy: 2 such lines are ignored, as Accel-Sim does\$" "$tmp/err"
equal 'no other warning' "$(grep -c warning "$tmp/err")" 2
"$regtwin" trace import $here/kernelslist.g -o "$tmp/i.trf" >"$tmp/out" 2>"$tmp/err"
has 'import says what it made' 'i.trf: 2 launches, 3 CTAs, 80 warp instructions$' "$tmp/out"
"$regtwin" run "$tmp/i.trf" --json "$tmp/b.json" >"$tmp/out" 2>&1
work b
same 'imported before: the same' "$tmp/a" "$tmp/b"
"$regtwin" run $here/kernel-1.traceg "$tmp/kernel-2.traceg.xz" >"$tmp/out" 2>&1
equal 'files alone, side by side' "$(grep -cE '^  warp instructions +59 +21$' "$tmp/out")" 1
echo 'sfu STRANGE' >"$tmp/my.map"
REGTWIN_OPCODES=$tmp/my.map "$regtwin" run $here/kernelslist.g >"$tmp/out" 2>"$tmp/err"
hasnt 'an opcode map of a user knows it' warning "$tmp/err"
sed 's/^-binary version = 70/-binary version = 100/' $here/kernel-1.traceg >"$tmp/next.traceg"
"$regtwin" trace import "$tmp/next.traceg" -o "$tmp/h.trf" >"$tmp/out" 2>&1
has 'a GPU without a map' 'next.traceg: error: found binary version 100, expected one of 80 86 87 89 90 30 .*--opcodes' "$tmp/out"
{ echo 'versions 100'; sed '/^versions/d' cmodel/trace/accelsim/opcodes/volta.map; } >"$tmp/next.map"
check 'and with one' "$regtwin" trace import "$tmp/next.traceg" -o "$tmp/h.trf" --opcodes "$tmp/next.map"

# ---- each version of the tracer: the same kernel in its form gives the same run
form() {   # version: the lines of instructions as that tracer writes them
  awk -v v="$1" '/^-accelsim/ { print "-accelsim tracer version = " (v == 1 ? "1.2" : v); next }
    /^thread block = / { split($4, b, ","); cta = b[1] " " b[2] " " b[3] }
    /^warp = / { w = $3 }
    !/^[0-9a-f]+ [0-9a-f]+ [01] / { print; next }
    { sub(/ *$/, " ") }
    v == 1 { $0 = cta " " w " " $0 }
    v >= 5 { $0 = $0 "0 " }
    v == 6 { $0 = $0 "0 " ($7 == "0" ? "NoVal" : "Val" values($3 + $(5 + $3))) " " }
    { print }
    function values(n, s) { for (s = ""; n--;) s = s " 1 0000000a"; return s }' $here/kernel-1.traceg >"$tmp/form.traceg"
}
cp $here/kernel-1.traceg "$tmp/form.traceg"
"$regtwin" run "$tmp/form.traceg" --json "$tmp/a.json" >"$tmp/out" 2>&1
work a
for v in 1 4 5 6; do
  form $v
  "$regtwin" run "$tmp/form.traceg" --json "$tmp/b.json" >"$tmp/out" 2>&1
  work b
  same "tracer version $v: the same run" "$tmp/a" "$tmp/b"
done
"$regtwin" run $here/hopper.traceg --json "$tmp/b.json" >"$tmp/out" 2>"$tmp/err"
equal 'Hopper, version 6: all of its instructions' "$?/$(get warp_instructions "$tmp/b.json")" 0/20
hasnt 'Hopper: no opcode is unknown' warning "$tmp/err"
has 'Hopper: what bulk copies are timed as is said' ': 3 bulk copies and matrix instructions of four warps are timed as one instruction each, without their accesses$' "$tmp/err"

# ---- textures: timed as the texture unit, and a note
sed 's/ MUFU.RCP 1 R6 0/ TEX.SCR.LL 2 R6 R2 0/; s/ FADD 2 R6 R6 0/ SULD 1 R6 0/' $here/kernel-1.traceg >"$tmp/tex.traceg"
"$regtwin" run "$tmp/tex.traceg" --json "$tmp/t.json" >"$tmp/out" 2>"$tmp/err"
has 'textures without addresses: a note' ': 5 instructions on textures and surfaces have no addresses: texels are timed as hits$' "$tmp/err"
equal 'textures: the texture unit times them' "$(get tex_insns "$tmp/t.json")/$(get tex_steps "$tmp/t.json")" 3/6

sed 's/\(STL 2 R1 R8 4 1 0x7f0677\)0000/\1fffd/; s/\(STL 2 R1 R8 4 1 0x\)\(0\|10\) /\1fffd\2 /; s/0xfffd0 /0xfffd00 /' \
  $here/kernel-1.traceg >"$tmp/stack.traceg"
"$regtwin" trace import "$tmp/stack.traceg" -o "$tmp/h.trf" >"$tmp/out" 2>&1 && "$regtwin" trace dump "$tmp/h.trf" >"$tmp/out" 2>&1
equal 'a stack at the end of 16 MB of local memory' "$(grep -oE 'STL ; local .*' "$tmp/out" | sort | uniq -c | tr -s ' ')" \
  ' 3 STL ; local 0x200+4'

# what no lane that is known comes to, and an exit that is added behind a branch back
sed -e '/^insts = 16/s/16/18/' -e '0,/^00f0/s/^00f0.*/&\n0100 00000000 1 R2 FADD 2 R2 R3 0\n0090 00000000 0 BRA 0 0/' \
  $here/kernel-1.traceg >"$tmp/lost.traceg"
for s in LTRF+ SHRF LTRF-strand; do
  check "$s: instructions that nobody is known to come to" "$regtwin" run "$tmp/lost.traceg" --system $s
done

# ---- kernels of one name and two binary versions: each has its own near bits
demo() {   # binary version, instructions, name
  awk -v b="$1" -v n="$2" -v name="$3" 'BEGIN {
    printf "-kernel name = %s\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-nregs = 32\n-binary version = %d\n", name, b
    printf "-accelsim tracer version = 5\n#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = %d\n", n + 1
    for (k = 0; k < n; k++) printf "%04x ffffffff 1 R%d FADD 2 R%d R%d 0 0\n", 16 * k, k % 20, (k + 1) % 20, (7 * k + 2) % 20
    printf "%04x ffffffff 0 EXIT 0 0 0\n#END_TB\n", 16 * n }'
}
demo 70 10 demo >"$tmp/kernel-short.traceg"
demo 80 300 demo >"$tmp/kernel-same.traceg"
demo 80 300 other >"$tmp/kernel-other.traceg"
for n in same other; do
  printf 'kernel-short.traceg\nkernel-%s.traceg\n' $n >"$tmp/$n.g"
  "$regtwin" run "$tmp/$n.g" --system Malekeh --json "$tmp/$n.json" >"$tmp/out" 2>&1
  work $n
done
same 'Malekeh: two kernels of one name' "$tmp/other" "$tmp/same"

demo 80 40000 long >"$tmp/long.traceg"
"$regtwin" trace import "$tmp/long.traceg" -o "$tmp/long.trf" >"$tmp/out" 2>&1
check 'a kernel whose code packs better than readers accept' "$regtwin" trace info "$tmp/long.trf"

# ---- systems
ran=0 refused=0
for s in FineReg VT VT-RegMutex RegDRAM LTRF+ LTRF-strand SHRF RFC Malekeh BOW LB CERF SL-Orig; do
  if "$regtwin" run $here/kernelslist.g --system "$s" >"$tmp/out" 2>"$tmp/err"; then ran=$((ran + 1))
  elif grep -qE 'found .*, expected ' "$tmp/err"; then refused=$((refused + 1)); echo "# $s: $(tail -n 1 "$tmp/err")"
  else not_ok "$s" "$(cat "$tmp/err")"; fi
done
check "systems: $ran run, $refused are refused with a reason" test $ran -ge 8 -a $((ran + refused)) -eq 13
for s in SL-Full-P SL-Float-H; do
  "$regtwin" run $here/kernelslist.g --system $s >"$tmp/out" 2>&1
  equal "$s is refused" $? 2
  has "$s: by name" 'found a trace under compile.narrow=.*: .*' "$tmp/out"
done
"$regtwin" run $here/kernelslist.g --set sim.check=true >"$tmp/out" 2>&1
has 'values are refused by name' 'found a trace under sim.check, expected a launch file: this trace has no values' "$tmp/out"
"$regtwin" run $here/kernelslist.g --sms 4 --threads 1 --json "$tmp/a.json" >"$tmp/out" 2>&1
"$regtwin" run $here/kernelslist.g --sms 4 --threads 2 --json "$tmp/b.json" >"$tmp/out" 2>&1
work a
work b
same 'several SMs, one and two threads' "$tmp/a" "$tmp/b"

# ---- export, then import
total() { awk -v k="$2" '{ for (i = 2; i < NF; i++) if ($i == k) n += $(i + 1) } END { print n }' "$1"; }
for k in vecadd bfs sgemm stencil conv_tensor lud hybridsort; do
  "$regtwin" trace record $k --size small -o "$tmp/$k.trf" >"$tmp/out" 2>&1 || { not_ok "$k is recorded" "$(cat "$tmp/out")"; continue; }
  "$regtwin" trace export "$tmp/$k.trf" -o "$tmp/$k" --xz --verify >"$tmp/out" 2>"$tmp/err"
  equal "$k: what was exported and imported has the same instructions, lanes, addresses, CTAs" $? 0
  equal "$k: and says so" "$(grep -cE '^  (what it was|lanes|addresses|order: .*) +0 +0.00 %$' "$tmp/out")" 4
  check "$k: an independent reader accepts it" "$tmp/check" "$tmp/$k/kernelslist.g"
  "$tmp/check" "$tmp/$k/kernelslist.g" >"$tmp/checked"
  "$regtwin" trace info "$tmp/$k.trf" --json "$tmp/info.json" >/dev/null
  read -r insns lanes ctas < <(awk -F '[:,]' '/"warp_insns"/ { w = $2 } /"thread_insns"/ { t += $2 } /"ctas"/ { c = $2 } END { print w + 0, t + 0, c + 0 }' <(tac "$tmp/info.json" | grep -v '^ *"meta"'))
  lines=$(sed -n '1s/.* in \([0-9,]*\) lines.*/\1/p' "$tmp/out" | tr -d ,)
  equal "$k: and reads as many lines and CTAs" "$(total "$tmp/checked" insts) $(total "$tmp/checked" ctas)" "$lines $ctas"
  divisions=$(sed -n 's/^  divisions and roots, as [^0-9]* \([0-9,]*\) .*/\1/p' "$tmp/out" | tr -d ,)
  if [ "$divisions" = 0 ]; then
    equal "$k: as many instructions and lanes" "$lines $(total "$tmp/checked" lanes)" "$insns $lanes"
  else
    check "$k: divisions have more lines" test "$lines" -ge $((insns + divisions))
  fi
  sed -n "s/^cycles on \([^:]*\)/# $k: &/p" "$tmp/out"
done

# ---- launches with a stride: the CTAs that are there, as a smaller grid
"$regtwin" trace record sgemm --size small --set sm.cta_stride=5 -o "$tmp/stride.trf" >"$tmp/out" 2>&1
"$regtwin" trace export "$tmp/stride.trf" -o "$tmp/stride" --verify >"$tmp/out" 2>"$tmp/err"
equal 'a launch with a stride is exported' "$?/$(grep -cE '^  (what it was|lanes|addresses|order: .*) +0 +0.00 %$' "$tmp/out")" 0/4
has 'and a note says how' 'stride.trf: 1 launches were recorded with a stride of CTAs: each is exported as a grid of only these$' "$tmp/err"
equal 'as a grid in one dimension' "$(grep -c '^thread block = [0-7],0,0$' "$tmp/stride/kernel-1.traceg")/$(grep '^-grid dim' "$tmp/stride/kernel-1.traceg")" '8/-grid dim = (8,1,1)'
equal 'with about its cycles' "$(sed -n 's/^cycles on .*, [-+]\([0-9]*\)\..*/\1/p' "$tmp/out")" 0
"$tmp/check" "$tmp/stride/kernelslist.g" >"$tmp/checked" 2>&1
has 'an independent reader accepts it' '^sgemm ctas 8 warps 64 ' "$tmp/checked"

# ---- divisions: as nvcc 13.0 writes them for compute capability 8.0, with its counts of instructions
cat >"$tmp/div.ptx" <<'EOF'
.version 7.0
.target sm_80
.address_size 64
.visible .entry divisions(.param .u64 p)
{
  .reg .u64 %d<8>; .reg .u32 %r<8>; .reg .f32 %f<16>; .reg .f64 %g<8>; .reg .u16 %h<4>;
  ld.param.u64 %d1, [p];
  ld.global.u32 %r1, [%d1]; ld.global.u32 %r2, [%d1+4];
  cvt.u64.u32 %d2, %r1; cvt.u64.u32 %d3, %r2;
  cvt.u16.u32 %h1, %r1; cvt.u16.u32 %h2, %r2;
  cvt.rn.f32.u32 %f1, %r1; cvt.rn.f32.u32 %f2, %r2; cvt.rn.f64.u32 %g1, %r1; cvt.rn.f64.u32 %g2, %r2;
  div.u32 %r3, %r1, %r2; div.s32 %r4, %r1, %r2; rem.u32 %r5, %r1, %r2; rem.s32 %r6, %r1, %r2;
  div.u16 %h3, %h1, %h2; div.u64 %d4, %d2, %d3; rem.s64 %d5, %d2, %d3;
  div.rn.f32 %f3, %f1, %f2; div.full.f32 %f4, %f1, %f2; div.approx.ftz.f32 %f5, %f1, %f2; div.rz.f32 %f6, %f1, %f2;
  rcp.rn.f32 %f7, %f1; sqrt.rn.f32 %f8, %f1; rcp.approx.f32 %f9, %f1;
  div.rn.f64 %g3, %g1, %g2; rcp.rn.f64 %g4, %g1; sqrt.rn.f64 %g5, %g1;
  st.global.u32 [%d1+8], %r3; st.global.u32 [%d1+12], %r4; st.global.u32 [%d1+16], %r5; st.global.u32 [%d1+20], %r6;
  st.global.u16 [%d1+24], %h3; st.global.u64 [%d1+32], %d4; st.global.u64 [%d1+40], %d5;
  st.global.f32 [%d1+48], %f3; st.global.f32 [%d1+52], %f4; st.global.f32 [%d1+56], %f5; st.global.f32 [%d1+60], %f6;
  st.global.f32 [%d1+64], %f7; st.global.f32 [%d1+68], %f8; st.global.f32 [%d1+72], %f9;
  st.global.f64 [%d1+80], %g3; st.global.f64 [%d1+88], %g4; st.global.f64 [%d1+96], %g5;
  ret;
}
EOF
printf 'ptx div.ptx\nbuffer x u32 64 data 97 7\nlaunch divisions grid 1 block 32 args(x)\n' >"$tmp/div.launch"
"$regtwin" trace record "$tmp/div.launch" -o "$tmp/div.trf" >"$tmp/out" 2>&1 || not_ok 'divisions are recorded' "$(cat "$tmp/out")"
"$regtwin" trace export "$tmp/div.trf" -o "$tmp/div" --verify >"$tmp/out" 2>&1
equal 'divisions: nothing else differs' "$?/$(grep -cE '^  (what it was|lanes|addresses|order: .*) +0 +0.00 %$' "$tmp/out")" 0/4
check 'divisions: an independent reader accepts them' "$tmp/check" "$tmp/div/kernelslist.g"
hasnt 'no opcode that no compiler writes' ' MUFU.DIV | NOP ' "$tmp/div/kernel-1.traceg"
# 18 + 24 + 17 + 22, 21 + 72 + 82, 8 + 8 + 2 + 33, 8 + 8, 14 + 9 + 16; one line each of the 16 instructions they stand for goes
insns=$("$regtwin" trace info "$tmp/div.trf" --json - 2>/dev/null | sed -n 's/^ *"warp_insns": \([0-9]*\).*/\1/p' | head -n 1)
lines=$(sed -n '1s/.* in \([0-9,]*\) lines.*/\1/p' "$tmp/out" | tr -d ,)
equal 'as many lines as the compiler has instructions' "$((lines - insns + 16))" 362
equal 'temporaries: no more registers than the kernel and one division need' \
  "$(awk -F ' = ' '/^-nregs/ { print ($2 <= 64) }' "$tmp/div/kernel-1.traceg")" 1

check 'plain files, too' "$regtwin" trace export "$tmp/vecadd.trf" -o "$tmp/plain"
check 'and an independent reader accepts them' "$tmp/check" "$tmp/plain/kernelslist.g"
xz -dk "$tmp/vecadd/kernel-1.traceg.xz"
same 'which are what the compressed ones hold' "$tmp/plain/kernel-1.traceg" "$tmp/vecadd/kernel-1.traceg"
"$regtwin" trace export "$tmp/i.trf" -o "$tmp/again" --verify >"$tmp/out" 2>&1
equal 'an imported trace, exported again, is the same' "$(sed '1,/^export, then/d' "$tmp/out" | grep -cE '^  .* 0 +0.00 %$')" 6
has 'with the opcodes and versions that it came with' '^-binary version = 70$' "$tmp/again/kernel-1.traceg"

# ---- bad input: name, what is done to a file, expected message
refused() {   # name, file, pattern
  local before after
  before=$(ls -A "$tmp/bad")
  "$regtwin" trace import "$2" -o "$tmp/bad/x.trf" >"$tmp/out" 2>&1
  equal "$1: refused" $? 2
  has "$1: with a place and a reason" "$3" "$tmp/out"
  equal "$1: one line" "$(wc -l <"$tmp/out")" 1
  after=$(ls -A "$tmp/bad")
  if [ "$before" = "$after" ]; then ok "$1: nothing is left"; else not_ok "$1: nothing is left" "$after"; fi
}
mkdir "$tmp/bad"
k=$tmp/bad/k.traceg
head -n 30 $here/kernel-1.traceg >"$k"; refused 'cut off within a warp' "$k" 'k.traceg:31:1: error: found the end of the file, expected more instructions of the warp: the file is cut off$'
head -n 60 $here/kernel-1.traceg >"$k"; refused 'cut off between CTAs' "$k" 'k.traceg:.*: error: found 1 thread blocks, expected 2, as the grid has$|expected'
sed 's/^0050 .*/0050 0000ffff 0 BRA zero 0/' $here/kernel-1.traceg >"$k"; refused 'no number' "$k" "k.traceg:27:21: error: found 'zero', expected how many source registers, 0 to 8\$"
sed 's/^insts = 15/insts = 14/' $here/kernel-1.traceg >"$k"; refused 'more instructions than announced' "$k" "error: found '00f0', expected 'warp = N' or '#END_TB'\$"
sed 's/^insts = 15/insts = 4000000000/' $here/kernel-1.traceg >"$k"; refused 'a number that is too large' "$k" "found '4000000000', expected a number of instructions, 0 to 2147483647\$"
sed 's/^-grid dim.*/-grid dim = (2147483647,65535,65535)/' $here/kernel-1.traceg >"$k"; refused 'a huge grid' "$k" 'found a grid of \(2147483647,65535,65535\) CTAs, expected at most 4294967295 together$'
sed 's/^-block dim.*/-block dim = (1024,2,1)/' $here/kernel-1.traceg >"$k"; refused 'a huge block' "$k" 'found a block of 2048 threads, expected at most 1024$'
sed 's/^thread block = 1,0,0/thread block = 0,0,0/' $here/kernel-1.traceg >"$k"; refused 'a CTA twice' "$k" 'found thread block 0,0,0 twice, expected each once$'
sed '0,/LDG.E.SYS/s/LDG.E.SYS 1 R4 4 1 0x7f0641000000 4/LDG.E.SYS 1 R4 0/' $here/kernel-1.traceg >"$k"; refused 'an access without addresses' "$k" 'k.traceg:25:20: error: found an access without addresses, expected its width and addresses$'
sed 's/STS 2 R0 R6 4 1 0x0 4/STS 2 R0 R6 4 1 0x100000 4/' $here/kernel-1.traceg >"$k"; refused 'an address out of shared memory' "$k" 'found shared address 100000, expected at most 227 KB$'
sed 's/STL 2 R1 R8 4 1 0x10 /STL 2 R1 R8 4 1 0xfffd10 /' $here/kernel-1.traceg >"$k"; refused 'local addresses far from each other' "$k" 'found local address fffd10, expected those of a kernel within 512 KB$|found local address 10, expected those of a kernel within 512 KB$'
head -c 400 "$tmp/kernel-1.traceg.xz" >"$tmp/bad/k.traceg.xz"; refused 'compressed and cut off' "$tmp/bad/k.traceg.xz" 'k.traceg.xz:.*: error: found the end of the compressed data, expected more: the file is cut off$'
cp $here/kernel-1.traceg "$tmp/bad/k.traceg.xz"; refused 'not compressed' "$tmp/bad/k.traceg.xz" 'k.traceg.xz:1:1: error: found other data, expected a file of xz$'
printf 'kernel-1.traceg\nkernel/../../kernel-2.traceg\n' >"$tmp/bad/l.g"; refused 'a list that leaves its directory' "$tmp/bad/l.g" "l.g:2:1: error: found 'kernel/../../kernel-2.traceg', expected a file beside the list"
printf 'kernel-1.tracez\n' >"$tmp/bad/l.g"; refused 'a file of another format' "$tmp/bad/l.g" "l.g:1:1: error: found 'kernel-1.tracez', expected a file beside the list, kernel-N.traceg or kernel-N.traceg.xz\$"
printf 'MemcpyHtoD,0x0,4\n' >"$tmp/bad/l.g"; refused 'a list without kernels' "$tmp/bad/l.g" 'l.g:2:1: error: found no kernel, expected the name of a .traceg file$'
printf 'kernel-9.traceg\n' >"$tmp/bad/l.g"; refused 'a file that is not there' "$tmp/bad/l.g" 'kernel-9.traceg: error: cannot open it: No such file or directory$'
head -c 70000 /dev/zero | tr '\0' 'x' >"$k"; refused 'a long line' "$k" 'k.traceg:1:1: error: found a line of more than 65536 bytes, expected a shorter one$'
printf -- '-grid\0dim\n' >"$k"; refused 'a NUL' "$k" 'k.traceg:1:6: error: found a NUL, expected text$'
sed '0,/^0000 /s/^0000 ffffffff 1/0010 ffffffff 1/' $here/kernel-1.traceg >"$k"; refused 'warps that begin elsewhere' "$k" 'found a warp that begins at PC 10, and one at PC 0, expected the same of all$'

# ---- a full disk, and other outputs that cannot be written
"$regtwin" trace export "$tmp/vecadd.trf" -o "$tmp/vecadd.trf" >"$tmp/out" 2>&1
has 'a directory that is a file' 'vecadd.trf/kernel-1.traceg: error: cannot write it: Not a directory$' "$tmp/out"
(ulimit -f 100; "$regtwin" trace export "$tmp/vecadd.trf" -o "$tmp/full") >"$tmp/out" 2>&1
equal 'no room' $? 2
has 'no room: one message' 'kernel-1.traceg: error: cannot write it: File too large$' "$tmp/out"
equal 'no room: nothing is left' "$(find "$tmp/full" 2>/dev/null | wc -l)" 0
