#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# bottleneck: gains are those of plain runs with the keys that it says; what busy means; machines that lack a relaxation; runs that fail,
# kept results, parallel runs, pictures.
. "$(dirname "$0")/../lib.sh"

neck() { "$regtwin" bottleneck "$@" --size small --db "$tmp/db"; }
row() { sed -n "s/^  $1  *\([0-9.]*\).*/\1/p" "$2"; }                                   # label, file: its number
object() { sed -n "/^ *\"$1\": {/,/}/p" "$2" | sed -n 's/^ *"\([a-z0-9_]*\)": \([0-9.e-]*\),*$/\1 \2/p'; }

# ---- a launch file: a stream
neck traces/kernels/vecadd/vecadd.launch --json "$tmp/j" >"$tmp/t" 2>"$tmp/err"
equal 'a launch file: status' $? 0
check 'nothing to complain of' test ! -s "$tmp/err"
has 'its IPC and CTAs' '^vecadd: IPC [0-9]\.[0-9]{3} of 4; [0-9]+ CTAs of [0-9]+ warps fit \([a-z ]+\)$' "$tmp/t"
has 'a stream is bound by DRAM' '^  DRAM bus +9[0-9]\.[0-9]  #+$' "$tmp/t"
check 'and gains by more of it' awk -v x="$(row 'DRAM bandwidth' "$tmp/t")" 'BEGIN { exit !(x > 1.3) }'
has 'the tightest two, and what is counted' '^The tightest: (DRAM bus|L1 MSHRs) 9[0-9]% \(.* / .*\)\. Then: (DRAM bus|L1 MSHRs) 9[0-9]%\.$' "$tmp/t"
"$regtwin" run vecadd --size small --json "$tmp/r" >"$tmp/table"
equal 'utilisation of the bus is what run says' "$(row 'DRAM bus' "$tmp/t")" "$(awk '/% of share/ { print $NF }' "$tmp/table")"
equal 'that of issue, too' "$(row issue "$tmp/t")" "$(awk '/^  issued / { printf "%.1f", $NF }' "$tmp/table")"
object utilisation "$tmp/j" | cut -d' ' -f2 >"$tmp/found"
sort -gr "$tmp/found" >"$tmp/want"
same 'the busiest is the first' "$tmp/want" "$tmp/found"
equal 'every resource of list resources is there' "$(object utilisation "$tmp/j" | cut -d' ' -f1 | sort | tr '\n' ' ')" \
  "$("$regtwin" list resources --names | grep -v '^rf_ports$' | sort | tr '\n' ' ')"
equal 'every relaxation of list relaxations, too' "$(object relative_ipc "$tmp/j" | cut -d' ' -f1 | sort | tr '\n' ' ')" \
  "$("$regtwin" list relaxations --names | sort | tr '\n' ' ')"

# ---- the short form: the class with fifteen runs, five resources, gains in their order
neck sgemm --json "$tmp/j" >"$tmp/t"
"$regtwin" bottleneck sgemm --size small --db "$tmp/db.brief" --brief --json "$tmp/b" >"$tmp/short"
equal '--brief: status' $? 0
class() { sed -n 's/^Class: \([^:]*\).*/\1/p' "$1"; }
equal '--brief: the same class' "$(class "$tmp/short")" "$(class "$tmp/t")"
equal '--brief: the relaxations that decide it, and the parts of the register file' "$(object relative_ipc "$tmp/b" | cut -d' ' -f1 | sort | xargs)" \
  "$({ sed -n 's/^CLASS(\([a-z0-9]*\),.*/\1/p; s/^PART(regfile, \([a-z0-9]*\))/\1/p; s/^PART(ctas, \([a-z0-9]*\))/\1/p' cmodel/lab/campaign/relax.def; } | sort | xargs)"
