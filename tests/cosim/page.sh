#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The page of make synth: numbers are those of the table, tags are balanced, foreign text is text, what is missing is said.
# needs: binary
. "$(dirname "$0")/../lib.sh"
cmodel/make/deps.sh synth >"$tmp/deps" 2>&1 || not_ok 'the packages of synth' "$(tail -n 3 "$tmp/deps")"
skip_unless 'the page of make synth' "no package of this Debian has OSU's cells (CONTRIBUTING.md)" test -f /usr/share/qflow/tech/osu018/osu018_stdcells.lib
export LIBERTY=/usr/share/qflow/tech/osu018/osu018_stdcells.lib
out=$tmp/out/osu018_stdcells page=$tmp/out/osu018_stdcells/synth.html
SYNTH_OUT=$tmp/out synth/synth.sh finereg/rid finereg/lrvc >"$tmp/table" 2>"$tmp/err"
check 'make synth writes it' test -s "$page"
balanced() {   # every tag that is opened is closed, in order
  tr '\n' ' ' <"$1" | grep -oE '</?[a-z0-9]+[^>]*>' | awk '
    /^<(meta|!)/ { next } /^<\// { t = $0; gsub(/[<\/>]/, "", t); if (stack[n--] != t) { print t; exit 1 } next }
    { t = $0; sub(/^</, "", t); sub(/[ >].*/, "", t); stack[++n] = t } END { exit n != 0 }'
}
check 'its tags are balanced' balanced "$page"
hasnt 'nothing is fetched' '(src|href)="(http|//|file)|<script|@import|url\(' "$page"
area=$(awk '$1 == "finereg/rid" { print $4; exit }' "$tmp/table")
has 'the area of rid' "finereg/rid</a></td><td></td><td class=\"n\">[0-9,]+</td><td class=\"n\">64</td><td class=\"n\">$(echo "$area" | sed -E ':a; s/([0-9])([0-9]{3})($|,)/\1,\2\3/; ta')</td>" "$page"
sum=$(sed -n '/id="finereg-rid"/,/id="finereg-lrvc"/p' "$page" | grep -oE '</span>[a-z -]+ [0-9,]+ um2' | sed 's/.* \([0-9,]*\) um2/\1/; s/,//g' | awk '{ n += $1 } END { print n }')
equal 'kinds of cells sum to the area' "$sum" "$area"
equal 'flip-flops by module' "$(grep -A2 'Flip-flops by module' "$page" | grep -oE '<td class="n">[0-9]+' | head -n 1)" '<td class="n">64'
ends=$(awk '{ n += $3 } END { print n }' "$out/finereg/rid/slack.tsv")
equal 'the histogram has every end point' "$(sed -n '/id="finereg-rid"/,/id="finereg-lrvc"/p' "$page" | grep -oE 'ns: [0-9]+ end points' | awk '{ n += $2 } END { print n }')" "$ends"
has 'the path begins at a register of the RTL, with its line' '<code>remaining_q\[[0-9]+\]</code></td><td><code>rtl/finereg/rid.sv:[0-9]+</code>' "$page"
place=$(grep -oE 'rtl/finereg/rid.sv:[0-9]+' "$page" | head -n 1)
check 'which is there' grep -q remaining_q <(sed -n "${place##*:}p" rtl/finereg/rid.sv)
has 'a register that other blocks have, too, is the block'"'"'s own' 'rtl/finereg/lrvc.sv:[0-9]+' "$page"
hasnt 'and no other block'"'"'s' 'rtl/finereg/(cs|fs|pc|pp|rm)[a-z]*\.sv' "$page"
has 'memories are listed' '<li>1 of 32 words of 64 bits, one port</li>' "$page"

# ---- foreign text is text
mkdir -p "$tmp/git" && printf '#!/bin/sh\nprintf "system\\titem\\tunit\\tpaper\\titems\\tbuilt\\tnote\\tearlier_verilog\\nA<b>\\t<script>alert(1)</script>\\tu\\t1\\t2\\t3\\t\\"&\\tyes\\n"\n' >"$tmp/git/regtwin"
chmod +x "$tmp/git/regtwin"
REGTWIN=$tmp/git/regtwin synth/page.sh "$out"
has 'a figure of earlier Verilog has a mark' '<td class="n">3~</td>.*' "$page"
has 'which is explained' '<p>~: recorded of a block.s earlier Verilog; ' "$page"
has 'a paper that is markup' '&lt;script&gt;alert\(1\)&lt;/script&gt;</td>.*&quot;&amp;</td>' "$page"
check 'still balanced' balanced "$page"
REGTWIN=$tmp/none synth/page.sh "$out"
has 'without the program' 'Not there: <code>make</code> builds' "$page"
BASELINE=$tmp/none synth/page.sh "$out"
has 'without a history' 'Nothing is recorded of this block and set' "$page"

# ---- what is missing
cp "$page" "$tmp/before"
LIBERTY=$tmp/none synth/page.sh "$out" 2>"$tmp/err"
equal 'no library: exit status' $? 2
has 'and its message' '^synth: .*/none: expected the Liberty file of these results, found no file' "$tmp/err"
check 'the page is as it was' cmp -s "$tmp/before" "$page"
synth/page.sh "$tmp/none" 2>"$tmp/err"
equal 'no results: exit status' $? 2
has 'and its message' '/none/synth.tsv: expected the table of make synth, found no file' "$tmp/err"
