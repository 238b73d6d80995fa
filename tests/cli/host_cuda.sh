#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# CUDA host programs on the simulated GPU (tests/host/cuda): built without CUDA by clang, with each compression of the fat
# binary and each version of the runtime library; their results, records and messages; with nvcc there, the same programs built
# by it. `make host-programs` has built what this runs.
# needs: binary host host-programs asan:binary asan:host asan:host-programs
. "$(dirname "$0")/../lib.sh"
programs=$PWD/build/host-programs
samples='vecadd matmul constants modules managed reduce faults hotspot textures graphs'

# Runs a program below `regtwin host`: options -- program arguments... Its output is in $tmp/out, what else was said in
# $tmp/err, the records in $tmp/json; gives the exit status.
host() {
  rm -f "$tmp/json"
  timeout 300 "$regtwin" host --json "$tmp/json" "$@" >"$tmp/out" 2>"$tmp/err"
  echo $?
}
# name, options -- program...: ok when the program is content.
runs() {
  local name=$1 status
  shift
  status=$(host "$@")
  if [ "$status" = 0 ]; then ok "$name"; else not_ok "$name" "exit status $status" "$(tail -n 20 "$tmp/out")" "$(tail -n 10 "$tmp/err")"; fi
}
launches() { grep -c '^      "launch": ' "$1"; }
# The cycles of all launches, one a line: file.
cycles() { sed -n '/^  "totals"/q; s/^      "cycles": \(.*\),$/\1/p' "$1"; }
# An object of a file, without its indentation: its line's pattern, file; the first one that matches.
object() { sed -n "/$1/,/^ *}/p" "$2" | sed 's/^ *//; s/,$//' | awk '{ print } /^}/ { exit }'; }

# ---- each compression, each version ----
others=$(cat "$programs/others")
for program in ${samples// /.none-13 }.none-13 ${others/sgemm.zstd-13/}; do # sgemm runs below
  p=${program%%.*}
  runs "$program" -- "$programs/$program"
  has "$program: says so" "^$p: passed$" "$tmp/out"
  cp "$tmp/out" "$tmp/$program.out"
  sed "s/$p\.${program#*.}/$p/" "$tmp/json" >"$tmp/$program.json"   # messages have the program's name
done
for program in $others; do
  case $program in *-11.0 | sgemm.*) continue ;; esac
  same "$program: output of none-13" "$tmp/${program%%.*}.none-13.out" "$tmp/$program.out"
  same "$program: records of none-13" "$tmp/${program%%.*}.none-13.json" "$tmp/$program.json"
done

# ---- records ----
equal 'vecadd: a record for each launch' "$(launches "$tmp/vecadd.none-13.json")" 2
equal 'matmul: a record for each launch' "$(launches "$tmp/matmul.none-13.json")" 5
equal 'hotspot: a record for each launch' "$(launches "$tmp/hotspot.none-13.json")" \
  $((6 + $(sed -n 's/.* nodes, \([0-9]*\) launches$/\1/p' "$tmp/hotspot.none-13.out")))
equal 'graphs: a record for each launch of a kernel node' "$(launches "$tmp/graphs.none-13.json")" 18
for p in vecadd matmul constants modules managed reduce hotspot textures graphs; do
  equal "$p: every launch takes cycles" "$(cycles "$tmp/$p.none-13.json" | grep -cvE '^[1-9][0-9]*$')" 0
done
has 'vecadd: events have simulated time' 'kernels: [0-9.]*[1-9][0-9.]* ms$' "$tmp/vecadd.none-13.out"
has 'names of kernels' '"kernel": ".*add.*"' "$tmp/vecadd.none-13.json"
has 'block' '"block": \[' "$tmp/vecadd.none-13.json"

# ---- two runs ----
for p in $samples; do
  host -- "$programs/$p.none-13" >"$tmp/status"
  same "$p: the same output again" "$tmp/$p.none-13.out" "$tmp/out"
  sed "s/$p\.none-13/$p/" "$tmp/json" >"$tmp/again"
  same "$p: the same records again" "$tmp/$p.none-13.json" "$tmp/again"
  case $p in modules | managed | hotspot) check "$p: no message" test ! -s "$tmp/err" ;; esac   # others try errors
