#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# analyze --reuse: what docs/reference/reuse-distance.md shows is what the program prints; the profile written, read, damaged, of another kernel.
#   tests/cli/reuse.sh --page   prints the page's table of kernels
. "$(dirname "$0")/../lib.sh"
page=docs/reference/reuse-distance.md

# The share of all accesses of the second profile for which the bits of the first one are right, in percent.
right() {
  awk 'FNR == NR { for (k = 2; k <= 11; k++) near[FNR, k] = split($k, n, "/") == 2 && n[1] > n[2]; next }
    $1 ~ /^[0-9]+$/ { for (k = 2; k <= 11; k++) if (split($k, n, "/") == 2) { all += n[1] + n[2]; right += near[FNR, k] ? n[1] : n[2] } }
    END { printf "%.1f", 100 * right / all }' "$1" "$2"
}
row() {   # kernel: | kernel | above 3 | above 10 | right by two CTAs | by all |
  "$regtwin" analyze "$1" --reuse --write-profile "$tmp/two.reuse" >"$tmp/two"
  "$regtwin" analyze "$1" --reuse=all --write-profile "$tmp/all.reuse" >"$tmp/all"
  sed -n "s/.*reuses.*: \([0-9.]*\) % at a distance above 3, \([0-9.]*\) % above 10\$/| $1 | \1 | \2 | $(right "$tmp/two.reuse" "$tmp/all.reuse") | $(right "$tmp/all.reuse" "$tmp/all.reuse") |/p" "$tmp/all" | tail -n 1
}
table() {
  local k
  echo '| kernel | above 3, % | above 10, % | right by two CTAs, % | right by all, % |'
  echo '|---|---|---|---|---|'
  for k in $("$regtwin" list kernels --limits | awk '/ malekeh / { print $1 }'); do row "$k"; done | awk -F ' *[|] *' '
    { print; s = $2 ~ /_tensor$/ ? "DeepBench" : "Rodinia"; n[s]++; for (k = 3; k <= 6; k++) sum[s, k] += $k }
    END { for (i = 2; i; i--) { s = i == 2 ? "Rodinia" : "DeepBench"; printf "| %s, mean |", s; for (k = 3; k <= 6; k++) printf " %.1f |", sum[s, k] / n[s]; print "" } }'
}
if [ "${1:-}" = --page ]; then table; exit; fi
between() { sed -n "/^<!-- $1 -->\$/,/^<!-- end of $1 -->\$/{/^<!-- /!p}" $page; }

{ echo '```'; "$regtwin" analyze hotspot --reuse; echo '```'; } >"$tmp/want"
between hotspot >"$tmp/found"
same 'as the page shows hotspot' "$tmp/want" "$tmp/found"
{ echo '```'; "$regtwin" analyze vecadd --reuse --write-profile - | head -n 8; echo '...'; echo '```'; } >"$tmp/want"
between file >"$tmp/found"
same 'as the page shows the file' "$tmp/want" "$tmp/found"
table >"$tmp/want"
between kernels >"$tmp/found"
equal 'kernels of the table' "$(grep -c '^| [a-z]' "$tmp/want")" "$((1 + $("$regtwin" list kernels --limits | grep -c ' malekeh ')))"
same "the page's table of kernels" "$tmp/want" "$tmp/found"

# ---- what adds up
for k in lud bfs; do   # they have no stride: all CTAs are timed
  "$regtwin" characterize "$k" --config rtx2060 >"$tmp/a"
  "$regtwin" analyze "$k" --reuse=all >"$tmp/b"
  equal "$k: as characterize, which counts in a timed run" \
    "$(sed -n 's/^3 kernels: \|^2 kernels: //; s/^\([0-9]*\) reuses: \([0-9.]*\) % .* 3, \([0-9.]*\) % above 10$/\1 \2 \3/p' "$tmp/b")" \
    "$(awk '/^  reuses/ { gsub(",", ""); r = $2 } /^  farther than 3/ { a = $NF } /^  farther than 10/ { b = $NF } END { print r, a, b }' "$tmp/a")"
done
"$regtwin" analyze lud --size small --reuse >"$tmp/a"
equal 'lud: accesses are reused or not' \
  "$(awk '/^  accesses/ { a = $2; never = $5 } /^  reuses/ { n++; if (a == never + $2 + 0) ok++ } END { print n, ok }' "$tmp/a")" '3 3'
equal 'lud: the rows are all reuses' \
  "$(awk '/^  reuses/ { want = $2 + 0; n = 0 } /^  (above )?[0-9]+ / { n += $(NF - 1) } /^  above/ { print n == want }' "$tmp/a" | sort | uniq -c | tr -s ' ')" ' 3 1'
equal 'lud: the first two CTAs, also where a launch has one' "$(sed -n 's/^  executed *\([0-9]*\) warps.*/\1/p' "$tmp/a" | tr '\n' ' ')" '2 2 16 '
has 'all kernels together' '^3 kernels: [0-9]+ reuses: [0-9.]+ % at a distance above 3, [0-9.]+ % above 10$' "$tmp/a"
"$regtwin" analyze lud --size small --reuse --kernel diagonal >"$tmp/a"
equal '--kernel: one' "$(grep -c '^kernel' "$tmp/a")" 1
hasnt '--kernel: no sum' 'kernels:' "$tmp/a"
"$regtwin" analyze vecadd --size small --reuse=1 >"$tmp/a"
has '--reuse=1: one CTA' '^  executed +8 warps' "$tmp/a"

# ---- the file
"$regtwin" analyze lud --size small --reuse --write-profile "$tmp/lud.reuse" >"$tmp/a"
"$regtwin" analyze lud --size small --reuse --write-profile - >"$tmp/again"
same 'the same bytes again, and on standard output' "$tmp/lud.reuse" "$tmp/again"
"$regtwin" analyze lud --reuse --read-profile "$tmp/lud.reuse" >"$tmp/b"
grep -E '^(kernel|  near)' "$tmp/a" >"$tmp/want"
same 'read: the same near operands' "$tmp/want" "$tmp/b"
refused() {   # name, expected, words...
  local name=$1 want=$2 status
  shift 2
  "$regtwin" "$@" >"$tmp/out" 2>"$tmp/err"
  status=$?
  if [ "$status" = 2 ] && [ ! -s "$tmp/out" ] && grep -qF -- "$want" "$tmp/err"; then ok "$name"; else
    not_ok "$name" "exit status $status, expected 2 and: $want" "$(cat "$tmp/err")"; fi
}
refused 'of another kernel' "lud.reuse:1:21: error: found the profile of another PTX (hash " analyze vecadd --reuse --read-profile "$tmp/lud.reuse"
refused 'of other registers' "error: found the profile of other code of entry 'diagonal' (hash " analyze lud --reuse --read-profile "$tmp/lud.reuse" --set compile.schedule=list
head -n 40 "$tmp/lud.reuse" >"$tmp/cut.reuse"
refused 'cut off at a line' "cut.reuse:41:1: error: found the end of the file, expected pc " analyze lud --reuse --read-profile "$tmp/cut.reuse"
sed '3s/ - / 1 /' "$tmp/lud.reuse" >"$tmp/bad.reuse"
refused 'a count that is none' "bad.reuse:3:3: error: found '1', expected counts of near and far reuses as 12/0" analyze lud --reuse --read-profile "$tmp/bad.reuse"
cp "$tmp/lud.reuse" "$tmp/kept.reuse"
refused 'not written after an error' "found no kernel 'nosuch'" analyze nosuch --reuse --write-profile "$tmp/kept.reuse"
same 'the old file stays' "$tmp/lud.reuse" "$tmp/kept.reuse"
