# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Results that are kept by the hash of everything they depend on, so that no test runs twice on the same files. A result stands in
# tests/records.tsv (committed; make records writes it) or in build/cache/results (this tree's own runs); both have lines
#   WHAT <tab> HASH <tab> RESULT
# Sourced from the root of the tree. FRESH=1 looks nothing up, but still stores.
records=${RECORDS:-tests/records.tsv}
cache=${CACHE:-build/cache}
declare -A kept_results=()
kept_file() {   # file: loads its lines
  local what hash result
  while IFS=$'\t' read -r what hash result; do
    case $what in '#'* | '') ;; *) kept_results["$what"$'\t'"$hash"]=$result ;; esac
  done <"$1"
}
if [ -z "${FRESH:-}" ]; then
  for kept_from in "$records" "$cache/results"; do [ ! -f "$kept_from" ] || kept_file "$kept_from"; done
fi

# Sets `result` to what is kept of WHAT at HASH. Fails if nothing is.
kept() {
  result=${kept_results["$1"$'\t'"$2"]-}
  [ -n "$2" ] && [ -n "$result" ] || return
  keep_line "$cache/used" "$1" "$2" "$result"
}
# Stores the RESULT of WHAT at HASH. A failure is not a result: the caller stores what passed.
keep() {
  [ -n "$2" ] || return 0
  kept_results["$1"$'\t'"$2"]=$3
  keep_line "$cache/results" "$1" "$2" "$3"
  keep_line "$cache/used" "$1" "$2" "$3"
}
keep_line() {   # file, what, hash, result: one write, since several jobs append
  mkdir -p "${1%/*}"
  printf '%s\t%s\t%s\n' "${@:2}" >>"$1"
}
# The hash of files and of further words: files..., then "--", then words. A folder stands for all files below it but README.md, on which
# no result depends. Fails, and prints nothing, if a file cannot be read.
kept_hash() {
  local files=() f sums
  while [ $# -gt 0 ] && [ "$1" != -- ]; do files+=("$1"); shift; done
  sums=$(for f in "${files[@]}"; do if [ -d "$f" ]; then find "$f" -type f ! -name README.md; else echo "$f"; fi; done | LC_ALL=C sort -u |
    tr '\n' '\0' | xargs -0 -r sha256sum) || return 1
  { [ -z "$sums" ] || printf '%s\n' "$sums"
    printf '%s\n' "$@"
  } | sha256sum | cut -c1-16
}
