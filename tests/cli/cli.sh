#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The command as its user sees it: lists, help, tables, JSON, progress.
. "$(dirname "$0")/../lib.sh"

check 'version' "$regtwin" --version
for c in "" run host list config analyze bench characterize quality compare experiment bottleneck map combine results; do
  # shellcheck disable=SC2086
  check "help: regtwin $c" "$regtwin" $c --help
done

"$regtwin" list configs >"$tmp/l"
for m in common gtx480 gtx980 maxwell rtx2060; do has "list configs: $m" "^$m +[A-Z]" "$tmp/l"; done
"$regtwin" list systems >"$tmp/l"
for m in baseline null; do has "list systems: $m" "^  $m +[A-Z]" "$tmp/l"; done
"$regtwin" list kernels -v >"$tmp/l"
for k in vecadd sgemm transpose reduction bfs hotspot srad_v1 kmeans pathfinder convolutionSeparable atax gather; do
  has "list kernels -v: $k" "^$k +does +[A-Za-z0-9]" "$tmp/l"
done
has 'list kernels -v: sizes' '^ +sizes +small default inference$' "$tmp/l"
has 'list kernels -v: what is launched' 'launches bfs_expand bfs_advance$' "$tmp/l"

"$regtwin" config --explain >"$tmp/e"
keys=$(grep -cE '^[a-z0-9]+\.[a-z_0-9]+ ' "$tmp/e")
if [ "$keys" -gt 90 ]; then ok "explain: $keys keys"; else not_ok 'explain' "only $keys keys"; fi
"$regtwin" config --explain l1.bytes >"$tmp/e"
has 'explain one key' '^l1.bytes +whole number, bytes; default 49152; from 0 to 16777216$' "$tmp/e"

# ---- on a machine: the value in force, and what its line says of it
here() { "$regtwin" config --explain "$@" | sed -n '/^    here: /,$p' | tr '\n' ' ' | tr -s ' ' | sed 's/^ here: //; s/ $//'; }
line() { grep -n "^  $2:" "cmodel/$1" | cut -d: -f1 | head -n 1; }
equal 'the value on a machine' "$(here sm.subcores --config rtx2060)" "true, machines/rtx2060.conf:$(line config/machines/rtx2060.conf subcores): MK: four sub-cores (MK = Malekeh, Table I and section II)"
equal 'two sources, written out' "$(here slot.scheduler --config gtx980)" "gto, machines/gtx980.conf:$(line config/machines/gtx980.conf scheduler): FR, LB (FR = FineReg, MICRO'18, Table I; LB = Linebacker, ISCA'19, Table 1)"
equal 'of a system' "$(here slot.residency --system FineReg)" "finereg, systems/FineReg.conf:$(line systems/finereg/FineReg.conf residency)"
equal 'of the command line' "$(here l1.mshrs --config gtx480 --set l1.mshrs=16)" '16 entries, --set'
equal 'of nobody' "$(here sim.skip --config gtx480)" 'true, the default'
printf '# mine\n# AB: a book. CD: a C.D. of it\nl1:\n  {bytes: 4096, # of AB\n   ways: 4} # CD\n' >"$tmp/mine.conf"
equal 'of a file of one'"'"'s own' "$(here l1.ways --config "$tmp/mine.conf")" "4 ways, $tmp/mine.conf:5: CD (CD = a C.D. of it)"
for c in common gtx480 gtx980 maxwell rtx2060; do   # all keys; each value is that of --dump
  "$regtwin" config --explain --config $c | awk '/^[a-z]/ { k = $1 } /^    here: / { v = $2; sub(/,$/, "", v); print k, v }' >"$tmp/explained"
  "$regtwin" config --dump --config $c | awk '/^[a-z]/ { s = $1; sub(/:/, "", s) } /^  / { k = $1; sub(/:/, "", k); print s "." k, $2 }' >"$tmp/dumped"
  same "all keys on $c" "$tmp/dumped" "$tmp/explained"
done
"$regtwin" config --explain l1.bytes >"$tmp/e"
hasnt 'without a machine: the key alone' 'here' "$tmp/e"
"$regtwin" config --dump --config maxwell --set l1.ways=8 >"$tmp/x.conf"
has 'dump' '^  ways: 8 ' "$tmp/x.conf"
"$regtwin" config --dump --config "$tmp/x.conf" | tail -n +2 >"$tmp/y.conf"
tail -n +2 "$tmp/x.conf" >"$tmp/z.conf"
same 'a dump reads back as itself' "$tmp/z.conf" "$tmp/y.conf"

"$regtwin" run vecadd sgemm --size small --json "$tmp/two.json" >"$tmp/t" 2>"$tmp/err"
has 'run: kernels side by side' '^ +vecadd +sgemm$' "$tmp/t"
has 'run: a row for each' '^  cycles +[0-9,]+ +[0-9,]+$' "$tmp/t"
if [ -s "$tmp/err" ]; then not_ok 'run: quiet in a pipe' "$(cat "$tmp/err")"; else ok 'run: quiet in a pipe'; fi
"$regtwin" run vecadd --size small --json - >"$tmp/one.json"
for key in system config kernel cycles warp_instructions thread_instructions ipc occupancy issue_stalls register_file \
           reads writes bank_conflicts l1 l2 dram host_seconds warp_instructions_per_second peak_rss_bytes seed \
           stream_hash ctas_mean warps_mean; do
  has "json: $key" "\"$key\":" "$tmp/one.json"
