#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Whatever size of a block a configuration or an experiment uses has a parameter set, hence a twin; the SM in lockstep refuses a
# size without one and says which there are; a set is built, run and named.
# needs: binary cosim-built
. "$(dirname "$0")/../lib.sh"
make --no-print-directory -s cosim-sets >"$tmp/sets"
has_set() {   # block, Name=value: some set of the block has it
  awk -v b="$1" -v v="$2" '$1 == b { for (k = 3; k <= NF; k++) if ($k == v) found = 1 } END { exit !found }' "$tmp/sets"
}

# ---- sizes that .conf files and experiments give, and the defaults; those that an experiment chooses for each kernel (Fig 19)
build/cosim/sizes >"$tmp/sizes" 2>"$tmp/err" || not_ok 'sizes that depend on the kernel' "$(cat "$tmp/err")"
values() {   # key: each value once
  { "$regtwin" list systems --names | while read -r s; do "$regtwin" config --dump --system "$s" 2>/dev/null; done |
      awk -v section="${1%.*}:" -v key="${1#*.}:" '/^[a-z]/ { here = $1 == section } here && $1 == key { print $2 + 0 }'
    grep -rhoE "$1=[0-9]+" cmodel --include=*.def | sed 's/.*=//'
    sed -n "s/^$1=\([0-9]*\) .*/\1/p" "$tmp/sizes"
  } | sort -nu
}
sizes=$(values finereg.pcrf_bytes | xargs)
has 'unified memory gives each kernel its own PCRF' '^finereg.pcrf_bytes=34816 FineReg\+UM ' "$tmp/sizes"
equal 'sizes of the PCRF (FineReg, Fig 17, 19)' "$sizes" '34816 43008 47104 65536 79872 88064 90112 96256 98304 131072 163840'\
' 174080 190464 196608 225280 235520 237568 258048 262144'
for bytes in $sizes; do
  for b in fsmon pcrf ppt rmu; do check "$b has $((bytes / 128)) entries" has_set finereg/$b "NumEntries=$((bytes / 128))"; done
done
entries=$(values finereg.lrvc_entries | xargs)
equal 'sizes of the LRVC' "$entries" '8 16 32 64 128'
for n in $entries; do
  check "lrvc has $n entries" has_set finereg/lrvc "NumEntries=$n"
  check "rmu has an lrvc of $n entries" has_set finereg/rmu "LrvcEntries=$n"
done
if has_set finereg/rmu NumEntries=900; then not_ok 'a size that no set has is none'; else ok 'a size that no set has is none'; fi

# ---- the victim tag table: associativities and L1 sizes of the experiments, at both intervals
has_vtt() {   # values: some set of the block has them all
  awk -v want="$*" '$1 == "linebacker/vtt" { n = split(want, w); all = 1; for (i = 1; i <= n; i++) all = all && index($0 " ", " " w[i] " "); found += all } END { exit !found }' "$tmp/sets"
}
equal 'associativities' "$(values linebacker.ways | xargs)" '1 2 4 8 16 32'
for ii in 1 3; do
  for w in $(values linebacker.ways); do check "vtt of $w ways, interval $ii" has_vtt Sets=48 "Ways=$w" "SearchInterval=$ii"; done
  for kb in $(grep -oE '"LB:[^"]*l1.bytes=[0-9]+' cmodel/systems/linebacker/paper.def | sed 's/.*=//' | sort -nu) 49152; do
    check "vtt for $((kb / 1024)) KB of L1, interval $ii" has_vtt "Sets=$((kb / 1024))" Ways=4 "SearchInterval=$ii"
  done
done

# ---- the SM in lockstep: of another size than its Verilog
build/regtwin-cosim run stencil --config gtx980 --system FineReg --set finereg.acrf_bytes=163840 --set finereg.pcrf_bytes=98304 \
  >"$tmp/out" 2>&1
check 'a size without a twin is refused' test $? -eq 2
has 'which it is, and which there are' \
  'finereg/rmu: found NumCtas=128 NumWarps=32 Engine=2 NumEntries=768 LrvcEntries=32, expected a parameter set whose Verilog is here: kb128;' "$tmp/out"

