/* SPDX-License-Identifier: Apache-2.0 */
/* check_parts: what the files that check one kind of operations share; private to compiler/ptx/ (check.c, check_texture.c, video.c). All return false with *e filled. */
#ifndef RT_PTX_CHECK_PARTS_H
#define RT_PTX_CHECK_PARTS_H

#include "compiler/ptx/rules.h"

struct ctx {
  const struct ir *ir;
  const struct ir_func *f;
  struct ir_insn *i;
  uint64_t seen; /* groups of the modifiers met */
  bool ordered;  /* .relaxed, .acquire, .release, .acq_rel */
  struct err *e;
};

#define SHOW(i) ((i)->ntext > 80 ? 80 : (int)(i)->ntext), (i)->text
#define AT_INSN(c, ...) err_at((c)->e, (c)->ir->file, (c)->i->line, (c)->i->col, __VA_ARGS__)
#define AT_OPND(c, o, ...) err_at((c)->e, (c)->ir->file, (o)->line, (o)->col, __VA_ARGS__)

/* A register for, an operand of this type; `wider`: or of a wider one. */
bool check_dest(struct ctx *c, const struct ir_opnd *o, uint8_t type, bool wider);
bool check_source(struct ctx *c, const struct ir_opnd *o, uint8_t type, bool wider);
bool check_count(struct ctx *c, unsigned least, unsigned most); /* of operands */
/* A vector of `n` in { }; with `alone` one may stand without them. `what`: "element", "register". */
bool check_length(struct ctx *c, const struct ir_opnd *o, unsigned n, bool alone, const char *what);
/* "found X, expected Y for 'operation'" at the operand. */
bool check_wrong(struct ctx *c, const struct ir_opnd *o, const char *expected);

/* video.c */
bool video_mods(struct ctx *c);
bool video_opnds(struct ctx *c);

/* check_texture.c */
bool check_texture_mods(struct ctx *c);
bool check_texture_opnds(struct ctx *c);

#endif
