#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# No file of cmodel/ includes a header of a higher layer, and no choice sees or changes the state of the SM; the check that says so finds what is
# planted.
# needs: none
. "$(dirname "$0")/../lib.sh"

check 'no include goes up' tests/layers.sh

mkdir "$tmp/docs"
cp -r cmodel "$tmp/cmodel"
cp docs/architecture.md "$tmp/docs"
plant() {   # name, file below cmodel/, line to append, expected message
  cp "$tmp/cmodel/$2" "$tmp/kept"
  echo "$3" >>"$tmp/cmodel/$2"
  if tests/layers.sh "$tmp" >"$tmp/out"; then not_ok "$1" 'was accepted'; else has "$1" "$4" "$tmp/out"; fi
  cp "$tmp/kept" "$tmp/cmodel/$2"
}
check 'a copy of the tree' tests/layers.sh "$tmp"
plant 'a planted include of a higher layer' sm/sm.c '#include "gpu/gpu.h"' \
  "^cmodel/sm/sm\.c:[0-9]+: error: found an include of \"gpu/gpu\.h\", .*'gpu' is above 'sm'"
plant 'in a header, with blanks' ir/op.h '  #  include "run/run.h"' "^cmodel/ir/op\.h:[0-9]+: error: .*'run' is above 'ir'"
plant 'in a .def' config/schema.def '#include "suite/about.h"' "'suite' is above 'config'"
plant 'in angle brackets' sm/sm.c '#include <gpu/gpu.h>' '^cmodel/sm/sm\.c:[0-9]+: error: found an include of <gpu/gpu\.h>, expected "FOLDER/FILE" in quotes'
plant 'behind a comment' sm/sm.c '#include /**/ "gpu/gpu.h"' '^cmodel/sm/sm\.c:[0-9]+: error: found an include of /\*\*/ "gpu/gpu\.h"'
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

mkdir "$tmp/cmodel/new"
echo '#include "base/err.h"' >"$tmp/cmodel/new/new.c"
tests/layers.sh "$tmp" >"$tmp/out"
has 'a folder that the list has not' "^cmodel/new/new\.c:1: error: .*the list of layers has no 'new'" "$tmp/out"
rm -r "$tmp/cmodel/new"
sed -i '/^base$/,/^cli$/d' "$tmp/docs/architecture.md"
tests/layers.sh "$tmp" >"$tmp/out"
has 'no list' 'found no list of layers' "$tmp/out"
