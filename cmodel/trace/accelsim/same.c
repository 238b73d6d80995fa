/* SPDX-License-Identifier: Apache-2.0 */
/* same: two traces, instruction by instruction; see export.h. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "compiler/ir/cfg.h"
#include "trace/accelsim/export.h"
#include "trace/accelsim/sass.h"

struct side {
  struct trf *t;
  uint32_t launch;
  const struct code *code;
  struct sass_listing list;
  regset (*regs)[2]; /* of each instruction: read, written */
  struct trf_cta *cta;
  uint32_t addr[32], to[32];
  struct trf_step s;
};

static void registers_of(const struct insn *i, regset *of) {
  const struct opnd *o[INSN_SRC + 1];
  for (unsigned k = 0, n = insn_reads(i, o); k < n; k++) regset_add(of[0], o[k]);
  for (unsigned k = 0, n = insn_writes(i, o); k < n; k++) regset_add(of[1], o[k]);
}

static void side_begin_launch(struct side *x, uint32_t launch) {
  const struct trf_code *c = trf_code(x->t, trf_launch(x->t, launch)->code);
  x->launch = launch;
  x->code = c->code;
  x->list = sass_list(c->code, c->text);
  x->regs = xcalloc(c->code->n, sizeof *x->regs);
  for (uint32_t k = 0; k < c->code->n; k++) registers_of(&c->code->insn[k], x->regs[k]);
}

static void side_end_launch(struct side *x) {
  sass_list_free(&x->list);
  free(x->regs);
}

/* The opcode of the k-th line of the step. */
static const char *side_name_of(const struct side *x, uint32_t k, char buf[SASS_NAME]) {
  const char *name = x->list.line[x->list.first[x->s.op] + k].name;
  if (x->code->insn[x->s.op].op != OP_CPASYNC || x->s.rows != 1) return name;
  sass_zeros_name(name, buf);
  return buf;
}

static bool addresses_equal(const struct side *a, const struct side *b) {
  if (!a->s.rows != !b->s.rows) return false;
  if (!a->s.rows) return true;
  /* parameters come back as constants */
  if (a->s.space != b->s.space && (a->s.space < SP_CONST || b->s.space < SP_CONST)) return false;
  uint32_t bad = 0;
  for (uint32_t m = a->s.lanes; m; m &= m - 1) bad |= a->addr[bit_low32(m)] ^ b->addr[bit_low32(m)];
  return !bad;
}

static void compare_step(const struct side *a, const struct side *b, struct same_report *r) {
  char x[SASS_NAME], y[SASS_NAME];
  r->warp_insns++;
  r->opcodes += strcmp(side_name_of(a, 0, x), side_name_of(b, 0, y)) != 0;
  r->registers += memcmp(a->regs[a->s.op], b->regs[b->s.op], sizeof *a->regs) != 0;
  r->masks += a->s.lanes != b->s.lanes;
  const bool lost = a->s.space == SP_TEX && !b->s.rows;
  r->texels += lost;
  if (a->s.lanes == b->s.lanes && !lost) r->addresses += !addresses_equal(a, b);
}

static int side_step(struct side *x, unsigned warp, struct err *e) {
  x->s.addr = x->addr;
  x->s.to = x->to;
  x->s.val = NULL;
  return trf_next(x->cta, warp, &x->s, e);
}

/* A division of a against the n lines that b has for it. */
static bool compare_division(const struct side *a, struct side *b, unsigned warp, uint32_t n, struct same_report *r,
                             struct err *e) {
  char x[SASS_NAME], y[SASS_NAME];
  bool opcodes = false, masks = false;
  r->warp_insns++;
  r->divisions++;
  for (uint32_t k = 0; k < n; k++) {
    const int q = k ? side_step(b, warp, e) : STREAM_GIVEN;
    if (q == STREAM_ERROR) return false;
    if (q != STREAM_GIVEN) {
      r->order++;
      return true;
    }
    opcodes = opcodes || strcmp(side_name_of(a, k, x), side_name_of(b, 0, y));
    masks = masks || a->s.lanes != b->s.lanes;
  }
  r->opcodes += opcodes;
  r->masks += masks;
  return true;
}

static bool compare_warp(struct side *a, struct side *b, unsigned warp, struct same_report *r, struct err *e) {
  for (;;) {
    const int p = side_step(a, warp, e), q = p == STREAM_ERROR ? p : side_step(b, warp, e);
    if (q == STREAM_ERROR) return false;
    if (p == STREAM_FINISHED && q == STREAM_FINISHED) return true;
    const uint32_t n = p == STREAM_GIVEN ? a->list.first[a->s.op + 1] - a->list.first[a->s.op] : 1;
    if (p != q) {
      r->order++;
    } else if (n == 1) {
      compare_step(a, b, r);
    } else if (!compare_division(a, b, warp, sass_lines(&a->list, a->s.op, a->s.lanes), r, e)) {
      return false;
    }
  }
}

/* The k-th CTA of both, whose numbers may differ. */
static bool compare_cta(struct side *a, struct side *b, uint32_t k, uint32_t warps, struct same_report *r,
                        struct err *e) {
  a->cta = trf_cta_open(a->t, a->launch, trf_cta_at(a->t, a->launch, k), e);
  b->cta = a->cta ? trf_cta_open(b->t, b->launch, trf_cta_at(b->t, b->launch, k), e) : NULL;
  bool good = b->cta != NULL;
  for (uint32_t w = 0; w < warps && good; w++) good = compare_warp(a, b, w, r, e);
  trf_cta_close(a->cta);
  trf_cta_close(b->cta);
  r->ctas++;
  return good;
}

/* Both have as many CTAs and the same block. The export writes another grid of a launch with a stride. */
static bool launch_same_shape(const struct trf_launch *a, const struct trf_launch *b) {
  return a->ctas == b->ctas && (a->stride > 1 || !memcmp(a->grid, b->grid, sizeof a->grid)) &&
         !memcmp(a->block, b->block, sizeof a->block);
}

bool traceg_same(struct trf *a, struct trf *b, struct same_report *report, struct err *e) {
  struct side x = {.t = a}, y = {.t = b};
  bool good = true;
  *report = (struct same_report){0};
  if (trf_launches(a) != trf_launches(b))
    return err_at(e, trf_path(b), 0, 0, "found %u launches, expected %u", trf_launches(b), trf_launches(a));
  for (uint32_t k = 0; k < trf_launches(a) && good; k++) {
    const struct trf_launch *l = trf_launch(a, k);
    if (!launch_same_shape(l, trf_launch(b, k)))
      return err_at(e, trf_path(b), 0, 0, "launch %u: found another grid or block, expected the same", k);
    side_begin_launch(&x, k);
    side_begin_launch(&y, k);
    const uint32_t warps = (l->block[0] * l->block[1] * l->block[2] + 31) / 32;
    for (uint32_t c = 0; c < l->ctas && good; c++) good = compare_cta(&x, &y, c, warps, report, e);
    side_end_launch(&x);
    side_end_launch(&y);
  }
  return good;
}
