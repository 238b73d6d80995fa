#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One block at one parameter set: Yosys and ABC map it to the cells of a library, memories left out; OpenSTA times what lies
# between registers, ports and memories. Called by synth/synth.sh, which checks the tools and the arguments.
# usage: synth/block.sh SYSTEM/BLOCK NAME OUT [Name=value ...]    env: LIBERTY, RTL (directory of the Verilog), DRIVER (cell), FROM, TO
# OUT/row.tsv: name, cells, flip-flops, area, transistors of the mapped cells, of generic gates, ns, memory bits, memories, parameters;
# OUT/netlist.v (with memories), memories.tsv, paths.txt, slack.tsv, cells.tsv. Nothing of OUT is left when the block is wrong.
set -u -o pipefail
block=$1 name=$2 out=$3
shift 3
top=${block##*/} dir=$RTL/${block%/*}
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT

wrong() {   # text: the block is wrong
  printf 'synth: %s: %s\n' "$name" "$1" >&2
  exit 2
}
declared() {   # signal: FILE:LINE of the first line of the block's files that names it
  local word=${1##*.}
  word=${word%%[*}
  word=${word#\\}
  awk -v w="$word" '{ s = $0; sub(/\/\/.*/, "", s); if (s ~ "(^|[^A-Za-z0-9_])" w "([^A-Za-z0-9_]|$)") { print FILENAME ":" FNR; exit } }' \
    "$RTL/$block.sv" "$dir"/*.sv "$dir"/*.svh "$RTL"/common/*.sv 2>/dev/null
}

chparam=''
for p in "$@"; do chparam+=" -chparam ${p%%=*} ${p#*=}"; done
files=$(printf '%s\n' "$RTL"/common/*.sv "$dir"/*.sv | grep -v '/ram_1r' | sort -u | tr '\n' ' ')
rams="$RTL/common/ram_1rw.sv $RTL/common/ram_1r1w.sv"
case $block in common/ram_1r*) files=$RTL/$block.sv rams='' ;; esac   # a small memory, in flip-flops
constr=''
if [ -n "$DRIVER" ]; then
  printf 'set_driving_cell %s\nset_load 0.05 [all_outputs]\n' "$DRIVER" >"$tmp/constr"
  constr="-constr $tmp/constr -D 3000"
fi
flatten='flatten;'
[ "${HIERARCHY:-0}" = 0 ] || flatten=''
cat >"$tmp/map.ys" <<END
read_liberty -lib -ignore_miss_func $LIBERTY
${rams:+read_verilog -sv -lib $rams}
read_verilog -sv -defer -I$RTL/common -I$dir $files
hierarchy -check -top $top $chparam
rename -top $top
proc
setattr -set register 1 -set register_ 1 w:*_q
select -assert-none t:\$dlatch t:\$adlatch t:\$dlatchsr t:\$sr
check -assert
$flatten
synth -noshare -run coarse:
tee -q -o $tmp/cmos stat -tech cmos
dfflibmap -liberty $LIBERTY
abc -liberty $LIBERTY $constr
opt_clean -purge
check -assert
tee -q -o $tmp/stat stat -liberty $LIBERTY
tee -q -o $tmp/unmapped select -list t:\$* t:\$paramod* %d
write_verilog -noattr -simple-lhs $tmp/netlist.v
END
# The memories' pins become ports of the netlist that is timed.
cat >>"$tmp/map.ys" <<END
flatten
expose -evert t:ram_1rw t:ram_1r1w
opt_clean -purge
write_verilog -noattr -simple-lhs $tmp/timed.v
END
mapped() { yosys -q -l "$tmp/log" -s "$tmp/map.ys" >"$tmp/said" 2>&1; }
# Yosys 0.23 fails an assertion of its own when it elaborates finereg/rmu's serial engine so; with parameters set beforehand it does not.
with_parameters_set() {
  grep -q 'modules_.count(module->name)' "$tmp/log" || return 1
  sed -i "s/^hierarchy .*/${chparam:+chparam${chparam//-chparam/-set} $top\n}hierarchy -check -top $top/" "$tmp/map.ys"
  mapped
}
if ! mapped && ! with_parameters_set; then
  signal=$(sed -n 's/^.*Latch inferred for signal `\\[^.]*\.\\\([^'"'"']*\)'"'"'.*/\1/p' "$tmp/log" | head -n 1)
  [ -z "$signal" ] || wrong "$(declared "$signal"): found a latch for $signal, expected a value on every path"
  signal=$(sed -n 's/^Warning: Wire [^ ]*\.\\\([^ ]*\).* is used but has no driver.*/\1/p' "$tmp/log" | head -n 1)
  [ -z "$signal" ] || wrong "$(declared "$signal"): found no driver for $signal, expected one"
  place=$(sed -n 's/^Warning: multiple conflicting drivers for .*\$\([^$]*\.svh*:[0-9]*\)\$.*/\1/p' "$tmp/log" | head -n 1)
  [ -z "$place" ] || wrong "$place: found several drivers of a signal, expected one"
  place=$(sed -n '/^Warning: found logic loop/,/^[^ ]/s/^ *\(cell\|wire\) [^ ]*\$\([^$ ]*\.svh*:[0-9]*\)\$.*/\2/p' "$tmp/log" | head -n 1)
  [ -z "$place" ] || wrong "$place: found a loop of logic, expected a register in it"
  wrong "Yosys refuses it: $(grep -m 1 'ERROR' "$tmp/log" | sed 's/ERROR: //')"
fi
if [ -s "$tmp/unmapped" ]; then wrong "found $(wc -l <"$tmp/unmapped") cells that the library does not have, the first $(head -n 1 "$tmp/unmapped"), expected its cells only"; fi

# An input of an instance that is left open is seen in the flattened design only. Apart from the mapping, whose result hangs on every pass before it.
{ sed '/^select/,$d' "$tmp/map.ys"; echo 'flatten; check'; } >"$tmp/open.ys"
yosys -q -s "$tmp/open.ys" >"$tmp/said" 2>&1 || wrong "Yosys refuses it: $(grep -m 1 'ERROR' "$tmp/said" | sed 's/ERROR: //')"
signal=$(sed -n 's/^Warning: Wire [^ .]*\.\\\([^ ]*\).* is used but has no driver.*/\1/p' "$tmp/said" | head -n 1)
[ -z "$signal" ] || wrong "$(declared "${signal%.*}"): found no driver for $signal, expected one"   # the instance's line

# A port or a register at an end of the path that is asked for, as OpenSTA takes it: FROM an input or a register, TO an output or a register.
ends() {   # FROM or TO, name, direction of a port
  local cells
  [ -n "$2" ] || return 0
  if grep -qE "^  $3 (\[[0-9]+:[0-9]+\] )?$2;" "$tmp/timed.v"; then echo "[get_ports $2]"; return; fi
  cells=$(awk -v name="$2" '$2 ~ /^_[0-9]+_$/ && $3 == "(" { cell = $2 }
    match($0, /\.(Q|QN)\(/) { net = substr($0, RSTART + RLENGTH); sub(/ ?\),?$/, "", net); sub(/^\\/, "", net); sub(/ *\[.*/, "", net); if (cell != "" && net == name) print cell }
    /\);$/ && $0 !~ /\.[A-Z]/ { cell = "" }' "$tmp/timed.v" | sort -u | tr '\n' ' ')
  [ -n "$cells" ] || return 1
  echo "[get_cells {$cells}]"
}
known=$(sed -nE 's/^  (input|output) (\[[0-9]+:[0-9]+\] )?([a-z_0-9]+);.*/\1 \3/p' "$tmp/timed.v" | grep -vE ' (clk_i|rst_ni)$')
from=$(ends FROM "${FROM:-}" input) ||
  wrong "found no input and no register ${FROM} in FROM=, expected a register (threshold_q) or one of: $(sed -n 's/^input //p' <<<"$known" | xargs)"
to=$(ends TO "${TO:-}" output) ||
  wrong "found no output and no register ${TO} in TO=, expected a register (threshold_q) or one of: $(sed -n 's/^output //p' <<<"$known" | xargs)"
clock='create_clock -name clk -period 10'
! grep -q 'clk_i' "$RTL/$block.sv" || clock+=' [get_ports clk_i]'
cat >"$tmp/sta.tcl" <<END
read_liberty $LIBERTY
set_cmd_units -time ns -capacitance pF
read_verilog $tmp/timed.v
link_design $top
$clock
set data {}
foreach p [all_inputs] { if {[get_property \$p full_name] ne "clk_i"} { lappend data \$p } }
${DRIVER:+set_driving_cell -lib_cell $DRIVER \$data}
set_input_delay 0 -clock clk \$data
set_load 0.05 [all_outputs]
set data {}
foreach p [all_outputs] { if {![string match "*.clk_i" [get_property \$p full_name]]} { lappend data \$p } }
set_output_delay 0 -clock clk \$data
if {[llength [get_ports -quiet rst_ni]]} { set_false_path -from [get_ports rst_ni] }
report_checks -path_delay max -digits 3 -fields {net slew capacitance} -group_count ${PATHS:-5} ${from:+-from $from} ${to:+-to $to}
puts "@ends"
report_checks -path_delay max -digits 3 -format end -group_count 1000000
END
sta -no_splash -exit "$tmp/sta.tcl" >"$tmp/sta" 2>&1 || wrong "OpenSTA refuses its netlist: $(grep -m 1 -i error "$tmp/sta")"
sed '/^@ends/,$d; /^Warning/d' "$tmp/sta" >"$tmp/paths.all"
ns=$(awk '/data arrival time/ { print $1; exit }' "$tmp/paths.all")
[ -n "$ns" ] || wrong "found no path from ${FROM:-a register or port} to ${TO:-a register or port}, expected one"

# Registers are named by the net that they drive.
awk 'FNR == NR { if ($2 ~ /^_[0-9]+_$/ && $3 == "(") cell = $2
                 if (match($0, /\.(Q|QN)\(/)) { net = substr($0, RSTART + RLENGTH); sub(/ ?\),?$/, "", net); if (cell != "" && !(cell in q)) q[cell] = net }
                 if (/\);$/ && $0 !~ /\.[A-Z]/) cell = ""
                 next }
     { if (match($0, /_[0-9]+_/)) { c = substr($0, RSTART, RLENGTH); if (c in q) $0 = substr($0, 1, RSTART - 1) q[c] substr($0, RSTART + RLENGTH) } print }' \
  "$tmp/timed.v" "$tmp/paths.all" >"$tmp/paths.txt"
# Arrival at each end point, in steps of a tenth of the longest.
awk -v longest="$ns" '/^@ends/ { on = 1 } on && /(MET|VIOLATED)\)$/ { a = $(NF - 2); k = int(a / longest * 10); if (k > 9) k = 9; if (k < 0) k = 0; n[k]++ }
     END { for (k = 0; k < 10; k++) printf "%.3f\t%.3f\t%d\n", longest * k / 10, longest * (k + 1) / 10, n[k] }' "$tmp/sta" >"$tmp/slack.tsv"
# Totals over the design; with the hierarchy kept Yosys prints them last.
awk '/^   Number of cells:/ { delete n; on = 1; total = $NF; next } on && NF == 2 { n[$1] = $2; next } on { on = 0 }
     END { for (c in n) print c "\t" n[c] }' "$tmp/stat" | sort >"$tmp/cells.tsv"
area=$(awk '/Chip area/ { a = $NF } END { print a }' "$tmp/stat")
generic=$(awk '/Estimated number of transistors/ { a = $NF } END { sub(/\+$/, "", a); print a }' "$tmp/cmos")
# M lines of each subcircuit of the library, where it comes with one.
spice=${LIBERTY%.lib}.sp
mos=-
[ ! -r "$spice" ] || mos=$(awk 'FNR == NR { k = toupper($1); if (k == ".SUBCKT") name = $2; else if (k ~ /^M/) m[name]++; next }
           { if ($1 in m) t += m[$1] * $2; else if ($1 !~ /^ram_/) unknown = 1 } END { print unknown ? "-" : t + 0 }' "$spice" "$tmp/cells.tsv")
ff=$(awk -v lib="$LIBERTY" 'BEGIN { while ((getline s < lib) > 0) { if (match(s, /^[ \t]*cell[ \t]*\(/)) { c = substr(s, RSTART + RLENGTH); sub(/^[ "\t]*/, "", c); sub(/[ "\t)].*/, "", c) }
           if (s ~ /(^|[^A-Za-z0-9_])ff[ \t]*\(/) is[c] = 1 } } is[$1] { n += $2 } END { print n + 0 }' "$tmp/cells.tsv")
# Memories: instance, kind, rows, bits of a row; of a small memory that is the block itself, none.
awk '/^  ram_1r/ { kind = $1; rows = bits = 0 }
     kind != "" && match($0, /\.(Depth|Width)\(/) { v = $0; sub(/.*'"'"'sd/, "", v); sub(/\).*/, "", v); if (/Depth/) rows = v; else bits = v }
     kind != "" && /^  \) / { name = $0; sub(/^  \) \\?/, "", name); sub(/ *\($/, "", name); print name "\t" kind "\t" rows "\t" bits; kind = "" }' \
  "$tmp/netlist.v" >"$tmp/memories.tsv"
ram=$(awk '{ n += $3 * $4 } END { print n + 0 }' "$tmp/memories.tsv")
cells=$(awk '$1 !~ /^ram_/ { n += $2 } END { print n + 0 }' "$tmp/cells.tsv")

mkdir -p "$out" || exit 2
cp "$tmp/netlist.v" "$tmp/memories.tsv" "$tmp/paths.txt" "$tmp/slack.tsv" "$tmp/cells.tsv" "$out" || exit 2
memories=$(awk '{ k = substr($2, 5) ":" $3 "x" $4; if (!(k in n)) order[++kinds] = k; n[k]++ }
  END { for (i = 1; i <= kinds; i++) printf "%s%d*%s", (i > 1 ? " " : ""), n[order[i]], order[i] }' "$tmp/memories.tsv")
printf '%s\t%d\t%d\t%.0f\t%s\t%s\t%s\t%s\t%s\t%s\n' "$name" "$cells" "$ff" "$area" "$mos" "$generic" "$ns" "$ram" "${memories:--}" "${*:--}" >"$out/row.tsv"
