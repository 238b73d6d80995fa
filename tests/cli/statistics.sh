#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What a configuration does not model is - in tables and null in the JSON, never 0; list statistics says what that is.
# needs: binary
. "$(dirname "$0")/../lib.sh"
lists=(cmodel/systems/*/system.def)
counters() { sed -n 's/^STAT(\([a-z0-9_]*\),.*/\1/p' "$@" | sort; }
# The counters of the lines HARDWARE(name, when, counter, ...) of files.
hardware() { sed -n 's/^HARDWARE(\(.*\))$/\1/p' "$@" | awk -F ', ' '{ for (i = NF; i > 2 && $i ~ /^[a-z0-9_]+$/; i--) print $i }' | sort; }
listed() { "$regtwin" list statistics --names "$@" | sort; }

# ---- the list: every counter, with a unit and a meaning
listed >"$tmp/all"
counters cmodel/sm/stats.def "${lists[@]}" >"$tmp/counters"
same 'each counter of the lists' "$tmp/counters" "$tmp/all"
"$regtwin" list statistics >"$tmp/l"
while read -r name; do
  grep -qE "^  $name +[^ ].*  [^ ]" "$tmp/l" || echo "$name"
done <"$tmp/all" >"$tmp/bare"
equal 'each has a unit and a meaning' "without: $(xargs <"$tmp/bare")" 'without: '
has 'a row of the table: what it is divided by' '^  L1 hits \(%\): l1_read_hits x 100 / l1_reads$' "$tmp/l"
has 'a row with the configuration in it' '^  warps resident \(% of sm\.warps\): warp_cycles x 100 / \(cycles x sm\.warps\)$' "$tmp/l"
has 'a measure: what it is divided by' '^  l1_hit +L1 hit ratio, hits per line read; denominator: l1_reads$' "$tmp/l"
has 'a measure that is divided by nothing' '^  dram_bytes +off-chip traffic, bytes; denominator: -$' "$tmp/l"
has 'a condition' '^ only with slot\.residency=vt and finereg\.dram_ctas > 0:$' "$tmp/l"
hasnt 'no C in it' 'r->|c->|uint64_t|NOT_MODELLED|slot_(residency|storage|collector|scheduler|l1)_|&&|\|\|' "$tmp/l"
while read -r key; do   # each measure once
  grep -cE "^  $key +.*" <(sed -n '/^Measures/,$p' "$tmp/l")
done < <("$regtwin" list measures --names) | sort -u >"$tmp/n"
equal 'each measure once' "$(cat "$tmp/n")" 1

# ---- the lines HARDWARE
hardware cmodel/lab/run/hardware.def "${lists[@]}" >"$tmp/named"
equal 'each of their counters once' "twice: $(uniq -d "$tmp/named" | xargs)" 'twice: '
equal 'what they name are counters' "others: $(comm -23 "$tmp/named" "$tmp/all" | xargs)" 'others: '
equal 'every counter of a system is of hardware that not every configuration has' "others: $(comm -23 <(counters "${lists[@]}") "$tmp/named" | xargs)" 'others: '
check 'and some of the core' test -n "$(comm -23 "$tmp/named" <(counters "${lists[@]}"))"
# What a configuration does not model is never counted: the recorded counters of each system.
n=0
for f in tests/data/counters/*; do
  while IFS= read -r line; do
    read -ra words <<<"${line#\# }"
    options=()
    for ((i = 1; i < ${#words[@]}; i++)); do
      case ${words[i]} in --set | --config) options+=("${words[i]}" "${words[i + 1]}") ;; esac
    done
    listed --system "${f##*/}" "${options[@]}" >"$tmp/here"
    awk -v line="$line" '/^# / { on = $0 == line; next } on { print $1 }' "$f" | grep -xFf "$tmp/all" | sort >"$tmp/counted"
    comm -13 "$tmp/here" "$tmp/counted" | sed "s|^|${f##*/} $line: |"
    n=$((n + 1))
  done < <(grep '^# ' "$f")
done >"$tmp/wrong"
equal 'what is counted under a system is modelled there' "wrong: $(cat "$tmp/wrong")" 'wrong: '
check 'that were many' test "$n" -gt 100
"$regtwin" list statistics --system baseline --set sim.check=true >"$tmp/l"
has 'with a configuration: counted' '^  operands_checked +accesses +yes +' "$tmp/l"
has 'with a configuration: not modelled' '^  victim_hits +accesses +- +' "$tmp/l"
"$regtwin" list statistics --system LB >"$tmp/l"
has 'with another one' '^  victim_hits +accesses +yes +' "$tmp/l"
for s in FineReg LB LTRF Malekeh SL-Full-P DYNCTA; do
  check "$s models what the baseline does not" test -n "$(comm -13 <(listed --system baseline) <(listed --system $s))"
done

# ---- a machine without an L1
row() { grep -E "^  $1  " "$tmp/t" | head -n 1 | tr -s ' '; }
"$regtwin" run sgemm --size small --set l1.bytes=0 --per-launch --json "$tmp/j" >"$tmp/t"
for r in 'L1 reads +lines' 'L1 hits +%' 'L1 merged with a miss +%' 'L1 misses +lines' 'served by L1 +% of loads'; do
  has "no L1: $r" "^  $r +-\$" "$tmp/t"
