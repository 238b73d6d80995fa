/* SPDX-License-Identifier: Apache-2.0 */
/* rebuild: static instructions and the control flow among them; see rebuild.h. layout.c makes code of them. */
#include <stdlib.h>

#include "base/bits.h"
#include "trace/accelsim/rebuild_work.h"

/* ---- static instructions ---- */

struct rebuild *rebuild_new(const struct opmap *map, uint32_t most) {
  struct rebuild *r = xcalloc(1, sizeof *r);
  r->map = map;
  r->most = most;
  r->start = NONE;
  return r;
}

void rebuild_regs(struct rebuild *r, uint32_t regs) {
  if (regs > r->regs) r->regs = regs;
}

void rebuild_free(struct rebuild *r) {
  if (!r) return;
  arena_free(&r->arena);
  free(r->insn);
  free(r->edge);
  hashtab_free(&r->ids);
  hashtab_free(&r->edges);
  free(r->op_of);
  free(r);
}

static bool traced_equals(const struct traced *a, const struct traceg_inst *b) {
  return a->pc == b->pc && a->ndst == b->ndst && a->nsrc == b->nsrc && a->bytes == b->bytes &&
         !memcmp(a->dst, b->dst, a->ndst) && !memcmp(a->src, b->src, a->nsrc) && !strcmp(a->opcode, b->opcode) &&
         (a->cls != OC_COPIES_WAIT || (a->has_imm == b->has_imm && a->imm == b->imm));
}

static uint64_t rebuild_hash_of(const struct traceg_inst *i) {
  uint64_t h = (FNV_START ^ i->pc) * 0x100000001b3ull;
  h = fnv1a(h, i->dst, i->ndst);
  h = fnv1a(h, i->src, i->nsrc);
  return fnv1a(h, i->opcode, strlen(i->opcode));
}

static uint32_t rebuild_add_insn(struct rebuild *r, const struct traceg_inst *i) {
  enum op_class c;
  const bool known = opmap_find(r->map, i->opcode, &c);
  struct stat *s = &VEC_PUSH(r->insn, r->n, r->room);
  *s = (struct stat){.t = {.pc = i->pc,
                           .line = i->line,
                           .opcode = arena_strndup(&r->arena, i->opcode, strlen(i->opcode)),
                           .ndst = i->ndst,
                           .nsrc = i->nsrc,
                           .bytes = i->bytes,
                           .cls = (uint8_t)c,
                           .has_imm = i->has_imm,
                           .imm = i->imm},
                     .unknown = !known,
                     .then = NONE};
  memcpy(s->t.dst, i->dst, i->ndst);
  memcpy(s->t.src, i->src, i->nsrc);
  if (c == OC_COPY) r->copies = true;
  return r->n - 1;
}

static uint32_t rebuild_lookup(const struct rebuild *r, uint64_t hash, const struct traceg_inst *i) {
  for (uint64_t step = 0, k; (k = hashtab_next(&r->ids, hash, &step)) != HASHTAB_NONE;)
    if (traced_equals(&r->insn[k].t, i)) return (uint32_t)k;
  return NONE;
}

/* Mostly it is the one that followed the last one before. */
int64_t rebuild_find(struct rebuild *r, const struct traceg_inst *i, bool add, enum op_class *c, bool *unknown) {
  uint32_t id = r->n && r->last < r->n ? r->insn[r->last].then : NONE;
  if (id == NONE || !traced_equals(&r->insn[id].t, i)) {
    const uint64_t hash = rebuild_hash_of(i);
    id = rebuild_lookup(r, hash, i);
    if (id == NONE && (!add || r->n == r->most)) return REBUILD_NONE;
    if (id == NONE) {
      id = rebuild_add_insn(r, i);
      hashtab_put(&r->ids, hash, id);
    }
    if (r->last < r->n) r->insn[r->last].then = id;
  }
  r->last = id;
  *c = (enum op_class)r->insn[id].t.cls;
  *unknown = r->insn[id].unknown;
  return id;
}

uint32_t rebuild_count(const struct rebuild *r) { return r->n; }

