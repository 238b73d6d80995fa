#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The manifest: the table of kernels, the missing kernels of a paper, and the papers' names.
. "$(dirname "$0")/../lib.sh"

export REGTWIN_TRACES=$tmp/traces
kernel() {   # name, its like in traces/, entry, papers: a suite of our own, so that the answers are known
  mkdir -p "$REGTWIN_TRACES"
  cp -r "traces/kernels/$2" "$REGTWIN_TRACES/$1"
  mv "$REGTWIN_TRACES/$1/$2.launch" "$REGTWIN_TRACES/$1/$1.launch"
  printf 'what: w\nsuite: S\nentry: %s\nmetric: exact\npapers: {%s}\ndiffers: no\n' "$3" "$4" \
    >"$REGTWIN_TRACES/$1/about.yaml"
}
kernel one transpose transpose 'finereg: {name: [TR, TP], group: type-r}, ltrf: {name: LB}'
kernel two vecadd vecadd 'finereg: {name: LB, group: type-r}, linebacker: {name: 2D, group: insensitive}'
kernel three transpose transpose 'slices: {name: Hotspot, group: 2, regs: 31, warps: 8}'
sed -i 's/ args/ regs 29 args/' "$REGTWIN_TRACES"/three/*.launch
kernel four gaussian eliminate 'malekeh: {name: nn}'
cp -r traces/kernels/gather "$REGTWIN_TRACES/five"
mv "$REGTWIN_TRACES/five/gather.launch" "$REGTWIN_TRACES/five/five.launch"
rm -f "$REGTWIN_TRACES/five/about.yaml"

"$regtwin" list kernels --limits >"$tmp/l"
line='^one +11 +- +32x8 +8 +- +4224 +8 by warps +6 by warps +8 by warps +8 by warps +4 by warps +S +finereg TR,TP type-r; ltrf LB$'
has 'a line: transpose as it is' "$line" "$tmp/l"
# gtx480 gives registers in twos: 30 x 8 warps = 240 of its 1024 warp registers
has 'a line: registers limit three on gtx480' \
  '^three +29 +31 +32x8 +8 +8 +4224 +8 by warps +4 by registers +8 by warps ' "$tmp/l"
# its last launch is one block; what fits does not depend on it
has 'the limit is that of the entry, not of its grid' \
  '^four +8 +- +16x16 +8 +- +0 +8 by warps +6 by warps +8 by warps ' "$tmp/l"
has 'a kernel without a manifest' '^five +4 .* - +-$' "$tmp/l"
has 'what has a kernel' \
  "^FineReg \(MICRO'18\), Table II: 2 of 18 names have a kernel; missing: BF BI CS " "$tmp/l"
"$regtwin" list kernels --limits --paper linebacker >"$tmp/l"
has '--paper: its kernel' '^two ' "$tmp/l"
hasnt '--paper: no other' '^(one|three|four|five) ' "$tmp/l"
has '--paper: its missing names' \
  "^Linebacker \(ISCA'19\), Table 2: 1 of 20 names have a kernel; missing: S2 BI .* GA SR1 HS$" "$tmp/l"
hasnt '--paper: no other paper' '^FineReg' "$tmp/l"

# What each kernel does: the manifest's text, or the first line of a launch file that has none; broken below itself.
sed -i 's/^what: .*/what: one word and then eight more, so that this line of the list goes on below its beginning/' "$REGTWIN_TRACES/one/about.yaml"
"$regtwin" list kernels >"$tmp/l"
equal 'what a kernel does' "$(grep -A1 '^one ' "$tmp/l")" "$(printf '%s\n' 'one    one word and then eight more, so that this line of the list goes on below' \
  '       its beginning')"
