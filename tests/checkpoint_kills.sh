#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Kills a run with checkpoints again and again (SIGKILL), continues it each time, and holds its results against those of a run that
# was left alone; also, each time, that no word of the image points out of it. Three of four kills, and the last one, come some time
# after a new checkpoint, so that the run gets on; the others at any time.
#   tests/checkpoint_kills.sh SEED KILLS ARGUMENT...     arguments of regtwin run
. "$(dirname "$0")/lib.sh"

seed=$1 kills=$2
shift 2
RANDOM=$seed
name="$* (seed $seed)"
file=$tmp/file
moment() { printf '0.%03d' $((RANDOM % $1)); }
alive() { kill -0 "$1" 2>/dev/null; }
identity() { stat -c %i "$file" 2>/dev/null; }

if ! "$regtwin" run "$@" --json "$tmp/want" >"$tmp/table.want" 2>"$tmp/err"; then
  not_ok "$name" "$(cat "$tmp/err")"
  exit 1
fi
command=(run "$@" --json "$tmp/got" --checkpoint 0.0003 --checkpoint-file "$file" --checkpoint-check)
resumed=0
for ((k = 0; k <= kills; k++)); do
  "$regtwin" "${command[@]}" >"$tmp/table" 2>"$tmp/err" &
  pid=$! old=$(identity)
  if [ "$k" -lt "$kills" ]; then
    if [ $((RANDOM % 4)) -ne 0 ] || [ "$k" -eq $((kills - 1)) ]; then while alive $pid && [ "$(identity)" = "$old" ]; do sleep 0.01; done; fi
    sleep "$(moment 100)"
    kill -KILL $pid 2>/dev/null
  fi
  wait $pid 2>/dev/null
  status=$?
  [ $status -eq 137 ] || break
  if [ -e "$file" ] || [ -e "$file.1" ]; then
    command=(resume "$file" --threads $((1 + RANDOM % 4)) --checkpoint-check)
    resumed=$((resumed + 1))
  fi
done
statistics "$tmp/want" >"$tmp/statistics.want"
statistics "$tmp/got" >"$tmp/statistics" 2>/dev/null
# The rows of the host's time and memory stand in the table, too.
rows() { grep -vE '^  (time in launches|warp instructions +per s|simulated cycles +per s|peak memory)' "$1"; }
if [ "$status" -ne 0 ]; then not_ok "$name" "status $status" "$(head -n 5 "$tmp/err")"
elif ! cmp -s "$tmp/statistics" "$tmp/statistics.want"; then
  not_ok "$name: the statistics" "$(diff "$tmp/statistics.want" "$tmp/statistics" | head -n 10)"
elif ! cmp -s <(rows "$tmp/table") <(rows "$tmp/table.want"); then
  not_ok "$name: the table" "$(diff <(rows "$tmp/table.want") <(rows "$tmp/table") | head -n 10)"
elif ls "$file"* >"$tmp/left" 2>/dev/null; then not_ok "$name: left behind" "$(cat "$tmp/left")"
elif [ "$kills" -gt 0 ] && [ $resumed -eq 0 ]; then not_ok "$name" 'it was never continued: it ends too soon'
else ok "$name: killed $k times, continued $resumed times, the same results"; fi
