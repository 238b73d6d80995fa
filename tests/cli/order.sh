#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tests/data/order: what threads may rely on about each other's memory accesses, functional and timed on every machine; and
# loops that cannot end, which are errors at once. A bad_* file's first line is what its message begins with or contains.
. "$(dirname "$0")/../lib.sh"
for file in tests/data/order/*.launch; do
  name=$(basename "$file" .launch)
  for how in --functional --config=gtx980 --config=gtx480 --config=maxwell --config=rtx2060; do
    if [[ $name != bad_* ]]; then
      check "$name $how" timeout 60 "$regtwin" run "$file" "$how"
      continue
    fi
    want=$(sed -n '1s/^# error: //p' "$file")
    out=$(timeout 20 "$regtwin" run "$file" "$how" 2>&1)
    status=$?
    if [ $status -eq 2 ] && [ -n "$want" ] && [[ $out == *"$want"* ]]; then ok "$name $how"
    else not_ok "$name $how" "exit status $status" "$out"; fi
  done
done
