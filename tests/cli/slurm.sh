#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# regtwin sweep --executor slurm on a Slurm of one node, on the loopback, with daemons of its own: the results are those of local
# runs; a killed sweep and a cancelled task lose nothing. Needs root, as the daemons do.
. "$(dirname "$0")/../lib.sh"

skip_unless 'a sweep by Slurm' 'not root: the daemons of Slurm cannot be started' test "$(id -u)" -eq 0
for program in munged slurmctld slurmd sbatch squeue; do
  check "$program is installed" command -v $program
done

# ---- munged, slurmctld and slurmd, and their end
slurm=$(mktemp -d /tmp/regtwin-slurm.XXXXXX)   # a socket's path must be short
stop() {
  local f pid
  for f in slurmd ctld munge/munged; do
    pid=$(cat "$slurm/$f.pid" 2>/dev/null) && kill "$pid" 2>/dev/null && for ((i = 0; i < 100; i++)); do kill -0 "$pid" 2>/dev/null || break; sleep 0.1; done
  done
  rm -rf "$slurm" "$tmp"
}
trap stop EXIT
chmod 755 "$slurm"
mkdir -p "$slurm"/{munge,state,spool}
head -c 1024 /dev/urandom >"$slurm/munge.key"
chmod 400 "$slurm/munge.key"
host=$(hostname -s)
port=$((20000 + $$ % 20000))
export SLURM_CONF=$slurm/slurm.conf
cat >"$SLURM_CONF" <<END
ClusterName=regtwin
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$slurm/munge/socket
CryptoType=crypto/munge
StateSaveLocation=$slurm/state
SlurmdSpoolDir=$slurm/spool
SlurmctldPidFile=$slurm/ctld.pid
SlurmdPidFile=$slurm/slurmd.pid
SlurmctldLogFile=$slurm/ctld.log
SlurmdLogFile=$slurm/slurmd.log
SlurmctldPort=$port
SlurmdPort=$((port + 1))
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SchedulerParameters=sched_interval=1,batch_sched_delay=0
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
KillWait=1
MinJobAge=10
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 RealMemory=1000 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
munged --key-file="$slurm/munge.key" --socket="$slurm/munge/socket" --pid-file="$slurm/munge/munged.pid" \
  --log-file="$slurm/munge/log" --seed-file="$slurm/munge/seed" --force 2>"$tmp/err" &&
  slurmctld -f "$SLURM_CONF" 2>>"$tmp/err" && slurmd -f "$SLURM_CONF" -N "$host" 2>>"$tmp/err"
for ((i = 0; i < 200; i++)); do sinfo -h -o %t 2>/dev/null | grep -q idle && break; sleep 0.1; done
if ! sinfo -h -o %t 2>>"$tmp/err" | grep -q idle; then
  skip 'a sweep by Slurm' "its daemons do not run here: $(tail -n 3 "$tmp/err" "$slurm"/*.log 2>/dev/null | tr '\n' ' ')"
  exit 0
fi

cat >"$tmp/plan.yaml" <<END
name: by-slurm
kernels: [vecadd, sgemm, reduction]
size: small
systems: [baseline, VT]
sweep: {l1.ways: [2, 4]}
limits: {seconds: 60, memory_mb: 90, tries: 2}
END
sweep() { "$regtwin" sweep "$tmp/plan.yaml" --db "$tmp/$1" "${@:2}"; }
sql() { sqlite3 -cmd ".timeout 30000" "$tmp/$2" "$1"; }
dump() { sql "SELECT run, stream_hash, $(sed -n 's/^STAT(\([a-z0-9_]*\),.*/\1/p' cmodel/sm/stats.def | paste -sd,) FROM result ORDER BY run" "$1" >"$tmp/$1.txt"; }
launches() { sql "SELECT run, number, kernel, cycles, mem_cycles FROM launch ORDER BY run, number" "$1" >"$tmp/$1.launches"; }

# ---- the same as without Slurm; runs whose time nobody knows yet are several to a task
sweep local >/dev/null
sweep db --executor slurm --spool "$tmp/spool" --bundle 20 >"$tmp/t" 2>"$tmp/err"
equal 'status 0' $? 0
equal 'all are done' "$(cat "$tmp/t" "$tmp/err")" 'by-slurm: 12 runs: 12 done'
dump local; dump db
same 'the results of local runs' "$tmp/local.txt" "$tmp/db.txt"
launches local; launches db
same 'and the launches' "$tmp/local.launches" "$tmp/db.launches"
equal 'the spool is empty again' "$(cd "$tmp/spool" && echo *)" lock
before=$(squeue -h -o %i | wc -l)
sweep db --executor slurm --spool "$tmp/spool" >/dev/null
equal 'the same command runs nothing' "$before $(ran "$tmp/db")" '0 12'

# ---- a sweep is killed while its tasks are on their way, and one of them is cancelled
cat >"$tmp/plan.yaml" <<END
name: slow
kernels: [conv_tensor, sgemm]
systems: [baseline, VT]
END
"$regtwin" sweep "$tmp/plan.yaml" --db "$tmp/killed" --executor slurm --spool "$tmp/spool" --bundle 1 >/dev/null 2>&1 &
pid=$!
for ((i = 0; i < 300; i++)); do [ "$(squeue -h -t R -o %i | wc -l)" -ge 2 ] && break; sleep 0.1; done
kill -9 $pid
wait $pid 2>/dev/null
equal 'four tasks are on their way' "$(sql 'SELECT count(*) FROM run WHERE state = "running" AND owner LIKE "slurm rt-slow-%"' killed)" 4
cancelled=$(squeue -h -r -t PD,R -o %i | tail -n 1)
check 'one is cancelled' scancel "$cancelled"
# On a busy machine it may have ended by itself before.
tries=1112
for ((i = 0; i < 100; i++)); do
  case $(scontrol show job -o "$cancelled") in
    *JobState=CANCELLED*) break ;;
    *JobState=COMPLETED*) tries=1111 && break ;;
  esac
  sleep 0.1
done
sweep killed --executor slurm --spool "$tmp/spool" >"$tmp/t" 2>"$tmp/err"
equal 'again: status 0' $? 0
equal 'all are done then' "$(cat "$tmp/t" "$tmp/err")" 'slow: 4 runs: 4 done'
equal 'the cancelled one at its second try, the others at their first' "$(sql 'SELECT group_concat(tries, "") FROM (SELECT tries FROM run ORDER BY tries)' killed)" $tries
equal 'nothing is in the queue' "$(squeue -h | wc -l)" 0

# ---- what a task's file must not be
mkdir "$tmp/d"
echo '{"runs": 1}' >"$tmp/d/task-1.json"
"$regtwin" sweep --task "$tmp/d/task-1.json" 2>"$tmp/err"
equal 'a damaged task: status 2' $? 2
has 'and why' 'task-1.json: error: found no runs, expected a file of a sweep' "$tmp/err"
check 'and no results' test ! -e "$tmp/d/out-1.json"
# without a Slurm
sed -i 's/^name: slow/name: none/; s/conv_tensor, sgemm/vecadd/' "$tmp/plan.yaml"
SLURM_CONF=$tmp/nowhere sweep none --executor slurm --spool "$tmp/spool2" >"$tmp/t" 2>"$tmp/err"
equal 'no Slurm: status 2' $? 2
has 'one message' '^regtwin: error: Slurm takes no job: ' "$tmp/err"
equal 'and all wait again' "$(sql 'SELECT count(*) FROM run WHERE state = "waiting"' none)" 2
