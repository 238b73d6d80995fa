#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The kernels' PTX and the sources that it was compiled from, by their contents (traces/kernels/compiled.tsv: kernel, hash of its .cl, of the
# headers and of the compiler's flags, hash of the PTX). Called by make, with a line "KERNEL flags" on standard input for each kernel.
# cmodel/make/kernels.sh edited: the kernels whose sources or PTX are not those recorded.
# cmodel/make/kernels.sh record KERNEL...: writes their lines again.
set -euo pipefail
cd "$(dirname "$0")/../.."
export LC_ALL=C
file=traces/kernels/compiled.tsv
[ -e "$file" ] || : >"$file"

headers=$(cat traces/kernels/include/*.h | sha256sum)
# For each line of standard input: kernel, hash of what it is compiled from, hash of its PTX or "-".
hashes() {
  local k flags source ptx
  while read -r k flags; do
    source=$({ echo "$flags $headers" && cat "traces/kernels/$k/$k.cl"; } | sha256sum)
    ptx=$(sha256sum 2>/dev/null <"traces/kernels/$k/$k.ptx") || ptx=-
    printf '%s\t%s\t%s\n' "$k" "${source%% *}" "${ptx%% *}"
  done
}
case $1 in
  edited) hashes | { grep -vxFf "$file" || true; } | cut -f 1 ;;
  record)
    shift
    hashes >"$file.new"
    # Other kernels keep their lines.
    awk -F '\t' -v names=" $* " 'FILENAME == ARGV[1] { line[$1] = $0; next } index(names, " " $1 " ") { line[$1] = $0 }
      $1 in line { print line[$1] }' "$file" "$file.new" >"$file.out"
    rm "$file.new"
    mv "$file.out" "$file"
    ;;
esac