done

# ---- time, systems, several SMs ----
for p in vecadd hotspot reduce; do
  runs "$p: time none" --time none -- "$programs/$p.none-13"
  equal "$p: time none: no launch has cycles" "$(cycles "$tmp/json" | grep -cv '^null$')" 0
  equal "$p: time none: records" "$(launches "$tmp/json")" "$(launches "$tmp/$p.none-13.json")"
  runs "$p: FineReg" --system FineReg -- "$programs/$p.none-13"
  has "$p: FineReg: says so" '"system": "FineReg"' "$tmp/json"
  runs "$p: two SMs" --sms 2 -- "$programs/$p.none-13"
  runs "$p: rtx2060" --config rtx2060 -- "$programs/$p.none-13"
  has "$p: rtx2060: says so" '"machine": "rtx2060"' "$tmp/json"
done
runs 'gtx480, narrow operands' --config gtx480 --system SL-Full-P -- "$programs/vecadd.none-13"
runs 'hotspot: launches 2 to 4 timed' --time 2-4 -- "$programs/hotspot.none-13"
equal 'hotspot: three launches have cycles' "$(cycles "$tmp/json" | grep -cE '^[1-9]')" 3

# ---- faults ----
has 'printf of a kernel' '^block 3 of 4: first [0-9]+, 100 %$' "$tmp/reduce.none-13.out"
host -- "$programs/faults.none-13" >"$tmp/status"
has 'out of bounds: place' '[:0-9]+: error: .*(out|not|beyond|bound)' "$tmp/err"
has 'assert: as hardware says it' 'Assertion `v > 3. failed' "$tmp/err"
has 'recursion: refused with its place' 'recursi' "$tmp/err"
has 'reduction on a surface: refused with its place' ':[0-9]+:[0-9]+: error: .*reductions on surfaces' "$tmp/err"
has 'no texture: place and handle' ':[0-9]+:[0-9]+: error: tex: found the handle 0x4d' "$tmp/err"
has 'recursion does not run' '^recursion: refused$' "$tmp/out"
has 'reduction on a surface does not run' '^reduction on a surface: refused$' "$tmp/out"
equal 'read past the end, strict: a fault' "$(host -- "$programs/faults.none-13" past_end)" 3
equal 'read past the end, lenient: none' "$(host --bounds lenient -- "$programs/faults.none-13" past_end)" 0
equal 'lenient: one warning' "$(grep -c 'warning' "$tmp/err")" 1
runs 'lenient: others' --bounds lenient -- "$programs/matmul.none-13"
same 'lenient: the same output without such accesses' "$tmp/matmul.none-13.out" "$tmp/out"

# ---- a library that a program opens and closes ----
runs 'plugin' -- "$programs/plugin" "$programs/plugin.so"
equal 'plugin: all launches are recorded' "$(launches "$tmp/json")" 6

# ---- a launch is a launch file's ----
mkdir "$tmp/sgemm"
{
  echo "ptx $PWD/traces/kernels/sgemm/sgemm.ptx"
  # the registers that the compiler finds, and every CTA
  sed -e '/^ptx /d; s/ regs 44 stride share//' -e '/^launch /i dump A sgemm/A\ndump B sgemm/B\ndump C sgemm/C' \
    traces/kernels/sgemm/sgemm.launch
  echo 'dump C sgemm/C.want'
} >"$tmp/sgemm.launch"
for how in '' '--config rtx2060 --system Malekeh' '--system FineReg'; do
  # shellcheck disable=SC2086
  check "sgemm: launch file $how" "$regtwin" run "$tmp/sgemm.launch" --size small $how --dumps "$tmp/sgemm" --json "$tmp/file.json"
  # shellcheck disable=SC2086
  runs "sgemm: host program $how" $how -- "$programs/sgemm.zstd-13" "$tmp/sgemm"
  check "sgemm: results $how" cmp "$tmp/sgemm/C.want" "$tmp/sgemm/C.out"
  equal "sgemm: cycles $how" "$(cycles "$tmp/json")" "$(get cycles "$tmp/file.json")"
  object '"counters": {' "$tmp/json" >"$tmp/host.counters"
  object '"counters": {' "$tmp/file.json" >"$tmp/file.counters"
  same "sgemm: counters $how" "$tmp/file.counters" "$tmp/host.counters"
