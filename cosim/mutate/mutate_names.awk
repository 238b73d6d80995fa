# SPDX-License-Identifier: Apache-2.0
# For mutate.sh: number, place and description of each line of Yosys's list of faults. Input: the netlist in RTLIL
# before the faults, and the list. A fault is "rtl const0 wire[3] @ text"; where the wire has no name, the kind and the
# port of the cell, for a multiplexer or a register "to" what it leads to. Text: of the smallest place in the source. A
# fourth column has the whole line of that place.

# FILE:LINE.COL-LINE.COL into file and at[1..4]
function where(span,   p) {
  match(span, /:[0-9]+\.[0-9]+-/)
  file = substr(span, 1, RSTART - 1)
  split(substr(span, RSTART + 1), at, /[.-]/)
}

function size(span) {
  where(span)
  return (at[3] - at[1]) * 1000 + at[4] - at[2]
}

function plain(s) {
  gsub(/[ \t]+/, " ", s)
  sub(/^ /, "", s)
  return s
}

# What stands there; its line in `whole`.
function text(span,   s, n) {
  where(span)
  if (!(file in lines)) {
    while ((getline s < file) > 0) line[file, ++n] = s
    lines[file] = n
  }
  s = line[file, at[1]]
  whole = plain(s)
  return plain(at[1] == at[3] ? substr(s, at[2], at[4] - at[2]) : substr(s, at[2]) " ...")
}

# Along multiplexers to a net with a name of the source: $0\rdata_q[31:0], $2$memwr$\mem_q$ram_1rw.sv:25$421_EN[31:0]$431, \v_q
function leads(cell,   net, hops) {
  while (cell in to && hops++ < 20) {
    net = to[cell]
    if (net ~ /\$memwr\$/) {
      match(net, /_(EN|DATA|ADDR)\[/)
      return " to " substr(net, RSTART + 1, RLENGTH - 2) " of a write"
    }
    if (match(net, /(^|\$[0-9]+)\\/)) {
      net = substr(net, RSTART + RLENGTH)
      sub(/\[[0-9]+:[0-9]+\](\$[0-9]+)?$/, "", net)
      return " to " net
    }
    cell = used[net]
  }
  return ""
}

# $flatten\gen_bank[6].u_ram.$eq$ram_1rw.sv:24$18 -> gen_bank[6].u_ram.eq
function kind_of(cell) {
  sub(/^\$flatten\\/, "", cell)
  sub(/^\$/, "", cell)
  sub(/\.\$/, ".", cell)
  sub(/\$[^$]*:[0-9]+\$[0-9]+/, "", cell)
  sub(/\$[0-9]+/, "", cell)
  return cell
}

FNR == NR {
  if ($1 == "cell") cell = $2 ~ /^\$(mux|pmux|dff|adff|dffe|adffe)$/ ? $3 : ""
  if ($1 == "connect" && cell != "") {
    if ($2 == "\\Y" || $2 == "\\Q") to[cell] = $3
    else for (i = 3; i <= NF; i++) if ($i ~ /^\$/) used[$i] = cell
  }
  next
}

{
  mode = cell = wire = port = by = best = whole = ""
  for (i = 2; i < NF; i++) {
    v = $(i + 1)
    if ($i == "-mode") mode = v
    if ($i == "-cell") cell = v
    if ($i == "-port") port = v
    if ($i == "-portbit") bit = v
    if ($i == "-ctrlbit") by = " by [" v "]"
    if ($i == "-wire") wire = v
    if ($i == "-wirebit") wirebit = v
    if ($i == "-src" && v !~ /:0\.0-0\.0$/ && (best == "" || size(v) < size(best))) best = v
  }
  what = wire == "" ? kind_of(cell) "." port "[" bit "]" leads(cell) : wire "[" wirebit "]"
  sub(/^\\/, "", what)
  place = "?"
  if (best != "") {
    what = what by " @ " text(best)
    sub(/.*\//, "", file)
    place = file ":" at[1]
  } else {
    what = what by
  }
  print FNR "\t" place "\trtl " mode " " what "\t" whole
}
