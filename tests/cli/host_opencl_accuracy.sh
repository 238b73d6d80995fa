#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every function of floats of OpenCL C on the simulated GPU, against the C library, within the errors that the specification allows
# (tests/host/opencl/accuracy.c); each vector width.
. "$(dirname "$0")/../lib.sh"
if ! make -s binary host host-programs-opencl >"$tmp/make" 2>&1; then
  not_ok 'the program is built' "$(tail -n 5 "$tmp/make")"
  exit 1
fi
unset LD_LIBRARY_PATH OCL_ICD_VENDORS "${!REGTWIN_@}"
for type in float double; do
  "$regtwin" host --time none -- build/host-programs/opencl/accuracy "$type" </dev/null >"$tmp/out" 2>"$tmp/err"
  equal "$type: ends" $? 0
  grep -E '^(right|wrong|failed)' "$tmp/out" | while read -r line; do
    case $line in
      right:*) ok "${line#right: }" ;;
      *) not_ok "${line#*: }" "$(grep -A2 -F -- "$line" "$tmp/out")" "$(head -n 5 "$tmp/err")" ;;
    esac
  done
  if [ "$(grep -c '^right: ' "$tmp/out")" -ge 50 ]; then ok "$type: all functions"; else not_ok "$type: all functions" "$(wc -l <"$tmp/out") lines"; fi
done
