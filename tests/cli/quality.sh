#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# quality: two launch files with a difference computed by hand, and a shader with other lights.
. "$(dirname "$0")/../lib.sh"

says() {   # name, expected last line, arguments...
  local name=$1 want=$2 out
  shift 2
  out=$("$regtwin" quality "$@" 2>&1)
  if [ "$(tail -n 1 <<<"$out" | tr -s ' ')" = "$want" ]; then ok "$name"; else not_ok "$name" "expected $want" "$out"; fi
}

# c = i + FILL over 1000 elements; with 1.5 they add up to 501000
cp traces/kernels/vecadd/vecadd.ptx "$tmp"
for fill in 1.5 1.625 51.5 52.5 nan inf; do
  cat >"$tmp/$fill.launch" <<END
ptx vecadd.ptx
buffer a f32 1000 iota 0 1
buffer b f32 1000 fill $fill
buffer c f32 1000 zero
launch vecadd grid 4 block 256 args(a, b, c, u32:1000)
expect c[999] 1000.5
END
done
says 'deviation: none' 'all results perfect deviation 0 %' "$tmp/1.5.launch" "$tmp/1.5.launch" --metric deviation
says 'deviation: 125 of 501000' 'all results high deviation 0.0249501 %' \
  "$tmp/1.5.launch" "$tmp/1.625.launch" --metric deviation
says 'deviation: below 10 %' 'all results high deviation 9.98004 %' "$tmp/1.5.launch" "$tmp/51.5.launch" --metric deviation
says 'deviation: above 10 %' 'all results low deviation 10.1796 %' "$tmp/1.5.launch" "$tmp/52.5.launch" --metric deviation
says 'deviation: nan' 'all results low deviation inf %' "$tmp/1.5.launch" "$tmp/nan.launch" --metric deviation
# References from which quality cannot be judged: NaN agrees with NaN, whatever the other run does.
refuses() {   # name, expected message, arguments...
  local name=$1 want=$2 status
  shift 2
  "$regtwin" quality "$@" >"$tmp/out" 2>"$tmp/err"
  status=$?
  if [ $status -eq 2 ] && grep -qF -- "$want" "$tmp/err" && [ ! -s "$tmp/out" ]; then ok "$name"
  else not_ok "$name" "status $status, expected 2 and: $want" "$(cat "$tmp/err" "$tmp/out")"; fi
}
for metric in exact deviation; do
  for fill in nan inf; do
    sed "s/1000.5$/$fill/" "$tmp/$fill.launch" >"$tmp/$fill-reference.launch"
    refuses "a reference of $fill: $metric" "$fill-reference.launch:6:1: error: found 'c' of the reference without a finite number" \
      "$tmp/$fill-reference.launch" "$tmp/1.5.launch" --metric $metric
  done
done
nothing() {   # name, lines...
  printf '%s\n' 'ptx vecadd.ptx' 'buffer a f32 256 zero' "${@:2}" 'launch vecadd grid 1 block 256 args(a, a, c, u32:256)' \
    'expect c expr 0' 'image c 16 16 gray c.png range -1 1' >"$tmp/$1.launch"
}
nothing zeros 'buffer c f32 256 fill 1'
refuses 'a reference of zeros: deviation' "zeros.launch:6:1: error: found 'c' of the reference with 0 everywhere" \
  "$tmp/zeros.launch" "$tmp/zeros.launch" --metric deviation
refuses 'a picture of one level: ssim' "found 'c' of the reference with one level everywhere" \
  "$tmp/zeros.launch" "$tmp/zeros.launch" --metric ssim
says 'zeros are exact' 'all results perfect exact' "$tmp/zeros.launch" "$tmp/zeros.launch" --metric exact
nothing beside 'buffer c f32 256 fill 1' 'buffer other u32 1 fill 7' 'expect other[0] 7'
says 'zeros beside other results' 'all results perfect deviation 0 %' "$tmp/beside.launch" "$tmp/beside.launch" --metric deviation
says 'exact' 'all results low exact: 1000 of 1000 elements differ' "$tmp/1.5.launch" "$tmp/1.625.launch" --metric exact
echo 'metric: exact' >"$tmp/about.yaml"
printf '%s\n' 'what: w' 'suite: s' 'entry: vecadd' 'papers: {}' 'differs: no' >>"$tmp/about.yaml"
says 'the metric of the manifest beside it' 'all results low exact: 1000 of 1000 elements differ' \
  "$tmp/1.5.launch" "$tmp/1.625.launch"

for k in deferred cfd hybridsort; do
  out=$("$regtwin" quality "$k" "$k" --size small | grep -c ' perfect ')
  if [ "$out" -ge 2 ]; then ok "$k beside itself"; else not_ok "$k beside itself" "$out lines say perfect"; fi
done
says 'names of the papers, another seed' 'all results perfect exact' finereg:CS convolutionSeparable --size small --seed 9

# A light that changes by a percent is hardly seen; none at all is. The expectations of the other file do not stop it.
mkdir "$tmp/deferred"
cp traces/kernels/deferred/deferred.ptx "$tmp/deferred"
for glow in 1.11 0; do
  sed "s/^buffer glow .*/buffer glow f32 4 * lights expr i % 4 == 3 ? 0 : i % 4 == i \/ 4 % 3 ? $glow : 0.6 * u[i] * ($glow > 0)/" \
    traces/kernels/deferred/deferred.launch >"$tmp/deferred/$glow.launch"
done
"$regtwin" quality deferred "$tmp/deferred/1.11.launch" --size small >"$tmp/near"
"$regtwin" quality deferred "$tmp/deferred/0.launch" --size small >"$tmp/far"
value() { sed -n 's/^all results  *\([a-z]*\)  *ssim \([0-9.]*\)$/\1 \2/p' "$1"; }
read -r near_level near < <(value "$tmp/near")
read -r far_level far < <(value "$tmp/far")
if [ "$near_level $far_level" = 'high low' ] && awk "BEGIN { exit !($near > 0.99 && $near < 1 && $far > 0 && $far < 0.9) }"; then
  ok 'ssim: near is high, far is low'
else
  not_ok 'ssim: near is high, far is low' "$(cat "$tmp/near" "$tmp/far")"
fi

# ---- comparing leaves no files behind, running does
mkdir "$tmp/vecadd"
cp traces/kernels/vecadd/vecadd.ptx "$tmp/vecadd"
{ small_launch vecadd; echo "dump c $tmp/vecadd/c.bin"; } >"$tmp/vecadd/small.launch"
"$regtwin" quality vecadd "$tmp/vecadd/small.launch" --size small >/dev/null
check 'quality dumps nothing' test $? -eq 0 -a ! -e "$tmp/vecadd/c.bin"
"$regtwin" run --dumps "$tmp" "$tmp/vecadd/small.launch" --functional >/dev/null
check 'run does' test $? -eq 0 -a -s "$tmp/vecadd/c.bin"
