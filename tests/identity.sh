#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every statistic of every kernel at size small, under each system on each machine that accepts it: a hash of a run's columns in the database of results
# (docs/use/database.md), without times of the host. tests/data/identity/SYSTEM has a line "MACHINE KERNEL HASH" for each run, "MACHINE KERNEL failed", or "MACHINE refused".
#   tests/identity.sh record [SYSTEM...]   runs and writes them (make identity-record)
#   tests/identity.sh check [SYSTEM...]    runs and compares (make identity-check): lines that differ; exit status 1 if there are some
# Runs are a campaign (regtwin sweep) in build/identity: it can be stopped and continued. IDENTITY= is another folder, JOBS= runs at a time.
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C
regtwin=${REGTWIN:-build/regtwin} folder=${IDENTITY:-tests/data/identity} work=build/identity
mode=${1-}
case $mode in check | record) shift ;; *) echo "tests/identity.sh: found '$mode', expected check or record" >&2 && exit 2 ;; esac
if [ $# -eq 0 ]; then
  mapfile -t all < <("$regtwin" list systems --names)
  set -- "${all[@]}"
fi
machines=()
for m in cmodel/config/machines/*.conf; do
  m=$(basename "$m" .conf)
  [ "$m" = common ] || machines+=("$m")
done
db=$work/runs.db
mkdir -p "$work" "$folder"
status=0
differ=0 same=0
for system in "$@"; do
  plan=$work/plan.yaml
  campaign=identity-${system//+/.plus}
  { echo "name: $campaign" && echo 'kernels: [all]' && echo 'size: small' && echo "systems: [$system]" && (IFS=,; echo "machines: [${machines[*]}]"); } >"$plan"
  # A kernel that does not fit fails, and is a line, too.
  "$regtwin" sweep "$plan" --db "$db" ${JOBS:+--jobs "$JOBS"} >"$work/sweep.out" 2>"$work/sweep.err" || {
    ended=$?
    if [ "$(sqlite3 -readonly "$db" "SELECT count(*) > 0 AND sum(run.state NOT IN ('done', 'refused', 'failed')) = 0
      FROM member JOIN run ON run.key = member.run WHERE member.campaign = '$campaign'")" != 1 ]; then
      echo "tests/identity.sh: regtwin sweep $plan --db $db ended with exit status $ended:" >&2
      cat "$work/sweep.out" "$work/sweep.err" >&2
      exit 2
    fi
  }
  # The columns in the order of their names; a run and its checksum name the program, times and memory are the host's.
  columns=$(sqlite3 -readonly "$db" "SELECT group_concat('ifnull(\"'||name||'\",0)', '||''|''||') FROM (SELECT name FROM pragma_table_info('result')
    WHERE name NOT IN ('run', 'sum', 'host_ns', 'peak_rss_bytes') ORDER BY name)")
  sqlite3 -readonly -separator ' ' "$db" "SELECT member.machine, CASE run.state WHEN 'refused' THEN 'refused' ELSE member.kernel END,
      CASE run.state WHEN 'done' THEN substr(lower(hex(sha3($columns, 224))), 1, 12) WHEN 'refused' THEN '' ELSE run.state END
    FROM member JOIN run ON run.key = member.run LEFT JOIN result ON result.run = run.key WHERE member.campaign = '$campaign'" |
    sed 's/ $//' | sort -u >"$work/$system"
  [ -s "$work/$system" ] || { echo "tests/identity.sh: $system: found no runs in $db" >&2; exit 2; }
  if [ "$mode" = record ]; then
    cmp -s "$work/$system" "$folder/$system" || { cp "$work/$system" "$folder/$system.new" && mv "$folder/$system.new" "$folder/$system"; }
    echo "$system: $(grep -vc refused "$work/$system") runs"
    continue
  fi
  [ -f "$folder/$system" ] || { echo "tests/identity.sh: found no $folder/$system, expected the hashes of its runs (make identity-record)" >&2; exit 2; }
  n=$(comm -12 "$work/$system" "$folder/$system" | wc -l)
  same=$((same + n))
  echo "$system: $n of $(wc -l <"$folder/$system") lines as recorded"
  if ! cmp -s "$work/$system" "$folder/$system"; then
    status=1
    { comm -23 "$folder/$system" "$work/$system" | sed 's/^/- /' && comm -13 "$folder/$system" "$work/$system" | sed 's/^/+ /'; } | sort -k2,3 -k1,1r | sed "s/^/  /" || true
    differ=$((differ + $(comm -23 "$folder/$system" "$work/$system" | wc -l)))
  fi
done
if [ "$mode" = check ]; then echo "identity: $same lines as recorded, $differ differ"; fi
exit $status