has 'of a kernel without a manifest' '^five   out\[i\] = in\[index\[i\]\]: random reads of a table$' "$tmp/l"
equal 'a line or more for each, and nothing else' "$(grep -o '^[^ ]*' "$tmp/l" | xargs)" 'five four one three two'
"$regtwin" list kernels --paper linebacker >"$tmp/l"
has 'of a paper: its name for the kernel, and the group' '^two  2D insensitive: w$' "$tmp/l"
hasnt 'of a paper: no other kernel' '^(one|three|four|five) ' "$tmp/l"
has 'of a paper: names without a kernel' "^Linebacker \(ISCA'19\), Table 2: 1 of 20 names have a kernel; missing: " "$tmp/l"
equal 'names alone' "$("$regtwin" list kernels --names | xargs)" 'five four one three two'
equal 'names of a paper' "$("$regtwin" list kernels --names --paper finereg | xargs)" 'one two'
COLUMNS=200 "$regtwin" list kernels >"$tmp/l"
equal 'at most 120 columns' "$(awk 'length > n { n = length } END { print n }' "$tmp/l")" \
  "$(COLUMNS=120 "$regtwin" list kernels | awk 'length > n { n = length } END { print n }')"

same_run() {   # name, kernel
  "$regtwin" run "$1" --size small --json - | grep '"stream_hash"' >"$tmp/a"
  "$regtwin" run "$2" --size small --json - | grep '"stream_hash"' >"$tmp/b"
  same "run $1 is $2" "$tmp/a" "$tmp/b"
}
same_run TP one
same_run 2D two
same_run finereg:LB two
same_run ltrf:LB one
same_run nn four
"$regtwin" run LB --size small >"$tmp/out" 2>"$tmp/err"
if [ $? -eq 2 ] && [ ! -s "$tmp/out" ]; then ok 'two kernels of one name: status 2'
else not_ok 'two kernels of one name: status 2'; fi
has 'two kernels of one name: the choices' \
  "found 'LB', which is more than one kernel, expected one of them: one \(ltrf\), two \(finereg\)$" "$tmp/err"
"$regtwin" run tp --size small >"$tmp/out" 2>"$tmp/err"
has 'case is the papers' "found no kernel 'tp'" "$tmp/err"
printf 'nonsense\n' >"$REGTWIN_TRACES/two/about.yaml"
check 'a broken manifest does not stop a kernel named by its own name' "$regtwin" run one --size small
"$regtwin" run TP --size small >"$tmp/out" 2>"$tmp/err"
has 'but it stops a search through all of them' \
  'two/about.yaml:1:1: error: found a single value, expected a mapping' "$tmp/err"

unset REGTWIN_TRACES
# With what a kernel was compared, or that it was not.
silent() {   # file: names of the kernels whose manifest says neither; a text goes on behind 32 blanks
  awk 'function judge() { if (line ~ /^ +differs / && line !~ /^ +differs +(compared with [^:]+: |not compared with the original[.,:])/) print name }
    substr($0, 1, 32) ~ /^ +$/ { sub(/^ +/, " "); line = line $0; next }
    { judge(); line = $0 }
    /^[^ ]/ { name = $1 }
    END { judge() }' "$1"
}
"$regtwin" list kernels -v >"$tmp/v"
equal 'every manifest says with what the kernel was compared' "$(silent "$tmp/v" | wc -l)" 0
sed '/^vecadd /,$s/differs .*/differs  nothing that we know of/' "$tmp/v" | awk '/^vecadd / { on = 1 } !on || substr($0, 1, 32) !~ /^ +$/' >"$tmp/w"
equal 'and one that does not is found' "$(silent "$tmp/w")" vecadd
check 'the manifest of the suite is read' "$regtwin" list kernels
# LTRF's rule: a kernel is sensitive where registers limit its CTAs, on a machine like its own
"$regtwin" list kernels --limits --paper ltrf >"$tmp/l"
machine=$(awk 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "maxwell") print index($0, "maxwell") }' "$tmp/l")
awk -v at="$machine" '!NF { exit } NR > 1 { print $1, substr($0, at) ~ /^[0-9]+ by registers/ ? "sensitive" : "insensitive" }' \
  "$tmp/l" >"$tmp/rule"
awk '!NF { exit } NR > 1 { sub(/.*ltrf [^ ]* /, $1 " "); sub(/;.*/, ""); print }' "$tmp/l" >"$tmp/group"
same 'the groups of ltrf are what its rule gives' "$tmp/rule" "$tmp/group"
check 'and there are some of both' test "$(cut -d' ' -f2 "$tmp/group" | sort -u | wc -l)" -eq 2
for p in finereg slices linebacker ltrf malekeh; do
  check "and filtered: $p" "$regtwin" list kernels --paper $p
done
