#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Files do no harm: names run no commands, launch files write only where allowed, no pipe blocks the program, and an
# output that cannot be written completely does not replace the old file.
. "$(dirname "$0")/../lib.sh"

traces=$PWD/traces/kernels
mkdir "$tmp/in"
cd "$tmp/in" || exit 1
cp "$traces"/vecadd/{vecadd.ptx,about.yaml} .
small_launch vecadd >small.launch

# refuses NAME TEXT COMMAND...: status 2 and the text on stderr, soon.
refuses() {
  local name=$1 text=$2 status
  shift 2
  timeout 20 "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
  status=$?
  if [ $status -eq 2 ] && grep -qF -- "$text" "$tmp/err"; then ok "$name"
  else not_ok "$name" "exit status $status" "expected: $text" "found: $(head -n 3 "$tmp/err")"; fi
}

# ---- names are no commands: backquotes, quotes, gnuplot's functions, markup, percent signs ----
# shellcheck disable=SC2016 # nothing is to be expanded
evil='`touch pwned`'"'"'"$(touch pwned)".system("touch pwned").%s%n@A{_^}<b>&amp;|#EOD'
# An SVG to its end, the markup of the name escaped: no tag of it, no & but of entities.
whole() { [ "$(grep . "$1" | tail -n 1)" = '</svg>' ] && ! grep -qE '<b>|&([^a-z#]|[a-z]+[^a-z;])' "$1"; }
png() { [ "$(head -c 4 "$1" | tail -c 3)" = PNG ] && [ "$(tail -c 8 "$1" | head -c 4)" = IEND ]; }
cp small.launch "$evil.launch"
cp "$traces/../../cmodel/config/machines/gtx980.conf" "$evil.conf"
check 'run --timeline: the names' "$regtwin" run "$evil.launch" --config "$evil.conf" --timeline t.svg
check "run --timeline: the picture's XML" whole t.svg
# shellcheck disable=SC2016
has 'run --timeline: the name is in it as it is' '`touch pwned`.*system\(.touch pwned.\)' t.svg
check 'run --timeline: a name as its path' "$regtwin" run small.launch --timeline "$evil.png"
check 'run --timeline: that picture' png "$evil.png"
for k in svg png; do
  check "compare --plot: the names, $k" "$regtwin" compare "$evil.launch" --systems baseline,VT --config "$evil.conf" --plot c.$k
done
check "compare --plot: the picture's XML" whole c.svg
mkdir home
printf 'system("touch pwned")\nset title "of the user"\nset terminal dumb\n' >home/.gnuplot
check "compare --plot: the user's .gnuplot is not read" env HOME="$PWD/home" "$regtwin" compare "$evil.launch" --systems baseline,VT \
  --config "$evil.conf" --plot home.svg
same 'compare --plot: the same picture' c.svg home.svg
mkdir "$evil"
check 'characterize --plots: the names' "$regtwin" characterize "$evil.launch" --config "$evil.conf" --plots "$evil"
check 'characterize --plots: the pictures' png "$evil/$evil.png"
cp vecadd.ptx "$evil.ptx"
check 'analyze --map: the names' "$regtwin" analyze "$evil.ptx" --slices=int --map m.svg
check "analyze --map: the picture's XML" whole m.svg
check 'analyze --dot: the names' "$regtwin" analyze "$evil.ptx" --dot d.dot
check 'analyze --picture: the names' "$regtwin" analyze "$evil.ptx" --intervals --picture i.svg
check "analyze --picture: the picture's XML" whole i.svg
end=$'a\nEND_OF_TEXT\nsystem("touch pwned")\n$X << E\nE.launch'   # the end of the block that holds the texts
cp small.launch "$end"
check 'run --timeline: a name of several lines' "$regtwin" run "$end" --timeline "$end.svg"
check "run --timeline: the picture's XML" whole "$end.svg"
check 'compare --plot: a name of several lines' "$regtwin" compare "$end" --systems baseline,VT --plot c.png
check 'no name was run' test -z "$(find "$tmp" -name 'pwned*')"

# ---- launch files write below the current directory or the given one ----
launch() { { grep -v expect small.launch; printf '%s\n' "$@"; } >x.launch; }
mkdir ../away sub
ln -s ../away link
ln -s ../away/target linked
run=("$regtwin" run --functional x.launch)
launch 'dump c sub/c.bin'
check 'dump: below the current directory' "${run[@]}"
check 'dump: it is there' test "$(stat -c %s sub/c.bin)" -eq 200004
for path in ../away/c.bin "$tmp/away/c.bin" link/c.bin sub/../../away/c.bin /dev/shm/c.bin; do
  launch "dump c $path"
  refuses "dump: outside, $path" "x.launch:11:8: error: cannot write '$path': it does not lie below the directory '.'" "${run[@]}"