done

# ---- fat binaries that are odd: the program is compiled around each ----
clang=$(cmodel/make/llvm.sh clang)
# name, fat binary: the program vecadd with it, in $tmp/odd
around() {
  "$clang" -x cuda -std=c++17 -O1 --cuda-path=/nonexistent -nocudainc -nocudalib --cuda-gpu-arch=sm_70 \
    -Xclang -target-sdk-version=11.0 --cuda-host-only -c tests/host/cuda/vecadd.cu -Xclang -fcuda-include-gpubinary \
    -Xclang "$1" -o "$tmp/odd.o" && "$clang" "$tmp/odd.o" -Lbuild/host -l:libcudart.so.13 -lm -o "$tmp/odd"
}
fatbin=$programs/fatbin
ptx=$programs/vecadd.ptx
sed 's/add.f32/sub.f32/' "$ptx" >"$tmp/older.ptx"
sed 's/sm_70/sm_999/' "$ptx" >"$tmp/target.ptx"
echo 'no PTX at all' >"$tmp/text.ptx"
head -c 400 "$ptx" >"$tmp/cut.ptx"
printf '\177ELF cubin' >"$tmp/cubin"

"$fatbin" "$tmp/f" elf:90:"$tmp/cubin" zstd ptx:50:"$tmp/older.ptx" ptx:70:"$ptx" none ptx:60:"$tmp/older.ptx"
check 'several PTX: compiles' around "$tmp/f"
runs 'several PTX: the highest is taken' -- "$tmp/odd"
"$fatbin" "$tmp/f" elf:90:"$tmp/cubin"
check 'cubin only: compiles' around "$tmp/f"
equal 'cubin only: the program fails' "$(host -- "$tmp/odd")" 1
has 'cubin only: names the option' '(-gencode|-arch)' "$tmp/err"
has 'cubin only: the error' 'cudaErrorNoKernelImageForDevice' "$tmp/out"
for bad in text cut target; do
  "$fatbin" "$tmp/f" lz4 ptx:70:"$tmp/$bad.ptx"
  check "$bad: compiles" around "$tmp/f"
  equal "$bad: the program fails" "$(host -- "$tmp/odd")" 1
  has "$bad: the error" 'cudaError(InvalidPtx|InvalidKernelImage|UnsupportedPtxVersion|NoKernelImageForDevice)' "$tmp/out"
  has "$bad: a message" '^regtwin: ' "$tmp/err"
done
"$fatbin" "$tmp/f" zstd ptx:70:"$ptx"
size=$(stat -c %s "$tmp/f")
for cut in 3 20 90 $((size - 40)); do
  head -c "$cut" "$tmp/f" >"$tmp/cut"
  head -c 4096 /dev/zero >>"$tmp/cut"
  check "cut at $cut: compiles" around "$tmp/cut"
  equal "cut at $cut: the program fails" "$(host -- "$tmp/odd")" 1
  has "cut at $cut: a message" '^regtwin: ' "$tmp/err"
done

# ---- under sanitizers ----
for p in $samples; do
  regtwin=$PWD/build/asan/regtwin runs "$p: ASan, UBSan" --time none -- "build/asan/host-programs/$p.none-13"
  hasnt "$p: ASan, UBSan: nothing found" 'Sanitizer|runtime error' "$tmp/err"
done
regtwin=$PWD/build/asan/regtwin runs 'vecadd, timed: ASan, UBSan' -- build/asan/host-programs/vecadd.zstd-13

