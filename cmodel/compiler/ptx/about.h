/* SPDX-License-Identifier: Apache-2.0 */
/*
 * about: what of PTX is read, from the reader's own tables (rules.def): for `regtwin list ptx` and docs/reference/ptx.md. An
 * instruction has a row for each set of its types that the same unit executes.
 */
#ifndef RT_PTX_ABOUT_H
#define RT_PTX_ABOUT_H

#include <stdbool.h>
#include <stdint.h>

struct ptx_row {
  const char *name;
  char types[256], second[256]; /* ".u32, .s32"; "": none. second: of the second type, e.g. the source of cvt */
  char third[256];              /* of the third type: of c of cvt.pack, of b of vabsdiff4 */
  char modifiers[1024];         /* "(.lo, .hi) {.sat}": one of these, and what may be there */
  char unit[64]; /* "sp", "div, sfu": that of the timing model; "others": it becomes other instructions */
};
/* Row k, in the order of names; false: there are fewer. */
bool ptx_row(unsigned k, struct ptx_row *out);
/* Instruction k of those that are refused: its name, and what of PTX it belongs to; false: there are fewer. */
bool ptx_refusal(unsigned k, const char **name, const char **what);

#endif
