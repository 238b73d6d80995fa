#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Writes the callers of the slots' hooks, from the lines of a slot.def, as functions that ctags, a debugger and a reader find: residency_late(S, f) asks the
# chosen table, and gives what slot.def says where the table leaves the hook out. sm/slot_api.h includes them.
# usage: cmodel/make/hooks.sh CC SLOT_DEF
set -euo pipefail
export LC_ALL=C
echo "/* Made from $2 (cmodel/make/hooks.sh): how the SM and its choices call the hooks of the slots. */"
# The compiler expands the lines to nine fields that end with @: nothing, phase and text as string constants, type, name, parameters, member, arguments, and
# what is left out.
expanded=$($1 -E -P -x c - <<END
#define NOTHING ((void)0)
#define SLOT(slot, ID, question)
#define SLOT_END(slot)
#define HOOK(slot, name, type, left_out, phase, parameters, arguments, text) @phase@text@type@slot##_##name@parameters@slot->name@arguments@left_out@
#define MUST(slot, name, type, phase, parameters, arguments, text) @phase@text@type@slot##_##name@parameters@slot->name@arguments@@
#include "$PWD/$2"
END
)
tr '\n' ' ' <<<"$expanded" | awk -v RS='@' '
  function trim(s) { gsub(/^[ \t]+|[ \t]+$/, "", s); return s }
  function words(s) { gsub(/"[ \t]*"/, "", s); return substr(s, 2, length(s) - 2) }
  function wrap(s, indent,   out, cut) {   # to lines of at most 120 letters
    while (length(s) > 120) {
      for (cut = 121; substr(s, cut, 1) != " "; cut--) ;
      out = out substr(s, 1, cut - 1) "\n"
      s = indent substr(s, cut + 1)
    }
    return out s
  }
  { f[++n] = trim($0) }
  n == 9 {
    n = 0
    dotted = f[7]
    sub(/->/, ".", dotted)
    hook = "sm_view(S)->slots." f[7]
    call = "(" hook ")" f[8]   # in parentheses since cmocka.h has a macro skip()
    print "\n" wrap("/* " dotted ", " words(f[2]) ": " words(f[3]) " */", "   ")
    print wrap("static inline " f[4] (f[4] ~ /\*$/ ? "" : " ") f[5] f[6] " {", "    ")
    if (f[9] == "") print wrap("  " (f[4] == "void" ? "" : "return ") call ";", "    ")
    else if (f[4] != "void") print wrap("  return " hook " ? " call " : (" f[9] ");", "    ")
    else if (f[9] == "((void)0)") print wrap("  if (" hook ") " call ";", "    ")
    else print wrap("  if (" hook ") {", "") "\n    " call ";\n  } else {\n" wrap("    " f[9] ";", "      ") "\n  }"
    print "}"
  }'
