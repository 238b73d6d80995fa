#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The lists of a system, sorted by cmodel/make/lists.awk: what does not fit is refused with its place, what stays is not written, and docs/reference/lists.md
# explains each word once.
# needs: none
. "$(dirname "$0")/../lib.sh"

# The words of lists.awk, and those that docs/reference/lists.md explains, each below the list it stands in.
awk -F '"' '/^  kind\("/ { n = split($6, w, " "); for (i = 1; i <= n; i++) print $4 ".def", w[i] }' cmodel/make/lists.awk | sort >"$tmp/words"
awk '/^## / { list = $2 } match($0, /^\| `[A-Z_]+\(/) { print list, substr($0, 4, RLENGTH - 4) }' docs/reference/lists.md | sort >"$tmp/page"
same 'docs/reference/lists.md explains each word once, in its list' "$tmp/words" "$tmp/page"
grep -ohE '^[A-Z_]+ *\(' cmodel/systems/*/*.def | tr -d ' (' | sort -u >"$tmp/used"
check 'every word of a list is one of these' test -z "$(cut -d ' ' -f 2 "$tmp/words" | sort | comm -13 - "$tmp/used")"

# A folder's keys live in a section of its own: make refuses others, with their place.
mkdir -p "$tmp/keys/odd"
listed() {   # the lists of a folder, by make; system.def, or another one
  cat >"$tmp/keys/odd/${1:-system}.def"
  make --no-print-directory -s "$tmp/keys-build/gen/systems/keys.def" BUILD_DIR="$tmp/keys-build" SYSTEM_DIRS="cmodel/systems $tmp/keys" \
    >"$tmp/out" 2>"$tmp/err"
}
made() { sed '/^#line/d' "$tmp/keys-build/gen/systems/$1.def" | grep -A1 "$2"; }
check "keys: the folder's and a choice's section" listed <<'LIST'
INT (odd, a, 1, 0, 2, "INT (rf, ", "", "") /* INT (rf, b) */
BOOL(stray,
  a, false, "", "")
RULE(c->rf_bytes, "BOOL(rf")
CHOICE(l1, stray)
LIST
listed <<'LIST' && not_ok 'keys of other sections' 'were accepted'
CHOICE(l1, stray)
INT (odd, a, 1, 0, 2, "", "", "")
BOOL(finereg, b, false, "", "")
ENUM(
  l1, c, a, (a, b), "", "")
SLOT(extra, stray, "", "")
LIST
own="'odd', the folder's name, or one of its choices: stray"
has "keys: another folder's section" "/odd/system.def:3: error: found section 'finereg', expected $own\$" "$tmp/err"
has "keys: the core's section" "/odd/system.def:4: error: found section 'l1', which is the core's .*: $own\$" "$tmp/err"
has 'keys: a slot' "/odd/system.def:6: error: found the word SLOT, expected one of CHOICE INT .*docs/reference/lists.md" "$tmp/err"

