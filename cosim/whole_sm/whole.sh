# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Lockstep on the whole SM as recorded in cosim/records/lockstep.tsv, and what it depends on. A row is a run: system, keys that it sets, machine, class of the
# kernel's bottleneck, kernel, size, c or rtl (who drives the SM), cycles of the SM, mismatches, statistics (equal, differ), hash of kernel and wires,
# and the blocks that were compared: BLOCK=INSTANCES:CYCLES:HASH, a part with the block that holds it in place of the number.

# Reads the nets of a system, as make has them (cmodel/make/lists.awk) but without their places, into wires[system].
declare -A wires=()
read_wires() {   # folder of the system
  local dir f
  [ -z "${wires[$1]+there}" ] || return 0
  dir=$(mktemp -d)
  cmodel/make/lists.sh "$dir" -- "cmodel/systems/$1"
  wires[$1]=$(for f in "$dir"/nets/*.def; do [ ! -f "$f" ] || { echo "NET(${f##*/})" && sed '/^#/d' "$f"; }; done)
  rm -r "$dir"
}
run_hash() {   # system's wires, kernel, keys: of what a run depends on beside the blocks; found empty files do not count
  read_wires "$1"
  { echo "${wires[$1]}"; cat "traces/kernels/$2/$2".{ptx,launch} 2>/dev/null; echo "$3"; } | sha256sum | cut -c1-16
}
wires_of() {   # block: the folder of the system whose wires name it
  case $1 in slice/*) echo slices ;; *) echo "${1%/*}" ;; esac
}

# The recorded runs: the hash of the run has become 0 or 1 (something was measured with other files), each entry BLOCK=INSTANCES:CYCLES, with a ~
# when it was.
# shellcheck disable=SC2154
whole_current() {
  [ -f cosim/records/lockstep.tsv ] || return 0
  local b hash first keys kernel
  while read -r b; do echo "$b $(hash_of "$b" whole)"; done < <(grep -v '^#' cosim/records/lockstep.tsv | cut -f 12 | tr ' ' '\n' | sed 's/=.*//' | sort -u) >"$tmp.now"
  grep -v '^#' cosim/records/lockstep.tsv | awk -F '\t' -v OFS='\t' '{ split($12, e, "="); print e[1], $5, $2 }' | sort -u |
    while IFS=$'\t' read -r first kernel keys; do
      read_wires "$(wires_of "$first")"   # once for all runs of the system
      hash=$(run_hash "$(wires_of "$first")" "$kernel" "$keys")
      printf '%s\t%s\t%s\t%s\n' "$first" "$kernel" "$keys" "$hash"
    done >"$tmp.runs-now"
  awk -F '\t' -v OFS='\t' -v now="$tmp.now" -v runs="$tmp.runs-now" 'BEGIN {
      while ((getline line <now) > 0) { split(line, f, " "); is[f[1]] = f[2] }
      while ((getline line <runs) > 0) { split(line, f, "\t"); run[f[1], f[2], f[3]] = f[4] } }
    /^#/ { next }
    { n = split($12, entry, " ")
      split(entry[1], part, "=")
      other = run[part[1], $5, $2] != $11
      text = ""
      for (k = 1; k <= n; k++) {
        split(entry[k], part, /[=:]/)
        stale = other || is[part[1]] != part[4]
        text = text (k > 1 ? " " : "") part[1] "=" part[2] ":" part[3] (stale ? "~" : "")
        any = k == 1 ? stale : any || stale
      }
      $11 = any + 0
      $12 = text
      print }' cosim/records/lockstep.tsv
}