# ---- a set: built with its parameters, run, named in the replay
make --no-print-directory -s cosim BLOCK=finereg/fsmon SETS=kb96 CYCLES=20000 >"$tmp/out" 2>&1
check 'a set that is no power of two agrees' test $? -eq 0
has 'under its name' '^finereg/fsmon@kb96 +agree +20000 cycles' "$tmp/out"
make --no-print-directory -s cosim BLOCK=finereg/fsmon SET=kb96 CYCLES=100 >"$tmp/out" 2>&1
has 'SET= is SETS=' '^finereg/fsmon@kb96 +agree +100 cycles' "$tmp/out"
for target in cosim wave storage coverage; do
  make --no-print-directory -s $target BLOCK=finereg/fsmon SET=kb97 >"$tmp/out" 2>&1
  has "make $target, too" 'SETS=kb97: no finereg/fsmon has such a set' "$tmp/out"
done
make --no-print-directory -s cosim BLOCK=finereg/fsmon SET=kb96 SETS=kb34 >"$tmp/out" 2>&1
has 'not both' 'found both, expected one of them' "$tmp/out"
make --no-print-directory -s cosim BLOCK=finereg/fsmon SETS=kb97 >"$tmp/out" 2>&1
check 'a set that there is not: exit status 2' test $? -eq 2
has 'what there is' 'SETS=kb97: no finereg/fsmon has such a set; there are: all, kb128 kb160 kb170 kb186 kb192 kb220 kb230 kb232 kb252 kb256 kb34 kb42 kb46 kb64 kb78 kb86 kb88 kb94 kb96' "$tmp/out"
make --no-print-directory -s cosim BLOCK=finereg/fsmon SETS='kb96 kb97' CYCLES=100 >"$tmp/out" 2>&1
check 'nor beside one that there is' test $? -eq 2
has 'which of them' 'SETS=kb97: no finereg/fsmon has such a set' "$tmp/out"
make --no-print-directory -s regtwin-cosim SETS=kb97 >"$tmp/out" 2>&1
check 'nor of the whole SM' test $? -eq 2
has 'none of any block' 'SETS=kb97: no block has such a set' "$tmp/out"
make --no-print-directory -s storage BLOCK=finereg/rmu SETS="'; touch '$tmp/pwned'; '" >"$tmp/out" 2>&1
check 'any text as a set: exit status 2' test $? -eq 2
check 'it is data' test ! -e "$tmp/pwned"
at=build/cosim-test/sets
rm -rf $at
mkdir -p $at
cp -r rtl $at/
sed -i "s/(IndexW+1)'(NumEntries);/(IndexW+1)'(2 ** IndexW);/" $at/rtl/finereg/fsmon.sv
make --no-print-directory -s cosim BLOCK=finereg/fsmon SETS=kb96 COSIM_RTL=$at/rtl COSIM_OUT=$at/out >"$tmp/out" 2>&1
check 'a fault that powers of two hide is found' grep -qE '^(DIVERGE|ASSERT) fsmon cycle' "$tmp/out"
has 'and its replay names the set' 'replay: make cosim BLOCK=finereg/fsmon SEED=1 CYCLES=[0-9]+ SETS=kb96 ' "$tmp/out"
has 'its wave, too' 'wave: build/waves/fsmon@kb96-1\.fst ' "$tmp/out"
check 'what make wave repeats has the set' grep -qx SETS=kb96 build/waves/fsmon@kb96.last
env -u DISPLAY -u WAYLAND_DISPLAY make --no-print-directory -s wave BLOCK=finereg/fsmon COSIM_RTL=$at/rtl COSIM_OUT=$at/out >"$tmp/out" 2>&1
equal 'make wave without a set: exit status' $? 0
has 'is of the set that failed' '^(DIVERGE|ASSERT) fsmon cycle' "$tmp/out"
has 'and shows its wave' 'gtkwave build/waves/inner/fsmon@kb96-1\.fst ' "$tmp/out"
make --no-print-directory -s cosim BLOCK=finereg/fsmon CYCLES=20000 COSIM_RTL=$at/rtl COSIM_OUT=$at/out >"$tmp/out" 2>&1
has 'which the first set does not see' '^finereg/fsmon +agree' "$tmp/out"