done
has 'no L1: what goes past it is counted' '^  L1 bypassed +lines +[1-9]' "$tmp/t"
has 'no L1: by launch' '^  0 sgemm .* +- +- +[0-9,]+$' "$tmp/t"
for key in reads read_hits read_misses read_merges write_hits evictions writebacks hit_rate; do
  equal "no L1: $key in the JSON" "$(jq -c ".l1.$key" "$tmp/j")" null
done
equal 'no L1: loads that it served' "$(jq -c .load_latency.l1.loads "$tmp/j")" null
equal 'no L1: counters stay whole numbers' "$(jq -c '[.counters[] | type] | unique' "$tmp/j")" '["number"]'
"$regtwin" run sgemm --size small --json "$tmp/j" >"$tmp/t"
has 'with an L1: its reads' '^  L1 reads +lines +[1-9]' "$tmp/t"
equal 'with an L1 that writes through: no lines are written back' "$(jq -c .l1.writebacks "$tmp/j")" null
equal 'but its reads are a number' "$(jq -c '.l1.reads | type' "$tmp/j")" '"number"'
equal 'no shared memory' "$("$regtwin" run vecadd --size small --set shared.bytes=0 | grep -E '^  shared( bank conflicts)?  ' | grep -oE '[^ ]+$' | xargs)" '- -'
"$regtwin" characterize vecadd --size small --set l1.bytes=0 --json "$tmp/j" >"$tmp/t"
has 'characterize without an L1: lines' '^  lines +-$' "$tmp/t"
has 'characterize without an L1: misses' '^  missed +% +-$' "$tmp/t"
equal 'in the JSON, too' "$(jq -c '[.l1[]] | unique' "$tmp/j")" '[null]'

# ---- what a system does not have
"$regtwin" run vecadd --size small --json "$tmp/j" >"$tmp/t"
has 'gto holds no warps active' '^  ready warps not active +% +-$' "$tmp/t"
for key in register_file.pool_fraction register_file.pool_waiting_mean register_file.pool_depleted_fraction register_file.collector_hit_ratio \
           occupancy.depleted_fraction caches.victim_fraction; do
  equal "baseline: $key" "$(jq -c ".$key" "$tmp/j")" null
done
equal 'the slots of the JSON still sum to all' "$(jq -c '([.issue_stalls[].slots] | add) == (.counters.cycles * .configuration.sm.schedulers)' "$tmp/j")" true
"$regtwin" run vecadd --size small --set slot.scheduler=two_level >"$tmp/t"
has 'two_level does' '^  ready warps not active +% +[0-9.]+$' "$tmp/t"
"$regtwin" run vecadd --size small --system VT >"$tmp/t"
hasnt 'VT moves no registers' '^  (spills, for a new CTA|registers out|depleted) ' "$tmp/t"
"$regtwin" run vecadd --size small --system RegDRAM >"$tmp/t"
has 'Reg+DRAM does' '^  registers out +[0-9]' "$tmp/t"
"$regtwin" run sgemm --size small --system VT-RegMutex --set regmutex.brs=12 --json "$tmp/j" >"$tmp/t"
equal 'a register pool' "$(jq -c '.register_file.pool_fraction | type' "$tmp/j")" '"number"'

# ---- compare: a measure that a system has not
"$regtwin" compare vecadd,sgemm --systems LB-Base,LB,SVC --size small --set linebacker.period=2000 --measures throttled,victim_registers --json "$tmp/j" >"$tmp/t"
has 'throttled CTAs: of Linebacker alone' '^  sgemm +SG? +- +[0-9]+ +-$|^  sgemm +- +[0-9]+ +-$' "$tmp/t"
has 'means: of those that have it, over all kernels' '^  arithmetic mean +- +[0-9.]+ +[0-9.]+$' "$tmp/t"
equal 'JSON: null' "$(jq -c '[.systems[] | .kernels[0].measures.throttled.value | type]' "$tmp/j")" '["null","number","null"]'
equal 'JSON: kernels in the means' "$(jq -c '[.systems[] | .means.throttled.kernels]' "$tmp/j")" '[0,2,0]'

# ---- cost: what was not built
"$regtwin" cost CERF --json "$tmp/j" >"$tmp/t"
has 'cost: no block of it was built' '^  together +- +- +- +- +- +-$' "$tmp/t"
equal 'cost: JSON' "$(jq -c .blocks "$tmp/j")" null
"$regtwin" cost baseline >"$tmp/t"
has 'cost: a baseline has none' '^  together +- +0 +0 +0 +0\.0000 +-$' "$tmp/t"

# ---- a database
"$regtwin" compare vecadd --systems baseline,LB --size small --db "$tmp/x.db" >/dev/null
"$regtwin" results show vecadd+baseline --all --db "$tmp/x.db" >"$tmp/t"
has 'results show --all' '^victim_hits +- +accesses$' "$tmp/t"
has 'what was counted' '^warp_insns +[1-9][0-9]* +instructions$' "$tmp/t"
"$regtwin" results csv --all --db "$tmp/x.db" >"$tmp/t"
column() { awk -F , -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next } { print $6 ":" $at }' "$tmp/t" | sort | xargs; }
equal 'csv: empty' "$(column victim_lookups | tr -d '0-9')" 'LB: baseline:'
equal 'csv: only there' "$(column victim_lookups | grep -cE 'LB:[0-9]+ baseline:$')" 1
