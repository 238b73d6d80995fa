# SPDX-License-Identifier: Apache-2.0
# For equal.sh: the list of faults, each on its cell of the block with one lane; an empty line where there is no such
# cell. Input: the netlist in RTLIL, that of one lane, and the list. `arrays`: the generate blocks of which that has
# one, "gen_unit gen_lane". The same cell has the same name, type, parameters, source and connections, but for the
# index in these, Yosys's running numbers and the bits of the block's own ports and registers. Of several, the first
# in Yosys's numbering is the same as the first, if there are as many. A cell that Yosys named goes by what it
# leads to.

function finish(   k) {
  if (cell == "") return
  n[file]++
  cells[file, n[file]] = cell
  about[file, cell] = text
  cell = ""
}

# "$procmux$12_CMP0" into "$procmux$_CMP0" and, in `running`, 12
function without_number(s,   head, tail) {
  running = 0
  if (!match(s, /\$[0-9]+(_[A-Z0-9]+)?$/)) return s
  head = substr(s, 1, RSTART)
  tail = substr(s, RSTART + 1)
  running = tail + 0
  sub(/^[0-9]+/, "", tail)
  return head tail
}

function leads(cell,   net, hops) {
  while ((file, cell) in to && hops++ < 40) {
    net = to[file, cell]
    if (net ~ /^\\/) return net
    cell = used[file, net]
  }
  return "?"
}

function in_one(s,   k) {
  for (k = 1; k <= arrays_n; k++) gsub(array[k] "\\[[0-9]+\\]", array[k] "[0]", s)
  return s
}

function sort_in(key, cell,   i) {
  for (i = ++count[file, key]; i > 1 && number[file, key, i - 1] > running; i--) {
    number[file, key, i] = number[file, key, i - 1]
    name[file, key, i] = name[file, key, i - 1]
  }
  number[file, key, i] = running
  name[file, key, i] = cell
}

BEGIN { arrays_n = split(arrays, array, " ") }
FNR == 1 { finish(); file++ }
$1 == "attribute" && $2 == "\\src" { src = $3 }
$1 == "wire" || $1 == "module" { src = "" }
$1 == "cell" { cell = $3; text = $2 " " src; src = "" }
$1 == "parameter" { text = text " " $2 "=" $3 }
$1 == "connect" && cell != "" {
  s = $0
  gsub(/\$[0-9]+/, "$", s)
  gsub(/\\[A-Za-z_0-9]+ \[[0-9]+(:[0-9]+)?\]/, "&@", s)
  gsub(/ \[[0-9]+(:[0-9]+)?\]@/, "", s)
  text = text s
  if ($2 == "\\Y" || $2 == "\\Q") to[file, cell] = $3
  else for (i = 3; i <= NF; i++) if ($i ~ /^\$/) used[file, $i] = cell
}
$1 == "end" { finish() }

END {
  finish()
  for (file = 1; file <= 2; file++) {
    for (i = 1; i <= n[file]; i++) {
      cell = cells[file, i]
      key = without_number(cell)
      if (key ~ /^\$auto/) key = key " " leads(cell)
      key = key " " about[file, cell]
      if (file == 1) key_of[cell] = key
      sort_in(key, cell)
    }
  }
  while ((getline s < list) > 0) {
    cell = s
    sub(/.* -cell /, "", cell)
    sub(/ .*/, "", cell)
    key = key_of[cell]
    one = in_one(key)
    if (count[1, key] != count[2, one]) {
      print ""
      continue
    }
    for (i = 1; name[1, key, i] != cell; i++);
    at = index(s, " -cell ") + 7
    t = substr(s, at + length(cell))
    gsub(/ -wire(bit)? [^ ]+/, "", t)
    print substr(s, 1, at - 1) name[2, one, i] t
  }
}