# ---- an element that another set has: wfil's first set has two results, the largest eight
mkdir -p $at/tb && cp -r tb/malekeh $at/tb/
sed -i 's/^  struct wfil_in in = {0};/  struct wfil_in in = {.result_warp_i[5] = 1};/' $at/tb/malekeh/wfil_tb.c
make --no-print-directory -s cosim BLOCK=malekeh/wfil CYCLES=100 COSIM_TB=$at/tb COSIM_OUT=$at/out-beyond >"$tmp/out" 2>&1
check "a bench that drives another set's element: exit status 2" test $? -eq 2
has 'which port' 'wfil: the bench drives an element of result_warp_i that this set does not have in cycle [0-9]+$' "$tmp/out"

# ---- storage: the paper's table is about these
make --no-print-directory -s storage BLOCK=finereg/rmu >"$tmp/out" 2>&1
has 'storage of a block with its parts' '^finereg/rmu@kb64 +[0-9]+ +535040 +[0-9]+ +537088$' "$tmp/out"
mkdir -p $at/cmodel
cp -r cmodel/blocks $at/cmodel/
sed -i 's|^RAM(u_vector, 64, P(NumEntries), 1)|RAM(u_vector, 128, P(NumEntries) / 2, 1)|' $at/cmodel/blocks/finereg/lrvc.def
make --no-print-directory -s cosim BLOCK=finereg/lrvc CYCLES=100 COSIM_C=$at/cmodel COSIM_OUT=$at/out-ram >"$tmp/out" 2>&1
has 'a memory of other words, though as many bits' 'disagree on u_vector: words of 128 bits in the .def, of 64 in the RTL' "$tmp/out"

# ---- pairs of values: the sets of each block cover all that can occur
pairs() { awk -f cosim/sets.awk "$@" </dev/null | awk -f cosim/pairs.awk - "$@"; }   # .def...
pairs cmodel/blocks/*/*.def >"$tmp/out" 2>"$tmp/err"
check 'every pair of values is covered or excluded with a reason' test $? -eq 0
hasnt 'no pair is missing' '[1-9][0-9]* missing' "$tmp/out"
has 'one with pairs that cannot occur' '^malekeh/alloc: [0-9]+ sets, 45 pairs: 41 covered, 4 impossible, 0 missing$' "$tmp/out"
changed() {   # SYSTEM/BLOCK, sed expression: the pairs of a changed .def
  mkdir -p "$tmp/pairs/${1%/*}"
  sed "$2" "cmodel/blocks/$1.def" >"$tmp/pairs/$1.def"
  pairs "$tmp/pairs/$1.def" >"$tmp/out" 2>"$tmp/err"
}
changed malekeh/alloc '/^SET(strict,/d; /^SET(pair[13],/d'
check 'without the only sets of a pair: exit status' test $? -eq 1
has 'which pair' '^  missing: NumCollectors=4 Pass=0$' "$tmp/out"
changed malekeh/alloc '/LEGAL/d'
check 'without the line that excludes some: exit status' test $? -eq 1
has 'these are missing' '^  missing: NumWarps=16 Policy=2$' "$tmp/out"
changed malekeh/alloc 's/^SET(pair3, "NumCollectors=8/SET(pair3, "NumCollectors=4/'
check 'a set that is not legal: exit status' test $? -eq 2
has 'which, and why' '^malekeh/alloc@pair3: found a set that its \.def excludes, expected LEGAL.Policy != 2 || NumCollectors == NumWarps.$' "$tmp/err"
changed linebacker/vtt 's/^SET(pair1, "Sets=64 Ways=1 NumPartitions=24/SET(pair1, "Sets=64 Ways=1 NumPartitions=16/'
check 'a value that follows from others: exit status' test $? -eq 2
has 'from which' '^linebacker/vtt@pair1: found a set that its \.def excludes, expected FOLLOWS.NumPartitions, 1536 ' "$tmp/err"
changed malekeh/rarb 's/^SIZE(NumResults.*/&\n\/* LEGAL(NumCollectors > 1): more than one *\//'
check 'a line that excludes nothing: exit status' test $? -eq 2
has 'which' '^malekeh/rarb: found LEGAL.NumCollectors > 1., which excludes nothing' "$tmp/err"
changed malekeh/rarb 's/^SIZE(NumResults.*/&\n\/* LEGAL(NumCollectors > Nwarp): more *\//'
check 'a name that is none: exit status' test $? -eq 2
has 'where' 'rarb\.def:6: found Nwarp in LEGAL.NumCollectors > Nwarp., expected ' "$tmp/err"
changed malekeh/rarb 's/^SIZE(NumResults.*/&\n\/* LEGAL((NumCollectors > 1): more *\//'
has 'half an expression' 'rarb\.def:6: found "" as word 5 in LEGAL' "$tmp/err"
changed malekeh/rarb 's/^SIZE(NumResults.*/&\n\/* LEGAL(NumCollectors > 1) *\//'
has 'no reason' 'rarb\.def:6: found .* expected a reason after it' "$tmp/err"
printf 'SIZE(A, 1, 9)\nSIZE(B, 1, 9)\nSET(a, "A=1 B=1")\nSET(b, "A=4 B=2")\n/* LEGAL(7 / 2 == 3 && 7 %% 4 - 1 == 2 && (A == 4 ? B != 1 : 2 + 3 * 4 == 14)): x */\n' >"$tmp/pairs/x.def"
pairs "$tmp/pairs/x.def" >"$tmp/out" 2>"$tmp/err"
has 'an expression is read as C reads it' ': 2 sets, 4 pairs: 2 covered, 1 impossible, 1 missing$' "$tmp/out"