equal '--brief: no other runs' "$(ran "$tmp/db.brief")" 15
sed -n '/^utilisation/,/^$/{/^  /p}' "$tmp/t" | head -n 5 | tr -s ' ' >"$tmp/want"
sed -n '/^utilisation/,/^$/{/^  /p}' "$tmp/short" | tr -s ' ' >"$tmp/found"
same '--brief: the five busiest resources' "$tmp/want" "$tmp/found"
gains() { sed -n '/^IPC relative/,/^  (/{/^  [^(]/p}' "$1" | sed 's/^\(.*[0-9]\.[0-9]\{3\}\).*/\1/' | tr -s ' '; }
gains "$tmp/short" >"$tmp/found"
gains "$tmp/t" | grep -xFf "$tmp/found" | sort >"$tmp/want"
sort "$tmp/found" >"$tmp/sorted"
same '--brief: the same gains' "$tmp/want" "$tmp/sorted"
awk '{ print $NF }' "$tmp/found" >"$tmp/values"
sort -gr "$tmp/values" >"$tmp/want"
same '--brief: the greatest first' "$tmp/want" "$tmp/values"
check '--brief: fourteen of them' test "$(wc -l <"$tmp/found")" -eq 14
slower() { gains "$1" | awk '$NF < 1 { n++ } END { print (n > 0) }'; }
for f in t short; do equal "$f: what a number below 1 is, if there is one" "$(grep -c '^  (below 1: slower' "$tmp/$f")" "$(slower "$tmp/$f")"; done
check '--brief: 80 columns' test "$(awk '{ if (length($0) > n) n = length($0) } END { print n }' "$tmp/short")" -le 80
neck sgemm --brief --relax l1,regs >"$tmp/short"
equal '--brief --relax: those' "$(gains "$tmp/short" | sed 's/ [0-9.]*$//' | sort | xargs)" 'huge L1 registers'
neck CS vecadd --brief --relax dram >"$tmp/short"
has '--brief of several kernels: the table' '^  vecadd +[0-9.]+ ' "$tmp/short"
hasnt 'and no descriptions' 'DRAM bandwidth: ' "$tmp/short"

# ---- a class of several parts names the one that gives it: warp slots, where neither registers nor their ports do
neck btree --json "$tmp/j" >"$tmp/t"
has 'the part of the register file' '^Class: register file: CTA and warp slots$' "$tmp/t"
equal 'it has the greatest gain of the parts' "$(object relative_ipc "$tmp/j" | grep -E '^(regs|slots|shared|collectors|banks) ' | sort -k2,2gr | head -n 1 | cut -d' ' -f1)" slots
has 'JSON: the class' '"class": "register file"' "$tmp/j"
has 'JSON: its part' '"class_part": "slots"' "$tmp/j"
neck btree --brief >"$tmp/t"
has '--brief: the same part' '^Class: register file: CTA and warp slots$' "$tmp/t"
neck btree vecadd >"$tmp/t"
has 'of several kernels: by the column' '^  btree .* register file: slots$' "$tmp/t"
classes=$(sed -n 's/^CLASS(\([a-z0-9]*\),.*/\1/p' cmodel/lab/campaign/relax.def | paste -sd ,)
neck btree --relax "$classes" --json "$tmp/j" >"$tmp/t"
has 'no part was run: the class alone' '^Class: register file$' "$tmp/t"
has 'JSON: null' '"class_part": null' "$tmp/j"

# ---- rows by a gain
neck vecadd sgemm btree CS --relax dram,slots --sort slots >"$tmp/t"
awk '/^  (vecadd|sgemm|btree|convolutionSeparable) / { print $NF }' "$tmp/t" >"$tmp/found"
sort -gr "$tmp/found" >"$tmp/want"
same '--sort: the greatest gain first' "$tmp/want" "$tmp/found"
has '--sort: that one' '^  btree ' <(grep -m 1 -E '^  (vecadd|sgemm|btree|convolutionSeparable) ' "$tmp/t")
neck vecadd sgemm btree CS --relax dram,slots --sort slots --top 2 >"$tmp/two"
equal '--top: two of them' "$(grep -E '^  (vecadd|sgemm|btree|convolutionSeparable) ' "$tmp/two" | tr -s ' ')" "$(grep -E '^  (vecadd|sgemm|btree|convolutionSeparable) ' "$tmp/t" | head -n 2 | tr -s ' ')"
equal '--top: means over all' "$(grep mean "$tmp/two" | head -n 2 | tr -s ' ')" "$(grep mean "$tmp/t" | tr -s ' ')"
has '--top: which' '^2 of 4 kernels, by slots; the means are over all$' "$tmp/two"
while IFS='|' read -r arguments message; do
  # shellcheck disable=SC2086
  neck vecadd CS $arguments >"$tmp/t" 2>"$tmp/err"
  equal "$arguments: status" $? 2
  has "$arguments: message" "$message" "$tmp/err"
