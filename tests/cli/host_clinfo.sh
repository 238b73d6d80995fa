#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# clinfo through Debian's loader: the platform, the device as the configuration says, and nothing that it cannot ask.
# needs: binary host
. "$(dirname "$0")/../lib.sh"
if ! make -s host >"$tmp/make" 2>&1; then
  not_ok 'the libraries are built' "$(tail -n 5 "$tmp/make")"
  exit 1
fi
unset LD_LIBRARY_PATH "${!REGTWIN_@}"
export OCL_ICD_VENDORS=$PWD/build/host

clinfo >"$tmp/out" 2>"$tmp/err"
equal 'clinfo succeeds' $? 0
equal 'and no call fails with a line' "$(wc -c <"$tmp/err")" 0
hasnt 'nothing that it could not ask' '<[^>]*error|: error' "$tmp/out"
shows() { has "$1: $2" "^ *$1  *$2\$" "$tmp/out"; }
shows 'Number of platforms' 1
shows 'Platform Name' RegTwin
shows 'Platform Version' 'OpenCL 1\.2 RegTwin'
shows 'Platform Profile' FULL_PROFILE
shows 'Number of devices' 1
shows 'Device Type' GPU
shows 'Device Name' 'RegTwin gtx980, baseline'
shows 'Max compute units' 1
shows 'Max clock frequency' 1126MHz
shows 'Max work group size' 1024
shows 'Preferred work group size multiple \(kernel\)' 32
shows 'Image support' Yes
shows 'Max number of sub-devices' 0

REGTWIN_CONFIG=rtx2060 REGTWIN_SYSTEM=FineReg REGTWIN_SET='sim.sms=2' clinfo >"$tmp/out" 2>"$tmp/err"
shows 'Device Name' 'RegTwin rtx2060, FineReg'
shows 'Max compute units' 2

for v in REGTWIN_CONFIG=nothing REGTWIN_SYSTEM=nothing REGTWIN_SET=l1.bytes=x REGTWIN_BOUNDS=x REGTWIN_JSON=/nowhere/x.json; do
  env $v clinfo -l >"$tmp/out" 2>"$tmp/err"
  equal "$v: one line" "$(grep -c '^regtwin: ' "$tmp/err") $(wc -l <"$tmp/err")" '1 1'
  has "$v: no device" '^Platform #0: RegTwin' "$tmp/out"
  hasnt "$v: no device is listed" 'Device #0' "$tmp/out"
done
