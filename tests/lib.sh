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
  if out=$(diff "$2" "$3" 2>&1 | head -n 10) && [ -z "$out" ] && [ -s "$2" ]; then ok "$1"; else not_ok "$1" "$out"; fi
}
# Results without what belongs to the host, or names the file that was run.
statistics() { grep -vE '"(host_seconds|warp_instructions_per_second|cycles_per_second|peak_rss_bytes)"' "$1"; }
kernels() { local d; for d in traces/*/small.launch; do basename "$(dirname "$d")"; done; }