done <<'END'
--sort bank|--sort: found 'bank'; did you mean 'banks'
--sort banks --relax dram|--sort: found banks, expected one of those of --relax
--top 3|found --top without --sort, expected both
END

# ---- other work than on the machine as it is: one line for each kernel, of however many relaxations
neck tests/data/order/lock_warps.launch CS --relax l2,dram,memlat,units >"$tmp/t" 2>"$tmp/err"
equal 'other work: one line' "$(grep -c 'executed other instructions' "$tmp/err")" 1
has 'other work: on how many' '^regtwin: warning: lock_warps executed other instructions on [234] of 4 relaxed machines, since its work depends on timing: those gains are not of the same work$' "$tmp/err"
neck tests/data/order/lock_warps.launch vecadd --relax l2,dram,memlat,units --sort dram --top 1 >"$tmp/t" 2>"$tmp/err"
has 'other work: of the rows that are shown' '^  vecadd ' "$tmp/t"
equal 'other work: how many others' "$(cat "$tmp/err")" \
  'regtwin: warning: of the kernels that are not shown, 1 executed other instructions on some relaxed machine; the means have them, too'

# ---- a gain is that of run with the keys that the JSON names
neck sgemm --relax l1,mshrs,regs,regfile --json "$tmp/j" >"$tmp/t"
cycles=$(get cycles "$tmp/j")
for r in l1 mshrs regs regfile; do
  mapfile -t keys < <(awk -v r="\"$r\"," '$1 == "\"key\":" { on = $2 == r } on && $1 == "\"changes\":"' "$tmp/j" |
    sed 's/.*"changes": "\(.*\)",/\1/; s/; /\n/g' | sed 's/^\([^ ]*\) .* -> \(.*\)$/--set=\1=\2/')
  check "$r: it changes keys" test ${#keys[@]} -ge 1
  "$regtwin" run sgemm --size small "${keys[@]}" --json "$tmp/r" >/dev/null
  equal "$r: the gain is that of run" "$(object relative_ipc "$tmp/j" | awk -v r=$r '$1 == r { printf "%.6f", $2 }')" \
    "$(awk -v a="$cycles" -v b="$(get cycles "$tmp/r")" 'BEGIN { printf "%.6f", a / b }')"
done
has 'registers: as many as the key allows' '"changes": "rf.bytes 262144 -> 16777216"' "$tmp/j"
equal 'no others' "$(object relative_ipc "$tmp/j" | wc -l)" 4

# ---- no resource is busier than it can be, on any machine; jumping over idle cycles changes nothing
for m in gtx980 rtx2060 'gtx480 --system SL-Full-P' 'gtx980 --system FineReg'; do
  for skip in true false; do
    # shellcheck disable=SC2086
    neck vecadd sgemm gather syr2k gemm_tensor hotspot deferred particlefilter_naive --relax none --config $m \
      --set sim.skip=$skip --json "$tmp/$skip" >/dev/null 2>"$tmp/err"
  done
  same "$m: skipping changes no utilisation" "$tmp/true" "$tmp/false"
  equal "$m: 18 resources or fewer of 8 kernels, none above 1" \
    "$(object utilisation "$tmp/true" | awk '{ n++; high += $2 > 1 || $2 < 0 } END { print n, high + 0 }')" \
    "$((8 * $("$regtwin" list resources --names | grep -cv "^$([[ $m == rtx2060* ]] && echo 'rf_[rw]' || echo rf_ports)"))) 0"
done

# ---- several kernels: a table with means
neck CS vecadd sgemm --relax l1,bandwidth --json "$tmp/j" >"$tmp/t"
has 'columns' '^ +IPC +tightest +next +l1 +bandwidth$' "$tmp/t"
has 'a line for each' '^  convolutionSeparable +CS +[0-9.]+ +[A-Za-z0-9 ]+% +[A-Za-z0-9 ]+% +[0-9.]+ +[0-9.]+$' "$tmp/t"
object relative_ipc "$tmp/j" | awk '{ n[$1]++; a[$1] += $2; l[$1] += log($2) }
  END { printf "arithmetic %.2f %.2f\ngeometric %.2f %.2f\n", a["l1"] / n["l1"], a["bandwidth"] / n["bandwidth"], exp(l["l1"] / n["l1"]),
               exp(l["bandwidth"] / n["bandwidth"]) }' >"$tmp/want"
awk '/^  (arithmetic|geometric) mean/ { print $1, $(NF - 1), $NF }' "$tmp/t" >"$tmp/found"
same 'means' "$tmp/want" "$tmp/found"
has 'what each is' '^  bandwidth +all bandwidth: MSHRs, links, L2 and DRAM together' "$tmp/t"
neck finereg --relax none --json "$tmp/j" >"$tmp/t"
equal 'a paper is its kernels' "$(awk 'NR > 5 && NF { printf "%s ", $2 }' "$tmp/t")" 'BF BI CS FD KM MC NW ST SY2 AT CF HS LI LB SG SR2 TA TR '

# ---- a machine that does not have it
neck vecadd --set l1.bytes=0 --set l1.local_only=false --relax dram,all --json "$tmp/j" >"$tmp/t"
check 'all of the others without the one that is not there' grep -q '"changes": .*dram.mbps 352500 -> ' "$tmp/j"
neck vecadd --config rtx2060 --set collector.units=64 --set collector.arrivals=6 >"$tmp/t"
has 'left out, with a note' "^Left out: collectors \(collectors\): machine 'rtx2060' has nothing to relax there" "$tmp/t"
hasnt 'and not among the gains' '^  collectors .*64 collector units' "$tmp/t"

# ---- a run that fails; the others go on
neck tpacf vecadd --relax shared --set shared.bytes=1024 >"$tmp/t" 2>"$tmp/err"
equal 'a kernel that does not fit: status 2' $? 2
has 'which, where, why' 'tpacf on baseline failed: .*one CTA needs 13312 shared memory' "$tmp/err"
has 'its line says so' '^  tpacf +failed +- +- +-$' "$tmp/t"
has 'the other one is there' '^  vecadd +[0-9.]+ +[A-Z][A-Za-z0-9 ]+ 9[0-9]% ' "$tmp/t"

neck none.launch >"$tmp/t" 2>"$tmp/err"
equal 'a file that is not there: status' $? 2
equal 'a file that is not there: one line' "$(cat "$tmp/t" "$tmp/err" | grep -c .)" 1
has 'a file that is not there: which' 'none failed: .*none\.launch' "$tmp/err"

# ---- systems, also those of several runs, and settings of a system's name
neck sgemm --system FineReg --relax regs,slots,ctas --json "$tmp/j" >"$tmp/t"
has 'a system' 'one SM of gtx980, system FineReg, size small$' "$tmp/t"
has 'its own parts of the register file grow' '"changes": "rf.bytes 262144 -> 16777216; finereg.acrf_bytes 131072 -> 8388608; finereg.pcrf_bytes 131072 -> 262144"' "$tmp/j"
has 'its CTA slots as far as its masks reach' '"changes": "sm.warps 64 -> 256; sm.threads 2048 -> 8192; sm.ctas 32 -> 128"' "$tmp/j"
equal 'and nothing is left out' "$(grep -c '"without": null' "$tmp/j")" 3
neck vecadd --config gtx480 --system SL-Full-P --json "$tmp/j" >"$tmp/t" 2>"$tmp/err"
equal 'a system that cannot have a part: status' $? 0
has 'the part is left out' '^Left out: collectors \(collectors\): .* expected collector\.units=16 collector\.arrivals=1' "$tmp/t"
has 'and what it is a part of says so' '^Incomplete: whole register file \(regfile\): without collectors, which the machine cannot have$' "$tmp/t"
has 'in the JSON, too' '"without": "collectors"' "$tmp/j"
hasnt 'nothing fails' 'failed' "$tmp/t"
has 'register banks as far as its rules allow' '"changes": "rf.banks 16 -> 64; rf.results 3 -> 63"' "$tmp/j"
has 'an L1 whose sets are hashed grows without the hash, and a texture cache of its own with it' '"changes": "l1.bytes 16384 -> 16777216; l1.hash fermi -> none; tex.bytes 12288 -> 1044480"' "$tmp/j"
neck vecadd --relax l1 --json "$tmp/x.svg" --plot "$tmp/x.svg" >"$tmp/t" 2>"$tmp/err"
equal 'one file for two results: status' $? 2
has 'and its message' "^regtwin: error: --plot: found the file of --json, '.*/x\.svg', expected another one$" "$tmp/err"
check 'nothing is written' test ! -e "$tmp/x.svg"
neck vecadd --system UM:l2.latency=90 --relax l2 >"$tmp/t"
has 'a system that is chosen for each kernel' 'system UM:l2.latency=90, size small$' "$tmp/t"

# ---- results are kept; as many at a time as one likes
before=$(ran "$tmp/db")
neck sgemm --relax l1,mshrs,regs,regfile --json "$tmp/j2" >/dev/null
equal 'nothing runs twice' "$(ran "$tmp/db")" "$before"
for n in 1 3; do "$regtwin" bottleneck vecadd sgemm --relax dram,ctas --size small --jobs $n --db "$tmp/db$n" --json "$tmp/j$n" >"$tmp/t$n"; done
same 'the same with one and with three' "$tmp/j1" "$tmp/j3"
same 'and the same table' "$tmp/t1" "$tmp/t3"
neck vecadd --relax l1 --json - >"$tmp/j"
equal 'JSON alone on standard output' "$(head -n 1 "$tmp/j") $(tail -n 1 "$tmp/j")" '{ }'

# ---- pictures
png() { [ "$(head -c 4 "$1" | tail -c 3)" = PNG ] && [ "$(tail -c 8 "$1" | head -c 4)" = IEND ]; }
neck sgemm --relax l1,regs --plot "$tmp/one.png" >/dev/null
check 'one kernel: a PNG' png "$tmp/one.png"
neck sgemm --relax l1,regs --plot "$tmp/one.svg" >/dev/null
has 'an SVG: the resources' 'DRAM activates' "$tmp/one.svg"
has 'and the relaxations' '>huge L1<' "$tmp/one.svg"
neck sgemm CS --relax l1,regs --plot "$tmp/two.svg" >/dev/null
has 'several: a map, each with its two busiest' '>CS: [A-Za-z0-9 ]+ [0-9]+%, ' "$tmp/two.svg"
neck sgemm --relax none --plot "$tmp/u.png" >/dev/null
check 'utilisation alone' png "$tmp/u.png"
neck sgemm CS --relax none --plot "$tmp/no.png" >"$tmp/t" 2>"$tmp/err"
equal 'a map of nothing: status 2' $? 2
has 'why' '^regtwin: error: --plot: found nothing to relax, expected something' "$tmp/err"
check 'and there is none' test ! -e "$tmp/no.png"

# ---- a class for each resource (make lockstep-all)
while read -r r; do
  printf '"kernel": "k",\n"cycles": 7,\n"utilisation": {\n"%s": 0.9,\n' "$r" | awk -f cosim/whole_sm/classes.awk >"$tmp/out" 2>&1
  has "$r has a class" '^(issue|registers|l1|memory) 7 k$' "$tmp/out"
done < <(sed -n 's/^RESOURCE(\([a-z0-9_]*\),.*/\1/p' cmodel/lab/run/usage.def)