# A list: what is no line of it is refused with its place; a #define holds in the kinds that use it, and in no other list.
listed <<'LIST' && not_ok 'lines that do not fit' 'were accepted'
STATT(a, "", "")
MEASURE(a, "", "", 1, LESS, 1, 1)
STAT(b, "", "") STAT(d, "", "")
#ifdef X
#define TWO 2
#define TWO 3
text
PULSE(limit, start_i)
NET(odd)
TWIN(example, none, 1)
TWIN(example, limit, 1)
LEVEL(limit, limit_o)
PULSE(limit, start_i)
LEVEL(limit, start_i)
READ(limit, idle_i)
WIRE(limit, limit_o, other, x_i)
STAT(c, "", ""
LIST
at=/odd/system.def
has 'an unknown word' "$at:1: error: found the word STATT, expected one of CHOICE" "$tmp/err"
has 'a word of another list' "$at:2: error: found MEASURE, which stands in paper.def, expected" "$tmp/err"
has 'two on a line' "$at:3: error: found ' STAT\(d, \"\", \"\"\)' after a line's end" "$tmp/err"
has 'a line for the preprocessor' "$at:4: error: found '#ifdef X', expected no line" "$tmp/err"
has 'a macro twice' "$at:6: error: found #define TWO a second time, after line 5" "$tmp/err"
has 'no line' "$at:7: error: found 'text', expected a line WORD" "$tmp/err"
has 'wires without a net' "$at:8: error: found PULSE before the first line NET" "$tmp/err"
has 'an unknown block' "$at:10: error: found block 'example/none', expected one with a cmodel/blocks/example/none.def" "$tmp/err"
has 'an input that no line sets' "$at:11: error: found no line that sets input 'max_ctas_i' of example/limit" "$tmp/err"
has 'an output in place of an input' "$at:12: error: found input 'limit_o', which example/limit does not have" "$tmp/err"
has 'an input that two lines set' "$at:14: error: found input 'start_i' of example/limit a second time" "$tmp/err"
has 'an input in place of an output' "$at:15: error: found output 'idle_i', which example/limit does not have" "$tmp/err"
has 'a wire to no block' "$at:16: error: found block 'other', expected one of a line TWIN of this net" "$tmp/err"
has 'a line without an end' "$at:17: error: found no end of STAT\(" "$tmp/err"
# The .def of a block of a net: a word or a port that it cannot have, with its place.
mkdir -p "$tmp/blocks/odd" "$tmp/lists/systems" "$tmp/lists/nets" "$tmp/odd"
printf '%s\n' 'IN(a_i, 1)' 'INP(b_i, 1)' 'OUT(c_o 1)' 'STATE (d_q, 2)' 'QUIET(ZERO(a_i)' '      ZERO(b_i))' >"$tmp/blocks/odd/one.def"
printf '%s\n' 'NET(odd)' 'TWIN(odd, one, 1)' 'PULSE(one, a_i)' >"$tmp/odd/system.def"
awk -v out="$tmp/lists" -v schema=cmodel/config/schema.def -v blocks="$tmp/blocks" -f cmodel/make/lists.awk cmodel/config/schema.def papers=0 \
  "$tmp/odd/system.def" 2>"$tmp/err"
equal 'a block whose .def is wrong: status' $? 2
has 'an unknown word of a .def' "/odd/one.def:2: error: found the word INP, expected one of IN OUT .*docs/develop/lockstep.md" "$tmp/err"
has 'a port without a width' "/odd/one.def:3: error: found 'OUT\(c_o 1\)', expected OUT\(name, width\)" "$tmp/err"
has 'a blank before the parenthesis' "/odd/one.def:4: error: found 'STATE \(d_q, 2\)', expected STATE\(name, width\)" "$tmp/err"
equal 'and no other line' "$(grep -c /odd/one.def "$tmp/err")" 3

# A PULSE X_valid_i of one bit and each LEVEL X_... are a pair, unless the PULSE has LAST; other words have no third argument.
printf '%s\n' 'IN(a_valid_i, 1)' 'IN(a_number_i, 8)' 'IN(a_data_i, 32, 4)' 'IN(b_valid_i, 2)' 'IN(b_number_i, 2, 8)' 'IN(ab_number_i, 8)' 'IN(c_valid_i, 1)' 'IN(c_number_i, 8)' >"$tmp/blocks/odd/one.def"
pairs() {   # a line for c_valid_i
  printf '%s\n' 'NET(odd)' 'TWIN(odd, one, 1)' 'PULSE(one, a_valid_i)' 'LEVEL(one, a_number_i)' 'LEVEL(one, a_data_i)' 'PULSE(one, b_valid_i)' 'LEVEL(one, b_number_i)' \
    'LEVEL(one, ab_number_i)' 'LEVEL(one, c_number_i)' "$1" >"$tmp/odd/system.def"
  awk -v out="$tmp/lists" -v schema=cmodel/config/schema.def -v blocks="$tmp/blocks" -f cmodel/make/lists.awk cmodel/config/schema.def papers=0 "$tmp/odd/system.def" 2>"$tmp/err"
  grep -E '^PAIR|c_valid_i' "$tmp/lists/nets/odd.def" | xargs
}
equal 'pairs of inputs' "$(pairs 'PULSE(one, c_valid_i)')" 'PULSE(one, c_valid_i) PAIR(one, a_valid_i, a_number_i) PAIR(one, a_valid_i, a_data_i) PAIR(one, c_valid_i, c_number_i)'
equal 'a PULSE that may be lost' "$(pairs 'PULSE(one, c_valid_i, LAST)')" 'PULSE(one, c_valid_i) PAIR(one, a_valid_i, a_number_i) PAIR(one, a_valid_i, a_data_i)'
pairs 'LEVEL(one, c_valid_i, LAST)' >"$tmp/out"
has 'a LEVEL that may be lost' "/odd/system.def:10: error: found 'LAST', expected LEVEL\(block, input\)\$" "$tmp/err"
pairs 'PULSE(one, c_valid_i, FIRST)' >"$tmp/out"
has 'another word' "/odd/system.def:10: error: found 'FIRST', expected PULSE\(block, input\) or PULSE\(block, input, LAST\)\$" "$tmp/err"

# A block of a net without a COST_BLOCK has no cost, and so has each choice of its folder; one with 0 of it says so on purpose.
unpriced() {   # lines of cost.def
  echo 'IN(a_i, 1)' >"$tmp/blocks/odd/one.def"
  cp "$tmp/blocks/odd/one.def" "$tmp/blocks/odd/two.def"
  printf '%s\n' 'CHOICE(l1, odd)' 'CHOICE(storage, other)' 'NET(odd)' 'TWIN(odd, one, 1)' 'PULSE(one, a_i)' 'TWIN(odd, two, 1)' 'PULSE(two, a_i)' >"$tmp/odd/system.def"
  printf '%s\n' "$@" >"$tmp/odd/cost.def"
  awk -v out="$tmp/lists" -v schema=cmodel/config/schema.def -v blocks="$tmp/blocks" -f cmodel/make/lists.awk cmodel/config/schema.def papers=0 "$tmp/odd/system.def" "$tmp/odd/cost.def"
  grep unpriced "$tmp/lists/systems/cost.def"
}
choices='c->slot_l1 == slot_l1_odd || c->slot_storage == slot_storage_other'
equal 'two blocks without a cost' "$(unpriced)" "COST($choices, unpriced, \"odd/one, odd/two\")"
equal 'one of them' "$(unpriced 'COST_BLOCK(odd, one, 1)')" "COST($choices, unpriced, \"odd/two\")"
equal 'none' "none$(unpriced 'COST_BLOCK(odd, one, 1)' 'COST_BLOCK(odd, two, 0)')" none
grep -ohE '^[A-Z]+\(' cmodel/blocks/*/*.def | tr -d '(' | sort -u >"$tmp/used"
sed -n 's/.*block_words = "\(.*\)".*/\1/p' cmodel/make/lists.awk | tr ' ' '\n' | sort >"$tmp/words"
check 'the words of every .def are known' test -z "$(comm -13 "$tmp/words" "$tmp/used")"
cp "$tmp/keys-build/gen/systems/stats.def" "$tmp/stats.def"
check 'a macro' listed <<'LIST'
CHOICE(l1, stray)
/* a comment in
   two lines */
#define TWICE(x) (ONCE(x) + \
                  ONCE(x))
