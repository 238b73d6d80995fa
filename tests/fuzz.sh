#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# libFuzzer on the readers: tests/fuzz.sh SECONDS [TARGET...], the seconds shared by the targets. FUZZERS=DIR has them built; without
# it those of VARIANT=fuzz are built here. New inputs are kept in
# build/fuzz/corpus/TARGET, what fails in build/fuzz/artifacts. Exit status 1 on a crash, leak, hang or too much memory.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=$1
shift
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
  for f in tests/fuzz/*_fuzz.c; do targets+=("$(basename "$f" _fuzz.c)"); done
  seconds=$((seconds / ${#targets[@]}))
fi
if [ -z "${FUZZERS:-}" ]; then
  FUZZERS=build/fuzz/fuzzers
  make --no-print-directory -s -j"$(nproc)" VARIANT=fuzz "${targets[@]/#/$FUZZERS/}" >/dev/null
fi

# Finds files in folders and among the bad inputs, which it writes as the files tests/data/bad/KIND/NAME into build/fuzz/bad/TARGET.
files() {   # target, folders, conditions of find...
  local cases=build/fuzz/bad/$1 text
  rm -rf "$cases"
  for text in tests/data/bad/*.txt; do tests/bad_cases.sh "$text" "$cases/${text%.txt}" >/dev/null || return; done
  # shellcheck disable=SC2086  # $2 is several folders
  find $2 "$cases" -path tests/data/bad -prune -o "${@:3}" -print
}

seeds() {   # target, directory: puts the inputs that it starts from there
  local f list to
  case $1 in
    ptx) list=$(files ptx 'traces tests' -name '*.ptx' -size -64k) ;;
    launch) list=$(files launch 'traces tests' -name '*.launch') ;;
    about) list=$(files about 'traces tests' -name '*.yaml') ;;
    widths) list=$(find traces tests -name '*.widths') ;;
    stim) list=$(find traces tests tb -name '*.stim') ;;
    sass) list=$(files sass tests -name '*.dot') ;;
    config) list=$(files config 'cmodel tests' -name '*.conf') ;;
    expr)   # every expression of the suite's launch files, a file each
      sed -n 's/.* expr \(.*\)$/\1/p; s/^ *let .* = \(.*\)$/\1/p; s/^size .* = \(.*\) }$/\1/p' traces/kernels/*/*.launch tests/data/*/*.launch | sort -u |
        split -l 1 -a 4 - "$2/expr-" ;;
    setting)
      { sed -n -e 's/^SLOT(\([a-z0-9_]*\), \([a-z0-9_]*\),.*/slot.\1=\2/p' -e '/^SLOT/d' \
          -e 's/^\(INT\|BOOL\|ENUM\|PATH\|WORD\) *(\([a-z0-9_]*\), \([a-z0-9_]*\), \([^,]*\),.*/\2.\3=\4/p' cmodel/config/schema.def cmodel/systems/*/system.def
        echo FineReg:rf.banks=8:l1.bytes=x1.5; echo Reg+DRAM; } | split -l 1 -a 4 - "$2/setting-"
      sed -i -z 's/\n$//' "$2"/setting-* ;;
    reuse)
      printf 'regtwin-reuse 1 ptx 00000000000000af near 12 entries 2\n%s\n0 - - - - - - 3/1 - - -\n8 1/0 0/5 - - - - - - - -\n%s\n0 - - - - - - - - - -\n' \
        'entry k instructions 2 code 0123456789abcdef' 'entry l instructions 1 code fedcba9876543210' >"$2/two" ;;
    journal) printf '0123456789abcdef 1\nfedcba9876543210 0\n' >"$2/two" ;;
    checkpoint) { printf '\002\001\0\0\0\0\0\0\0\001\0\0\0\0\0\0\0'; head -c 4112 /dev/zero; } >"$2/page" ;;
    sweep)   # what is refused, and the plan of docs/use/campaigns.md
      list=$(files sweep tests/data/bad -path '*/plan/*.yaml')
      # shellcheck disable=SC2016  # the backquotes are of the page
      sed -n '/^```yaml/,/^```$/{/^```/!p}' docs/use/campaigns.md >"$2/whole.yaml" ;;
    slurm) printf '{"runs":[{"key":"%064d","ok":false,"lost":2,"seconds":1.5,"memory":9,"error":"no","launches":[]}]}' 7 >"$2/lost" ;;
    results) for f in cmodel/base/*.c; do head -c 300 "$f" | tail -c 200 >"$2/$(basename "$f")"; done ;;   # any bytes: each says what it changes
    opmap) list=$(find cmodel tests -name '*.map') ;;
    traceg)   # plain, compressed, and a list; a first byte says which
      list=$(find tests -name '*.traceg')
      for f in tests/data/traceg/*.traceg; do { printf x; xz -c "$f"; } >"$2/$(basename "$f").xz"; done
      { printf l; cat tests/data/traceg/kernelslist.g; } >"$2/list" ;;
    png)   # a first byte says which format
      for f in $(find docs/img -name '*.png' -printf '%s %p\n' | LC_ALL=C sort -n | head -n 8 | cut -d ' ' -f 2); do
        { printf '%d' $((${#f} % 4)); cat "$f"; } >"$2/$(basename "$f")"
      done ;;
    clbuild)   # a first byte says which: options of a build or a link, LLVM IR, PTX
      printf '0-D "X=a b" -I inc -cl-mad-enable -w' >"$2/build"
      printf '1-create-library -enable-link-options' >"$2/link"
      printf '2define dso_local spir_kernel void @k(i32) #0 !kernel_arg_addr_space !1 !kernel_arg_type !2 !reqd_work_group_size !3 {\n  call spir_kernel void @k(i32 1)\n  ret void\n}\ndeclare i64 @__regtwin_offset(i32)\ndeclare <4 x float> @_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_f(%%opencl.image2d_ro_t addrspace(1)*, %%opencl.sampler_t addrspace(4)*, <2 x float>)\ndeclare void @_Z13write_imageui20ocl_image2d_array_woDv4_iDv4_j(%%opencl.image2d_array_wo_t addrspace(1)*, <4 x i32>, <4 x i32>)\n@PIBITS_TBL = [158 x i8] c"ab", align 1\n!1 = !{i32 1}\n!2 = !{!"float*"}\n!3 = !{i32 8, i32 1, i32 1}\n' >"$2/ir"
      printf '3.version 6.0\n.entry k(.param .u64 .ptr .global .align 4 a, .param .f32 b[3])\n{ret;}\n//regtwin kernel k 2 8 1 1 0 0 0\n//regtwin parameter 1 0 1 float*|a\n//regtwin offsets\n//:.version 6.0\n' >"$2/ptx" ;;
    fatbin)   # a first byte says what is mended: nothing, or the container's header; each compression, and several entries
      make --no-print-directory -s VARIANT= build/host-programs/fatbin
      local ptx=tests/data/ptx/print_clang.ptx other=tests/data/ptx/host_clang.ptx
      for f in none lz4 zstd "elf:75:$other lz4 ptx:70:$ptx none ptx:75:$other zstd"; do
        # shellcheck disable=SC2086  # $f is several arguments
        build/host-programs/fatbin "$2/new" $f ptx:75:"$ptx"
        printf '\0' | cat - "$2/new" >"$2/as-is-${f##* }-${#f}"
        printf '\001' | cat - "$2/new" >"$2/mended-${f##* }-${#f}"
      done
      rm "$2/new" ;;
    link)   # texts, separated by NUL
      # shellcheck disable=SC2016  # the names of the text begin with $
      printf '.version 8.0\n.target sm_75\n.extern .func f();\n.visible .entry k(.param .u64 p) {f; $v;}\n.global .u32 $v[1] = {k};\n\0.version 8.1\n.target sm_80\n.file 1 "a"\n.weak .func f() {$v; // c\n}\n.global .u32 $v = 1;\n.section .debug { .b8 1 }\n\0.version 7.0\n.extern .func g();\n.visible .func f() {g; "x" 0f00 /* c */}' >"$2/three" ;;
    texture)   # each instruction on a block-linear image of its geometry and of each type
      local form type geom=(0 0 1 1 2 3 4 5 1 2 1 1 1 2 4 1 3 1 2) height=(1 9 9 1 9 16 16) layers=(1 1 1 3 3 6 6) depth=(1 1 3 1 1 1 1) at='\0\0\0\077'
      for form in {0..18}; do
        local g=${geom[form]}
        [ "$form" = 1 ] || [ "$form" = 3 ] || [ "$form" = 9 ] || [ "$form" -gt 11 ] && at='\001\0\0\0'
        for type in {0..7}; do
          # shellcheck disable=SC2059  # the format is made of numbers
          { printf "$(printf '\\%03o' "$form" "$type" 4 3 $((7 + 80 * (form % 2))) "$g" 1 27 16 0 "${height[g]}" 0 "${depth[g]}" "${layers[g]}" 0 0)"
            head -c 16 /dev/zero; printf "$at$at$at$at"; head -c 48 "$0"; } >"$2/form-$form-$type"
        done
        at='\0\0\0\077'
      done ;;
    cache) head -c 4096 /dev/zero >"$2/zero" ;;
  esac
  for f in ${list:-}; do
    to=${f#build/fuzz/bad/"$1"/}
    cp "$f" "$2/${to//\//_}"
  done
}

bad=0
for t in "${targets[@]}"; do
  corpus=build/fuzz/corpus/$t
  from=build/fuzz/seeds/$t
  rm -rf "$from"
  mkdir -p "$corpus" "$from" build/fuzz/artifacts
  seeds "$t" "$from"
  log=build/fuzz/$t.log
  options=(-max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=65536 -use_value_profile=1
           -artifact_prefix="build/fuzz/artifacts/$t-" -print_final_stats=1 -seed="${FUZZ_SEED:-1}")
  [ -e "tests/fuzz/$t.dict" ] && options+=("-dict=tests/fuzz/$t.dict")
  if "$FUZZERS/$t" "${options[@]}" "$corpus" "$from" >"$log" 2>&1; then
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    covered=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
    echo "ok - fuzz $t: $runs inputs in $seconds s, $covered edges, $(find "$from" -type f | wc -l) seeds"
  else
    bad=1
    echo "not ok - fuzz $t, see build/fuzz/artifacts and $log:"
    grep -E 'ERROR|SUMMARY|Test unit|runtime error|    #[0-9]+ ' "$log" | head -n 20 || tail -n 20 "$log"
  fi
done
exit $bad
