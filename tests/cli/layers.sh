#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# No file of cmodel/ includes a header of a higher layer; and the check that says so finds one that is planted.
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
mkdir "$tmp/cmodel/new"
echo '#include "base/err.h"' >"$tmp/cmodel/new/new.c"
tests/layers.sh "$tmp" >"$tmp/out"
has 'a folder that the list has not' "^cmodel/new/new\.c:1: error: .*the list of layers has no 'new'" "$tmp/out"
rm -r "$tmp/cmodel/new"
sed -i '/^base$/,/^cli$/d' "$tmp/docs/architecture.md"
tests/layers.sh "$tmp" >"$tmp/out"
has 'no list' 'found no list of layers' "$tmp/out"
