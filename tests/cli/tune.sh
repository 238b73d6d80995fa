#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tune: widths computed by hand; the same for any number of jobs and after an interrupted search; refusals.
. "$(dirname "$0")/../lib.sh"

# c = i + 1.5, i below 1000: i and 1000.5 have 10 and 11 significant bits (f16 holds 11), 1.5 has two (f8 holds 5).
cp traces/kernels/vecadd/vecadd.ptx "$tmp"
vecadd() {   # elements
  cat <<END
ptx vecadd.ptx
buffer a f32 $1 iota 0 1
buffer b f32 $1 fill 1.5
buffer c f32 $1 zero
launch vecadd grid $((($1 + 255) / 256)) block 256 args(a, b, c, u32:$1)
expect c[$1 - 1] $1 + 0.5
END
}
widths() { sed -n 's/^ *"\(%[^"]*\)": /\1 /p' "$1" | sort | tr '\n' ' '; }   # file
finds() {   # name, expected widths, elements, arguments...
  local name=$1 want=$2
  vecadd "$3" >"$tmp/v.launch"
  shift 3
  rm -f "$tmp/w"
  (cd "$tmp" && "$regtwin" tune ./v.launch -o w "$@" >out 2>err)
  equal "$name" "$(widths "$tmp/w")" "$want"
}
finds 'exact: 11 bits' '%f1 16 %f2 8 %f3 16 ' 1000 --metric exact
finds 'exact: 13 bits' '%f1 20 %f2 8 %f3 20 ' 5000 --metric exact
finds 'exact has no lower level' '%f1 16 %f2 8 %f3 16 ' 1000 --metric exact --quality high
finds 'deviation: half a unit in the last place of 8 bits, no more than 240' '%f1 12 %f2 8 %f3 12 ' 230 \
  --metric deviation --quality 1%
has 'what it says' '^\./v\.launch +3 +10\.7 +1 +[0-9]+ +deviation 0\.[0-9]+ % +w$' "$tmp/out"
has 'the quality in the file' '^deviation 1 %:$' "$tmp/w"

# In 8 bits 17 is infinite, 4294967295 rounds: a trial goes on for no longer than the reference and a sixteenth.
cat >"$tmp/rounds.ptx" <<'END'
.version 7.0
.target sm_52
.address_size 64
.visible .entry rounds(.param .u64 a, .param .u64 c) {
  .reg .f32 %f<3>;
  .reg .b32 %r<3>;
  .reg .b64 %rd<3>;
  .reg .pred %p<2>;
  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [c];
  ld.global.f32 %f1, [%rd1];
  cvt.rzi.u32.f32 %r2, %f1;
  mov.u32 %r1, 0;
more:
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p1, %r1, %r2;
  @%p1 bra more;
  mov.f32 %f2, 0f3F800000;
  st.global.f32 [%rd2], %f2;
  ret;
}
END
printf '%s\n' 'ptx rounds.ptx' 'buffer a f32 1 fill 17' 'buffer c f32 1 zero' 'launch rounds grid 1 block 1 args(a, c)' \
  'expect c[0] 1' >"$tmp/rounds.launch"
(cd "$tmp" && timeout 10 "$regtwin" tune ./rounds.launch --metric exact -o rounds >/dev/null 2>&1)
equal 'trials end' "$(widths "$tmp/rounds")" '%f1 12 %f2 8 '

tuned() { "$regtwin" tune hotspot --quality high --seeds 2 -o "$tmp/$1" "${@:2}" >/dev/null; }
check 'a kernel, one job' tuned one --jobs 1
check 'a kernel, four jobs' tuned four --jobs 4
same 'the same' "$tmp/one" "$tmp/four"

# Killed in the middle, half a line in the journal: the rest is found, the file is the same.
"$regtwin" tune hotspot --quality high --seeds 2 -o "$tmp/resumed" >/dev/null 2>&1 &
pid=$!
for _ in {1..2000}; do
  lines=$(grep -c . "$tmp/resumed.journal" 2>/dev/null)
  if [ "${lines:-0}" -gt 4 ]; then break; fi
  sleep 0.001
done
kill -KILL $pid 2>/dev/null
{ wait $pid; } 2>/dev/null
if [ ! -e "$tmp/resumed" ] && [ -s "$tmp/resumed.journal" ]; then
  ok 'killed: a journal, no file'
  printf '0123' >>"$tmp/resumed.journal"   # half a line
  check 'goes on' tuned resumed
  same 'to the same end' "$tmp/one" "$tmp/resumed"
  check 'the journal is gone' test ! -e "$tmp/resumed.journal"
else
  not_ok 'killed: a journal, no file' "$(ls "$tmp")"
fi

