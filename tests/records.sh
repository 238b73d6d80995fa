#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Writes tests/records.tsv from the results that the last runs here got or took (tests/kept.sh): after a whole make test that passed,
# these alone; after anything else, these in place of older ones of the same name.
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
{ printf '# Results of tests that are not run again on the same files (make records writes this): what, hash of all that it depends on, result\n'
  awk -F '\t' '/^#/ || NF != 3 { next } { line[$1] = $0 } END { for (w in line) print line[w] }' "$old" "$used" | sort
} >"$file.new"
mv "$file.new" "$file"
echo "records: $(grep -vc '^#' "$file") results in $file"