/* ---- lanes ---- */

/* A lane's group: 2 * the instruction that it did last, + 1 if it took the branch. */
enum { EXITED = NONE, BEGINS = NONE - 1 };

void track_begin(struct track *t, uint32_t threads) {
  for (uint32_t k = 0; k < 32; k++) t->group[k] = k < threads ? BEGINS : EXITED;
  t->at = BEGINS;
  t->ended = false;
}

uint32_t track_alive(const struct track *t) {
  uint32_t m = 0;
  for (uint32_t k = 0; k < 32; k++) m |= (uint32_t)(t->group[k] != EXITED) << k;
  return m;
}

static uint32_t track_lanes_of(const struct track *t, uint32_t group) {
  uint32_t m = 0;
  for (uint32_t k = 0; k < 32; k++) m |= (uint32_t)(t->group[k] == group) << k;
  return m;
}

static void rebuild_add_edge(struct rebuild *r, uint32_t group, uint32_t to) {
  if (group == EXITED) return;
  const uint32_t from = group == BEGINS ? NONE : group / 2;
  if (hashtab_add(&r->edges, (uint64_t)from << 32 | to, r->nedge))
    VEC_PUSH(r->edge, r->nedge, r->edge_room) = (struct edge){from, to};
}

static void rebuild_learn(struct rebuild *r, uint32_t group, uint32_t to) {
  if (!r->op_of) rebuild_add_edge(r, group, to);
}

/* An instruction that is executed lies on a path from the first one, also if nobody knows which lanes come to it. */
static void rebuild_learn_last(struct rebuild *r, const struct track *t, uint32_t id) {
  if (r->op_of) return;
  rebuild_add_edge(r, 2 * t->last, id);
  if (r->insn[t->last].t.cls == OC_EXIT) r->insn[t->last].guarded = true;
}

static bool op_class_flows(enum op_class c) { return c == OC_BRANCH || c == OC_JUMP || c == OC_EXIT; }

/* Who comes along with these lanes: their groups. Behind an indirect jump, whose lanes may part, only the lanes. */
static uint32_t track_gather(struct rebuild *r, const struct track *t, uint32_t id, uint32_t lanes) {
  uint32_t come = 0;
  for (uint32_t left = lanes; left;) {
    const uint32_t g = t->group[bit_low32(left)], all = track_lanes_of(t, g);
    const bool parts = g == EXITED || (g != BEGINS && g & 1 && r->insn[g / 2].t.cls == OC_JUMP);
    rebuild_learn(r, g, id);
    come |= parts ? all & lanes : all;
    left &= ~all;
  }
  return come;
}

uint32_t track_step(struct rebuild *r, struct track *t, uint32_t id, uint32_t lanes) {
  const enum op_class c = (enum op_class)r->insn[id].t.cls;
  uint32_t come = 0; /* nobody knows who passes it */
  if (lanes) come = track_gather(r, t, id, lanes);
  else if (t->at != EXITED && (come = track_lanes_of(t, t->at))) rebuild_learn(r, t->at, id);
  if (!(lanes ? lanes & track_alive(t) : come)) rebuild_learn_last(r, t, id);
  t->last = id;
  for (uint32_t m = come; m; m &= m - 1) {
    const int k = bit_low32(m);
    const bool on = lanes >> k & 1;
    t->group[k] = c == OC_EXIT && on ? EXITED : 2 * id + (on && op_class_flows(c));
  }
  if (!op_class_flows(c) || !lanes) t->at = 2 * id;
  else t->at = lanes == come && c != OC_EXIT ? 2 * id + 1 : EXITED;
  if (come == 0) {
    t->at = EXITED;
    come = track_alive(t);
    if (!come) come = ~0u >> 31;
  }
  t->ended = c == OC_EXIT && lanes == come;
  if (come & ~lanes && !r->op_of) r->insn[id].guarded = true;
  return come;
}

bool track_end(struct rebuild *r, const struct track *t) {
  if (!t->ended && !r->op_of) r->ends = true;
  return t->ended;
}
