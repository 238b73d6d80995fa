#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# clang-tidy with the committed .clang-tidy, some files at a time: tests/lint.sh JOBS FILE...
# The compiler's flags come in LINT_FLAGS, quoted as for a shell. A source without a warning is not read again (tests/kept.sh) until one
# of these changes: itself, the headers and lists (.def) of its name, those without such a source to which it is the nearest includer and
# the first of these, .clang-tidy, the flags.
# exec/alu_*.c are thousands of short functions over 32 lanes, made by macros, without pointers to follow: there the path
# analyzer takes minutes and cannot relate shift counts to widths; the other checks run on them as everywhere.
# sm/ is compiled with -fms-extensions (Makefile, VIEWS), with which clang-tidy 14 finds duplicate includes where there are none.
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C
. tests/kept.sh
export cache
tidy=${CLANG_TIDY:-$(cmodel/make/llvm.sh clang-tidy)}
export tidy
jobs=$1
shift
if [ -z "${CLANG_TIDY-}" ] && ! why=$(cmodel/make/llvm.sh --reference clang-tidy); then
  echo "ok - clang-tidy of $# C files # SKIP $why (CONTRIBUTING.md)"
  exit 0
fi

one() {   # file, its hash
  local extra=()
  if [[ $1 == */exec/alu_* ]]; then extra=(--checks='-clang-analyzer-*'); fi
  if [[ $1 == */sm/* ]]; then extra=(--checks=-readability-duplicate-include); fi
  local words out status=0
  eval "words=($LINT_FLAGS)"
  if [[ $1 == */sm/* ]]; then words+=(-fms-extensions -Wno-microsoft-anon-tag); fi
  out=$("$tidy" --quiet --warnings-as-errors='*' "${extra[@]}" "$1" -- "${words[@]}" 2>&1) || status=1
  grep -vE '^[0-9]+ warnings? (generated|treated)|^Suppressed|^Use -header' <<<"$out" | sed '/^$/d'
  [ $status -ne 0 ] || { keep_line "$cache/results" "lint $1" "$2" clean && keep_line "$cache/used" "lint $1" "$2" clean; }
  return $status
}
export -f one keep_line

# SOURCE FILE: which headers and lists (.def) are linted with which source. What make writes into build/gen leads to lists, and is none.
gen=${BUILD_DIR:-build}
lists=$({ grep -rHE '^[ \t]*#[ \t]*(include|define[ \t]+[A-Z_]+_DEF)[ \t]+"' --include='*.[ch]' --include='*.def' cmodel
  if [ -d "$gen/gen" ]; then grep -rHE '^#(include|line [0-9]+) "' --include='*.def' "$gen/gen"; fi; } | sed -E 's,^([^:]*):[^"]*"([^"]*)".*,\1 \2,' | sort -u |
  awk -v gen="$gen/" '
    { to = ($2 ~ /^gen\// ? gen : $2 ~ /^cmodel\// ? "" : "cmodel/") $2; edges[$1] = edges[$1] " " to; if ($1 ~ /c$/ && !($1 in known)) { known[$1] = 1; source[++n] = $1 } }
    END {
      for (k = 1; k <= n; k++) {
        split("", depth); split("", queue)
        depth[source[k]] = 0; queue[last = 1] = source[k]
        for (q = 1; q <= last; q++) {
          m = split(edges[queue[q]], next_one, " ")
          for (e = 1; e <= m; e++) if (!(next_one[e] in depth)) { depth[next_one[e]] = depth[queue[q]] + 1; queue[++last] = next_one[e] }
        }
        for (q = 2; q <= last; q++) {
          own = queue[q]; sub(/[a-z]*$/, "c", own)
          far = own == source[k] ? -1 : depth[queue[q]]
          if (!(queue[q] in best) || far < best[queue[q]]) { best[queue[q]] = far; with[queue[q]] = source[k] }
        }
      }
      for (f in with) if (index(f, gen) != 1) print with[f], f
    }' | sort)
other=
if [ -n "${CLANG_TIDY-}" ]; then other=$("$tidy" --version); fi   # what another one found is not kept as the reference's
todo=()
for f in "$@"; do
  mapfile -t with < <(awk -v f="$f" '$1 == f && (getline line <$2) >= 0 { print $2 }' <<<"$lists")
  hash=$(kept_hash .clang-tidy "$f" ${with[@]+"${with[@]}"} -- "$LINT_FLAGS" ${other:+"$other"})
  if kept "lint $f" "$hash"; then :; else todo+=("$f" "$hash"); fi
done
[ $# -eq 0 ] || echo "clang-tidy: $((${#todo[@]} / 2)) of $# files, the others are kept from the same text" >&2
# shellcheck disable=SC2016
printf '%s\n' ${todo[@]+"${todo[@]}"} | xargs -r -P "$jobs" -n 2 bash -c 'one "$0" "$1"'
