#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian packages of the named groups that are missing: cmodel/make/deps.sh build|test ...
# Silent and without a network when all is there. Works as root and, where sudo is, as a user.
# cmodel/make/deps.sh --list GROUP... prints the names instead: of alternatives (A|B) the one that is, or would be, installed; "-" stands for none.
set -euo pipefail
cd "$(dirname "$0")/../.."
. cmodel/make/progress.sh
export LC_ALL=C

list=
if [ "${1-}" = --list ]; then list=1 && shift; fi
want=()   # each: one name, or alternatives A|B
for group in "$@"; do
  if ! grep -q "^$group " cmodel/make/packages.txt; then
    echo "cmodel/make/deps.sh: found group $group, expected one of: $(sed -n 's/^\([a-z]*\) [^ ]*$/\1/p' cmodel/make/packages.txt | sort -u | tr '\n' ' ')" >&2 && exit 2
  fi
  while read -r g name; do
    if [ "$g" = "$group" ]; then want+=("$name"); fi
  done < cmodel/make/packages.txt
done
mapfile -t want < <(printf '%s\n' "${want[@]}" | sort -u)

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  if [ -n "$list" ]; then printf '%s\n' "${want[@]%%|*}" && exit 0; fi
  echo "make deps: this is no Debian system (no dpkg-query, apt-get); install by hand what answers to: ${want[*]%%|*}" >&2
  # Not an error by itself: the tools may be installed in another way.
  exit 0
fi

# A stamp remembers that nothing is missing until a package is installed or removed, or the list changes.
state=$(stat -c '%i %Y %s' /var/lib/dpkg/status 2>/dev/null && cat cmodel/make/packages.txt) || state=
stamp=build/deps/$(IFS=-; echo "$*")
if [ -z "$list" ] && [ -e "$stamp" ] && [ "$(<"$stamp")" = "$state" ]; then exit 0; fi

# Names, one a line, of the packages that are installed; of those that apt-get could install.
installed() { { dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null || true; } | sed -n 's/ installed$//p'; }
offered() { { apt-cache policy "$@" 2>/dev/null || true; } | awk '/^[^ ]/ { sub(/:$/, ""); name = $0 } /^ *Candidate:/ && $2 != "(none)" { print name }'; }

# Sets chosen, a name for each line of the list, and missing, those of them that are not installed.
# Of alternatives the first that can be installed counts; without package lists, the first that is.
choose() {
  local names=("${want[@]}") line name pick
  local -A have=() offer=()
  chosen=() missing=()
  mapfile -t names < <(printf '%s\n' "${want[@]}" | tr '|' '\n')
  while read -r name; do have[$name]=1; done < <(installed "${names[@]}")
  for line in "${want[@]}"; do
    pick=${line%%|*}
    if [ -z "${have[$pick]-}" ] && [ "$line" != "$pick" ]; then
      if [ ${#offer[@]} -eq 0 ]; then
        offer[.]=1
        while read -r name; do offer[$name]=1; done < <(offered gcc "${names[@]}")
      fi
      pick=
      for name in ${line//|/ }; do if [ -z "$pick" ] && [ -n "${offer[$name]-}" ]; then pick=$name; fi; done
      for name in ${line//|/ }; do if [ -z "$pick" ] && [ -n "${have[$name]-}" ]; then pick=$name; fi; done
      # A release without the package: known when its lists are here.
      if [ -z "$pick" ] && [[ $line = *'|-' ]] && [ ${#offer[@]} -gt 1 ]; then continue; fi
      pick=${pick:-${line%%|*}}
    fi
    chosen+=("$pick")
    if [ -z "${have[$pick]-}" ]; then missing+=("$pick"); fi
  done
}
remember() { { mkdir -p "${stamp%/*}" && printf '%s\n' "$state" >"$stamp"; } 2>/dev/null || true; }

choose
if [ -n "$list" ]; then printf '%s\n' "${chosen[@]}" && exit 0; fi
if [ ${#missing[@]} -eq 0 ]; then remember && exit 0; fi

# What a person types who has root's password.
by_hand() { echo "make deps: $1; as root: apt-get install --no-install-recommends ${missing[*]}" >&2; }
root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then by_hand 'packages are missing, and neither root nor sudo is here to install them' && exit 1; fi
  # sudo asks for a password on the terminal, once, before anything else is written there.
  if ! sudo -n true 2>/dev/null && ! sudo -v; then by_hand 'packages are missing, and sudo does not let this user install them' && exit 1; fi
  root=(sudo)
fi

# One at a time; another one may have installed the packages meanwhile. Daemons that are installed do not inherit the lock.
mkdir -p build
exec 9>build/deps.lock
flock 9
choose
if [ ${#missing[@]} -eq 0 ]; then exit 0; fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
update() { "${root[@]}" apt-get update -o DPkg::Lock::Timeout=500 2>&1 9>&- | tee "$log" | progress 'make deps: package lists' '^Get:' || true; }
try() {
  echo "make deps: installing ${#missing[@]} packages, this may take some minutes: ${missing[*]}"
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
    -o DPkg::Lock::Timeout=500 "${missing[@]}" 2>&1 9>&- | tee "$log" | progress 'make deps' '^(Get:|Unpacking |Setting up )'
}
# Package lists may be absent or old; they are fetched when one of the packages is unknown, or the first try fails.
if [ "$(offered "${missing[@]}" | wc -l)" -lt ${#missing[@]} ]; then update && choose; fi
if ! try; then
  update
  choose
  if ! try; then
    tail -n 20 "$log" >&2
    by_hand 'these packages could not be installed'
    exit 1
  fi
fi
echo "make deps: ${#missing[@]} packages installed"
