#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Writes tests/records.tsv from the results that the last runs here got or took (tests/kept.sh): after a whole make test that passed,
# these alone; after anything else, these in place of older ones of the same name. A result whose file, block, set, proof or planted
# fault is no longer there goes in any case.
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C
used=build/cache/used file=tests/records.tsv
if [ ! -s "$used" ]; then
  echo "tests/records.sh: $used: found no results, expected those of make test, lint or formal in this tree" >&2
  exit 2
fi
touch "$file"
old=$file
[ ! -e build/cache/complete ] || old=/dev/null

# What a result can be of, by the names that tests give: keep in tests/, cosim/, rtl/ and synth/formal/.
names() {
  local f
  find . -name build -prune -o -name .git -prune -o -type f -printf 'lint %P\nsearch %P\n'
  for f in cmodel/blocks/*/*.def; do
    f=${f#cmodel/blocks/}
    echo "lockstep ${f%.def}"
  done
  awk -f cosim/sets.awk cmodel/blocks/*/*.def </dev/null | awk '{ print "set " $1 "@" $2 }'
  awk -F '\t' '/^#/ { next } { print "proof " $1 " " $3 }' synth/formal/proofs.tsv
  awk -F '\t' '/^#/ { next } { n = split($2, part, "/"); print "planted fault " $1 " " part[n] " " $4 " " $3 }' synth/formal/planted.tsv
}
names >"$file.names"
before=$(grep -vc '^#' "$old" || true)
{ printf '# Results of tests that are not run again on the same files (make records writes this): what, hash of all that it depends on, result\n'
  awk -F '\t' -v names="$file.names" 'BEGIN { while ((getline n < names) > 0) there[n] }
    /^#/ || NF != 3 || !($1 in there) { next } { line[$1] = $0 } END { for (w in line) print line[w] }' "$old" "$used" | sort
} >"$file.new"
gone=$(awk -F '\t' 'FNR == NR { there[$0]; next } !/^#/ && !($1 in there) { n++ } END { print n + 0 }' "$file.names" "$old")
rm "$file.names"
mv "$file.new" "$file"
[ "$gone" -eq 0 ] || echo "records: $gone of $before recorded results were of what is no longer there"
echo "records: $(grep -vc '^#' "$file") results in $file"