done
launch 'dump c linked'
refuses 'dump: a link' "x.launch:11:8: error: cannot write 'linked': found a link, expected a file" "${run[@]}"
check 'dump: nothing was written outside' test -z "$(ls ../away)"
launch 'dump c ../away/c.bin'
check 'dump: below --dumps' "${run[@]}" --dumps ../away
check 'dump: --dumps / lifts it' "${run[@]}" --dumps /
rm ../away/*
cp vecadd.ptx hard.ptx
printf 'ptx hard.ptx\n%s\n' "$(grep -v '^ptx\|expect' small.launch)" >y.launch
head -c 200004 /dev/urandom >data.bin
for path in x.launch vecadd.ptx data.bin ./sub/../x.launch hard.bin; do
  launch 'buffer d f32 n file data.bin' "dump c $path"
  ln -f x.launch hard.bin
  cp x.launch x.before
  refuses "dump: over an input, $path" "found a file that this run reads, expected another" "${run[@]}"
  same "dump: the launch file is as it was, $path" x.before x.launch
done
launch 'dump c sub/c.bin' 'expect c file sub/c.bin' 'dump c sub/c.bin'
check 'dump: over a dump that it has read' "${run[@]}"
launch 'image c 16384 1 gray i.png'
sed -i 's/let n = 50001/let n = 16384/' x.launch
mkdir images
ln -s ../../away/target images/i.png
refuses 'image: a link' 'found a link, expected a file' "${run[@]}" --images images
refuses 'run --json: over the launch file' 'found a file that this run reads, expected another' "${run[@]}" --json x.launch
check 'the launch file is there' test -s x.launch
launch 'buffer d f32 n file data.bin'
cp data.bin data.before
refuses 'compare --json: over what its runs read' 'found a file that this run reads, expected another' "$regtwin" compare x.launch --systems baseline,VT --json data.bin
same 'the data is as it was' data.before data.bin

# Commands that compare runs write none.
launch 'dump c sub/mine.bin'
check 'compare: a launch file that dumps' "$regtwin" compare x.launch --systems baseline,VT
check 'characterize: a launch file that dumps' "$regtwin" characterize x.launch
check 'compare, characterize: nothing was dumped' test ! -e sub/mine.bin
check 'run: it dumps' "$regtwin" run x.launch
check 'run: it was dumped' test -e sub/mine.bin

# ---- tune writes its widths and its journal, and nothing else ----
tune=("$regtwin" tune t.launch --metric exact --seeds 0)
cp small.launch t.launch
for path in t.launch vecadd.ptx hard.bin; do
  ln -f t.launch hard.bin
  refuses "tune -o: over an input, $path" "$path: error: cannot write: found a file that this run reads, expected another" "${tune[@]}" -o $path
done
same 'tune -o: the launch file is as it was' small.launch t.launch
echo mine >mine
for path in vecadd.widths vecadd.widths.perfect.journal; do
  ln -s mine $path
  refuses "tune: a link, $path" "$path: error: cannot write: found a link, expected a file" "${tune[@]}"
  rm -f $path
done
echo mine >w.journal
refuses 'tune: no journal' 'w.journal: error: found something else than the journal of a search' "${tune[@]}" -o w
equal 'tune: they are as they were' "$(cat mine w.journal)" "$(printf 'mine\nmine')"
rm w.journal
check 'tune -o' "${tune[@]}" -o w
check 'tune -o: once more' "${tune[@]}" -o w

# ---- inputs are regular files ----
mkfifo pipe pipe.launch pipe.ptx pipe.conf
refuses 'a pipe: launch file' 'pipe.launch: error: cannot read: it is a pipe, no file' "$regtwin" run pipe.launch
refuses 'a pipe: PTX' 'pipe.ptx: error: cannot read: it is a pipe, no file' "$regtwin" analyze pipe.ptx
refuses 'a pipe: a graph' 'pipe: error: cannot read: it is a pipe, no file' "$regtwin" analyze --intervals --cfg pipe
refuses 'a pipe: a configuration' '(it is a pipe, no file)' "$regtwin" run small.launch --config pipe.conf
sed 's/vecadd.ptx/pipe.ptx/' small.launch >x.launch
refuses 'a pipe: PTX of a launch file' 'it is a pipe, no file' "$regtwin" run x.launch
for file in pipe . /dev/zero; do
  launch "buffer d u8 4 file $file"
  refuses "a launch file reads $file" "cannot open '$file': it is " "${run[@]}"
done
launch 'buffer d u8 4 file -'
refuses 'a launch file reads -' "cannot open './-': No such file" "${run[@]}"
# shellcheck disable=SC2016
check 'a launch file from standard input' bash -c 'exec "$regtwin" run - --functional <small.launch'
# shellcheck disable=SC2016
check 'PTX from standard input' bash -c 'exec "$regtwin" analyze - <vecadd.ptx'
# shellcheck disable=SC2016
check 'a configuration from standard input' bash -c '"$regtwin" config --dump | "$regtwin" run small.launch --config - --functional'
printf 'machine: rtx2060\nslot:\n  collector: ccu\n' >ccu.conf
# shellcheck disable=SC2016
check 'a system that names its machine, from standard input' bash -c 'diff <("$regtwin" config --dump --system - <ccu.conf | tail -n +2) <("$regtwin" config --dump --system ccu.conf | tail -n +2)'
refuses 'standard input twice' '-: error: found standard input as machine and as system, expected it once' \
  "$regtwin" config --dump --config - --system - </dev/null
refuses 'a directory: launch file' 'it is a directory, no file' "$regtwin" run ./
mkdir -p suite/vecadd
cp vecadd.ptx suite/vecadd
cp small.launch suite/vecadd/vecadd.launch
mkfifo suite/vecadd/about.yaml
refuses 'a pipe: a manifest' 'it is a pipe, no file' env REGTWIN_TRACES=suite "$regtwin" list kernels
rm suite/vecadd/{about.yaml,vecadd.launch}
mkfifo suite/vecadd/vecadd.launch
refuses 'a pipe: a launch file of the suite' 'it is a pipe, no file' env REGTWIN_TRACES=suite "$regtwin" list kernels --limits
mkfifo vecadd.widths
refuses 'a pipe: widths' 'it is a pipe, no file' "$regtwin" analyze vecadd.ptx --widths
rm vecadd.widths

# ---- outputs are complete ----
for command in 'list kernels' 'list systems' 'list statistics' '--help' 'run --help' 'run small.launch' 'run small.launch --json -' 'analyze vecadd.ptx' 'analyze vecadd.ptx --dot -' \
  'config --dump' 'experiment --list'; do
  # shellcheck disable=SC2086
  REGTWIN_TRACES=$traces "$regtwin" $command >/dev/full 2>"$tmp/err"
  status=$?
  if [ $status -ne 0 ] && grep -q 'cannot write.*: No space left on device' "$tmp/err"; then ok "a full standard output: $command"
  else not_ok "a full standard output: $command" "status $status" "$(cat "$tmp/err")"; fi
done
refuses 'run --json /dev/full' 'cannot write: No space left on device' "$regtwin" run small.launch --json /dev/full
refuses 'analyze --dot /dev/full' 'cannot write: No space left on device' "$regtwin" analyze vecadd.ptx --dot /dev/full

# A limit on the size of files simulates a full disk: a file that is too large is refused, and the old file stays.
mkdir full plots
limited() { (ulimit -f 4; exec "$@"); }   # 4096 bytes, or 2048
keeps() {   # file, command...: it fails, says why, and leaves the file and nothing beside it
  local file=$1 status
  shift
  echo old >"$file"
  limited timeout 60 "$@" >/dev/null 2>"$tmp/err"
  status=$?
  if [ $status -eq 2 ] && grep -q 'File too large\|not whole\|dot failed' "$tmp/err" && [ "$(cat "$file")" = old ] &&
    [ "$(find "${file%/*}" -type f | wc -l)" -eq 1 ]; then
    ok "a full disk: $*"
  else
    not_ok "a full disk: $*" "status $status" "$(cat "$tmp/err")" "$(ls -l "${file%/*}")"
  fi
  rm -f "$file"
}
keeps full/x.json "$regtwin" run small.launch --json full/x.json
keeps full/t.png "$regtwin" run small.launch --timeline full/t.png
keeps full/t.svg "$regtwin" run small.launch --timeline full/t.svg
keeps full/c.png "$regtwin" compare small.launch --systems baseline,VT --plot full/c.png
keeps full/d.dot "$regtwin" analyze "$traces/lud/lud.ptx" --dot full/d.dot
keeps full/i.dot "$regtwin" analyze "$traces/lud/lud.ptx" --intervals --dot full/i.dot
keeps full/w.dot "$regtwin" analyze "$traces/lud/lud.ptx" --write-cfg full/w.dot
keeps full/p.reuse "$regtwin" analyze "$traces/lud/lud.launch" --reuse --write-profile full/p.reuse
keeps full/i.png "$regtwin" analyze small.launch --intervals --picture full/i.png
keeps plots/mix.png "$regtwin" characterize small.launch --plots plots
launch 'dump c full/c.bin'
keeps full/c.bin "${run[@]}"
