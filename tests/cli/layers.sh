#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# No file of cmodel/ includes a header of a higher layer, and no choice sees or changes the state of the SM; the check that says so finds what is
# planted.
# needs: none
. "$(dirname "$0")/../lib.sh"

check 'no include goes up' tests/layers.sh

mkdir -p "$tmp/docs/start"
cp -r cmodel "$tmp/cmodel"
cp docs/start/architecture.md "$tmp/docs/start"
plant() {   # name, file below cmodel/, line to append, expected message
  cp "$tmp/cmodel/$2" "$tmp/kept"
  echo "$3" >>"$tmp/cmodel/$2"
  if tests/layers.sh "$tmp" >"$tmp/out"; then not_ok "$1" 'was accepted'; else has "$1" "$4" "$tmp/out"; fi
  cp "$tmp/kept" "$tmp/cmodel/$2"
}
check 'a copy of the tree' tests/layers.sh "$tmp"
plant 'a planted include of a higher layer' sm/sm.c '#include "gpu/gpu.h"' \
  "^cmodel/sm/sm\.c:[0-9]+: error: found an include of \"gpu/gpu\.h\", .*'gpu' is above 'sm'"
plant 'in a header, with blanks' compiler/ir/op.h '  #  include "lab/run/run.h"' "^cmodel/compiler/ir/op\.h:[0-9]+: error: .*'lab/run' is above 'compiler/ir'"
plant 'in a .def' config/schema.def '#include "lab/kernels/suite/about.h"' "'lab/kernels/suite' is above 'config'"
plant 'in a folder that has another layer in it' lab/run/run.c '#include "lab/kernels/character.h"' "'lab/kernels' is above 'lab/run'"
plant 'in angle brackets' sm/sm.c '#include <gpu/gpu.h>' '^cmodel/sm/sm\.c:[0-9]+: error: found an include of <gpu/gpu\.h>, expected "FOLDER/FILE" in quotes'
above='error: found an include of "gpu/gpu\.h", .*'"'gpu' is above"
plant 'after a comment' sm/sm.c '#include /**/ "gpu/gpu.h"' "^cmodel/sm/sm\.c:[0-9]+: $above 'sm'"
plant 'a comment before it' sm/sm.c '/**/ #include "gpu/gpu.h"' "^cmodel/sm/sm\.c:[0-9]+: $above 'sm'"
plant 'and in mem/' mem/mem.c '/**/ #include "gpu/gpu.h"' "^cmodel/mem/mem\.c:[0-9]+: $above 'mem'"
plant 'a comment of two lines before it' sm/sm.c $'/* a "\n */ /* b */ # /**/ include "gpu/gpu.h"' "^cmodel/sm/sm\.c:[0-9]+: $above 'sm'"
plant 'an include over two lines' sm/sm.c $'#inc\\\nlude "gpu/gpu.h"' "^cmodel/sm/sm\.c:[0-9]+: $above 'sm'"
plant 'with the other way to write #' sm/sm.c '%:include "gpu/gpu.h"' "^cmodel/sm/sm\.c:[0-9]+: $above 'sm'"
plant 'no comment begins in a string' sm/sm.c $'static const char begins[] = "\\"/*";\n#include "gpu/gpu.h"' "^cmodel/sm/sm\.c:[0-9]+: $above 'sm'"
plant 'nor in a character' sm/sm.c $'enum { BEGINS = \'"\' }; /* " */\n#include "gpu/gpu.h"' "^cmodel/sm/sm\.c:[0-9]+: $above 'sm'"
plant 'by another directive' sm/sm.c '#include_next "gpu/gpu.h"' '^cmodel/sm/sm\.c:[0-9]+: error: found an include of _next "gpu/gpu\.h"'
plant 'by a macro' sm/sm.c '#include GPU_H' '^cmodel/sm/sm\.c:[0-9]+: error: found an include of GPU_H'
plant 'of another system' systems/slices/slices.c '#include "systems/finereg/cta_switch.h"' \
  '^cmodel/systems/slices/slices\.c:[0-9]+: error: .*finereg/cta_switch\.h", expected none of another system'
plant 'the sm knows no exec' sm/sm.h '#include "exec/exec.h"' 'found another table of includes'
# The wall around the SM.
plant 'a choice includes the state of the SM' systems/baseline/gto.c '#include "sm/private.h"' \
  '^cmodel/systems/baseline/gto\.c:[0-9]+: error: found an include of "sm/private\.h", expected "sm/slot_api\.h" or "sm/wires\.h"'
plant 'a choice includes another header of sm/' systems/slices/slices.h '#include "sm/sm.h"' \
  '^cmodel/systems/slices/slices\.h:[0-9]+: error: found an include of "sm/sm\.h", expected "sm/slot_api\.h"'
