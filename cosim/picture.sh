#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# make cosim-picture: one character of vc.sv is changed in a copy; GTKWave's view of the divergence is written to
# docs/img/lockstep.png.
cd "$(dirname "$0")/.." || exit 2
. cosim/lib.sh
tools xvfb-run gtkwave "$VERILATOR"
dir=build/picture
rm -rf "$dir/rtl"
mkdir -p "$dir" docs/img
cp -r rtl "$dir/rtl"
sed -i 's/operand_nibbles_i\[4\*u +: 4\]/operand_nibbles_i[3*u +: 4]/' "$dir/rtl/slice/vc.sv"
cmp -s rtl/slice/vc.sv "$dir/rtl/slice/vc.sv" && die "vc.sv has no operand_nibbles_i[4*u +: 4] to change"
$MAKE --no-print-directory cosim BLOCK=slice/vc SEED=1 CYCLES= WAVES=1 COSIM_RTL="$dir/rtl" COSIM_OUT="$dir/out" >"$dir/log" 2>&1
grep -q '^DIVERGE' "$dir/log" || { cat "$dir/log" >&2; die "the fault was not seen"; }
cat "$dir/log"
cat >"$dir/p.tcl" <<END
gtkwave::/File/Grab_To_File $dir/lockstep.png
gtkwave::/File/Quit
END
rm -f "$dir/lockstep.png"
# 1000 pixels wide (docs/develop/pictures.md): the window has 10 and 56 more than its [size]; beyond the screen it would be black.
sed -e 's/^\[size\].*/[size] 990 664/' -e 's/^\[signals_width\].*/[signals_width] 350/' build/waves/vc-1.gtkw >"$dir/view.gtkw"
timeout 60 xvfb-run -a -s '-screen 0 1200x900x24' gtkwave --rcvar 'splash_disable on' --rcvar 'enable_vert_grid on' --rcvar 'hide_sst on' \
  -S "$dir/p.tcl" build/waves/vc-1.fst "$dir/view.gtkw" >"$dir/gtkwave.log" 2>&1
[ -s "$dir/lockstep.png" ] || { tail -n 5 "$dir/gtkwave.log" >&2; die "GTKWave made no picture"; }
cp "$dir/lockstep.png" docs/img/lockstep.png
echo "docs/img/lockstep.png"
