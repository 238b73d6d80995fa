#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every command that writes files is ended by SIGKILL at its system calls that write, one after the other, and runs on a
# disk
# that is full, or fuller at each try: the output is then the old file or the complete new one. tests/fuzz/interrupt.sh
# [MOST]:
# at most MOST points for each system call of each command (8). Counts at the end; exit status 1 if anything failed.
. "$(dirname "$0")/../lib.sh"
most=${1:-8}
kills=0 full=0 left=0 failed=0
room='0 4 8 16 24 40 64 128 600'
[ "$most" -gt 1 ] || room='0 8 40 600'
calls='write pwrite64 writev rename renameat2 unlink openat fsync fchmod close'

# Commands, each in a directory of its own: name, files that it writes, words. Beside them: old files of those names.
setup() {
  cp -r "$OLDPWD/traces/kernels/vecadd" traces-vecadd
  { small_launch vecadd | grep -v expect; echo 'dump c out.bin'; } >traces-vecadd/dump.launch
}
names=(json timeline compare images dump dot graph map reuse tune db)
declare -A files=([json]=out.json [timeline]=out.svg [compare]='out.json out.png' [images]='' [dump]=traces-vecadd/out.bin
  [dot]=out.dot [graph]='out.dot out.svg cfg.dot' [map]=out.png [reuse]=out.reuse [tune]=out.widths [db]='')
declare -A words=(
  [json]='run vecadd --size small --functional --json out.json'
  [timeline]='run reduction --size small --timeline out.svg'
  [compare]='compare vecadd --systems baseline,VT --size small --jobs 1 --json out.json --plot out.png'
  [images]='run ssao --size small --functional --images .'
  [dump]='run traces-vecadd/dump.launch --functional'
  [dot]='analyze bfs --dot out.dot'
  [graph]='analyze vecadd --intervals --dot out.dot --picture out.svg --write-cfg cfg.dot'
  [map]='analyze vecadd --slices --map out.png'
  [reuse]='analyze vecadd --size small --reuse --write-profile out.reuse'
  [tune]='tune vecadd --size small --seeds 1 --jobs 1 -o out.widths'
  [db]='experiment E-FR3 --size small --jobs 1 --db results.db')
export REGTWIN_TRACES=$PWD/traces/kernels

