#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# regtwin list blocks and list lockstep: a row for each twin with what was recorded, a ~ when it is of other sources; every block that the papers
# name; the page's short table; every system with blocks has its runs.
. "$(dirname "$0")/../lib.sh"
"$regtwin" list blocks >"$tmp/l"
for f in cmodel/blocks/*/*.def; do f=${f#cmodel/blocks/} && echo "${f%.def}"; done | sort >"$tmp/twins"
sed '/^$/,$d; 1d' "$tmp/l" >"$tmp/rows"
awk '{ print $1 }' "$tmp/rows" | sort >"$tmp/found"
same 'a row for each twin' "$tmp/twins" "$tmp/found"
while IFS=$'\t' read -r b _ _ text; do
  grep "^$b " "$tmp/rows" | grep -qE " ${text//+/\\+}(~| |\$)" || echo "$b: $text"
done < <(grep -v '^#' cosim/records/twins.tsv) >"$tmp/missing"
check 'what was recorded is shown' test ! -s "$tmp/missing"
awk -F '\t' 'FNR == NR { split($0, f, " "); known[f[1]] = 1; next } $1 in known { print $1 " .* " $4 "~? +" $7 "~? " }' "$tmp/twins" cosim/records/baseline.tsv >"$tmp/costs"
check 'a cost for each' test "$(wc -l <"$tmp/costs")" = "$(wc -l <"$tmp/twins")"
equal 'areas and paths are the recorded ones' "$(while read -r p; do grep -cE "^$p" "$tmp/rows"; done <"$tmp/costs" | grep -c '^1$')" "$(wc -l <"$tmp/twins")"

# ---- what the papers name: a line for each twin, and no line that refers to what there is not
unknown() {   # papers.def: what it refers to and is not there, and twins that no line names
  local what
  sed -n 's/^\(OF_PAPER\|INSIDE\|UNTWINNED\)([a-z]*, "[^"]*", "[^"]*", "\([^"]*\)".*/\1 \2/p' "$1" >"$tmp/refers"
  grep -cE '^(OF_PAPER|INSIDE|UNTWINNED)\([a-z]' "$1" | grep -qx "$(wc -l <"$tmp/refers")" || echo 'a line of another form'
  while read -r kind what; do
    case $kind in
      UNTWINNED) [ -f "$what" ] || echo "$what" ;;
      *) grep -qx "$what" "$tmp/twins" || echo "$what" ;;
    esac
  done <"$tmp/refers"
  comm -23 "$tmp/twins" <(sed -n 's/^OF_PAPER //p' "$tmp/refers" | sort -u)
}
equal 'the lines of papers.def' "$(unknown cmodel/blocks/papers.def | wc -l)" 0
sed 's,"slice/wve"),"slice/xve"),; s,"cmodel/sm/victim_port.c","cmodel/sm/none.c",' cmodel/blocks/papers.def >"$tmp/papers.def"
equal 'and what is not there is found' "$(unknown "$tmp/papers.def" | xargs)" 'cmodel/sm/none.c slice/xve slice/wve'
for p in finereg linebacker ltrf malekeh slices; do has "of $p, with and without a twin" "^$p .* - +" "$tmp/l"; done
for what in 'WCB.* ltrf/pfu' 'IPC monitor +in linebacker/ctl' 'cache table \(CT\) +in malekeh/ccu' 'CTA status monitor +finereg/csm' '1024-bit OR gate +in slice/scu'; do
  has "named: ${what%% +*}" "$what" "$tmp/l"
done