#define ONCE(x) (x)
#define UNUSED 1
COUNT(odd, rf, "TWICE(1)", "",
      true, TWICE(r->sm.odd)) /* and
of it */
STAT(odd, "", "")
LIST
made rows ONCE >"$tmp/rows"
has 'stands in the kind that uses it' '^#define TWICE\(x\) \(ONCE\(x\) \+ \\$' "$tmp/rows"
has 'with the macro that it uses' '^#define ONCE\(x\) \(x\)$' "$tmp/rows"
has 'until the end of the list' '^#undef ONCE$' "$tmp/rows"
made stats . >"$tmp/l"
hasnt 'and in no other' 'ONCE' "$tmp/l"
hasnt 'nor where nothing uses it' 'UNUSED' "$tmp/rows"
hasnt 'a comment is no line' 'two lines' "$tmp/rows"
# Comments of several lines, before, after and inside a line; character constants; the ends of lines of other editors.
cat >"$tmp/odd.def" <<'LIST'
CHOICE(l1, stray)
/* one
   two */ STAT(a, "/* (", "")
STAT(b, "", "") /* one
   two */ STAT(c, "", "")   // (
STAT(d, /* one
   two, ( */ "", "")
#define FOUR 1 /* one
   two */ + 3
COUNT(odd, rf, "x", "", '(' != '"', '\'' + FOUR)
COUNT(odd, rf, "y", "", true, ')')
LIST
check 'comments and character constants' listed <"$tmp/odd.def"
for kind in stats rows; do made $kind . >"$tmp/$kind.lf"; done
equal 'a comment of several lines leaves what stands before and after it' "$(grep -E '^ *(STAT\((a|b|c|d),| *"", ""\))' "$tmp/stats.lf" | tr -s ' \n' ' ')" \
  ' STAT(a, "/* (", "") STAT(b, "", "") STAT(c, "", "") STAT(d, "", "") '
