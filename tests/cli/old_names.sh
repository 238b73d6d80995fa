#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Old names (docs/names.md) and unclear expressions are not used: no line matches a pattern of tests/old_names.txt.
# needs: none
. "$(dirname "$0")/../lib.sh"

grep -vE '^(#|$)' tests/old_names.txt >"$tmp/patterns"
# FILE:LINE:TEXT of every line of the text files below a folder that matches.
used() {
  (cd "$1" && find . \( -name .git -o -path ./build -o -path ./docs/img -o -path ./traces/streams \) -prune -o -type f \
    ! -path ./docs/names.md ! -path ./tests/old_names.txt ! -path ./tests/cli/old_names.sh ! -name LICENSE -print0 |
    xargs -0 grep -HInE -f "$tmp/patterns")
}
used . >"$tmp/used"
check "none of $(wc -l <"$tmp/patterns") patterns is found" diff /dev/null "$tmp/used"

# Each kind of pattern is found where it is planted, and a name that only contains an old one is not.
mkdir -p "$tmp/planted/cmodel" "$tmp/planted/build"
printf '%s\n' 'struct wi *next;' '#include "lab/run.h"' 'score_issue(S, w);' '.frz_v_o(x)' 'the only doors to it' \
  'struct window w; outdoors(my_score_issue_2);' >"$tmp/planted/cmodel/a.c"
cp "$tmp/planted/cmodel/a.c" "$tmp/planted/build/a.c"
used "$tmp/planted" | cut -d: -f1,2 >"$tmp/seen"
printf './cmodel/a.c:%d\n' 1 2 3 4 5 >"$tmp/expected"
same 'planted ones are found, in sources only' "$tmp/expected" "$tmp/seen"