plant 'experiments include the phases' systems/slices/experiments.c '#include "sm/phases.h"' \
  '^cmodel/systems/slices/experiments\.c:[0-9]+: error: found an include of "sm/phases\.h", expected the headers of sm/ but those of its state'
plant 'another folder includes the state of the SM' gpu/gpu.c '#include "sm/private.h"' \
  '^cmodel/gpu/gpu\.c:[0-9]+: error: found an include of "sm/private\.h"'
plant 'the interface reaches the state' sm/wires.h '#include "sm/law_book.h"' \
  '^cmodel/systems/ltrf/ltrf\.c: error: found the text of sm/law_book\.h when preprocessed, expected it in sm/ alone'
plant 'and shows a field' sm/slot_api.h '#include "sm/private.h"' "^cmodel/systems/baseline/gto\.c: error: found 'struct sm \{' when preprocessed"
plant 'a part of the SM, defined elsewhere' sm/slots.h 'struct   inflight_inst   {int mem;};' \
  "^cmodel/systems/malekeh/bow\.c: error: found 'struct inflight_inst \{' when preprocessed"
plant 'a view made writable' systems/baseline/gto.c 'void f(struct sm *S) { ((struct sm_view *)S)->now = 0; }' \
  '^cmodel/systems/baseline/gto\.c:[0-9]+: error: found a view of the SM that is made writable'
plant 'a unit made writable' systems/ltrf/rfc.c 'void f(const struct collector_unit *u) { ((struct collector_unit *)u)->hold = 1; }' \
  '^cmodel/systems/ltrf/rfc\.c:[0-9]+: error: found a view of the SM that is made writable'
plant 'by a function of the interface itself' systems/ltrf/ltrf.h 'static inline void f(struct sm *S) { group_to_change(S, 0)->free = 0; }' \
  '^cmodel/systems/ltrf/ltrf\.h:[0-9]+: error: found a view of the SM that is made writable'
plant 'a choice that includes what is not there' systems/baseline/lrr.c '#include "systems/baseline/none.h"' \
  '^cmodel/systems/baseline/lrr\.c: error: found a file that cannot be preprocessed'

plant 'over two lines' systems/baseline/gto.c $'void f(const struct sm *S) { ((struct sm_view /* of\n it */\n *)sm_view(S))->now = 0; }' \
  '^cmodel/systems/baseline/gto\.c:[0-9]+: error: found a view of the SM that is made writable'
plant 'S cast to a type of a view' systems/baseline/gto.c 'void f(struct sm *S) { ((typeof(struct sm_view) *)S)->now = 0; }' \
  '^cmodel/systems/baseline/gto\.c:[0-9]+: error: found a cast of S'
plant 'S cast to a struct that begins with a view' systems/slices/slices.h \
  'struct mine { struct sm_view v; };
static inline void f(struct sm *S) { ((struct mine *)S)->v.now = 0; }' '^cmodel/systems/slices/slices\.h:[0-9]+: error: found a cast of S'
plant 'S cast by a number' systems/baseline/gto.c 'void f(struct sm *S) { *(uint64_t *)((uintptr_t)S + 8) = 0; }' \
  '^cmodel/systems/baseline/gto\.c:[0-9]+: error: found a cast of S'
plant 'a function of sm/ declared anew' systems/baseline/gto.c 'extern void scoreboard_drop(struct sm *, unsigned, unsigned);' \
  '^cmodel/systems/baseline/gto\.c:[0-9]+: error: found a declaration of scoreboard_drop, which sm/ declares'
plant 'in a header, over two lines' systems/slices/slices.h $'void scoreboard_drop(\n  struct sm *S, unsigned w, unsigned r);' \
  '^cmodel/systems/slices/slices\.h:[0-9]+: error: found a declaration of scoreboard_drop'
plant 'without parameters' systems/baseline/gto.c 'void scoreboard_drop();' \
  '^cmodel/systems/baseline/gto\.c:[0-9]+: error: found a declaration of scoreboard_drop'
plant 'with a name for its parameter' systems/baseline/gto.c 'typedef struct sm *the_sm; void scoreboard_drop(the_sm S, unsigned w, unsigned r);' \
  '^cmodel/systems/baseline/gto\.c:[0-9]+: error: found a declaration of scoreboard_drop'
plant 'with another name of the type' systems/baseline/gto.c 'typedef struct sm the_sm; void scoreboard_drop(the_sm *, unsigned, unsigned);' \
  '^cmodel/systems/baseline/gto\.c:[0-9]+: error: found a declaration of scoreboard_drop'