done
sum=$(sed -n '/"issue_stalls"/,/^  }/s/.*"percent": \([0-9.]*\).*/\1/p' "$tmp/one.json" |
      awk '{ s += $1 } END { printf "%.2f", s }')
if [ "$sum" = 100.00 ]; then ok 'json: issue stalls sum to 100 %'; else not_ok 'json: issue stalls' "sum to $sum"; fi
has 'json: an array for several' '^\[' "$tmp/two.json"
# Of 103 launches most have one block, and the longest: the occupancy shown is of the launch that did most of the work.
"$regtwin" run gaussian --size small >"$tmp/t"
has 'run: whose occupancy' '^  of the entry.s largest launch +eliminate$' "$tmp/t"
has 'run: how many CTAs fit' '^  CTAs that fit +largest launch +8$' "$tmp/t"
"$regtwin" run vecadd --size small --brief --set l1.mshrs=16 --set slot.scheduler=lrr --sms 1 >"$tmp/set"
has 'run: the title names what --set changes' '^regtwin [0-9.]+ +one SM of gtx980, system baseline, l1.mshrs=16, slot.scheduler=lrr$' "$tmp/set"
"$regtwin" run vecadd --size small --brief --set l1.mshrs=16 --set l1.ways=4 --set l1.merge=8 --set l2.mshrs=32 >"$tmp/set"
has 'run: the title counts many settings' ', system baseline, 4 settings of --set$' "$tmp/set"
has 'run: what limits them' '^  limited by +warps$' "$tmp/t"

"$regtwin" run vecadd --size small --functional --json - >"$tmp/f.json"
hasnt 'functional: no cycles' '"cycles"' "$tmp/f.json"
insns() { grep -m1 '"warp_instructions"' "$1"; }
if [ "$(insns "$tmp/f.json")" = "$(insns "$tmp/one.json")" ]; then ok 'functional and timed execute the same'
else not_ok 'functional and timed execute the same' "$(insns "$tmp/f.json")" "$(insns "$tmp/one.json")"; fi

cp "$tmp/one.json" "$tmp/keep.json"
"$regtwin" run vecadd --size small --set l1.bytes=1 --json "$tmp/keep.json" >/dev/null 2>&1
same 'json: a failed run leaves the old file' "$tmp/one.json" "$tmp/keep.json"
(cd / && "$regtwin" run vecadd --size small >"$tmp/t")
has 'run: from another directory' '^  cycles' "$tmp/t"
REGTWIN_TRACES=$PWD/traces/kernels check 'run: REGTWIN_TRACES' "$regtwin" run vecadd --size small
mkdir "$tmp/images"
printf 'ptx %s/traces/kernels/vecadd/vecadd.ptx\nbuffer a u8 4 iota 0 80\nimage a 2 2 gray a.png\nbuffer x f32 3 zero\nlaunch vecadd grid 1 block 1 args(x, x, x, 1)\n' "$PWD" >"$tmp/image.launch"
"$regtwin" run "$tmp/image.launch" --functional --images "$tmp/images" >"$tmp/t"
if [ "$(head -c 4 "$tmp/images/a.png" | tail -c 3)" = PNG ]; then ok 'run: --images'
else not_ok 'run: --images' "$(ls "$tmp/images")"; fi
"$regtwin" run traces/kernels/vecadd/vecadd.launch --size small --functional >"$tmp/t"
has 'run: a launch file by path, its size' '^  size +small$' "$tmp/t"
"$regtwin" run traces/kernels/vecadd/vecadd.launch --functional >"$tmp/t"
has 'run: a launch file by path, no size asked for' '^  size +default$' "$tmp/t"

if script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
  script -qec "$regtwin run sgemm --size default --config gtx980 2>$tmp/tty" /dev/null >/dev/null </dev/null
  hasnt 'progress: none when stderr is a file' 'CTAs' "$tmp/tty"
  script -qec "$regtwin run sgemm --size default --config gtx980" "$tmp/typescript" >/dev/null </dev/null
  has 'progress: a line on a terminal' 'CTAs [0-9]+/[0-9]+ .*left' "$tmp/typescript"
else skip 'progress on a terminal' 'no pseudo-terminal can be opened here'; fi

