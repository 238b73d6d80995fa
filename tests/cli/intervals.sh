#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# analyze --intervals and --strands: of the files in the forms of nvdisasm, of every kernel, of what --write-cfg writes, and of large
# graphs. Malformed files are in tests/data/bad/sass.txt.
. "$(dirname "$0")/../lib.sh"

rows() { awk '/^ +[0-9]+  0x/ { $1 = $1; print }' "$1"; }   # a line for each interval, words apart by one blank
count() { sed -n 's/^  intervals *\([0-9]*\) .*/\1/p' "$1" | tr '\n' ' ' | sed 's/ $//'; }

# ---- files
cfg=tests/data/sass
"$regtwin" analyze --intervals 16 --cfg $cfg/saxpy_loop.dot >"$tmp/a" 2>"$tmp/err"
equal 'the example: one interval' "$(rows "$tmp/a")" '0 0x0000 saxpy_loop 23 11 R0-R2 R4-R10 R12 0-22'
has 'its code' '^  code +24 instructions of 8 bytes in 7 blocks$' "$tmp/a"
has 'what PREFETCHes cost' '^  PREFETCH +\+16\.7 % of code for the vectors, \+20\.8 % with an instruction for each$' "$tmp/a"
has 'what is not reached' '^  unreached +1 block, in no interval$' "$tmp/a"
equal 'one warning of it' "$(cat "$tmp/err")" "regtwin: warning: $cfg/saxpy_loop.dot: found 1 block that the entry does not reach, in no interval"
"$regtwin" analyze --intervals=5 --cfg $cfg/saxpy_loop.dot >"$tmp/a" 2>"$tmp/err"
rows "$tmp/a" >"$tmp/rows"
cat >"$tmp/want" <<'END'
0 0x0000 saxpy_loop 8 5 R0-R2 R4-R5 0-7
1 0x0040 saxpy_loop+1 3 4 R0 R6-R8 8-10
2 0x0058 .L_1 6 5 R4 R6 R9-R10 R12 11-16
3 0x0088 .L_2 6 3 R4-R5 R8 17-22
END
same 'the example at 5' "$tmp/want" "$tmp/rows"
sed -n '/^<!-- example -->$/,/^<!-- end of example -->$/{/^<!-- /!{/^```/!p}}' docs/reference/intervals.md >"$tmp/page"
same 'as docs/reference/intervals.md shows it' "$tmp/a" "$tmp/page"
"$regtwin" analyze --strands --cfg $cfg/saxpy_loop.dot >"$tmp/a" 2>"$tmp/err"
rows "$tmp/a" >"$tmp/rows"
cat >"$tmp/want" <<'END'
0 0x0000 saxpy_loop 11 8 R0-R2 R4-R8 0-10
1 0x0058 .L_1 2 4 R4 R6 R9-R10 11-12
2 0x0068 .L_1 9 7 R4-R6 R8-R10 R12 13-21
3 0x00b0 .L_2+1 1 0 - 22
END
same 'its strands' "$tmp/want" "$tmp/rows"
"$regtwin" analyze --strands=op --cfg $cfg/saxpy_loop.dot 2>"$tmp/err" | rows /dev/stdin >"$tmp/rows"
has 'cut behind a load' '^1 0x0058 \.L_1 1 2 R4 R9 11$' "$tmp/rows"

"$regtwin" analyze --intervals --cfg $cfg/offsets.dot >"$tmp/a" 2>"$tmp/err"
rows "$tmp/a" >"$tmp/rows"
cat >"$tmp/want" <<'END'
0 0x0000 scale 9 6 R0-R4 R20 0-8
1 0x0090 scale+2 1 0 - 9
2 0x00a0 scale+3 3 4 R2 R4-R6 10-12
3 0x00d0 .L_x_1 2 0 - 13-14
0 0x0100 $scale$slow 3 2 R5 R20 0-2
END
same 'offsets in comments, a call, two functions' "$tmp/want" "$tmp/rows"
has 'instructions of 16 bytes' '^  code +16 instructions of 16 bytes in 6 blocks$' "$tmp/a"
has 'all functions' '^2 functions, 5 intervals$' "$tmp/a"
"$regtwin" analyze --intervals --cfg $cfg/pairs.dot 2>"$tmp/err" | rows /dev/stdin >"$tmp/rows"
cat >"$tmp/want" <<'END'
0 0x0008 walk 8 6 R0-R1 R4-R5 R7 R26 0-7
1 0x0058 walk+2 1 0 - 8
2 0x0068 walk+3 1 0 - 9
3 0x0070 walk+4 1 0 - 10
4 0x0078 .L_1 3 1 R0 11-13
END
same 'offsets with a colon, pairs in braces, calls' "$tmp/want" "$tmp/rows"
check 'from standard input' bash -c "exec $regtwin analyze --intervals --cfg - <$cfg/pairs.dot"
"$regtwin" analyze --intervals --cfg $cfg/pairs.dot --dot - 2>/dev/null >"$tmp/g.dot"
has 'a cluster for each' '^  subgraph "cluster_i4"' "$tmp/g.dot"
hasnt '--dot -: no table' '^  intervals' "$tmp/g.dot"
check 'Graphviz takes it' dot -Tsvg "$tmp/g.dot" -o "$tmp/g.svg"
check '--picture' "$regtwin" analyze --strands hotspot --picture "$tmp/p.svg"
has 'is drawn' '</svg>' "$tmp/p.svg"
check '--picture where SIGCHLD is ignored' env --ignore-signal=CHLD "$regtwin" analyze --strands hotspot --picture "$tmp/p.svg"
check '--picture without --intervals' "$regtwin" analyze vecadd --picture "$tmp/p.png"
check 'is a PNG' test "$(head -c 4 "$tmp/p.png" | tail -c 3)" = PNG