plant 'by the type of a function' systems/baseline/gto.c 'typedef void drops(struct sm *, unsigned, unsigned); drops scoreboard_drop;' \
  '^cmodel/systems/baseline/gto\.c:[0-9]+: error: found a declaration of scoreboard_drop'
plant 'declared by a macro' systems/slices/slices.h $'#define DROPS(x) void scoreboard_##x(struct sm *, unsigned, unsigned);\nDROPS(drop)' \
  '^cmodel/systems/slices/slices\.h:[0-9]+: error: found a declaration of scoreboard_drop'
plant 'by an assembler name' systems/baseline/gto.c 'void drops(struct sm *, unsigned, unsigned) __asm__("scoreboard_drop");' \
  '^cmodel/systems/baseline/gto\.c:[0-9]+: error: found __asm__'
plant 'S as a pointer to void' systems/baseline/gto.c 'static inline void f(struct sm *S) { void *p = S; struct { uint64_t now; } *m = p; m->now = 0; }' \
  '^cmodel/systems/baseline/gto\.c:[0-9]+: error: found a pointer to the SM that becomes one to something else'
plant 'and from there to another one' systems/baseline/gto.c 'static inline void f(struct sm *S) { void *p = S; uint64_t *q = p; *q = 0; }' \
  '^cmodel/systems/baseline/gto\.c:[0-9]+: error: found a pointer to the SM that becomes one to something else'
plant 'under another name, returned, in a header' systems/slices/slices.h 'static inline const void *f(const struct sm *other) { return other; }' \
  '^cmodel/systems/slices/slices\.h:[0-9]+: error: found a pointer to the SM that becomes one to something else'
plant 'as an argument' systems/baseline/gto.c 'static inline void f(struct sm *S) { __builtin_memset(S, 0, 8); }' \
  '^cmodel/systems/baseline/gto\.c:[0-9]+: error: found a pointer to the SM that becomes one to something else'
plant 'by another type' systems/baseline/gto.c 'typedef struct sm the_sm; static inline the_sm *f(struct sm *S) { return S; }' \
  '^cmodel/systems/baseline/gto\.c:[0-9]+: error: found a pointer to the SM that becomes one to something else'
plant 'the address of S' systems/baseline/gto.c 'static inline void f(struct sm *S) { uint64_t *p; __builtin_memcpy(&p, &S, sizeof p); *p = 0; }' \
  '^cmodel/systems/baseline/gto\.c:[0-9]+: error: found the address of S'
for path in sm/./private.h sm//private.h ./sm/private.h sm/../sm/private.h; do
  plant "a path not in plain form: $path" gpu/gpu.c "#include \"$path\"" "^cmodel/gpu/gpu\.c:[0-9]+: error: found an include of \"${path//./\\.}\", expected its path in plain form"
done
cp "$tmp/cmodel/systems/baseline/gto.c" "$tmp/kept"
cat >>"$tmp/cmodel/systems/baseline/gto.c" <<'TEXT'
/* void scoreboard_drop(struct sm *, unsigned, unsigned); ((struct mine *)S)->v.now */
static inline void f(struct sm *S) { (void)S; } // (void *)S
TEXT
check 'not in a comment' tests/layers.sh "$tmp"
cp "$tmp/kept" "$tmp/cmodel/systems/baseline/gto.c"
cp "$tmp/cmodel/mem/mem.c" "$tmp/kept-mem"
printf '%s\n' '/* as' '#include "gpu/gpu.h"' ' */ // # /*' 'static const char text[] = "#include \"gpu/gpu.h\"";' >>"$tmp/cmodel/mem/mem.c"
check 'nor an include' tests/layers.sh "$tmp"
cp "$tmp/kept-mem" "$tmp/cmodel/mem/mem.c"
mv "$tmp/cmodel/systems" "$tmp/systems" && mkdir "$tmp/cmodel/systems"
if tests/layers.sh "$tmp" >"$tmp/out"; then not_ok 'a tree without choices' 'was accepted'; else
  has 'a tree without choices' '^cmodel/systems: error: found no source of a choice' "$tmp/out"; fi
rmdir "$tmp/cmodel/systems" && mv "$tmp/systems" "$tmp/cmodel/systems"