"$regtwin" analyze sgemm --dot "$tmp/g.dot" >"$tmp/a"
has 'analyze: text' 'sgemm' "$tmp/a"
"$regtwin" analyze transpose --live >"$tmp/a"
has 'analyze: live vectors' ' 4  0000000000000407 R0-R2 R10$' "$tmp/a"
"$regtwin" analyze pathfinder --ranges --size small >"$tmp/a"
has 'analyze --ranges: the launches' '^  launches +ntid\.x 256 .* nctaid\.x 17 ' "$tmp/a"
has 'analyze --ranges: a loop' 'add\.s32 %r44, %r44, 1 +1\.\.10 +1u +add$' "$tmp/a"
has 'analyze --ranges: a branch' '0\.\.15996 +1u:4u +mul; %r18 is 0\.\.3999 by the branch in line 39$' "$tmp/a"
"$regtwin" analyze traces/kernels/pathfinder/pathfinder.ptx --ranges >"$tmp/a"
has 'analyze --ranges: no launches' '%tid\.x +0\.\.1023 +3u +%tid\.x$' "$tmp/a"
mkdir "$tmp/dumps"
cp traces/kernels/vecadd/vecadd.ptx "$tmp/dumps"
{ small_launch vecadd; echo "dump c $tmp/dumps/c"; } >"$tmp/dumps/small.launch"
check 'analyze --ranges: of a launch file' "$regtwin" analyze "$tmp/dumps/small.launch" --ranges
check 'that it runs for this writes nothing' test ! -e "$tmp/dumps/c"
"$regtwin" run "$tmp/dumps/small.launch" --functional --dumps "$tmp/dumps" >"$tmp/a"
check 'a run does' test -s "$tmp/dumps/c"
"$regtwin" analyze pathfinder --slices=int --size small --map "$tmp/map.svg" >"$tmp/a"
has 'analyze --slices: the table' '^ +0  [0-9a-f]{8}  row0\[[0-9,.]+\] +[0-9]+$' "$tmp/a"
has 'analyze --slices: an operand' '^ +to  %r17 signed n4 row[0-9]+\[[0-9,.]+\]$' "$tmp/a"
has 'analyze --slices: the words of a pair' '%rd1 high unsigned n1 row' "$tmp/a"
equal 'analyze --map: a colour of each kind' "$(grep -oE '<text>(un)?signed' "$tmp/map.svg" | tr '\n' ' ')" '<text>unsigned <text>signed '
"$regtwin" analyze traces/kernels/pathfinder/pathfinder.ptx --slices=int --kernel nope 2>"$tmp/err"
equal 'analyze --slices: no such entry' $? 2
has 'it is named' "error: found kernel 'nope', expected a kernel of the PTX: pathfinder" "$tmp/err"
check 'analyze: Graphviz takes the graph' dot -Tsvg "$tmp/g.dot" -o "$tmp/g.svg"
check 'man page' man -l --warnings cmodel/make/install/regtwin.1
check 'completion: the papers' bash -c "PATH=build:\$PATH; . cmodel/make/install/regtwin.bash; COMP_WORDS=(regtwin compare linebac); COMP_CWORD=2; _regtwin
  [ \"\${COMPREPLY[*]}\" = linebacker ]"
# shellcheck disable=SC2016
check 'completion' bash -c '. cmodel/make/install/regtwin.bash; COMP_WORDS=(regtwin ru); COMP_CWORD=1; _regtwin; [ "${COMPREPLY[0]}" = run ]'

"$regtwin" list configs >/dev/full 2>"$tmp/err"
status=$?
if [ $status -eq 1 ]; then ok 'a full disk is exit status 1'; else not_ok 'a full disk' "status $status"; fi

# run --brief: some of the rows of run.
"$regtwin" run sgemm bfs --size small >"$tmp/all"
"$regtwin" run sgemm bfs --size small --brief >"$tmp/brief"
equal 'run --brief: status' $? 0
sed '1,/^---/d' "$tmp/brief" | tr -s ' ' >"$tmp/found"
tr -s ' ' <"$tmp/all" | grep -xFf "$tmp/found" | sort >"$tmp/want"
sort "$tmp/found" -o "$tmp/found"
same 'run --brief: rows of run' "$tmp/want" "$tmp/found"
check 'run --brief: ten of them' test "$(wc -l <"$tmp/found")" -eq 10
has 'run --brief: hits, and what waited for a miss' '^ L1 merged with a miss % ' "$tmp/found"
"$regtwin" run sgemm --size small --brief --functional >"$tmp/brief"
equal 'run --brief --functional: what has no time is left out' "$(sed '1,/^---/d' "$tmp/brief" | sed 's/^  \([a-z ]*[a-z]\)  .*/\1/' | xargs)" 'launches warp instructions'

# The man page has every option that a command's --help shows.
for c in run host list config analyze bench characterize quality tune compare experiment bottleneck map combine results; do
  "$regtwin" "$c" --help | grep -oE '^ +(-., )?--[a-z]+' | grep -oE -- '--[a-z]+'
done | grep -vxE -- '--(help|usage|version)' | sort -u >"$tmp/options"
sed 's/\\-/-/g' cmodel/make/install/regtwin.1 >"$tmp/man"
while read -r o; do grep -qE -- "$o([^a-z]|\$)" "$tmp/man" || echo "$o"; done <"$tmp/options" >"$tmp/missing"
check "the man page has the $(wc -l <"$tmp/options") options of --help" diff /dev/null "$tmp/missing"
check 'they were found' test "$(wc -l <"$tmp/options")" -gt 30