# ---- every kernel
suite=$("$regtwin" list kernels --names)
for n in 8 16 32; do
  for k in $suite; do "$regtwin" analyze --intervals "$n" "$k" >>"$tmp/at-$n" 2>>"$tmp/err-$n" || echo "$k" >>"$tmp/bad-$n"; done
  check "every kernel at $n: the rules hold" test ! -e "$tmp/bad-$n" -a ! -s "$tmp/err-$n"
  check "$(grep -c ^function "$tmp/at-$n") entries" test "$(grep -c ^function "$tmp/at-$n")" -gt 60
done
sum() { sed -n 's/^  intervals *\([0-9]*\) .*/\1/p' "$1" | awk '{ s += $1 } END { print s }'; }
check 'more registers, fewer intervals' test "$(sum "$tmp/at-8")" -gt "$(sum "$tmp/at-16")" -a "$(sum "$tmp/at-16")" -gt "$(sum "$tmp/at-32")"
"$regtwin" analyze --intervals sgemm >"$tmp/a"
equal 'sgemm at 16' "$(count "$tmp/a")" 3

# What --write-cfg writes gives the same intervals and strands.
plain() { awk '/^function/ { print $2 } /^  intervals/ { print } /^ +[0-9]+  0x/ { $3 = ""; print }' "$1"; }
for k in $suite; do
  for o in --intervals=16 '--intervals=16 --strands' '--intervals=10 --strands=op'; do
    # shellcheck disable=SC2086  # two options
    "$regtwin" analyze "$k" $o --write-cfg "$tmp/w.dot" 2>&1 | plain /dev/stdin >"$tmp/ours"
    # shellcheck disable=SC2086
    "$regtwin" analyze $o --cfg "$tmp/w.dot" 2>&1 | plain /dev/stdin >"$tmp/theirs"
    if [ ! -s "$tmp/ours" ] || ! cmp -s "$tmp/ours" "$tmp/theirs"; then echo "$k $o"; fi
  done
done >"$tmp/differ"
check "--write-cfg: $(wc -w <<<"$suite") kernels read back" diff /dev/null "$tmp/differ"
"$regtwin" analyze cfd --kernel cfd_flux --write-cfg "$tmp/w.dot" >"$tmp/a"
has '--write-cfg beside the usual text' '^kernel cfd_flux ' "$tmp/a"
equal 'of one entry' "$(grep -o 'cluster_[a-z_]*' "$tmp/w.dot")" cluster_cfd_flux

# ---- large graphs, in less than a second each; the limit only ends what would take minutes
large() {   # line, loops or nest, blocks: each has three instructions, on eight registers, or on 24
  awk -v kind="$1" -v n="$2" 'BEGIN {
    print "digraph f {\nsubgraph \"cluster_k\" {"
    for (b = 0; b < n; b++) {
      r = kind == "line" ? 24 : 8
      printf "\".L_%d\" [label=\"{<entry>.L_%d:\\l", b, b
      for (i = 0; i < 3; i++) printf "  IADD R%d, R%d, R%d;\\l", (b * 7 + i) % r, (b * 3 + i) % r, (b + 5 * i) % r
      back = -1   # the block that it branches back to
      if (kind == "nest" && b >= n / 2) back = n - 1 - b
      if (kind == "loops" && b % 3 == 2) back = b - 1
      if (back >= 0) printf "|<exit0>  @P0 BRA `(.L_%d);\\l", back
      print "}\"]"
      if (back >= 0) printf "\".L_%d\":exit0:e -> \".L_%d\":entry:n;\n", b, back
      if (b + 1 < n) printf "\".L_%d\":%s:s -> \".L_%d\":entry:n;\n", b, (back >= 0 ? "exit0" : "entry"), b + 1
    }
    print "}\n}"
  }'
}
for kind in line loops nest; do
  large $kind 33000 >"$tmp/large.dot"
  (ulimit -t 20; exec "$regtwin" analyze --intervals 16 --cfg "$tmp/large.dot") >"$tmp/a" 2>"$tmp/err"
  equal "$kind: ends" $? 0
  check "$kind: $(sed -n 's/^  code *\([0-9]*\) .*/\1/p' "$tmp/a") instructions, $(count "$tmp/a") intervals" \
    test "$(count "$tmp/a")" = 1 -o $kind = line -a "$(count "$tmp/a")" -gt 5000
done