# ---- a result of other sources: the table of a tree of one system, and the same with a change
tree=$tmp/tree
mkdir -p "$tree"/{cmodel/blocks,cmodel/systems/slices,rtl,tb,traces/streams,traces/kernels,synth}
cp -r cosim "$tree"
cp -r cmodel/base "$tree/cmodel"
cp -r cmodel/blocks/{slice,*.h} "$tree/cmodel/blocks"
cp cmodel/systems/slices/system.def "$tree/cmodel/systems/slices"
cp -r cmodel/make "$tree/cmodel"   # cosim/whole_sm/whole.sh has the wires from it, cosim/lib.sh says what it does
mkdir "$tree/cmodel/config" && cp cmodel/config/schema.def "$tree/cmodel/config"
cp -r rtl/{slice,common} "$tree/rtl"
cp -r tb/slice "$tree/tb"
cp -r traces/streams/slice "$tree/traces/streams"
cp -r synth/{formal,hash.sh} "$tree/synth"
grep -h -E '^#|^slice/' cosim/records/twins.tsv >"$tree/cosim/records/twins.tsv"
grep -h -E $'^#|\tslice/' cosim/records/lockstep.tsv >"$tree/cosim/records/lockstep.tsv"
cut -f 5 "$tree/cosim/records/lockstep.tsv" | grep -v '^#' | sort -u | while read -r k; do [ ! -d "traces/kernels/$k" ] || cp -r "traces/kernels/$k" "$tree/traces/kernels"; done
table() { "$tree/cosim/table.sh" 2>&1; }
table >"$tmp/a"
grep -E '^TWINS\("slice/|^FOLDER\("slice' build/gen/twins/blocks.def >"$tmp/b"
grep -E '^TWINS|^FOLDER' "$tmp/a" >"$tmp/c"
same 'the table of a part of the tree is a part of the table' "$tmp/b" "$tmp/c"
# Runs on the whole SM that are of this tree, whatever was recorded.
(cd "$tree" && . cosim/lib.sh && cut -f 12 cosim/records/lockstep.tsv | grep -oE 'slice/[a-z]+' | sort -u | while read -r b; do
  sed -E -i "s,($b=[^:]*:[0-9]+:)[0-9a-f]+,\\1$(hash_of "$b" whole),g" cosim/records/lockstep.tsv
done
. cosim/whole_sm/whole.sh
grep -v '^#' cosim/records/lockstep.tsv | cut -f 2,5,11 | sort -u | while IFS=$'\t' read -r keys kernel hash; do
  sed -i "s/\t$hash\t/\t$(run_hash slices "$kernel" "$keys")\t/" cosim/records/lockstep.tsv
done)
table >"$tmp/a"
check 'none of their runs is another' test "$(grep -c '"equal", 0, ' "$tmp/a")" -gt 0 -a "$(grep -c '"equal", 1, ' "$tmp/a")" = 0
echo 'wire another;' >>"$tree/rtl/slice/vcl.sv"
table >"$tmp/b"
stale() { diff "$tmp/a" "$tmp/b" | sed -n 's/^> TWINS("\([^"]*\)".*/\1/p' | xargs; }
equal 'a change of vcl.sv marks vcl and vc' "$(stale)" 'slice/vc slice/vcl'
equal 'every result of vcl behind its storage' "$(sed -n 's/^TWINS("slice\/vcl",[^"]*"slice\/vc", [0-9]*, [0-9]*, [0-9]*, "[^"]*", \(.*\)/\1/p' "$tmp/b" | grep -o '"[^"]*~"' | wc -l)" 6
storage_of_vcl() { sed -n 's/^TWINS("slice\/vcl",[^"]*"slice\/vc", [0-9]*, [0-9]*, [0-9]*, \("[^"]*"\), .*/\1/p' "$1"; }
check 'and not its storage' test -n "$(storage_of_vcl "$tmp/b")" -a "$(storage_of_vcl "$tmp/a")" = "$(storage_of_vcl "$tmp/b")"
sed -i '$d' "$tree/rtl/slice/vcl.sv"
k=$(sed -n 's/.*\t\([a-z0-9_]*\)\tsmall\t.*/\1/p' "$tree/cosim/records/lockstep.tsv" | head -n 1)
echo '# x' >>"$tree/traces/kernels/$k/$k.launch"
table >"$tmp/b"
has "another $k makes its runs other" "^LOCKSTEP\\(.*\"$k\", \"small\", [01], [0-9]+, 0, \"equal\", 1, " "$tmp/b"
check 'and no other runs' test "$(grep -c '"equal", 1, ' "$tmp/b")" -gt "$(grep -c '"equal", 1, ' "$tmp/a")" -a "$(grep '"equal", 1, ' "$tmp/b" | grep -vc "\"$k\"")" = "$(grep '"equal", 1, ' "$tmp/a" | grep -vc "\"$k\"")"

# ---- docs/develop/lockstep.md has the short form
sed -n '/^<!-- twins -->$/,/^<!-- end of twins -->$/{/^<!-- /!p}' docs/develop/lockstep.md >"$tmp/page"
"$regtwin" list blocks --markdown >"$tmp/short"
same 'the table of docs/develop/lockstep.md (make twins-page)' "$tmp/short" "$tmp/page"

# ---- lockstep of every system
"$regtwin" list lockstep >"$tmp/runs"
equal 'a line for each run' "$(sed 1d "$tmp/runs" | wc -l)" "$(grep -vc '^#' cosim/records/lockstep.tsv)"
equal 'no run with a mismatch' "$(awk -F '\t' '!/^#/ && ($9 != 0 || $10 != "equal")' cosim/records/lockstep.tsv | wc -l)" 0
equal 'each run beside the Verilog has one driven by it' \
  "$(grep -v '^#' cosim/records/lockstep.tsv | awk -F '\t' '{ n[$1, $2, $4] += $7 == "rtl" ? 1 : -1 } END { for (k in n) bad += n[k] != 0; print bad + 0 }')" 0
with_blocks() {   # systems whose slots have a choice with blocks
  "$regtwin" list systems --names | while read -r s; do
    "$regtwin" config --dump --system "$s" >"$tmp/dump"
    ! grep -qE '^ *(residency: (finereg|vt|linebacker)|l1: victim|storage: (ltrf|slices)|collector: ccu)$' "$tmp/dump" || echo "$s"
  done
}
grep -v '^#' cosim/whole_sm/plan.tsv | cut -f 1 | sort -u >"$tmp/planned"
with_blocks | sort >"$tmp/have"
same 'every system with blocks is in cosim/whole_sm/plan.tsv' "$tmp/have" "$tmp/planned"
for s in FineReg LB LTRF+ Malekeh SL-Full-P; do
  check "$s: a run of each class that its machine has" test "$(awk -F '\t' -v s="$s" '$1 == s && $2 !~ /serial/ { print $4 }' cosim/records/lockstep.tsv | sort -u | wc -l)" -ge 4
done

wrong() {   # name, pattern, arguments...
  local name=$1 want=$2
  shift 2
  "$regtwin" "$@" >"$tmp/out" 2>"$tmp/err"
  equal "$name" $? 2
  has "$name: the message" "$want" "$tmp/err"
}
wrong 'markdown of another list' "found --markdown with 'systems', expected it with blocks" list systems --markdown
wrong 'a paper of the blocks' "found --paper or -v with 'blocks', expected them with kernels" list blocks --paper ltrf
