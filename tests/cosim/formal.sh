#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Proofs of synth/formal/proofs.tsv are as stated there, and planted faults make their proof fail; those marked long apart. A row whose
# files and proof script are those of a kept result is not proven again (tests/kept.sh).
# needs: none
. "$(dirname "$0")/../lib.sh"

# rows NAME TABLE COLUMN PATTERN: a line for each block of the table; as many rows of the pattern as are not marked long in the column
rows() {
  local b want found kept mark
  for b in $(grep -vE '^(#|$)' "$2" | cut -f1 | uniq); do
    want=$(awk -F'\t' -v b="$b" -v c="$3" '$1 == b && $c !~ /long$/ && $6 != "open"' "$2" | wc -l)
    found=$(grep -cE "^$b +$4" "$tmp/out")
    kept=$(grep -cE "^$b +.* kept( |$)" "$tmp/out")
    mark=
    [ "$kept" -ne "$want" ] || mark=' (kept)'
    if [ "$want" = "$found" ]; then ok "$1: $b, $want of $want$mark"
    else not_ok "$1: $b" "$found of $want" "$(grep "^$b " "$tmp/out")"; fi
  done
}
KEPT=1 FORMAL_SHORT=1 synth/formal/run.sh >"$tmp/out" 2>&1
status=$?
rows proofs synth/formal/proofs.tsv 7 '.* (complete|induction) '
check 'proofs: exit status' test $status -eq 0
KEPT=1 FORMAL_SHORT=1 synth/formal/run.sh --planted >"$tmp/out" 2>&1
status=$?
rows 'planted faults' synth/formal/planted.tsv 5 'caught '
check 'planted faults: exit status' test $status -eq 0

# Each claim has a proof that can show it, and a fault; docs/develop/proofs.md has the table.
check 'each claim can fail, and does with a fault' synth/formal/claims.sh
sed -n '/^<!-- claims -->$/,/^<!-- end of claims -->$/{/^<!-- /!p}' docs/develop/proofs.md >"$tmp/page"
synth/formal/claims.sh --page >"$tmp/found"
same 'docs/develop/proofs.md: claims are those of synth/formal/claims.tsv (make proofs-page writes them)' "$tmp/found" "$tmp/page"
mkdir "$tmp/docs" && sed 's/^| common\/rr_arb | grant |/| common\/rr_arb | other |/' docs/develop/proofs.md >"$tmp/docs/proofs.md"
check 'the page of the next line is another one' test -n "$(diff docs/develop/proofs.md "$tmp/docs/proofs.md")"
make --no-print-directory -s proofs-page PROOFS_PAGE="$tmp/docs/proofs.md" >"$tmp/out" 2>&1
check 'make proofs-page writes them' cmp docs/develop/proofs.md "$tmp/docs/proofs.md"

# One row is proven in any case, and a fault in the Verilog is not hidden by what is kept of it.
FRESH=1 KEPT=1 synth/formal/run.sh finereg/rid >"$tmp/out" 2>&1
check 'a row is proven afresh: exit status' test $? -eq 0
has 'and not taken' '^finereg/rid .* (complete|induction) +(k=[0-9]+)? +[0-9]' "$tmp/out"
mkdir "$tmp/bin" && printf '#!/bin/sh\necho PASSED\n' >"$tmp/bin/yosys-smtbmc" && chmod +x "$tmp/bin/yosys-smtbmc"
PATH=$tmp/bin:$PATH SMT=1 KEPT=1 synth/formal/run.sh finereg/rid >"$tmp/out" 2>&1
has 'a second solver is asked in any case' '^finereg/rid .* smtbmc too ' "$tmp/out"

# In a tree of its own: a fault that is no Verilog is not caught, whatever the one before was; other folders of the twins are not what is proven.
tree=$tmp/tree
mkdir -p "$tree/tests" "$tree/cmodel/make"
cp -r rtl synth cosim "$tree"
cp tests/kept.sh "$tree/tests"
cp cmodel/make/progress.sh "$tree/cmodel/make"
{ grep -m 1 $'^finereg/rid\t' synth/formal/planted.tsv; printf 'finereg/rid\trtl/finereg/rid.sv\ts/endmodule/end_module/\t-\n'; } >"$tree/synth/formal/planted.tsv"
(cd "$tree" && synth/formal/run.sh --planted) >"$tmp/out" 2>&1
equal 'a fault that is no Verilog: exit status' $? 1
has 'with the first line of the error' '^  .*/rtl/finereg/rid\.sv:[0-9]+: ERROR: syntax error' "$tmp/out"
equal 'is missed' "$(awk '/^finereg/ { printf "%s ", $2 }' "$tmp/out")" 'caught MISSED '
# What claims.sh finds: a fault that is not planted, a row that is too small, an invariant without a claim, an assertion that is not there.
mkdir "$tree/docs" && cp -r docs/blocks "$tree/docs"
cp synth/formal/planted.tsv "$tree/synth/formal"
tell() {   # name, file, sed expression, what it says
  cp "$tree/$2" "$tmp/saved"
  sed -i "$3" "$tree/$2"
  (cd "$tree" && synth/formal/claims.sh) >"$tmp/out" 2>&1
  equal "$1: exit status" $? 1
  has "$1" "$4" "$tmp/out"
  cp "$tmp/saved" "$tree/$2"
}
tell 'a claim without a fault' synth/formal/planted.tsv '/^finereg\/rid\t.*\t2$/d' '^synth/formal/claims.tsv: finereg/rid 2: found no fault '
tell 'a claim whose rows are too small' synth/formal/proofs.tsv '/RegW=11/d' '^synth/formal/claims.tsv: linebacker/ctl 2.carry: found no row '
tell 'a fault where its claim cannot fail' synth/formal/planted.tsv 's/RegW=11/RegW=4/' "^synth/formal/claims.tsv: linebacker/ctl 2.carry: a fault is planted at "
tell 'an invariant without a claim' docs/blocks/finereg/rid.md 's/^3\. .*/&\n4. x/' '^synth/formal/claims.tsv: finereg/rid 4: found no claim '
tell 'words in a condition' synth/formal/claims.tsv 's/N >= 2 && N <= 7/N >= 2 and N <= 7/' "^synth/formal/claims.tsv: slice/vcl 1: found 'N >= 2 and N <= 7', expected an expression of bash: "
tell 'an assertion that is not there' rtl/finereg/rid_properties.svh 's/assert (f_left_q\[register_o\])/assert (1)/' '^synth/formal/claims.tsv: finereg/rid 1: found no assertion '

mkdir "$tree/other" && cp -r rtl/common rtl/finereg "$tree/other"
echo '// x' >>"$tree/other/finereg/rid.sv"
hash_there() { (cd "$tree" && rm -rf build && COSIM_RTL=$1 synth/formal/run.sh finereg/rid >"$tmp/out" 2>&1; cut -f2 build/cache/results); }
equal 'COSIM_RTL: the hash is of what was proven' "$(hash_there other)" "$(hash_there rtl)"
make --no-print-directory -s formal BLOCK=slice/nothing >"$tmp/out" 2>&1
status=$?
if [ $status -eq 2 ] && grep -q "^formal: found block 'slice/nothing', expected one of: " "$tmp/out"; then
  ok 'an unknown block'
else not_ok 'an unknown block' "exit status $status" "$(cat "$tmp/out")"; fi
