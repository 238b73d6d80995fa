#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The port table of every block's page says what its .def says: every port and register, in its order, with its direction and its
# width at the first set; the inputs behind an output's "comb" are those that its Verilog's netlist has on the way to it, and no others;
# and a page with a planted fault is caught.
#   tests/cosim/pages.sh SYSTEM/BLOCK...   only these pages, of blocks that make cosim BLOCK= has built; status 1 if one of them differs
# docs/develop/lockstep.md says how a page's table is written.
# needs: cosim-built
# shellcheck disable=SC2016   # the pages have names in backticks
. "$(dirname "$0")/../lib.sh"

# A page's table as "ports --list" prints a .def: kind, name, width, elements. Rows are | `name`, ... | width, ... | timing, ... |,
# mostly with a column for the names in the design documents before the width; one timing or width
# may stand for all names of its row. Widths: 24, "24 = [3][8]", or 2 x 16 of an array of registers.
table() {   # page
  awk -F'|' '
    function trim(s) { gsub(/^ +| +$/, "", s); return s }
    /^\| port / { on = 1; at = $3 ~ /design documents/ ? 4 : 3; next }
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
# As same, and names both sides above the differences: NAME FILE WHAT PAGE-FILE PAGE
failed=0
agree() {
  if cmp -s "$2" "$4" && [ -s "$2" ]; then ok "$1"; return; fi
  failed=1
  not_ok "$1" "< $3" "> $5" "$(diff "$2" "$4" | head -n 20)"
}

if [ $# -gt 0 ]; then blocks=("$@"); else read -ra blocks < <(make --no-print-directory -s cosim-blocks); fi
for b in "${blocks[@]}"; do
  if [ ! -f "docs/blocks/$b.md" ] || [ ! -x "build/cosim/obj/$b/ports" ]; then
    not_ok "$b: page and .def" "expected docs/blocks/$b.md, and the block built (make cosim BLOCK=$b)"
    failed=1
    continue
  fi
  list "$b" >"$tmp/def"
  table "docs/blocks/$b.md" >"$tmp/page"
  agree "$b: page and .def" "$tmp/def" "cmodel/blocks/$b.def: kind, name, width, elements" "$tmp/page" "docs/blocks/$b.md"
done

# The rows whose outputs have a list of inputs: outputs, a tab, the list: `load_*_i`, `hold`; all inputs; all inputs but `x`; as `main_read`.
lists() {   # page
  awk -F'|' '
    /^\| port / { on = 1; at = $3 ~ /design documents/ ? 4 : 3; next }
    on && !/^\|/ { exit }
    on && match($(at + 1), /comb \([^)]*\)/) {
      inputs = substr($(at + 1), RSTART + 6, RLENGTH - 7)
      gsub(/\([^)]*\)/, "", $(at + 1)); gsub(/[ `]/, "", $2)
      n = split($2, name, /,/); timings = split($(at + 1), timing, /,/); outputs = ""
      for (k = 1; k <= n; k++) if (timing[timings == 1 ? 1 : k] ~ /comb/) outputs = outputs (outputs == "" ? "" : " ") name[k]
      print outputs "\t" inputs
    }' "$1"
}
# The same with the names of the inputs, sorted.
said() {   # block, page
  local inputs outputs text word i found names all
  mapfile -t inputs < <(list "$1" | awk '$1 == "in" { print $2 }')
  all=$(lists "$2")
  while IFS=$'\t' read -r outputs text; do
    [[ $text != 'as '* ]] || text=$(grep "^$(tr -d '\140' <<<"${text#as }")_" <<<"$all" | head -n 1 | cut -f 2)
    names=()
    case $text in
      'all inputs') names=("${inputs[@]}") text= ;;
      'all inputs but '*)
        mapfile -t names < <(printf '%s\n' "${inputs[@]}" | grep -vxF "$(tr -d '\140' <<<"${text#all inputs but }")")
        text= ;;
    esac
    while read -r word; do
      found=
      # shellcheck disable=SC2053   # its * is any text
      for i in "${inputs[@]}"; do if [[ $i == $word || $i == "${word}_i" ]]; then names+=("$i") found=1; fi; done
      [ -n "$found" ] || names+=("no input $word")
    done < <([ -z "$text" ] || tr -d '\140 ' <<<"$text" | tr ',' '\n')
    printf '%s: %s\n' "$outputs" "$(printf '%s\n' "${names[@]}" | sort | xargs)"
  done <<<"$all"
}
# The inputs that the netlist has on the way to an output, flip-flops cut, a line each: output input.
cones() {   # block, outputs...
  local top=${1##*/} files o ask=''
  mapfile -t files < <(bash -c '. cosim/lib.sh; sources "$1" whole' - "$1" | grep '\.sv$')
  for o in "${@:2}"; do
    ask+="tee -q -a $tmp/cone log output $o; tee -q -a $tmp/cone select -list w:$o %ci*:-\$mem_v2[WR_CLK,WR_ADDR,WR_DATA,WR_EN,RD_CLK] i:* %i; "
  done
  : >"$tmp/cone"
  # From a file: Yosys 0.52 takes the commas of this selection for the ends of commands when it comes with -p.
  echo "read_verilog -sv -defer ${files[*]}; hierarchy -top $top; rename -top $top; proc; flatten; opt_expr; opt_clean
    memory_collect; delete t:*dff*; opt_clean -purge; simplemap; splitnets; opt_clean -purge; cd $top
    $ask" >"$tmp/cone.ys"
  yosys -qq "$tmp/cone.ys" >"$tmp/log" 2>&1 || { tail -n 2 "$tmp/log"; return 1; }
  awk '$1 == "output" { o = $2 } /\// { sub(/.*\//, ""); print o, $0 }' "$tmp/cone"
}
# As said, from the netlist: every output of the rows of this page.
so() {   # block, page
  local outputs o all
  read -ra all < <(lists "$2" | cut -f 1 | xargs)
  [ -f "$tmp/cones-${1/\//-}" ] || cones "$1" "${all[@]}" >"$tmp/cones-${1/\//-}"
  lists "$2" | cut -f 1 | while read -r outputs; do
    printf '%s: %s\n' "$outputs" "$(for o in $outputs; do sed -n "s/^$o //p" "$tmp/cones-${1/\//-}"; done | sort -u | xargs)"
  done
}
for b in "${blocks[@]}"; do
  [ -n "$(lists "docs/blocks/$b.md" 2>/dev/null)" ] || continue
  so "$b" "docs/blocks/$b.md" >"$tmp/so"
  said "$b" "docs/blocks/$b.md" >"$tmp/said"
  agree "$b: the inputs behind comb" "$tmp/so" "rtl/$b.sv: the inputs that an output of the same cycle depends on" "$tmp/said" "docs/blocks/$b.md"
done
[ $# -eq 0 ] || exit $failed
wrong_list() {   # what, block, sed expression on its page
  sed "$3" "docs/blocks/$2.md" >"$tmp/page.md"
  if cmp -s "docs/blocks/$2.md" "$tmp/page.md"; then not_ok "$1" "nothing changed: $3"; return; fi
  so "$2" "$tmp/page.md" >"$tmp/so"
  said "$2" "$tmp/page.md" >"$tmp/said"
  if cmp -s "$tmp/so" "$tmp/said"; then not_ok "$1" 'the page is as good as before'; else ok "$1 is caught"; fi
}
wrong_list 'an input too many' slice/dit 's/comb (`load_valid_i`, `load_addr_i`,/comb (`load_*_i`,/'
wrong_list 'an input too few' slice/dit 's/, `result_ready_i`)/)/'
wrong_list 'an input that there is not' slice/vt 's/`part0_ready_i`,/`part_ready_i`, `part0_ready_i`,/'
wrong_list 'a row that is as another one, and should not be' ltrf/pfu 's/comb (`fill_\*_i`)/comb (as `main_read`)/'
wrong_list 'all inputs, of an output without some' slice/sit 's/| comb ([^)]*)/| comb (all inputs)/'

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