# ---- what a .def may have: each word and its parentheses, a size of 0 by default
words() {   # lines: what is said of a .def that has them
  printf '%b' "$1" >"$tmp/pairs/w.def"
  awk -f cosim/sets.awk "$tmp/pairs/w.def" >"$tmp/out" 2>"$tmp/err"
}
words 'SIZE(A, 0, 1)   /* a (comment */\nSET(a, "A=0")\nSET(b, "A=1")\nIN(x_i, 1) OUT(y_o,\n  1)\nCOMBINATIONAL\n'
equal 'a size of 0 by default: exit status' $? 0
equal 'both sets' "$(xargs <"$tmp/out")" 'pairs/w a A=0 pairs/w b A=1'
words 'IN(x_i, 1)\nOUTT(y_o, 1)\n'
equal 'a word that is none: exit status' $? 2
has 'where it stands' 'w\.def:2: found OUTT, expected one of PARAM SIZE SET IN OUT ' "$tmp/err"
words 'IN(x_i, 1)\nIN(y_i, CLOG2(4)\nOUT(z_o, 1)\n'
equal 'a parenthesis that is missing: exit status' $? 2
has 'where it opens' 'w\.def:2: found IN\( without its \), expected one before OUT in line 3$' "$tmp/err"
words 'IN(x_i, 1)\nQUIET(ZERO(x_i)\n'
has 'the same at the end' 'w\.def:2: found QUIET\( without its \), expected one before the end of the file$' "$tmp/err"

