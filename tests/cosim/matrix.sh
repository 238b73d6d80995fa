#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The twin matrix marks results as out of date by the contents of the files they depend on, found without a build: these
# include all files that the compilers read; a tree without build/ agrees with the one that measured; a change marks its
# columns only.
# needs: binary cosim-built
. "$(dirname "$0")/../lib.sh"
twins=$(make -s cosim-blocks)
. cosim/lib.sh

# ---- against what gcc and Verilator said that they read, in this tree, where it is built
for b in $twins; do
  o=build/cosim/obj/$b
  if [ ! -f "$o/plain/V${b##*/}__ver.d" ]; then
    not_ok "$b is built" "expected $o/plain/V${b##*/}__ver.d; make cosim-built makes it"
    continue
  fi
  { sed 's/\\$//' "$o/twin.d" "$o/tb.d" | tr ' ' '\n' | grep -E '^[a-z].*\.(c|h|def)$'
    tr ' ' '\n' <"$o/plain/V${b##*/}__ver.d" | grep -E '^[a-z].*\.sv$'
  } | grep -vE '^(cosim|build|usr)/' | sort -u >"$tmp/read"
  sources "$b" run | grep -v '\.stim$' >"$tmp/listed"
  # not read there: the C of blocks that this one calls, which is linked; what only builds with assertions include
  grep -vE "^cmodel/blocks/${b%/*}/|\.svh$" "$tmp/listed" >"$tmp/found"
  comm -12 "$tmp/listed" <(grep "^cmodel/blocks/${b%/*}/" "$tmp/read") >>"$tmp/found"
  sort -o "$tmp/found" "$tmp/found"
  same "$b: what its compilers read" "$tmp/read" "$tmp/found"
done
check "rmu's C calls its parts'" test "$(sources finereg/rmu run | grep -cE '/(fsmon|lrvc|pcrf|ppt|rid)\.c$')" -eq 5

# ---- a tree without build/, in which every column was recorded as it is now
tree=$tmp/tree
mkdir -p "$tree/traces/kernels"
cp -r Makefile cmodel cosim rtl tb synth "$tree"
cp -r traces/streams "$tree/traces"
cp traces/kernels/kernels.mk "$tree/traces/kernels"
rm "$tree/cosim/records/twins.tsv"
mkdir -p "$tree"/build/{coverage,mutate,formal,cosim/results}
matrix() { make --no-print-directory -s -C "$tree" cosim-matrix >"$tmp/matrix" 2>"$tmp/err"; }
for b in $twins; do
  printf '%s\t%s\t100\t99\n' "$b" "$(hash_of "$b" coverage)" >>"$tree/build/coverage/results.tsv"
  printf '%s\t%s\t7\t8\n' "$b" "$(hash_of "$b" mutants)" >>"$tree/build/mutate/results.tsv"
  printf '%s\t-\ttop\t1\tinduction\t-\t1\t%s\n' "$b" "$(hash_of "$b" proofs)" >>"$tree/build/formal/results.tsv"
done
for b in $twins; do
  printf '%s\t%s\t1\t1000\t1\t5\t6\tagree\n' "$b" "$(hash_of "$b" bins)" >"$tree/build/cosim/results/${b//\//-}.tsv"
  printf '%s\t%s\tstorage\t11+12\n' "$b" "$(hash_of "$b" storage)" >>"$tree/build/cosim/results/storage"
done
make --no-print-directory -s -C "$tree" twins-record >"$tmp/out" 2>&1 || cat "$tmp/out"
check 'five columns of each block are recorded' \
  test "$(grep -cv '^#' "$tree/cosim/records/twins.tsv")" -eq $((5 * $(wc -w <<<"$twins")))