bad() { failed=$((failed + 1)); not_ok "$@"; }
begin() {   # name, directory: empty but for the old files
  rm -rf "$2"
  mkdir -p "$2"
  (cd "$OLDPWD" || exit; cd "$2" && OLDPWD=$root setup)
  local f
  for f in ${files[$1]}; do echo 'what was here before' >"$2/$f"; done
}
plain() {   # a file as it is compared: without what belongs to the host
  case $1 in *.json) statistics "$1" ;; *) cat "$1" ;; esac
}
old() { cmp -s "$1" <(echo 'what was here before'); }
# Every file is the old one or the new one. name, directory, what happened
whole() {
  local f list=${files[$1]}
  [ "$1" = images ] && list=$(cd "$tmp/new.images" && echo ./*.png)
  for f in $list; do
    [ "$1" = images ] && [ ! -e "$2/$f" ] && continue
    if [ ! -e "$2/$f" ]; then bad "$1: $3" "$f is gone"; return 1; fi
    cmp -s <(plain "$2/$f") <(plain "$tmp/new.$1/$f") && continue
    old "$2/$f" && continue
    bad "$1: $3" "$f is neither the old file nor the new one: $(wc -c <"$2/$f") bytes of $(wc -c <"$tmp/new.$1/$f")"
    return 1
  done
}
# The same command again, after what happened, does all of its work. name, directory, what happened
repeats() {
  # shellcheck disable=SC2086
  if ! (cd "$2" && "$regtwin" ${words[$1]} >"$tmp/out" 2>"$tmp/err"); then
    bad "$1: again after $3" "$(head -n 3 "$tmp/err")"
  elif [ "$1" = db ] && ! cmp -s "$tmp/out" "$tmp/new.db.out"; then
    bad "$1: again after $3" 'other results' "$(diff "$tmp/out" "$tmp/new.db.out" | head -n 5)"
  fi
}

killed() {   # name
  local call n k step
  for call in $calls; do
    begin "$1" "$tmp/w"
    # shellcheck disable=SC2086
    (cd "$tmp/w" && strace -f -qq -o "$tmp/calls" -e "trace=$call" "$regtwin" ${words[$1]} >/dev/null 2>&1)
    n=$(grep -c "$call(" "$tmp/calls")
    step=$(((n + most - 1) / most))
    for ((k = n; k > 0; k -= step)); do   # from the end, where files are written
      begin "$1" "$tmp/w"
      # shellcheck disable=SC2086
      { (cd "$tmp/w" && strace -f -qq -o /dev/null -e "trace=$call" -e "inject=$call:signal=KILL:when=$k" \
        "$regtwin" ${words[$1]} >/dev/null 2>&1); } 2>/dev/null
      kills=$((kills + 1))
      whole "$1" "$tmp/w" "killed at $call $k of $n" || continue
      left=$((left + $(find "$tmp/w" -maxdepth 1 -type f -name 'out*.*.*' | wc -l)))
      if [ $((kills % 4)) -eq 0 ] || [ "$1" = db ]; then repeats "$1" "$tmp/w" "killed at $call $k of $n"; fi
    done
  done
}

# A file system of so many KB, full but for these: name, KB
full_disk() {
  local m=$tmp/disk status
  mkdir -p "$m"
  mount -t tmpfs -o size=2m none "$m" || return 0
  begin "$1" "$m/w"
  head -c $((2048 * 1024)) /dev/zero >"$m/ballast" 2>/dev/null
  truncate -s -$(($2 * 1024)) "$m/ballast"
  # shellcheck disable=SC2086
  (cd "$m/w" && TMPDIR=$m/w "$regtwin" ${words[$1]} >"$tmp/out" 2>"$tmp/err")
  status=$?
  full=$((full + 1))
  if [ "$status" -gt 2 ]; then bad "$1: $2 KB left" "exit status $status" "$(head -n 3 "$tmp/err")"
  elif whole "$1" "$m/w" "$2 KB left" && [ "$status" -eq 0 ]; then
    local f
    for f in ${files[$1]}; do
      old "$m/w/$f" && bad "$1: $2 KB left" "exit status 0, yet $f was not written"
    done
  elif [ "$status" -eq 2 ] && ! grep -q 'error: ' "$tmp/err"; then bad "$1: $2 KB left" "no message: $(head -n 3 "$tmp/err")"
  fi
  umount "$m"
}
on_full_disks() {
  local name kb
  for name in "${names[@]}"; do
    for kb in $room; do full_disk "$name" "$kb"; done
  done
}

# With a limit on what a file may grow to: name, blocks of 1 KB
limited() {
  begin "$1" "$tmp/w"
  # shellcheck disable=SC2086
  { (cd "$tmp/w" && ulimit -f "$2" && exec "$regtwin" ${words[$1]} >/dev/null 2>"$tmp/err"); } 2>/dev/null
  full=$((full + 1))
  whole "$1" "$tmp/w" "files of $2 KB at most"
}

root=$PWD
for name in "${names[@]}"; do
  begin "$name" "$tmp/new.$name"
  # shellcheck disable=SC2086
  if (cd "$tmp/new.$name" && "$regtwin" ${words[$name]} >"$tmp/new.$name.out" 2>"$tmp/err"); then ok "$name runs"
  else bad "$name runs" "$(cat "$tmp/err")"; fi
  for f in ${files[$name]}; do
    if old "$tmp/new.$name/$f"; then bad "$name" "$f was not written"; fi
  done
done
# the results again, all of them from the database
# shellcheck disable=SC2086
(cd "$tmp/new.db" && "$regtwin" ${words[db]} >"$tmp/new.db.out" 2>/dev/null)

if strace -f -qq -o /dev/null -e trace=write true 2>/dev/null; then
  for name in "${names[@]}"; do
    before=$failed
    killed "$name"
    [ "$before" -eq "$failed" ] && ok "$name: killed anywhere, the old file or the new one"
  done
else
  skip 'killed anywhere' 'strace may not trace here'
fi

for name in "${names[@]}"; do
  before=$failed
  for kb in 0 1 4 16; do limited "$name" $kb; done
  [ "$before" -eq "$failed" ] && ok "$name: no file may grow, the old file or the new one"
done
"$regtwin" run vecadd --size small --functional --json /dev/full >/dev/null 2>"$tmp/err"
equal '/dev/full is an error' $? 2
"$regtwin" run vecadd --size small --functional >/dev/full 2>"$tmp/err"
check '/dev/full for the table is an error' test $? -ne 0 -a -s "$tmp/err"

# In a name space of its own, where anybody may mount.
if unshare -rm true 2>/dev/null; then
  before=$failed
  # the functions and tables again, in the other shell
  if out=$(unshare -rm bash -c "set -uo pipefail; regtwin='$regtwin'; tmp='$tmp'; root='$root'; failed=0; full=0
    $(declare -p files words names); $(declare -f not_ok bad begin setup plain old statistics whole full_disk on_full_disks)
    room='$room'; export REGTWIN_TRACES='$REGTWIN_TRACES'; on_full_disks; echo \"full \$full\"; exit \$((failed > 0))"); then
    ok 'on full disks, the old file or the new one'
  else
    bad 'on full disks, the old file or the new one' "$(grep -v '^full ' <<<"$out")"
  fi
  full=$((full + $(sed -n 's/^full //p' <<<"$out")))
else
  skip 'on full disks' 'no file system may be mounted here'
fi
echo "# interrupt: $kills runs killed, $full on full disks, $left files left over by killed runs, $failed failed"
[ "$failed" -eq 0 ]
