#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every function of floats of OpenCL C on the simulated GPU, against the C library, within the errors that the specification allows
# (tests/host/opencl/accuracy.c), and every integer function, 16-bit floats, atomics, copies (integers.c); each vector width.
# needs: binary host host-programs-opencl
. "$(dirname "$0")/../lib.sh"
if ! make -s binary host host-programs-opencl >"$tmp/make" 2>&1; then
  not_ok 'the programs are built' "$(tail -n 5 "$tmp/make")"
  exit 1
fi
unset LD_LIBRARY_PATH OCL_ICD_VENDORS "${!REGTWIN_@}"
# A program's lines as tests: name, how many there are, program and arguments.
lines() {
  "$regtwin" host --time none -- "build/host-programs/opencl/$3" "${@:4}" </dev/null >"$tmp/out" 2>"$tmp/err"
  equal "$1: ends" $? 0
  local line all
  mapfile -t all <"$tmp/out"
  for line in "${all[@]}"; do
    case $line in
      right:*) ok "${line#right: }" ;;
      wrong:* | failed:*) not_ok "${line#*: }" "$(grep -A2 -F -- "$line" "$tmp/out")" "$(head -n 5 "$tmp/err")" ;;
    esac
  done
  if [ "$(grep -c '^right: ' "$tmp/out")" -eq "$2" ]; then ok "$1: all"; else not_ok "$1: all" "$(wc -l <"$tmp/out") lines"; fi
}
lines float 101 accuracy float
lines double 73 accuracy double
lines integers 147 integers
has 'printf of numbers and vectors' '^-3 a 1\.5 s  1\.00, 2\.00, 3\.00, 4\.00\|-1,2,3\|255,1\|0x1,0xff -1,0,1,2 %v5d % 7$' "$tmp/out"
has 'printf without a length' '^0\.500000,-0\.000000 f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f$' "$tmp/out"
has 'printf without arguments' '^no arguments$' "$tmp/out"