# What the compiler refuses, by the command that make has for a system's file.
cmodel/make/lists.sh "$tmp/build/gen" -- cmodel/systems/*/
cmodel/make/hooks.sh "${CC:-gcc}" cmodel/sm/slot.def >"$tmp/build/gen/hooks.h"
object=$tmp/build/obj/systems/baseline/gto.o
command=$(make --no-print-directory -n V=1 BUILD_DIR="$tmp/build" "$object" | grep -- ' -c cmodel/systems/baseline/gto\.c ')
mkdir -p "${object%/*}"
compiled() { (cd "$tmp" && eval "$command"); }   # the planted tree is there
check 'a file of a system is compiled' compiled
refused() {   # name, warning, line
  echo "$3" >>"$tmp/cmodel/systems/baseline/gto.c"
  compiled >"$tmp/out" 2>&1
  has "$1" "error: .*-W(error=)?$2\\b" "$tmp/out"
  cp "$tmp/kept" "$tmp/cmodel/systems/baseline/gto.c"
}
refused 'a view made writable by void' cast-qual 'void f(struct sm *S); void f(struct sm *S) { struct scheduler_view *v = (void *)scheduler_view(S, 0); v->dep = 0; }'
refused 'by its first word' cast-qual 'void f(struct sm *S); void f(struct sm *S) { *(uint64_t *)&scheduler_view(S, 0)->dep = 0; }'
refused 'for a function' cast-qual 'void f(struct sm *S); void f(struct sm *S) { __builtin_memcpy((void *)scheduler_view(S, 0), "", 1); }'
refused 'a declaration within a function' nested-externs 'void f(void); void f(void) { void scoreboard_drop(void *S, unsigned w, unsigned r); }'
refused 'one without parameters' strict-prototypes 'void scoreboard_other();'

mkdir "$tmp/cmodel/new"
echo '#include "base/err.h"' >"$tmp/cmodel/new/new.c"
tests/layers.sh "$tmp" >"$tmp/out"
has 'a folder that the list has not' "^cmodel/new/new\.c:1: error: .*the list of layers has no 'new'" "$tmp/out"
rm -r "$tmp/cmodel/new"
sed -i '/^base$/,/^cli$/d' "$tmp/docs/start/architecture.md"
tests/layers.sh "$tmp" >"$tmp/out"
has 'no list' 'found no list of layers' "$tmp/out"

# Names of functions.
check 'every function has a name of its own' tests/names.sh
named() {   # name, file below cmodel/, line to append, expected message
  cp "$tmp/cmodel/$2" "$tmp/kept"
  echo "$3" >>"$tmp/cmodel/$2"
  if tests/names.sh "$tmp" >"$tmp/out"; then not_ok "$1" 'was accepted'; else has "$1" "$4" "$tmp/out"; fi
  cp "$tmp/kept" "$tmp/cmodel/$2"
}
mkdir -p "$tmp/cosim/engine"
cp cosim/engine/tb.h "$tmp/cosim/engine"
check 'nor has one in a copy of the tree' tests/names.sh "$tmp"
named 'a function of one word' sm/lsu.c 'static int find(void) { return 0; }' '^cmodel/sm/lsu\.c:[0-9]+: error: found the function "find", expected what it works on'
named 'a name that another file has' sm/lsu.c 'static bool ptx_parse(void) { return true; }' 'error: found the function "ptx_parse" of cmodel/.* a second time'
named 'the name of a hook outside systems/' mem/mem.c 'static void commit(void) {}' '^cmodel/mem/mem\.c:[0-9]+: error: found the function "commit"'
named 'after a macro without ;' sm/lsu.c $'TWIN(a, b)\nstatic int find(void) { return 0; }' '^cmodel/sm/lsu\.c:[0-9]+: error: found the function "find"'
named 'a second one after a macro' sm/lsu.c $'TWIN(a, b)\nTWIN(c, d >= 1)\nstatic bool\nptx_parse(void)\n{\n  return true;\n}' \
  'error: found the function "ptx_parse" of cmodel/.* a second time'
named 'before an attribute' sm/lsu.c $'TWIN(a, b)\nstatic __attribute__((format(printf, 1, 2))) int find(const char *f, ...) NONNULL(1) {}' 'found the function "find"'
named 'in a header' sm/stats.h 'static inline int total(void) { return 0; }' 'found the function "total"'

# That the text alone gives what ctags finds: of C, macros in capitals aside.
mapfile -t sources < <(find cmodel cosim tb -name '*.[ch]' ! -path 'cosim/systemc/*.h' ! -name regtwin_cl.h | sort)
awk -f cmodel/make/functions.awk "${sources[@]}" | cut -d ' ' -f 1,2 | sort -u >"$tmp/text"
ctags=$(command -v ctags-universal || command -v ctags)
"$ctags" -x --_xformat='%N %F' --kinds-C=f --languages=C --langmap=C:+.h -I 'TB_BINS+,ALU_FN+,ROW3+' "${sources[@]}" | grep -v '^[A-Z0-9_]* ' | sort -u >"$tmp/tags"
check 'functions are many' test "$(wc -l <"$tmp/tags")" -gt 8000
check 'functions by their text' diff /dev/null <(comm -13 "$tmp/text" "$tmp/tags")
