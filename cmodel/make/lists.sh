#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The systems' lists become files that C includes (lists.awk): DIR/systems/KIND.def, DIR/nets/NET.def and NET.h. A file whose text stays is not touched,
# so that nothing is compiled again for it.
# usage: cmodel/make/lists.sh DIR [LEFT_OUT...] -- FOLDER...     of folders that are left out the papers are taken, since manifests of kernels name them
set -euo pipefail
export LC_ALL=C
schema=cmodel/config/schema.def
dir=$1
shift
lists=("$schema" papers=1)
names=(paper)
for d in "$@"; do
  if [ "$d" = -- ]; then
    lists+=(papers=0)
    names=(system paper cost)
    continue
  fi
  for f in "${names[@]/#/$d/}"; do [ ! -f "$f.def" ] || lists+=("$f.def"); done
done
mkdir -p "$dir/systems" "$dir/nets"
new=$dir/lists.$$
trap 'rm -rf "$new"' EXIT
mkdir "$new" "$new/systems" "$new/nets"
awk -v out="$new" -v schema="$schema" -v blocks=cmodel/blocks -f cmodel/make/lists.awk "${lists[@]}"
for f in "$dir"/nets/*.{def,h}; do   # of a folder that is gone
  [ ! -f "$f" ] || [ -f "$new/nets/${f##*/}" ] || rm "$f"
done
for f in "$new"/systems/*.def "$new"/nets/*.{def,h}; do
  [ ! -f "$f" ] || cmp -s "$f" "$dir${f#"$new"}" || mv "$f" "$dir${f#"$new"}"
done