# ---- nvcc ----
nvcc=$(nvcc_path)
skip_unless 'programs compiled by nvcc' 'no nvcc here' test -n "$nvcc"
release=$("$nvcc" --version | sed -n 's/.*release \([0-9]*\)\..*/\1/p')
[ "$release" = 11 ] && release=11.0
arch=$("$nvcc" --list-gpu-code | tr ' ' '\n' | grep -m 1 -x sm_75 || "$nvcc" --list-gpu-code | tr ' ' '\n' | grep -m 1 sm_)
modes=('-no-compress')
if "$nvcc" --help | grep -q -- --compress-mode; then
  for m in none size speed balance default; do modes+=("--compress-mode=$m"); done
fi
build() { # output, options and sources...
  "$nvcc" -std=c++17 -arch="$arch" -o "$@"
}
for mode in "${modes[@]}"; do # every program in one of them
  if [ "$mode" = -no-compress ]; then some=$samples; else some=modules; fi
  for p in $some; do
    sources=("tests/host/cuda/$p.cu")
    [ "$p" = modules ] && sources+=(tests/host/cuda/modules_other.cu)
    check "nvcc $mode: $p: compiles" build "$tmp/nvcc" "$mode" -cudart shared "${sources[@]}"
    runs "nvcc $mode: $p" -- "$tmp/nvcc"
  done
done
build_and_run() { # program, options...: in other ways to compile it
  local p=$1
  shift
  local sources=("tests/host/cuda/$p.cu")
  [ "$p" = modules ] && sources+=(tests/host/cuda/modules_other.cu)
  check "nvcc $*: $p: compiles" "$nvcc" -std=c++17 -o "$tmp/nvcc" -cudart shared "$@" "${sources[@]}"
  runs "nvcc $*: $p" -- "$tmp/nvcc"
}
build_and_run modules -arch="$arch" -rdc=true
build_and_run vecadd -arch="$arch" -default-stream per-thread
build_and_run graphs -arch="$arch" -default-stream per-thread
build_and_run reduce -gencode arch=compute_75,code=sm_75 -gencode arch=compute_80,code=sm_80 -gencode 'arch=compute_90,code=[sm_90,compute_90]'
build_and_run reduce -arch=sm_90
build_and_run reduce -arch="$arch" -G
build_and_run managed -arch="$arch" -Xcompiler -no-pie -Xlinker -no-pie
check 'nvcc, static runtime: compiles' build "$tmp/nvcc" tests/host/cuda/vecadd.cu
equal 'nvcc, static runtime: fails' "$(host -- "$tmp/nvcc")" 1
has 'nvcc, static runtime: says what to do' '-cudart shared' "$tmp/err"
check 'nvcc, no PTX: compiles' "$nvcc" -gencode "arch=compute_90,code=sm_90" -cudart shared tests/host/cuda/vecadd.cu -o "$tmp/nvcc"
equal 'nvcc, no PTX: fails' "$(host -- "$tmp/nvcc")" 1
has 'nvcc, no PTX: says what to do' '(-gencode|-arch)' "$tmp/err"
check 'nvcc: libraries of the same version' test -e "build/host/libcudart.so.$release"
for p in tests/host/nvcc/*.cu; do
  name=$(basename "$p" .cu)
  check "nvcc: $name: compiles" build "$tmp/nvcc" -cudart shared "$p"
  runs "nvcc: $name" --time none -- "$tmp/nvcc"
  has "nvcc: $name: says so" "^$name: passed$" "$tmp/out"
done
for a in sm_80 sm_90; do # with mbarriers, as the ones before have them by other means
  check "nvcc, $a: pipelines: compiles" "$nvcc" -std=c++17 -arch=$a -o "$tmp/nvcc" -cudart shared tests/host/nvcc/pipelines.cu
  runs "nvcc, $a: pipelines" --time none -- "$tmp/nvcc"
  has "nvcc, $a: pipelines: says so" '^pipelines: passed$' "$tmp/out"
done
