#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian packages of the named groups that are missing: tests/deps.sh build|test ...
# Silent and without a network when all is there. Works as root and, where sudo is, as a user.
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/progress.sh

want=()
for group in "$@"; do
  while read -r g name; do
    [ "$g" = "$group" ] && want+=("$name")
  done < tests/packages.txt
done

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "make deps: this is no Debian system (no dpkg-query, apt-get); install by hand what answers to: ${want[*]}" >&2
  # Not an error by itself: the tools may be installed in another way.
  exit 0
fi

# One query for all of them; a name unknown to dpkg is missing in the answer.
declare -A have=()
while read -r name state; do
  if [ "$state" = installed ]; then have[$name]=1; fi
done < <(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "${want[@]}" 2>/dev/null || true)
missing=()
for name in "${want[@]}"; do
  if [ -z "${have[$name]-}" ]; then missing+=("$name"); fi
done
[ ${#missing[@]} -eq 0 ] && exit 0

root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "make deps: missing packages, and neither root nor sudo to install them: ${missing[*]}" >&2
    exit 1
  fi
  root=(sudo)
fi

echo "make deps: installing ${#missing[@]} packages, this may take some minutes: ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
try() {
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
    -o DPkg::Lock::Timeout=500 "${missing[@]}" 2>&1 | tee "$log" | progress 'make deps' '^(Get:|Unpacking |Setting up )'
}
# Package lists may be absent or old; they are fetched only when the first try fails.
if ! try; then
  "${root[@]}" apt-get update -o DPkg::Lock::Timeout=500 2>&1 | tee "$log" | progress 'make deps: package lists' '^Get:' || true
  if ! try; then
    tail -n 20 "$log" >&2
    echo "make deps: could not install: ${missing[*]}" >&2
    exit 1
  fi
fi