equal 'in a macro too' "$(gcc -E -w -P -Icmodel -I"$tmp/keys-build" -x c - <<<$'#define COUNT(s, ...) COUNT s __VA_ARGS__\n#include "gen/systems/rows.def"' | grep '^COUNT odd')" \
  $'COUNT odd rf, "x", "", \'(\' != \'"\', \'\\\'\' + 1 + 3\nCOUNT odd rf, "y", "", true, \')\''
check 'CR before each line end' listed < <(sed 's/$/\r/' "$tmp/odd.def")
for kind in stats rows; do
  made $kind . >"$tmp/$kind.crlf"
  same "gives the same $kind" "$tmp/$kind.lf" "$tmp/$kind.crlf"
done
listed <<'LIST' && not_ok 'a comment without an end' 'was accepted'
STAT(a, "", "")
  /* one
STAT(b, "", "")
LIST
has 'a comment without an end' "$at:2: error: found no end of this comment, expected \*/" "$tmp/err"
listed <<'LIST' && not_ok 'a #define inside a line' 'was accepted'
CHOICE(l1, stray)
STAT(a,
#define NAME "a"
  NAME, "")
LIST
has 'a #define inside a line' "$at:3: error: found '#define NAME \"a\"' inside STAT\(, which began in line 2" "$tmp/err"

# A net is the same wherever its folder is, of whatever name.
nets=$tmp/WIRE/TWIN/scu_bank/slices
mkdir -p "$nets" && cp cmodel/systems/slices/*.def "$nets"
cmodel/make/lists.sh "$tmp/nets-there" -- "$nets"
cmodel/make/lists.sh "$tmp/nets-here" -- cmodel/systems/slices
sed "s,^\(#line [0-9]* \"\)$nets/,\1cmodel/systems/slices/," "$tmp/nets-there/nets/slices.def" >"$tmp/there"
same 'a net in a folder of the name of a word and a block' "$tmp/nets-here/nets/slices.def" "$tmp/there"
has 'which has a bank of blocks' '^BANK\(slice, scu, ' "$tmp/there"

# Of a folder that is left out the papers alone are read.
mkdir -p "$tmp/left/odd"
printf '%s\n' 'nothing of this is a list (' | tee "$tmp/left/odd/system.def" >"$tmp/left/odd/cost.def"
echo 'PAPER(odd, "")' >"$tmp/left/odd/paper.def"
check 'a folder that is left out, with other lists in pieces' cmodel/make/lists.sh "$tmp/left-gen" "$tmp/left/odd" -- cmodel/systems/baseline
has 'gives its paper' '^PAPER\(odd, ""\)' "$tmp/left-gen/systems/papers.def"

# What is compiled again: a file whose lines stay, each in its place, is not written.
touch -d '2020-01-01' "$tmp"/keys-build/gen/{systems,nets}/*.def
listed <<'LIST'
CHOICE(l1, stray)
STAT(odd, "", "")
LIST
written() { find "$tmp/keys-build/gen/systems" "$tmp/keys-build/gen/nets" -name '*.def' -newermt '2021-01-01' -printf '%f\n' | LC_ALL=C sort | xargs; }
equal 'only what has other lines is written' "$(written)" 'rows.def stats.def'
rm "$tmp/keys/odd/system.def" && echo 'COLOUR("odd", "#123456")' >"$tmp/keys/odd/paper.def"
listed paper <<<'COLOUR("odd", "#123456")'
touch -d '2020-01-01' "$tmp"/keys-build/gen/{systems,nets}/*.def
echo '/* a comment after the lines */' >>"$tmp/keys/odd/paper.def"
listed cost <<<'/* nothing */'
equal 'a comment after the lines writes nothing' "files: $(written)" 'files: '
