# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# For the shell tests: each prints "ok - name" or "not ok - name" lines; tests/run.sh counts them.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
export LC_ALL=C
unset MAKELEVEL   # below make test, make in a test says and does what it does for a user
export regtwin=$PWD/build/regtwin
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

ok() { echo "ok - $1"; }
skip() { echo "ok - $1 # SKIP $2"; }   # name, reason: what cannot run here is counted apart, never as passed
# Skips the rest of the test, or goes on, as NAME can be done here: name, reason, command that shows it.
skip_unless() {
  local name=$1 reason=$2
  shift 2
  "$@" >/dev/null 2>&1 || { skip "$name" "$reason"; exit 0; }
}
# The path of nvcc, or nothing. It is the one program beside those of cmodel/make/packages.txt that is used where it is.
nvcc_path() { command -v nvcc || { [ ! -x /usr/local/cuda/bin/nvcc ] || echo /usr/local/cuda/bin/nvcc; }; }
not_ok() {   # name, reason lines...
  echo "not ok - $1"
  shift
  printf '  %s\n' "$@"
}
# check NAME COMMAND...: ok when the command succeeds; what it printed is shown when it does not.
check() {
  local name=$1 out
  shift
  if out=$("$@" 2>&1); then ok "$name"; else not_ok "$name" "$*" "$out"; fi
}
# same NAME FILE FILE: ok when both are equal, and not empty.
same() {
  local out
  if out=$(diff "$2" "$3" 2>&1 | head -n 10) && [ -z "$out" ] && [ -s "$2" ]; then ok "$1"; else not_ok "$1" "< ${2##*/}, > ${3##*/}" "$out"; fi
}
has() {   # name, pattern, file
  if grep -qE -- "$2" "$3"; then ok "$1"; else not_ok "$1" "expected /$2/ in:" "$(head -n 60 "$3")"; fi
}
hasnt() { if grep -qE -- "$2" "$3"; then not_ok "$1" "found /$2/"; else ok "$1"; fi; }
equal() {   # name, found, expected; nothing found is never right
  if [ -n "${2// /}" ] && [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" "found $2, expected $3"; fi
}
# The first value of a key in a JSON file of ours: key, file.
get() { sed -n "s/^ *\"$1\": \([^ ,]*\),*\$/\1/p" "$2" | head -n 1; }
# How many runs a database of results has seen end, repeated ones as often as they were run: file.
ran() { sqlite3 -cmd '.timeout 30000' "$1" 'SELECT sum(tries) FROM run'; }
# Results without the keys that describe the host.
statistics() { grep -vE '"(host_seconds|warp_instructions_per_second|cycles_per_second|peak_rss_bytes)"' "$1"; }
kernels() { local d; for d in traces/kernels/*/*.launch; do basename "$d" .launch; done; }
# A kernel's launch file, but such that its size small is the one that runs when no size is asked for: KERNEL.
small_launch() { sed -E 's/^(sizes? .*)\bdefault\b/\1large/' "${regtwin%/build/*}/traces/kernels/$1/$1.launch"; }
# Patterns of the lines that `hashes` would print of the kernels whose work depends on timing.
timed() { grep -l '^work: timing' traces/kernels/*/about.yaml | sed -E 's|.*/([^/]*)/about.yaml|^\1 |'; }
# Runs every kernel, small and with sim.check: options... Kernel and stream hash, a line each; JSON, table and what was
# wrong are in $tmp/j, $tmp/table and $tmp/err. Kernels that execute more or less with other timing are left out.
hashes() {
  local all
  mapfile -t all < <(kernels)
  rm -f "$tmp/j"
  "$regtwin" run "${all[@]}" --size small --set sim.check=true --json "$tmp/j" "$@" >"$tmp/table" 2>"$tmp/err"
  paste -d ' ' <(printf '%s\n' "${all[@]}") <(sed -n 's/.*"stream_hash": "\(.*\)".*/\1/p' "$tmp/j") |
    grep -vf <(timed)
}
# A page of a paper's experiments: a section for each of them, and every picture that it shows: page, "E-FR".
page_of() {
  "$regtwin" experiment --list | sed -n "s/^\($2[^ ]*\) .*/\1/p" | sort >"$tmp/want"
  sed -n "s/^## \($2[^:]*\): .*/\1/p" "$1" docs/results/cost.md | sort >"$tmp/found"
  same 'a section for each experiment' "$tmp/want" "$tmp/found"
  local missing
  missing=$(sed -n 's/^!\[.*\](\(.*\))$/\1/p' "$1" | while read -r f; do [ -f "${1%/*}/$f" ] || echo "$f"; done)
  check 'all of its pictures are there' test -z "$missing"
}