for t in bins:5/6 coverage:100/99 mutants:7/8 storage:11+12; do
  check "as they were measured: ${t%:*}" test "$(grep -c $'\t'"${t%:*}"$'\t'"${t#*:}\$" "$tree/cosim/records/twins.tsv")" -eq "$(wc -w <<<"$twins")"
done
sed -i 's,^slice/vc\t[^\t]*\tmutants\t.*,slice/vc\t0123456789abcdef\tmutants\t1/9,' "$tree/cosim/records/twins.tsv"
grep -v '^slice/vc' "$tree/build/mutate/results.tsv" >"$tmp/others"
cp "$tree/build/mutate/results.tsv" "$tmp/all"
mv "$tmp/others" "$tree/build/mutate/results.tsv"
make --no-print-directory -s -C "$tree" twins-record >"$tmp/out" 2>&1
has 'what is of other sources is not measured' '^slice/vc: mutants: 1/9~, not recorded' "$tmp/out"
has 'and stays as it was recorded' '^slice/vc	0123456789abcdef	mutants	1/9$' "$tree/cosim/records/twins.tsv"
mv "$tmp/all" "$tree/build/mutate/results.tsv"
make --no-print-directory -s -C "$tree" twins-record >"$tmp/out" 2>&1
rm -r "$tree/build"
mkdir -p "$tree/build/cosim/results"
for b in $twins; do
  printf '%s\t%s\t1\t1000\t1\t5\t5\tagree\n' "$b" "$(hash_of "$b" run)" >"$tree/build/cosim/results/${b//\//-}.tsv"
done
matrix
awk '/^[a-z]+\/[a-z]+ / { print $1, $2, $3 }' "$tmp/matrix" >"$tmp/lines"
"$regtwin" list blocks | sed -n '2,/^$/s/^\([a-z]*\/[a-z]*\) .*/&/p' | sed -E 's/  +/\t/g' | awk -F '\t' '{ print $1, $3, $4 }' >"$tmp/listed"
same 'lines of code as regtwin list blocks has them' "$tmp/lines" "$tmp/listed"
check 'nothing built: a line for each block' test "$(grep -c '/.* 7/8 ' "$tmp/matrix")" -eq "$(wc -w <<<"$twins")"
check 'nothing built: nothing is out of date' bash -c "! grep -v '^(' $tmp/matrix | grep '~'"

# change FILE "BLOCK:COLUMN ..." [LINE]: the line is added to it, a comment without one; those of run coverage mutants proofs are out of
# date then, and no others, which `stale` finds of all changes since it was last called. A matrix takes seconds: changes of different
# blocks share one.
files=() wanted=()
change() {
  local f=$tree/$1
  cp "$f" "$tmp/before.${#files[@]}"
  files+=("$f") wanted+=("$2")
  if [[ $1 == */proofs.tsv ]]; then sed -i 's,^slice/sit\tsit\t,&W=1 ,' "$f"; else echo "${3:-// x}" >>"$f"; fi
}
stale() {
  local k
  matrix
  for k in "${!files[@]}"; do cp "$tmp/before.$k" "${files[k]}"; done
  awk '/^[a-z]+\/[a-z]+ / { split("4 run 7 coverage 8 mutants 9 proofs", c, " ")
      for (k = 1; k < 9; k += 2) if ($c[k] ~ /~$/) print $1 ":" c[k + 1] }' "$tmp/matrix" >"$tmp/found"
  for k in "${!files[@]}"; do
    for w in ${wanted[k]}; do check "after a change of ${files[k]#"$tree/"}: $w" grep -qx "$w" "$tmp/found"; done
  done
  equal "after changes of $(basename -a "${files[@]}" | xargs)" "$(sort "$tmp/found" | xargs)" "$(xargs -n 1 <<<"${wanted[*]}" | sort | xargs)"
  files=() wanted=()
}
all_of() { printf "$1:%s " run coverage mutants "${@:2}"; }
change rtl/slice/vcl.sv "$(all_of slice/vc proofs) $(all_of slice/vcl proofs)"
change tb/slice/dit_tb.c "$(all_of slice/dit)"
change cmodel/blocks/finereg/ppt.c "$(all_of finereg/ppt) $(all_of finereg/rmu)"
change cmodel/blocks/malekeh/wfil.def "$(all_of malekeh/wfil)" 'IN(more_i, 1)'
change tb/finereg/lrvc.waive finereg/lrvc:coverage
change synth/formal/slice/wve_fv.sv slice/wve:proofs
change synth/formal/proofs.tsv slice/sit:proofs
change traces/streams/slice/vt-ssao.stim slice/vt:run
stale
change cmodel/blocks/malekeh/wfil.def '' 'SET(more, "NumCollectors=8 NumResults=4")'
change tb/finereg/rmu.survivors finereg/rmu:mutants
stale
matrix
check 'and nothing once it is as it was' bash -c "! grep -v '^(' $tmp/matrix | grep '~'"

# what this tree measured last does not hide a recorded result that is newer
mkdir -p "$tree/build/mutate"
printf 'slice/sit\t0123456789abcdef\t1\t9\n' >"$tree/build/mutate/results.tsv"
matrix
has 'a recorded result of these sources before an older one of build/' '^slice/sit .* 7/8 ' "$tmp/matrix"
