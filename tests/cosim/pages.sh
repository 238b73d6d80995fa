#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The port table of every block's page says what its .def says: every port and register, in its order, with its direction and its
# width at the first set; and a page with a planted fault is caught.
# needs: cosim-built
# shellcheck disable=SC2016   # the pages have names in backticks
. "$(dirname "$0")/../lib.sh"

# A page's table as "ports --list" prints a .def: kind, name, width, elements. Rows are | `name`, ... | width, ... | timing, ... |,
# mostly with a column for the names in the specification before the width; one timing or width
# may stand for all names of its row. Widths: 24, "24 = [3][8]", or 2 x 16 of an array of registers.
table() {   # page
  awk -F'|' '
    function trim(s) { gsub(/^ +| +$/, "", s); return s }
    /^\| port / { on = 1; at = $3 ~ /specification/ ? 4 : 3; next }
    /^\|---/ { next }
    !/^\|/ { if (on) exit }
    on {
      gsub(/\([^)]*\)/, "", $(at + 1)) # of a comb output: the inputs that it depends on
      n = split($2, name, /,/); widths = split($at, width, /,/); timings = split($(at + 1), timing, /,/)
      for (k = 1; k <= n; k++) {
        x = trim(name[k]); gsub(/`/, "", x)
        w = trim(width[widths == 1 ? 1 : k]); t = trim(timing[timings == 1 ? 1 : k])
        elements = 1
        if (split(w, part, / x /) == 2) { w = part[1]; elements = part[2] }
        sub(/ =.*/, "", w)
        kind = t == "in" ? "in" : t ~ /^comb/ ? "comb" : x ~ /_q$/ ? "state" : t ~ /^(state|event|reg)$/ ? "out" : "?" t
        print kind, x, w, elements
      }
    }' "$1"
}
list() { "build/cosim/obj/$1/ports" --list; }

for b in $(make --no-print-directory -s cosim-blocks); do
  list "$b" >"$tmp/def"
  table "docs/blocks/$b.md" >"$tmp/page"
  same "$b: page and .def" "$tmp/def" "$tmp/page"
done

planted() {   # what, sed expression on csm's page
  sed "$2" docs/blocks/finereg/csm.md >"$tmp/csm.md"
  if cmp -s docs/blocks/finereg/csm.md "$tmp/csm.md"; then not_ok "$1" "nothing changed: $2"; return; fi
  table "$tmp/csm.md" >"$tmp/page"
  if list finereg/csm | cmp -s - "$tmp/page"; then not_ok "$1" 'the page is as good as before'; else ok "$1 is caught"; fi
}
planted 'a port of another name' 's/`take_kept_i`/`take_kept_1_i`/'
planted 'a port of another width' 's/| 8, 8 |/| 8, 7 |/'
planted 'a port of another direction' '/`ready_i`/s/| in |/| state |/'
planted 'an output that is said to depend on nothing' '/`kept_valid_o`/s/| comb[^|]*|/| state |/'
planted 'a port that is missing' 's/, `resident_count_o`//; s/| 8, 8 |/| 8 |/'
planted 'ports in another order' 's/`take_kept_i`, `take_spilled_i`/`take_spilled_i`, `take_kept_i`/'
planted 'a register of another width' '/`kept_pointer_q`/s/| 7, 7 |/| 7, 8 |/'
