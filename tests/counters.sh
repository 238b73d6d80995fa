#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The counters of two small kernels or more under each system, as tests/data/counters/SYSTEM holds them: for each kernel a line
#   # KERNEL [options of regtwin run]
# and below it `name value`, sorted: every count of the run's JSON that is not zero. A change that means to change results records them again.
#   tests/counters.sh check [SYSTEM...]    runs them; prints the counts that differ, then "SYSTEM KERNEL same" or "SYSTEM KERNEL differs"
#   tests/counters.sh record [SYSTEM...]   writes them (make counters-record)
# COUNTERS= is another folder.
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C
regtwin=${REGTWIN:-build/regtwin} folder=${COUNTERS:-tests/data/counters}
mode=${1-}
case $mode in check | record) shift ;; *) echo "tests/counters.sh: found '$mode', expected check or record" >&2 && exit 2 ;; esac
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export regtwin folder tmp mode

# Whole numbers of what was counted; without the settings, and what describes the host. From jq 1.7 on a sum alone makes 23 of 23.0.
counts() {   # JSON
  jq -r '{counters, l2, dram, interconnect, load_latency, texture, occupancy, stream_hash} | paths(scalars) as $p | [($p | join(".")), getpath($p)]
    | select(.[1] != 0 and ((.[1] | type) == "string" or ((.[1] | type) == "number" and (.[1] | floor) == .[1]))) | "\(.[0] | ltrimstr("counters.")) \(.[1] | if type == "number" then . + 0 else . end)"' "$1" | sort
}

one() {   # system
  local system=$1 file=$folder/$1 line name words new=$tmp/$1 status=0
  : >"$new"
  if ! grep -q '^# ' "$file" 2>/dev/null; then
    echo "tests/counters.sh: $file: found no line '# KERNEL [options]', expected one for each of two kernels" >&2
    return 2
  fi
  while IFS= read -r line; do
    read -ra words <<<"${line#\# }"
    name=${words[*]} name=${name// /,} # KERNEL,OPTION,...
    "$regtwin" run "${words[0]}" --size small --system "$system" "${words[@]:1}" --json "$new.json" >"$new.out" 2>&1 || {
      echo "tests/counters.sh: $file: $line: it cannot be run:" >&2
      cat "$new.out" >&2
      return 2
    }
    counts "$new.json" >"$new.counts"
    { echo "$line" && cat "$new.counts"; } >>"$new"
    [ "$mode" = check ] || continue
    # The lines below this one in the file, up to the next kernel.
    awk -v line="$line" '/^# / { on = $0 == line; next } on' "$file" >"$new.old"
    if cmp -s "$new.old" "$new.counts"; then echo "$system $name same"
    else
      join -a 1 -a 2 -e 0 -o 0,1.2,2.2 "$new.old" "$new.counts" | awk -v what="$system $name" '$2 "" != $3 "" { printf "  %s: %s was %s, is %s\n", what, $1, $2, $3 }'
      echo "$system $name differs"
      status=1
    fi
  done < <(grep '^# ' "$file")
  if [ "$mode" = record ] && ! cmp -s "$new" "$file"; then cp "$new" "$file.new" && mv "$file.new" "$file" && echo "$file"; fi
  return $status
}
export -f one counts

if [ $# -eq 0 ]; then
  mapfile -t systems < <("$regtwin" list systems --names)
  set -- "${systems[@]}"
fi
# shellcheck disable=SC2016
printf '%s\n' "$@" | xargs -r -P "$(nproc)" -I{} bash -c 'set -euo pipefail; one "$1"' - {}
