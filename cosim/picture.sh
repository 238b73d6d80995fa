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
# As wide as a page shows it (docs/develop/pictures.md), without the tree of scopes, which has nothing to say here.
timeout 60 xvfb-run -a -s '-screen 0 1000x720x24' gtkwave --rcvar 'splash_disable on' --rcvar 'enable_vert_grid on' \
  --rcvar 'initial_window_x 1000' --rcvar 'initial_window_y 720' --rcvar 'hide_sst on' --rcvar 'initial_signal_window_width 330' \
  -S "$dir/p.tcl" build/waves/vc-1.fst build/waves/vc-1.gtkw >"$dir/gtkwave.log" 2>&1
[ -s "$dir/lockstep.png" ] || { tail -n 5 "$dir/gtkwave.log" >&2; die "GTKWave made no picture"; }
cp "$dir/lockstep.png" docs/img/lockstep.png
echo "docs/img/lockstep.png"
