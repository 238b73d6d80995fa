#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A function's name says what it works on and what it does (ltrf_plan, lsu_open, cache_fetch_sectors), and no two files of cmodel/, cosim/ and tb/ have one of
# the same name: so a stack trace, ctags or grep leads to one place. What may repeat: hooks of slots (cmodel/sm/slot.def) in cmodel/systems/, and the methods
# of a bench (struct tb, cosim/engine/tb.h) in tb/. Not looked at: C++ of cosim/systemc/, which stands in for others; what programs call by a name that
# is not ours (OpenCL, CUDA); functions that a macro makes.
# Functions are those that ctags finds, and those that cmodel/make/functions.awk does: ctags misses one that follows a macro's line without ;.
# usage: tests/names.sh [TREE]   prints each name that does not fit, as file:line: error: ...
here=$(cd "$(dirname "$0")/.." && pwd) || exit 2
cd "${1:-$here}" || exit 2
export LC_ALL=C
ctags=$(command -v ctags-universal || command -v ctags) || { echo 'names.sh: found no ctags, expected it (make deps, or the package universal-ctags)' >&2; exit 2; }
folders=()
for d in cmodel cosim tb; do [ ! -d $d ] || folders+=("$d"); done
{
  "$ctags" -x --_xformat='%N %F %n' --kinds-C=f --kinds-C++=f --languages=C,C++ --langmap=C:+.def -I 'TB_BINS+,ALU_FN+,ROW3+' -R "${folders[@]}" &&
    find "${folders[@]}" -name '*.[ch]' -o -name '*.def' | sort | xargs awk -f "$here/cmodel/make/functions.awk" || echo 'error names.sh 0'
} | sort -s -u -k1,2 |
  awk -v slots=cmodel/sm/slot.def -v bench=cosim/engine/tb.h '
    BEGIN {
      while ((getline line <slots) > 0) if (match(line, /^ *(HOOK|MUST|ASK)\([a-z0-9]+, *[a-z0-9_]+/)) {
        sub(/^[^,]*, */, "", line); sub(/,.*/, "", line); hook[line] = 1
      }
      while ((getline line <bench) > 0) if (match(line, /\(\*[a-z_]+\)\(/)) method[substr(line, RSTART + 2, RLENGTH - 4)] = 1
      # Terms that every C programmer, or the field, reads as they are.
      n = split("main xmalloc xcalloc xrealloc fnv1a warn note die", word, " ")
      for (i = 1; i <= n; i++) term[word[i]] = 1
      # Linked, or compiled, in place of one another: what a program does when it ends with an error, a broken block, an engine of rmu.
      n = split("die block_broken command_ends", word, " ")
      for (i = 1; i <= n; i++) either[word[i]] = 1
    }
    $0 == "error names.sh 0" { print "names.sh: error: found a source that cannot be read"; bad = 1; next }
    $2 ~ /^cosim\/systemc\/.*\.(cpp|h)$/ || $2 ~ /\/regtwin_cl\.h$/ || $1 ~ /^(cl|cu|cuda|__cuda)[A-Z]/ || $1 ~ /^[A-Z0-9_]+$/ { next }
    $2 ~ /^cmodel\/systems\// && $1 in hook { next }
    $2 ~ /^tb\// && $1 in method { next }
    $1 !~ /_/ && !($1 in term) { print $2 ":" $3 ": error: found the function \"" $1 "\", expected what it works on and what it does (object_verb)"; bad = 1 }
    $1 == "main" || $1 in either { next }
    !($1 in file) { file[$1] = $2; next }
    file[$1] != $2 { print $2 ":" $3 ": error: found the function \"" $1 "\" of " file[$1] " a second time, expected a name of its own"; bad = 1 }
    END { if (NR < 1000) { print "names.sh: error: found " NR " functions, expected thousands"; bad = 1 } exit bad }'