mkdir "$tmp/traces"
cp -r traces/kernels/hotspot traces/kernels/vecadd traces/kernels/include "$tmp/traces" 2>/dev/null
rm -f "$tmp"/traces/*/*.widths
check 'two kernels at once' env REGTWIN_TRACES="$tmp/traces" "$regtwin" tune hotspot vecadd --quality high --seeds 2
same 'the same, beside the launch file' "$tmp/one" "$tmp/traces/hotspot/hotspot.widths"
check 'and of the other' test -s "$tmp/traces/vecadd/vecadd.widths"

# One file holds both qualities: a search replaces its own table, and all of them if they are of another program.
export REGTWIN_TRACES=$tmp/traces
check 'the other quality' "$regtwin" tune vecadd --quality perfect --seeds 2 --size small
equal 'both are in the file' "$(sed -n 's/^\([a-z]*\): [{].*/\1/p' "$tmp/traces/vecadd/vecadd.widths" | tr '\n' ' ')" 'perfect high '
check 'analyze --widths: nothing is narrowed' "$regtwin" analyze "$tmp/traces/vecadd/vecadd.ptx" --widths=high
echo '// changed' >>"$tmp/traces/vecadd/vecadd.ptx"
check 'of a changed program' "$regtwin" tune vecadd --quality perfect --seeds 2 --size small
equal 'what was of the old one is gone' "$(sed -n 's/^\([a-z]*\): [{].*/\1/p' "$tmp/traces/vecadd/vecadd.widths" | tr '\n' ' ')" 'perfect '
check 'no journal is left' test -z "$(find "$tmp/traces" -name '*.journal')"
unset REGTWIN_TRACES

refuses() {   # name, expected message, command...
  local name=$1 want=$2 status
  shift 2
  "$regtwin" "$@" >"$tmp/out" 2>"$tmp/err"
  status=$?
  if [ $status -eq 2 ] && grep -qF -- "$want" "$tmp/err" && [ ! -e "$tmp/no" ] && [ ! -s "$tmp/out" ]; then ok "$name"
  else not_ok "$name" "status $status, expected 2 and: $want" "$(cat "$tmp/err")"; fi
}
sed -e 's/fill 1.5/fill nan/' -e 's/^expect.*/expect c[7] nan/' "$tmp/v.launch" >"$tmp/nan.launch"
for metric in exact deviation; do
  refuses "a reference that is all NaN: $metric" "nan.launch:6:1: error: found 'c' of the reference without a finite number" \
    tune "$tmp/nan.launch" --metric $metric -o "$tmp/no"
done
refuses 'no metric' 'found no about.yaml beside it, expected one or --metric exact|deviation|ssim' tune "$tmp/v.launch" -o "$tmp/no"
refuses 'a threshold of another metric' "found quality 'ssim 0.9' for a kernel whose metric is deviation" \
  tune hotspot --quality 0.9 -o "$tmp/no"
refuses 'no threshold for what is exact' "found quality 'deviation 5 %' for a kernel whose metric is exact, expected perfect" \
  tune hybridsort --quality 5% -o "$tmp/no"
refuses 'ssim above 1' "found quality '1.5', expected an ssim above 0, at most 1" tune ssao --quality 1.5 -o "$tmp/no"
refuses 'deviation above 100 %' "found quality '101%', expected a deviation from 0% to 100%" tune cfd --quality 101% -o "$tmp/no"
refuses 'no quality' "found quality 'good', expected perfect, high, an ssim as 0.95 or a deviation as 5%" tune cfd --quality good
refuses 'a threshold without a file' 'without --output' tune cfd --quality 5%
refuses 'an unknown kernel' "found no kernel 'nothing'" tune nothing -o "$tmp/no"
refuses 'a directory that is not there' 'cannot write: No such file or directory' tune hotspot -o "$tmp/none/there"

# analyze shows them where they are written; a file of another kernel or version of it is refused.
(cd "$tmp" && "$regtwin" tune ./v.launch -o w --metric deviation --quality 1%) >"$tmp/out" 2>&1
"$regtwin" analyze "$tmp/vecadd.ptx" --widths="$tmp/w" >"$tmp/out" 2>"$tmp/err"
has 'analyze --widths: the quality reached' '^  reached +v seed 1: deviation 0\.[0-9]* %$' "$tmp/out"
has 'analyze --widths: all floats' '^  floats +3: 1 of 8 bits, 2 of 12 bits$' "$tmp/out"
has 'analyze --widths: a sum' '  add\.rn\.f32 .* %f3 12 \(4, 7\)$' "$tmp/out"
has 'analyze --widths: a load' '  ld\.global\.nc\.f32 .* %f2 8 \(3, 4\)$' "$tmp/out"
refuses 'widths of another kernel' "w:3:6: error: found widths of 'vecadd.ptx', expected those of '" analyze hotspot --widths="$tmp/w"
sed 's/%f2": 8/%f2": 9/' "$tmp/w" >"$tmp/range"
refuses 'a width out of range' 'range:11:14: error: found 9 bits, expected 8, 12, 16, 20, 24, 28 or 32' \
  analyze "$tmp/vecadd.ptx" --widths="$tmp/range"
sed 's/%f2": 8/%f20": 8/' "$tmp/w" >"$tmp/web"
refuses 'a register that is not there' "web:11:7: error: found unknown register '%f20', expected a float of entry 'vecadd'" \
  analyze "$tmp/vecadd.ptx" --widths="$tmp/web"
sed 's/%f2": 8/%r5": 8/' "$tmp/w" >"$tmp/web"
refuses 'a register that is no float' "web:11:7: error: found the register '%r5', expected a float of entry 'vecadd'" \
  analyze "$tmp/vecadd.ptx" --widths="$tmp/web"
refuses 'no file' 'vecadd.widths: error: found no readable file (No such file or directory)' analyze "$tmp/vecadd.ptx" --widths
echo '// changed' >>"$tmp/vecadd.ptx"
refuses 'another version of the program' 'w:2:7: error: found widths of another version of ' analyze "$tmp/vecadd.ptx" --widths="$tmp/w"
