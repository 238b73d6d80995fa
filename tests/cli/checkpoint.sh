#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Checkpoints: a run that is killed again and again ends with the results of one that was left alone, on different systems, with several
# launches, loops and another number of threads; what is no checkpoint of this run is refused; a full disk takes no run down. 20 kills
# of each: make checkpoint-kills.
. "$(dirname "$0")/../lib.sh"

kernels=$PWD/traces/kernels
seed=${CHECKPOINT_SEED:-1}
kills() { tests/checkpoint_kills.sh $((seed + ${#*})) "$@"; }   # KILLS ARGUMENT...

cat >"$tmp/loops.launch" <<END
ptx $kernels/vecadd/vecadd.ptx
sizes small default
size small { let n = 30000 }
size default { let n = 150000 }
buffer a f32 n fill 1
buffer b f32 n zero
buffer c f32 n zero
buffer left s32 1 fill 2
repeat 6 as k {
  while left[0] > 0 max 20 {
    launch vecadd grid (n + 255) / 256 block 256 args(a, b, c, u32:n)
    swap b c
    set left[0] = left[0] - 1
  }
  set left[0] = 1 + k
}
size default { expect b expr 17 }
END
kills 4 "$tmp/loops.launch" --per-launch
kills 1 hotspot --system FineReg
kills 1 sgemm --system SL-Full-P --config gtx480
kills 1 srad_v1 bfs --system LB
kills 1 hotspot --system LTRF+ --set sim.check=true
kills 1 sgemm --system Malekeh --set malekeh.near=exact
kills 2 bfs stencil --size default --sms 4 --per-sm

# ---- pictures, races, what kernels print: of the whole run ----
"$regtwin" run stencil --plot "$tmp/a.svg" --json "$tmp/a.json" >"$tmp/a" 2>&1
cut_short() {   # FILE ARGUMENT...: a run that is killed after its first checkpoint
  local file=$1 pid
  shift
  "$regtwin" run "$@" --checkpoint 0.0002 --checkpoint-file "$file" >"$tmp/out" 2>"$tmp/err" &
  pid=$!
  while kill -0 $pid 2>/dev/null && [ ! -e "$file.1" ]; do sleep 0.01; done
  kill -KILL $pid 2>/dev/null
  wait $pid 2>/dev/null
}
mkdir "$tmp/there" "$tmp/else"
(cd "$tmp/there" && umask 0 && export REGTWIN_TRACES=$kernels && cut_short "$tmp/c" stencil --plot b.svg --json b.json)
cp -p "$tmp/c" "$tmp/kept0"
cp "$tmp/c" "$tmp/kept"
check 'resume, from another directory' bash -c "cd '$tmp/else' && '$regtwin' resume ../c >'$tmp/b' 2>'$tmp/err'"
statistics "$tmp/a.json" | grep -v launch_file >"$tmp/a.stat"
statistics "$tmp/there/b.json" | grep -v launch_file >"$tmp/b.stat"
same 'its results, where the run would have written them' "$tmp/a.stat" "$tmp/b.stat"
equal 'only its owner may write a checkpoint' "$(stat -c %a "$tmp/kept0")" 644
same 'its picture' "$tmp/a.svg" "$tmp/there/b.svg"
has 'it says where it goes on' 'c: run: stencil, size default; launch: [0-9]+, stencil; cycle: [0-9]+$' "$tmp/err"
has 'and that the files are gone' 'c: removed, since the run has ended' "$tmp/err"

# ---- what is refused ----
refuses() {   # NAME TEXT ARGUMENT...: status 2, the text on stderr, nothing on stdout
  local name=$1 text=$2 status
  shift 2
  "$@" >"$tmp/out" 2>"$tmp/err"
  status=$?
  if [ $status -eq 2 ] && grep -qF -- "$text" "$tmp/err" && [ ! -s "$tmp/out" ]; then ok "$name"
  else not_ok "$name" "status $status" "expected: $text" "found: $(head -n 3 "$tmp/err")"; fi
}
cp "$tmp/kept" "$tmp/c"
refuses 'another run into its file' "found a file, expected none where a checkpoint is to be written" \
  "$regtwin" run vecadd --size small --checkpoint 1 --checkpoint-file "$tmp/c"
cp "$regtwin" "$tmp/other" && echo >>"$tmp/other"
refuses 'another program' 'found a checkpoint of another program' "$tmp/other" resume "$tmp/c"
refuses 'another configuration' "found a checkpoint of another configuration: '  banks: 16   ', expected '  banks: 8   '" \
  "$regtwin" resume "$tmp/c" --set rf.banks=8
chmod o+w "$tmp/c"
refuses 'a file that every user can write' 'found a checkpoint that every user can write, expected one that only you can' "$regtwin" resume "$tmp/c"
chmod o-w "$tmp/c"
if [ "$(id -u)" = 0 ]; then   # only root can give files away
  chown 65534 "$tmp/c"
  refuses 'a file of another user' 'c: error: found a checkpoint of user 65534, expected one of your own' "$regtwin" resume "$tmp/c"
  cp -p "$tmp/c" "$tmp/c.1"
  refuses 'nor is the one before it taken' 'found a checkpoint of user 65534' "$regtwin" resume "$tmp/c"
fi
cp -p "$tmp/c" "$tmp/theirs"
chmod o+w "$tmp/theirs"
check 'unless told: it goes on' "$regtwin" resume "$tmp/theirs" --any-owner
statistics "$tmp/there/b.json" | grep -v launch_file >"$tmp/b.stat"
same 'to the same results' "$tmp/a.stat" "$tmp/b.stat"
rm -f "$tmp/c" "$tmp/c.1"
head -c 5000 "$tmp/kept" >"$tmp/c"
refuses 'a part of it' 'found a damaged file' "$regtwin" resume "$tmp/c"
{ head -c 20000 "$tmp/kept"; printf 'X'; tail -c +20002 "$tmp/kept"; } >"$tmp/c"
refuses 'another byte' 'found a damaged file' "$regtwin" resume "$tmp/c"
{ printf '%s' 'RTIMAGE'; head -c 100000 /dev/zero; } >"$tmp/c"
refuses 'zeros' 'found a damaged file' "$regtwin" resume "$tmp/c"
refuses 'another kind of file' 'found a file of another kind, expected a checkpoint' "$regtwin" resume "$kernels/vecadd/vecadd.ptx"
refuses 'no file' 'No such file' "$regtwin" resume "$tmp/none"
"$regtwin" trace record vecadd --size small -o "$tmp/v.trf" >/dev/null 2>&1
refuses 'a trace' 'found a trace with --checkpoint' "$regtwin" run "$tmp/v.trf" --checkpoint 1 --checkpoint-file "$tmp/n"
refuses 'no addresses' 'found no room for the addresses of a checkpoint' \
  bash -c "ulimit -v 4000000; exec '$regtwin' run vecadd --size small --checkpoint 1 --checkpoint-file '$tmp/n'"

# ---- damaged: the one before it ----
cp "$tmp/kept" "$tmp/c.1"
check 'damaged: it goes on' "$regtwin" resume "$tmp/c"
rm -f "$tmp/c"
cp "$tmp/kept" "$tmp/c.1"
"$regtwin" resume "$tmp/c" >"$tmp/out" 2>"$tmp/err"
statistics "$tmp/there/b.json" | grep -v launch_file >"$tmp/b.stat"
same 'killed between two names: the same results' "$tmp/a.stat" "$tmp/b.stat"
has 'and it says which it takes' 'the one before it is taken: .*/c\.1' "$tmp/err"

# ---- continued twice ----
flock "$tmp/l.part" "$regtwin" run hotspot --checkpoint 0.0002 --checkpoint-file "$tmp/l" >"$tmp/out" 2>"$tmp/err"
equal 'another process writes the checkpoint: the run ends well' $? 0
equal 'with one warning' "$(grep -c 'found no way to write a checkpoint (another process writes it: is the run continued twice?)' "$tmp/err")" 1

# ---- a full disk ----
(ulimit -f 60; "$regtwin" run hotspot --json "$tmp/f.json" --checkpoint 0.0002 --checkpoint-file "$tmp/f" >"$tmp/out" 2>"$tmp/err")
equal 'a full disk: the run ends well' $? 0
equal 'with one warning' "$(grep -c 'found no way to write a checkpoint (File too large); the run goes on' "$tmp/err")" 1
check 'and leaves nothing' bash -c "! ls '$tmp'/f '$tmp'/f.* 2>/dev/null | grep -v json"
cut_short "$tmp/g" hotspot --json "$tmp/g.json"
cp "$tmp/g" "$tmp/g.kept"
bash -c "ulimit -f 60; timeout -s KILL 0.4 '$regtwin' resume '$tmp/g'; :" >"$tmp/out" 2>&1
same 'a full disk after a checkpoint: it stays' "$tmp/g" "$tmp/g.kept"
check 'and can be continued' "$regtwin" resume "$tmp/g"
"$regtwin" run hotspot --json "$tmp/h.json" >/dev/null
statistics "$tmp/g.json" >"$tmp/g.stat"
statistics "$tmp/h.json" >"$tmp/h.stat"
same 'to the same results' "$tmp/g.stat" "$tmp/h.stat"
echo "# seed $seed"
