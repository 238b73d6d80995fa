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
# Several at once, each found in its own lines.
planted=()
among() {   # name, file below cmodel/, lines to append, expected message
  local first=$(($(wc -l <"$tmp/cmodel/$2") + 1))
  echo "$3" >>"$tmp/cmodel/$2"
  planted+=("$1" "$2" "$(seq -s '|' "$first" "$(wc -l <"$tmp/cmodel/$2")")" "$4")
}
all_found() {
  local k
  if tests/layers.sh "$tmp" >"$tmp/out"; then not_ok 'plants' 'were accepted'; fi
  for ((k = 0; k < ${#planted[@]}; k += 4)); do
    has "${planted[k]}" "^cmodel/${planted[k + 1]//./\\.}:(${planted[k + 2]}): error: ${planted[k + 3]}" "$tmp/out"
    cp "cmodel/${planted[k + 1]}" "$tmp/cmodel/${planted[k + 1]}"
  done
  planted=()
}
check 'a copy of the tree' tests/layers.sh "$tmp"
gpu='found an include of "gpu/gpu\.h", .*'"'gpu' is above"
among 'a planted include of a higher layer' sm/sm.c '#include "gpu/gpu.h"' "$gpu 'sm'"
among 'in a header, with blanks' compiler/ir/op.h '  #  include "lab/run/run.h"' ".*'lab/run' is above 'compiler/ir'"
among 'in a .def' config/schema.def '#include "lab/kernels/suite/about.h"' ".*'lab/kernels/suite' is above 'config'"
among 'in a folder that has another layer in it' lab/run/run.c '#include "lab/kernels/character.h"' ".*'lab/kernels' is above 'lab/run'"
among 'in angle brackets' sm/sm.c '#include <gpu/gpu.h>' 'found an include of <gpu/gpu\.h>, expected "FOLDER/FILE" in quotes'
among 'after a comment' sm/sm.c '#include /**/ "gpu/gpu.h"' "$gpu 'sm'"
among 'a comment before it' sm/sm.c '/**/ #include "gpu/gpu.h"' "$gpu 'sm'"
among 'and in mem/' mem/mem.c '/**/ #include "gpu/gpu.h"' "$gpu 'mem'"
among 'a comment of two lines before it' sm/sm.c $'/* a "\n */ /* b */ # /**/ include "gpu/gpu.h"' "$gpu 'sm'"
among 'an include over two lines' sm/sm.c $'#inc\\\nlude "gpu/gpu.h"' "$gpu 'sm'"
among 'with the other way to write #' sm/sm.c '%:include "gpu/gpu.h"' "$gpu 'sm'"
among 'no comment begins in a string' sm/sm.c $'static const char begins[] = "\\"/*";\n#include "gpu/gpu.h"' "$gpu 'sm'"
among 'nor in a character' sm/sm.c $'enum { BEGINS = \'"\' }; /* " */\n#include "gpu/gpu.h"' "$gpu 'sm'"
among 'by another directive' sm/sm.c '#include_next "gpu/gpu.h"' 'found an include of _next "gpu/gpu\.h"'
among 'by a macro' sm/sm.c '#include GPU_H' 'found an include of GPU_H'
among 'of another system' systems/slices/slices.c '#include "systems/finereg/cta_switch.h"' '.*finereg/cta_switch\.h", expected none of another system'
for path in sm/./private.h sm//private.h ./sm/private.h sm/../sm/private.h; do
  among "a path not in plain form: $path" gpu/gpu.c "#include \"$path\"" "found an include of \"${path//./\\.}\", expected its path in plain form"
done
# The wall around the SM.
among 'a choice includes the state of the SM' systems/baseline/gto.c '#include "sm/private.h"' \
  'found an include of "sm/private\.h", expected "sm/slot_api\.h" or "sm/wires\.h"'
among 'a choice includes another header of sm/' systems/slices/slices.h '#include "sm/sm.h"' 'found an include of "sm/sm\.h", expected "sm/slot_api\.h"'
among 'experiments include the phases' systems/slices/experiments.c '#include "sm/phases.h"' \
  'found an include of "sm/phases\.h", expected the headers of sm/ but those of its state'
among 'another folder includes the state of the SM' gpu/gpu.c '#include "sm/private.h"' 'found an include of "sm/private\.h"'
view='found a view of the SM that is made writable'
among 'a view made writable' systems/baseline/gto.c 'void f(struct sm *S) { ((struct sm_view *)S)->now = 0; }' "$view"
among 'a unit made writable' systems/ltrf/rfc.c 'void f(const struct collector_unit *u) { ((struct collector_unit *)u)->hold = 1; }' "$view"
among 'by a function of the interface itself' systems/ltrf/ltrf.h 'static inline void f(struct sm *S) { group_to_change(S, 0)->free = 0; }' "$view"
among 'over two lines' systems/baseline/gto.c $'void f(const struct sm *S) { ((struct sm_view /* of\n it */\n *)sm_view(S))->now = 0; }' "$view"
among 'S cast to a type of a view' systems/baseline/gto.c 'void f(struct sm *S) { ((typeof(struct sm_view) *)S)->now = 0; }' 'found a cast of S'
among 'S cast to a struct that begins with a view' systems/slices/slices.h \
  $'struct mine { struct sm_view v; };\nstatic inline void f(struct sm *S) { ((struct mine *)S)->v.now = 0; }' 'found a cast of S'
among 'S cast by a number' systems/baseline/gto.c 'void f(struct sm *S) { *(uint64_t *)((uintptr_t)S + 8) = 0; }' 'found a cast of S'
among 'the address of S' systems/baseline/gto.c 'static inline void f(struct sm *S) { uint64_t *p; __builtin_memcpy(&p, &S, sizeof p); *p = 0; }' \
  'found the address of S'
all_found

plant 'the sm knows no exec' sm/sm.h '#include "exec/exec.h"' 'found another table of includes'
plant 'the interface reaches the state' sm/wires.h '#include "sm/law_book.h"' \
  '^cmodel/systems/ltrf/ltrf\.c: error: found the text of sm/law_book\.h when preprocessed, expected it in sm/ alone'
plant 'and shows a field' sm/slot_api.h '#include "sm/private.h"' "^cmodel/systems/baseline/gto\.c: error: found 'struct sm \{' when preprocessed"
plant 'a part of the SM, defined elsewhere' sm/slots.h 'struct   inflight_inst   {int mem;};' \
  "^cmodel/systems/malekeh/bow\.c: error: found 'struct inflight_inst \{' when preprocessed"
plant 'a choice that includes what is not there' systems/baseline/lrr.c '#include "systems/baseline/none.h"' \
  '^cmodel/systems/baseline/lrr\.c: error: found a file that cannot be preprocessed'

# What only the compiler sees, in files that it takes otherwise.
drop='found a declaration of scoreboard_drop, which sm/ declares'
gto=systems/baseline/gto.c slices=systems/slices/slices.h
among 'a function of sm/ declared anew' $gto 'extern void scoreboard_drop(struct sm *, unsigned, unsigned);' "$drop"
among 'in a header, over two lines' $slices $'void scoreboard_drop(\n  struct sm *S, unsigned w, unsigned r);' "$drop"
among 'without parameters' $gto 'void scoreboard_drop();' "$drop"
among 'with a name for its parameter' $gto 'typedef struct sm *a_sm; void scoreboard_drop(a_sm S, unsigned w, unsigned r);' "$drop"
among 'with another name of the type' $gto 'typedef struct sm the_sm; void scoreboard_drop(the_sm *, unsigned, unsigned);' "$drop"
among 'by the type of a function' $gto 'typedef void drop_type(struct sm *, unsigned, unsigned); drop_type scoreboard_drop;' "$drop"
among 'declared by a macro' $slices $'#define DROPS(x) void scoreboard_##x(struct sm *, unsigned, unsigned);\nDROPS(drop)' "$drop"
among 'by an assembler name' $gto 'void drops(struct sm *, unsigned, unsigned) __asm__("scoreboard_drop");' 'found __asm__'
other='found a pointer to the SM that becomes one to something else'
among 'S as a pointer to void' $gto 'static inline void f1(struct sm *S) { void *p = S; struct { uint64_t now; } *m = p; m->now = 0; }' "$other"
among 'and from there to another one' $gto 'static inline void f2(struct sm *S) { void *p = S; uint64_t *q = p; *q = 0; }' "$other"
among 'under another name, returned, in a header' $slices 'static inline const void *f3(const struct sm *other) { return other; }' "$other"
among 'as an argument' $gto 'static inline void f4(struct sm *S) { __builtin_memset(S, 0, 8); }' "$other"
among 'by another type' $gto 'typedef struct sm any_sm; static inline any_sm *f5(struct sm *S) { return S; }' "$other"
all_found
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
