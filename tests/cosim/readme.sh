#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What the README and the tutorial print of a changed character in vc.sv is what make cosim prints of it.
# needs: cosim-runtime
. "$(dirname "$0")/../lib.sh"
at=build/cosim-test/readme
rm -rf "$at"
mkdir -p "$at/kept" build/waves
cp -r rtl "$at/rtl"
sed -i 's/operand_nibbles_i\[4\*u +: 4\]/operand_nibbles_i[3*u +: 4]/' "$at/rtl/slice/vc.sv"
equal 'one line is changed' "$(diff rtl/slice/vc.sv "$at/rtl/slice/vc.sv" | grep -c '^>')" 1
# A person's waves of this block stay.
find build/waves -maxdepth 1 -name 'vc[.-]*' -exec mv -t "$at/kept" {} +
make --no-print-directory -s cosim BLOCK=slice/vc COSIM_RTL="$at/rtl" COSIM_OUT="$at/out" >"$tmp/all" 2>&1
equal 'exit status of make' $? 2
rm -f build/waves/vc[.-]*
find "$at/kept" -type f -exec mv -t build/waves {} +
sed "s, COSIM_RTL=$at/rtl,,g; s, COSIM_OUT=$at/out,,g" "$tmp/all" >"$tmp/out"

command='make cosim BLOCK=slice/vc'
shown() { awk -v command="$command" -v output="$tmp/out" -f tests/page_output.awk "$1"; }
check 'the README has its lines' shown README.md
sed -n '/^## 2\. /,/^## 3\. /p' docs/start/change-a-block.md >"$tmp/section.md"
check 'and the tutorial' shown "$tmp/section.md"
sed '/^!/s/2d800000/2d800001/' README.md >"$tmp/planted.md"
equal 'another line is seen' "$(shown "$tmp/planted.md" | grep -c 2d800001)" 1
sed -i 's/  \.\.\.  operand_valid_i/  ...  operand_walid_i/' "$tmp/section.md"
equal 'and one with text left out' "$(shown "$tmp/section.md" | grep -c operand_walid_i)" 1