# ---- after a failure of a block whose Verilog was edited, make cosim names lint
mkdir -p "$tmp/bin" $at/cmodel-lint
# shellcheck disable=SC2016   # of the script
printf '#!/bin/sh\n[ "$1" != status ] || cat "$GIT_SAYS"\n' >"$tmp/bin/git" && chmod +x "$tmp/bin/git"
cp -r cmodel/blocks $at/cmodel-lint
sed -i 's,most / 2,most / 3,' $at/cmodel-lint/blocks/example/limit.c
edited() {   # what git status says
  printf '%s' "$1" >"$tmp/says"
  GIT_SAYS=$tmp/says PATH=$tmp/bin:$PATH make --no-print-directory -s cosim BLOCK=limit COSIM_C=$at/cmodel-lint COSIM_OUT=$at/out-lint >"$tmp/out" 2>&1
}
edited ' M rtl/example/limit.sv'
has 'the C model has a fault' '^(DIVERGE|ORACLE|INVARIANT) limit cycle' "$tmp/out"
has 'the Verilog was edited' '^  lint: make lint-rtl BLOCK=example/limit ' "$tmp/out"
edited ''
hasnt 'and was not' '^  lint: ' "$tmp/out"
for target in lint-rtl cosim-pairs systemc; do
  make --no-print-directory -s $target BLOCK=example/none >"$tmp/out" 2>&1
  equal "make $target of no block: exit status" $? 2
  has 'and its message' 'example/none' "$tmp/out"
done
# ---- a name that is nearly another one: the block's own part of it decides
near() {   # name of no block, the near one
  local target
  for target in cosim lint-rtl formal synth; do make --no-print-directory -s $target BLOCK="$1"; done >"$tmp/out" 2>&1
  rtl/search.sh "$1" >>"$tmp/out" 2>&1
  has "$1 is near to $2: make cosim" "BLOCK=$1: no .*; did you mean $2\? there are: " "$tmp/out"
  has 'make lint-rtl' "rtl/lint.sh: $1: .*; did you mean $2\?" "$tmp/out"
  has 'rtl/search.sh' "rtl/search.sh: $1: .*; did you mean $2\?" "$tmp/out"
  has 'make formal' "formal: found block '$1', did you mean $2\? expected one of: " "$tmp/out"
  has 'make synth' "synth: found block $1, did you mean $2\? expected one of " "$tmp/out"
}
near malekeh/fsmon finereg/fsmon
near fsmn finereg/fsmon
make --no-print-directory -s lint-rtl BLOCK=limit >"$tmp/out" 2>&1
has 'make lint-rtl of a block' '^rtl lint: 1 modules clean .* at default parameters' "$tmp/out"
make --no-print-directory -s lint-rtl BLOCK=limit SETS=all >"$tmp/out" 2>&1
has 'at every set' '^rtl lint: 5 other sets clean' "$tmp/out"
make --no-print-directory -s lint-rtl BLOCK=limit SETS=long >"$tmp/out" 2>&1
equal 'at a set that there is not: exit status' $? 2
has 'and its message' 'SETS=long: found no such set of these blocks' "$tmp/out"
# a tree with a width that is wrong at one set only
mkdir -p "$tmp/lint"
cp -r rtl "$tmp/lint"
for folder in cosim cmodel tests; do ln -s "$PWD/$folder" "$tmp/lint"; done
sed -i "s/^  assign limit_o = limit_q;/&\n  if (Period == 6) begin : gen_narrow\n    logic [3:0] narrow;\n    assign narrow = idle;\n  end/" "$tmp/lint/rtl/example/limit.sv"
"$tmp/lint/rtl/lint.sh" example/limit >"$tmp/out" 2>&1
equal 'a width that another set alone has: default parameters' $? 0
SETS=all "$tmp/lint/rtl/lint.sh" example/limit >"$tmp/out" 2>&1
equal 'every set' $? 1
has 'which' '^lint example/limit@short: verilator' "$tmp/out"
has 'and what' '^%Warning-WIDTH[A-Z]*: .*limit\.sv:' "$tmp/out"
hasnt 'and no other' 'limit@pair1: ' "$tmp/out"
make --no-print-directory -s cosim-pairs BLOCK=malekeh/ccu >"$tmp/out" 2>&1
equal 'make cosim-pairs of a block' "$(cut -d : -f 1 "$tmp/out")" malekeh/ccu

# ---- make sets-record: runs what has changed, writes each result at once, keeps the build of a failure
export SETS_TABLE=$tmp/sets.tsv
make --no-print-directory -s sets-record BLOCK=example/limit SETS=short COSIM_OUT=$at/own >"$tmp/out" 2>&1
check 'a set is run and recorded' test $? -eq 0
has 'as a line of the table' "^example/limit	short	[0-9a-f]{16}	agree, bins ([0-9]+)/\\1, [0-9]+ cycles	[0-9]+$" "$SETS_TABLE"
has 'how many agree' '^sets-record: 1 of 1 sets agree ' "$tmp/out"
check 'its build is removed' test ! -e $at/own/obj/example/limit@short
make --no-print-directory -s sets-record BLOCK=example/limit SETS=short COSIM_OUT=$at/own >"$tmp/out" 2>&1
has 'and not run again' '^sets-record: 1 sets, 0 to run' "$tmp/out"
sed -i 's/idle > 12.(Idle)/idle >= 12'"'"'(Idle)/' $at/rtl/example/limit.sv
make --no-print-directory -s sets-record BLOCK=example/limit SETS=short COSIM_RTL=$at/rtl COSIM_OUT=$at/out >"$tmp/out" 2>&1
has 'a fault is found and recorded' '^example/limit	short	[0-9a-f]{16}	(DIVERGE|ORACLE|ASSERT) limit cycle [0-9]+' "$SETS_TABLE"
has 'with its replay' 'replay: make cosim BLOCK=example/limit .*SETS=short ' "$tmp/out"
has 'and counted' '^sets-record: 0 of 1 sets agree; the others: example/limit@short ' "$tmp/out"
check 'its build stays' test -e $at/out/obj/example/limit@short/plain/run
unset SETS_TABLE

# ---- the hash of a set
state() { BLOCK=malekeh/rarb COSIM_C=$at/cmodel cosim/sets.sh state | cut -d ' ' -f 1,2; }
rm -rf $at/cmodel
mkdir $at/cmodel
cp -r cmodel/blocks $at/cmodel/
state >"$tmp/was"
sed -i 's/^SET(c4, "NumCollectors=4")/SET(c4, "NumCollectors=4") /' $at/cmodel/blocks/malekeh/rarb.def
state >"$tmp/now"
equal 'a changed SET line: the sets of which the hash differs' "$(join "$tmp/was" "$tmp/now" | awk '$2 != $3 { print $1 }')" malekeh/rarb@c4
sed -i '1s/$/ /' $at/cmodel/blocks/malekeh/rarb.def
state >"$tmp/now"
equal 'another line: all of them' "$(join "$tmp/was" "$tmp/now" | awk '$2 != $3' | wc -l)" "$(wc -l <"$tmp/was")"

# ---- make test: a table of these files, and one of others
kept_of() { CACHE=$tmp/cache SETS_TABLE=$tmp/sets.tsv SETS_BLOCK=$1 tests/cosim/sets_kept.sh >"$tmp/out" 2>&1; }
BLOCK=malekeh/alloc cosim/sets.sh state | awk -v OFS='\t' '{ sub(/@/, "\t", $1); print $1, "0123456789abcdef", "agree, bins 1/1, 1 cycles", 1 }' >"$tmp/sets.tsv"
kept_of malekeh/alloc
has 'more than ten: it fails and names the command' '^  make sets-record runs them' "$tmp/out"
has 'of which blocks' '^  malekeh/alloc: 15$' "$tmp/out"
BLOCK=ltrf/aau cosim/sets.sh state | awk -v OFS='\t' '{ sub(/@/, "\t", $1); print $1, $2, (/@d4|\td4/ ? "DIVERGE aau cycle 3" : "agree, bins 1/1, 1 cycles"), 1 }' >"$tmp/sets.tsv"
printf 'ltrf/aau\td5\t0\tagree\t1\n' >>"$tmp/sets.tsv"
kept_of ltrf/aau
has 'a recorded failure fails' '^not ok - ltrf/aau@d4$' "$tmp/out"
has 'the others are kept' '^ok - ltrf/aau@d8: agree, bins 1/1, 1 cycles .kept.$' "$tmp/out"
has 'a line of a set that there is not fails' '^not ok - every line of the table is of a set' "$tmp/out"
