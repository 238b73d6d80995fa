/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host: runs a launch file over a module, as a host program would: buffers, launches, loops, checks. Kernels, symbols
 * and the arguments' types are checked before the first statement runs, so that a long run does not fail late because
 * of a typing error.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "launch/texture.h"

struct frame {             /* a list of statements that is being executed */
  const struct stmt *of;   /* whose body it is: a loop, or a size block; NULL: the file's */
  const struct stmt *next; /* of the list; NULL: it has been executed to its end */
  uint64_t k, n;           /* of a loop: its round; how many, of repeat */
};

/* All that a run is: between two statements, and in a launch, nothing of it is on the C stack (script_begin). */
struct host_run {
  const struct script *s;
  struct module *m;
  struct memory *mem;
  const struct host_ops *ops;
  struct env env;
  uint64_t seed, *filled; /* filled: how often, by slot */
  bool other_seed;        /* not the file's own: the answers in it belong to other inputs */
  struct code **kernel;   /* by launch_file.id */
  unsigned launches;
  struct host_limits limits;
  uint64_t ran, statements;              /* warp instructions of launches, statements so far */
  struct frame frame[SCRIPT_BLOCKS + 2]; /* the file, a size block, loops */
  unsigned depth;
  struct texture_run textures;
  const struct stmt *launching; /* the launch that is being executed, `go`; NULL: none */
  struct launch go;
  const char *wanted; /* of script_shape: the kernel whose shape is asked for, and where it goes */
  struct launch_shape *shape;
};

static bool host_fail(struct host_run *r, int line, int col, const char *text) {
  return err_at(r->env.e, r->s->path, line, col, "%s", text);
}

static bool is_loop(const struct frame *f) { return f->of && f->of->kind != ST_SIZE; }

/* More of `what` than the limit: the error names the loop with the most iterations. */
static bool too_many(struct host_run *r, const struct stmt *s, uint64_t most, const char *what, const char *key) {
  const struct frame *worst = NULL;
  for (unsigned d = r->depth; d--;)
    if (is_loop(&r->frame[d]) && (!worst || r->frame[d].k > worst->k)) worst = &r->frame[d];
  if (worst)
    return err_at(r->env.e, r->s->path, worst->of->line, worst->of->col,
                  "found more than %" PRIu64 " %s in the run (%s), in round %" PRIu64 " of this loop, expected an end",
                  most, what, key, worst->k + 1);
  return err_at(r->env.e, r->s->path, s->line, s->col,
                "found more than %" PRIu64 " %s in the run (%s), expected no more", most, what, key);
}

/* ---- before the run: names and types ---- */

static const struct symbol *find_symbol(const struct module *m, const char *name) {
  for (uint32_t k = 0; k < m->nsymbol; k++)
    if (!strcmp(m->symbol[k].name, name)) return &m->symbol[k];
  return NULL;
}

static bool host_bind_symbol(struct host_run *r, const struct stmt *s) {
  const char *name = r->s->name[s->slot].s;
  struct view *w = &r->env.view[s->slot];
  if (w->set) return true;
  const struct symbol *y = find_symbol(r->m, name);
  if (!y)
    return err_at(r->env.e, r->s->path, s->name_line, s->name_col,
                  "found symbol '%.80s', expected a .global or .const variable of the PTX", name);
  unsigned size = dtype_bytes(s->type);
  if (!y->size || y->size % size)
    return err_at(r->env.e, r->s->path, s->name_line, s->name_col,
                  "found symbol '%.80s' of %u bytes, expected a whole number of %s", name, y->size,
                  dtype_name(s->type));
  bool constant = y->space == SP_CONST;
  uint8_t *data = constant ? memory_const(r->mem) + y->addr : memory_at(r->mem, y->addr, y->size);
  if (!data)
    return host_fail(r, s->name_line, s->name_col, "found a symbol outside the memory image, expected it inside");
  *w = (struct view){data, y->size / size, y->addr, y->size, s->type, true, constant, false};
  return true;
}

static void param_type(const struct param *p, char *buf, size_t room) {
  if (p->array) snprintf(buf, room, "struct {...} of %u bytes", p->size);
  else snprintf(buf, room, "%s", dtype_name(p->type));
}

static bool bad_arg(struct host_run *r, const struct launch_file *l, const struct arg *a, const struct param *p,
                    unsigned index, const char *found) {
  char want[64];
  param_type(p, want, sizeof want);
  return err_at(r->env.e, r->s->path, a->line, a->col, "found %s, expected %s for parameter %u of '%.80s'", found, want,
                index + 1, l->kernel);
}

static bool bits_type(enum dtype t) { return t >= T_B8 && t <= T_B64; }

static bool host_check_member(struct host_run *r, const struct arg *a) {
  if (a->kind == ARG_POINTER && r->env.view[a->slot].constant)
    return host_fail(r, a->line, a->col,
                     "found a symbol in constant memory, expected a buffer or a symbol in global memory");
  for (uint32_t k = 0; k < a->nmember; k++)
    if (!host_check_member(r, &a->member[k])) return false;
  return true;
}

/* C layout. Returns the size with its padding; *align: the strictest member's. */
static uint64_t arg_layout(const struct arg *a, unsigned *align) {
  if (a->kind != ARG_STRUCT) return *align = a->kind == ARG_TYPED ? dtype_bytes(a->type) : 8;
  uint64_t n = 0;
  *align = 1;
  for (uint32_t k = 0; k < a->nmember; k++) {
    unsigned al;
    uint64_t size = arg_layout(&a->member[k], &al);
    n = (n + al - 1) / al * al + size;
    if (al > *align) *align = al;
  }
  return (n + *align - 1) / *align * *align;
}

static const char *argument_text(const struct arg *a) {
  switch (a->kind) {
    case ARG_POINTER: return "a buffer";
    case ARG_LOCAL: return "'local'";
    case ARG_STRUCT: return "struct {...}";
    case ARG_TYPED: return dtype_name(a->type);
    default: return "a number";
  }
}

/* A parameter that is a handle takes one of its kind; a handle is 64 bits. */
static bool host_check_handle(struct host_run *r, const struct launch_file *l, unsigned index, const struct param *p) {
  static const char *const what[] = {"a texture", "a surface", "a sampler"};
  const struct arg *a = &l->arg[index];
  const enum handle_kind has = a->kind != ARG_HANDLE     ? HANDLE_NONE
                               : a->type == NAME_TEXTURE ? HANDLE_TEXTURE
                               : a->type == NAME_SURFACE ? HANDLE_SURFACE
                                                         : HANDLE_SAMPLER;
  const char *found = has ? what[a->type - NAME_TEXTURE] : argument_text(a);
  if (p->handle && has != (enum handle_kind)p->handle)
    return err_at(r->env.e, r->s->path, a->line, a->col, "found %s, expected %s for parameter %u of '%.80s'", found,
                  handle_name((enum handle_kind)p->handle), index + 1, l->kernel);
  return p->handle || (!p->array && !dtype_float(p->type) && p->size == 8) || bad_arg(r, l, a, p, index, found);
}

static bool host_check_arg(struct host_run *r, const struct launch_file *l, unsigned index, const struct param *p) {
  const struct arg *a = &l->arg[index];
  char found[64];
  unsigned align;
  bool flt = dtype_float(p->type), pointer = !p->array && !flt && p->size == 8;
  if (!host_check_member(r, a)) return false;
  if (p->handle || a->kind == ARG_HANDLE) return host_check_handle(r, l, index, p);
  switch (a->kind) {
    case ARG_POINTER: return pointer || bad_arg(r, l, a, p, index, "a buffer");
    case ARG_LOCAL: return pointer || (!p->array && !flt && p->size == 4) || bad_arg(r, l, a, p, index, "'local'");
    case ARG_STRUCT:
      snprintf(found, sizeof found, "struct {...} of %" PRIu64 " bytes", arg_layout(a, &align));
      return (p->array && arg_layout(a, &align) == p->size && align <= p->align) || bad_arg(r, l, a, p, index, found);
    case ARG_TYPED:
      snprintf(found, sizeof found, "%s", dtype_name(a->type));
      if (p->array || dtype_bytes(a->type) != p->size) return bad_arg(r, l, a, p, index, found);
      return bits_type(p->type) || dtype_float(a->type) == flt || bad_arg(r, l, a, p, index, found);
    default:
      if (p->array) return bad_arg(r, l, a, p, index, "a number");
      return !flt || p->type == T_F16 || p->type == T_F32 || p->type == T_F64 ||
             bad_arg(r, l, a, p, index, "a number without a type");
  }
}

static bool host_bind_launch(struct host_run *r, const struct launch_file *l) {
  struct code *c = module_find(r->m, l->kernel, r->s->path, l->line, l->col, r->env.e);
  if (!c) return false;
  r->kernel[l->id] = c;
  for (uint32_t k = 0; k < c->nparam && k < l->narg; k++)
    if (!host_check_arg(r, l, k, &c->param[k])) return false;
  if (c->nparam == l->narg) return true;
  const struct arg *extra = l->narg > c->nparam ? &l->arg[c->nparam] : NULL;
  return err_at(r->env.e, r->s->path, extra ? extra->line : l->end_line, extra ? extra->col : l->end_col,
                "found %u arguments, expected %u for '%.80s'", l->narg, c->nparam, l->kernel);
}

static bool host_bind(struct host_run *r, const struct stmt *s) {
  for (; s; s = s->next) {
    if (s->kind == ST_SYMBOL && !host_bind_symbol(r, s)) return false;
    if (s->kind == ST_TEXTURE && !texture_bind(&r->textures, r->m, s, &r->env)) return false;
    if (s->kind == ST_LAUNCH && !host_bind_launch(r, s->launch)) return false;
    if (!host_bind(r, s->body)) return false;
  }
  return true;
}

/* ---- launch ---- */

struct place {
  uint8_t *bytes;
  uint64_t shared;
}; /* shared: bytes of dynamic shared memory so far */

/* Of the two integer types of this width. */
static enum dtype signed_type(enum dtype t) { return t == T_U8 ? T_S8 : t == T_U16 ? T_S16 : t == T_U32 ? T_S32 : t; }
static enum dtype unsigned_type(enum dtype t) { return t == T_S8 ? T_U8 : t == T_S16 ? T_U16 : t == T_S32 ? T_U32 : t; }

/* A plain value may be the one or the other: PTX says u32 of what a program has as int. */
static bool host_put_value(struct host_run *r, const struct arg *a, enum dtype t, uint8_t *out) {
  struct value v;
  char buf[40], range[80];
  if (!script_eval(&a->a, &r->env, &v)) return false;
  if (dtype_float(t)) {
    if (!script_finite(t, v))
      return err_at(r->env.e, r->s->path, a->a.line, a->a.col,
                    "found %s, expected a number that is finite in %s, or inf", script_print(T_NONE, v, buf),
                    dtype_name(t));
  } else {
    int64_t i;
    bool plain = a->kind == ARG_PLAIN, whole = script_whole(v, &i);
    if (!whole || !(plain ? script_fits(signed_type(t), i) || script_fits(unsigned_type(t), i) : script_fits(t, i)))
      return err_at(r->env.e, r->s->path, a->a.line, a->a.col, "found %s, expected a whole number that fits in %s, %s",
                    script_print(T_NONE, v, buf), dtype_name(t), script_range(t, range));
    v = value_int(i);
  }
  script_store(t, out, v);
  return true;
}

static bool host_put_pointer(struct host_run *r, const struct arg *a, uint8_t *out) {
  const struct view *w = &r->env.view[a->slot];
  int64_t off = 0;
  if (a->offset && !script_eval_whole(&a->a, &r->env, 0, w->bytes, "the offset in bytes", &off)) return false;
  uint64_t addr = w->addr + (uint64_t)off;
  memcpy(out, &addr, 8);
  return true;
}

static bool host_put_member(struct host_run *r, const struct arg *a, uint8_t *out) {
  if (a->kind == ARG_POINTER) return host_put_pointer(r, a, out);
  if (a->kind == ARG_TYPED) return host_put_value(r, a, a->type, out);
  if (a->kind == ARG_HANDLE) return memcpy(out, &r->textures.handle[a->slot], 8), true;
  uint64_t n = 0;
  for (uint32_t k = 0; k < a->nmember; k++) {
    unsigned al;
    uint64_t size = arg_layout(&a->member[k], &al);
    n = (n + al - 1) / al * al;
    if (!host_put_member(r, &a->member[k], out + n)) return false;
    n += size;
  }
  return true;
}

static enum dtype plain_type(const struct param *p) {
  if (!bits_type(p->type)) return p->type;
  return p->size == 1 ? T_U8 : p->size == 2 ? T_U16 : p->size == 4 ? T_U32 : T_U64;
}

static bool host_put_arg(struct host_run *r, const struct code *c, const struct arg *a, const struct param *p,
                         struct place *at) {
  uint8_t *out = at->bytes + p->offset;
  if (a->kind == ARG_PLAIN) return host_put_value(r, a, plain_type(p), out);
  if (a->kind != ARG_LOCAL) return host_put_member(r, a, out);
  int64_t n;
  if (!script_eval_whole(&a->a, &r->env, 1, SCRIPT_SHARED, "the bytes of 'local'", &n)) return false;
  at->shared = (at->shared + 15) & ~15ull;
  uint64_t offset = (((uint64_t)c->shared_bytes + 15) & ~15ull) + at->shared;
  at->shared += (uint64_t)n;
  if (at->shared > SCRIPT_SHARED)
    return host_fail(r, a->line, a->col, "found more than 262144 bytes of dynamic shared memory, expected no more");
  memcpy(out, &offset, p->size);
  return true;
}

static bool host_eval_dims(struct host_run *r, const struct expr *x, unsigned n, bool grid, uint32_t out[3]) {
  static const int64_t most[2][3] = {{1024, 1024, 64}, {INT32_MAX, 65535, 65535}};
  uint64_t all = 1;
  for (unsigned k = 0; k < 3; k++) {
    int64_t v = 1;
    char what[32];
    snprintf(what, sizeof what, "%s dimension %c", grid ? "grid" : "block", "xyz"[k]);
    if (k < n && !script_eval_whole(&x[k], &r->env, 1, most[grid][k], what, &v)) return false;
    out[k] = (uint32_t)v;
    all *= out[k]; /* below 2^63 */
  }
  if (all <= (grid ? UINT32_MAX : SCRIPT_THREADS)) return true;
  return err_at(r->env.e, r->s->path, x[0].line, x[0].col, "found %" PRIu64 " %s, expected at most %" PRIu64, all,
                grid ? "blocks in the grid" : "threads in the block", (uint64_t)(grid ? UINT32_MAX : SCRIPT_THREADS));
}

/* What the kernel itself says about its blocks: .reqntid exactly, .maxntid at most. */
static bool host_check_block(struct host_run *r, const struct launch_file *l, const struct code *c,
                             const uint32_t b[3]) {
  uint32_t want[3], max = 1;
  for (int k = 0; k < 3; k++) {
    want[k] = c->reqntid[k] ? c->reqntid[k] : 1;
    if (c->maxntid[k]) max *= c->maxntid[k];
  }
  if (c->reqntid[0] && (b[0] != want[0] || b[1] != want[1] || b[2] != want[2]))
    return err_at(r->env.e, r->s->path, l->block[0].line, l->block[0].col,
                  "found block (%u, %u, %u), expected (%u, %u, %u) as the .reqntid of '%.80s'", b[0], b[1], b[2],
                  want[0], want[1], want[2], l->kernel);
  if (c->maxntid[0] && b[0] * b[1] * b[2] > max)
    return err_at(r->env.e, r->s->path, l->block[0].line, l->block[0].col,
                  "found %u threads in the block, expected at most %u, the .maxntid of '%.80s'", b[0] * b[1] * b[2],
                  max, l->kernel);
  return true;
}

/* A launch's parameters and dynamic shared memory, freed by the caller; local_only: of the parameters only
 * what takes shared memory. NULL: *e says why. */
static uint8_t *host_make_parameters(struct host_run *r, const struct launch_file *l, bool local_only,
                                     uint32_t *shared_dyn) {
  const struct code *c = r->kernel[l->id];
  int64_t shared = 0;
  if (l->has_shared && !script_eval_whole(&l->shared, &r->env, 0, SCRIPT_SHARED, "dynamic shared memory", &shared))
    return NULL;
  uint8_t *bytes = xcalloc(1, c->param_bytes + 8);
  struct place at = {bytes, (uint64_t)shared};
  bool ok = true;
  for (uint32_t k = 0; ok && k < l->narg; k++)
    if (!local_only || l->arg[k].kind == ARG_LOCAL) ok = host_put_arg(r, c, &l->arg[k], &c->param[k], &at);
  *shared_dyn = (uint32_t)at.shared;
  if (ok) return bytes;
  free(bytes);
  return NULL;
}

/* Blocks and dynamic shared memory alone: all that a file's numbers are sure to say before it runs. */
static bool shape_launch(struct host_run *r, const struct launch_file *l) {
  struct code *c = r->kernel[l->id];
  struct launch_shape *s = r->shape;
  if (s->found || strcmp(r->wanted, c->name)) return true;
  if (!host_eval_dims(r, l->block, l->nblock, false, s->block) || !host_check_block(r, l, c, s->block)) return false;
  uint8_t *bytes = host_make_parameters(r, l, true, &s->shared_dyn);
  s->found = bytes != NULL;
  free(bytes);
  return s->found;
}

/* What a launch returned: an error about the launch as such gets its place. */
static bool host_launched(struct host_run *r, const struct launch_file *l, bool ok) {
  struct err *e = r->env.e;
  if (ok && !e->set) return true;
  if (!e->set) return err_at(e, r->s->path, l->line, l->col, "the launch of '%.80s' failed", l->kernel);
  if (!e->file[0] && !e->line) {
    struct err at = {0};
    err_at(&at, r->s->path, l->line, l->col, "%s", e->text);
    *e = at;
  }
  return false;
}

static bool launch_stride(struct host_run *r, const struct launch_file *l, unsigned *stride) {
  int64_t n = 0;
  if (l->has_stride && !script_eval_whole(&l->stride, &r->env, 1, 256, "stride", &n)) return false;
  *stride = (unsigned)n;
  return true;
}

static bool in_loop(const struct host_run *r) {
  for (unsigned d = 0; d < r->depth; d++)
    if (is_loop(&r->frame[d])) return true;
  return false;
}

/* The rest of host_run_launch, with what the launch returned. */
static bool host_end_launch(struct host_run *r, bool ok) {
  const struct stmt *s = r->launching;
  const uint64_t most = r->limits.insns;
  struct launch *go = &r->go;
  if (go->param) ok = host_launched(r, s->launch, ok);
  r->launching = NULL;
  r->env.steered = r->ops->steered;
  if (go->prints) prints_give(go->prints, r->ops->print, r->ops->ctx);
  prints_free(go->prints);
  free((void *)go->param);
  ok = ok && texture_launched(&r->textures, r->mem, r->env.e);
  go->prints = NULL;
  go->param = NULL;
  if (ok || r->ran <= most || !in_loop(r) || go->most_insns > most / 2) return ok;
  *r->env.e = (struct err){0}; /* this launch alone is within the limit: it is the loop of launches that does not end */
  return too_many(r, s, most, "warp instructions", go->limit);
}

static bool host_run_launch(struct host_run *r, const struct stmt *s) {
  const struct launch_file *l = s->launch;
  const uint64_t most = r->limits.insns;
  struct code *c = r->kernel[l->id];
  struct launch *go = &r->go;
  *go = (struct launch){.module = r->m, .code = c, .mem = r->mem, .limit = "sim.max_insns", .ran = &r->ran};
  if (r->ran >= most) return too_many(r, s, most, "warp instructions", go->limit);
  go->most_insns = most - r->ran;
  if (!host_eval_dims(r, l->grid, l->ngrid, true, go->grid) ||
      !host_eval_dims(r, l->block, l->nblock, false, go->block))
    return false;
  if (!host_check_block(r, l, c, go->block) || !launch_stride(r, l, &go->stride)) return false;
  if (!(go->textures = texture_launch(&r->textures, r->m, r->mem, c, l->line, l->col, &r->env))) return false;
  go->param = host_make_parameters(r, l, false, &go->shared_dyn);
  if (r->ops->print) go->prints = prints_new();
  r->launching = s;
  return host_end_launch(r, go->param && r->ops->launch(r->ops->ctx, go, r->launches++, r->env.e));
}

/* ---- buffers ---- */

/* Where what the names refer to lies now: a new buffer may have moved the image. */
static bool find_views(struct host_run *r) {
  for (uint32_t k = 0; k < r->s->nname; k++) {
    struct view *w = &r->env.view[k];
    if (w->set && !w->constant && !w->rows && !(w->data = memory_at(r->mem, w->addr, w->bytes))) return false;
  }
  return true;
}

static bool host_run_buffer(struct host_run *r, const struct stmt *s) {
  const char *name = r->s->name[s->slot].s;
  unsigned size = dtype_bytes(s->type);
  int64_t n, pad = 0;
  if (!script_eval_whole(&s->a, &r->env, 1, INT64_MAX, "the number of elements", &n)) return false;
  if (s->b.n && !script_eval_whole(&s->b, &r->env, 0, SCRIPT_PAD / size, "the elements of the pad", &pad)) return false;
  uint32_t addr = 0, bytes = 0, around = (uint32_t)pad * size;
  uint64_t room = memory_room(r->mem, around);
  if ((uint64_t)n <= LOCAL_BASE / size) {
    bytes = (uint32_t)n * size;
    addr = memory_alloc_padded(r->mem, name, bytes, around);
  }
  if (!addr && bytes && bytes <= room)
    return err_at(r->env.e, r->s->path, s->name_line, s->name_col,
                  "found no memory for %u bytes of buffer '%.80s', expected it (a limit by ulimit -v?)", bytes, name);
  if (!addr)
    return err_at(r->env.e, r->s->path, s->name_line, s->name_col,
                  "found buffer '%.80s' of %" PRId64 " %s, expected at most %" PRIu64
                  " bytes: the rest of the memory image",
                  name, n, dtype_name(s->type), room);
  struct view *w = &r->env.view[s->slot];
  *w = (struct view){.n = (uint64_t)n, .addr = addr, .bytes = bytes, .type = s->type, .set = true};
  if (!find_views(r))
    return host_fail(r, s->name_line, s->name_col, "found a buffer outside the memory image, expected it inside");
  return script_fill(s->init, w, r->seed, name, r->filled[s->slot]++, &r->env);
}

static bool host_run_copy(struct host_run *r, const struct stmt *s) {
  const struct view *from = &r->env.view[s->slot], *to = &r->env.view[s->slot2];
  if (from->n == to->n) return memmove(to->data, from->data, from->bytes), true;
  return err_at(r->env.e, r->s->path, s->name_line, s->name_col,
                "found '%.80s' of %" PRIu64 " elements, expected %" PRIu64 " as in '%.80s'", r->s->name[s->slot2].s,
                to->n, from->n, r->s->name[s->slot].s);
}

static bool host_run_set(struct host_run *r, const struct stmt *s) {
  const struct view *w = &r->env.view[s->slot];
  int64_t i;
  struct value v;
  char what[120];
  snprintf(what, sizeof what, "the index of '%.80s'", r->s->name[s->slot].s);
  if (!script_eval_whole(&s->a, &r->env, 0, (int64_t)w->n - 1, what, &i) || !script_eval(&s->b, &r->env, &v))
    return false;
  script_store(w->type, w->data + (uint64_t)i * dtype_bytes(w->type), v);
  return true;
}

/* ---- expect ---- */

static double value_number(enum dtype t, struct value v) {
  return !v.flt && t == T_U64 ? (double)(uint64_t)v.i : value_double(v);
}

double host_number(enum dtype t, const void *data, uint64_t i) {
  return value_number(t, script_load(t, (const uint8_t *)data + i * dtype_bytes(t)));
}

static bool value_agrees(enum dtype t, struct value found, struct value want, double rel, double abs) {
  if (!found.flt && !want.flt) {
    if (found.i == want.i) return true;
    bool below = t == T_U64 ? (uint64_t)found.i < (uint64_t)want.i : found.i < want.i;
    uint64_t diff = below ? (uint64_t)want.i - (uint64_t)found.i : (uint64_t)found.i - (uint64_t)want.i;
    double w = value_number(t, want);
    return (double)diff <= abs || (double)diff <= rel * (w < 0 ? -w : w);
  }
  double a = value_number(t, found), b = value_number(t, want);
  if (a != a || b != b) return a != a && b != b;
  if (a == b) return true;
  if (__builtin_isinf(a) || __builtin_isinf(b)) return false;
  double diff = a < b ? b - a : a - b;
  return diff <= abs || diff <= rel * (b < 0 ? -b : b);
}

/* What an expected value means for a buffer of this type; a fraction beside integers stays, and differs. */
static struct value expected_value(enum dtype t, struct value v) {
  int64_t i;
  if (dtype_float(t) || !v.flt) return script_convert(t, v);
  return script_whole(v, &i) ? value_int(i) : v;
}

struct diff {
  uint64_t first, count;
  struct value found, want;
};

static void diff_compare(const struct stmt *s, const struct view *w, uint64_t k, struct value want, struct diff *d) {
  struct value found = script_load(w->type, w->data + k * dtype_bytes(w->type));
  if (value_agrees(w->type, found, want, s->rel, s->abs)) return;
  if (!d->count++) {
    d->first = k;
    d->found = found;
    d->want = want;
  }
}

static bool diff_report(struct host_run *r, const struct stmt *s, uint64_t n, const struct diff *d) {
  const char *name = r->s->name[s->slot].s;
  char found[40], want[40], within[100] = "", many[80] = "";
  if (!d->count) return true;
  if (s->rel > 0 && s->abs > 0) snprintf(within, sizeof within, " within rel %g or abs %g", s->rel, s->abs);
  else if (s->rel > 0) snprintf(within, sizeof within, " within rel %g", s->rel);
  else if (s->abs > 0) snprintf(within, sizeof within, " within abs %g", s->abs);
  if (n > 1) snprintf(many, sizeof many, "; %" PRIu64 " of %" PRIu64 " elements differ", d->count, n);
  enum dtype t = r->env.view[s->slot].type;
  return err_at(r->env.e, r->s->path, s->line, s->col, "found %.80s[%" PRIu64 "] = %s, expected %s%s%s", name, d->first,
                script_print(t, d->found, found), script_print(t, d->want, want), within, many);
}

static bool host_run_expect(struct host_run *r, const struct stmt *s) {
  const struct view *w = &r->env.view[s->slot];
  const struct host_result result = {
      .name = r->s->name[s->slot].s, .type = w->type, .data = w->data, .n = w->n, .line = s->line, .col = s->col};
  struct diff d = {0};
  if (r->ops->result) r->ops->result(r->ops->ctx, &result);
  if (r->ops->unchecked || (r->other_seed && s->kind != ST_EXPECT_ALL)) return true;
  struct value v;
  if (s->kind == ST_EXPECT_AT) {
    int64_t i;
    if (!script_eval_whole(&s->a, &r->env, 0, (int64_t)w->n - 1, "the index", &i) || !script_eval(&s->b, &r->env, &v))
      return false;
    diff_compare(s, w, (uint64_t)i, expected_value(w->type, v), &d);
    return diff_report(r, s, 1, &d);
  }
  if (s->kind == ST_EXPECT_FNV) {
    uint64_t h = fnv1a(FNV_START, w->data, w->bytes);
    return h == s->hash ||
           err_at(r->env.e, r->s->path, s->line, s->col, "found '%.80s' with fnv %016" PRIx64 ", expected %016" PRIx64,
                  r->s->name[s->slot].s, h, s->hash);
  }
  if (s->kind == ST_EXPECT_ALL) {
    for (uint64_t k = 0; k < w->n; k++) {
      r->env.var[s->slot2] = value_int((int64_t)k);
      if (!script_eval(&s->a, &r->env, &v)) return false;
      diff_compare(s, w, k, expected_value(w->type, v), &d);
    }
    return diff_report(r, s, w->n, &d);
  }
  uint8_t *bytes = script_bytes(s->path, w->bytes, true, r->s->path, s->name_line, s->name_col, r->env.e);
  if (!bytes) return false;
  for (uint64_t k = 0; k < w->n; k++) diff_compare(s, w, k, script_load(w->type, bytes + k * dtype_bytes(w->type)), &d);
  free(bytes);
  return diff_report(r, s, w->n, &d);
}

/* ---- statements ---- */

/* Of a size block: does the chosen size have its statements? */
static bool has_statements(const struct host_run *r, const struct stmt *s) { return s->sizes >> r->s->chosen & 1; }

static bool begin_while(struct host_run *r, struct frame *f, bool *more) {
  const struct stmt *s = f->of;
  struct value v;
  if (!script_eval(&s->a, &r->env, &v)) return false;
  *more = v.flt ? v.f != 0 : v.i != 0;
  return !*more || f->k < s->max ||
         err_at(r->env.e, r->s->path, s->line, s->col,
                "found the condition still true after %" PRIu64 " rounds, expected it to end within 'max'", s->max);
}

/* The innermost loop's round k, or its end. */
static bool begin_round(struct host_run *r) {
  struct frame *f = &r->frame[r->depth - 1];
  const struct stmt *s = f->of;
  bool more = f->k < f->n && s->body;
  if (s->kind == ST_WHILE && !begin_while(r, f, &more)) return false;
  if (more && s->kind == ST_REPEAT && s->slot2) r->env.var[s->slot] = value_int((int64_t)f->k);
  f->next = s->body;
  r->depth -= !more;
  return true;
}

static void host_enter(struct host_run *r, const struct stmt *of, const struct stmt *first, uint64_t n) {
  if (r->depth == sizeof r->frame / sizeof r->frame[0]) die("launch file: more blocks than its parser lets in");
  r->frame[r->depth++] = (struct frame){.of = of, .next = first, .n = n};
}

static bool host_run_loop(struct host_run *r, const struct stmt *s) {
  int64_t n = 0;
  if (s->kind == ST_REPEAT && !script_eval_whole(&s->a, &r->env, 0, INT64_MAX, "the number of rounds", &n))
    return false;
  host_enter(r, s, NULL, (uint64_t)n);
  return begin_round(r);
}

static bool host_run_swap(struct host_run *r, uint32_t a, uint32_t b) {
  struct view *v = r->env.view, t = v[a];
  v[a] = v[b];
  v[b] = t;
  texture_swap(&r->textures, a, b);
  return true;
}

static bool host_run_texture(struct host_run *r, const struct stmt *s) {
  bool moved;
  return texture_run(&r->textures, r->m, r->mem, s, &r->env, &moved) && (!moved || find_views(r));
}

/* Statements that write elements. */
static bool host_run_write(struct host_run *r, const struct stmt *s) {
  const uint32_t slot = s->kind == ST_COPY ? s->slot2 : s->slot;
  texture_changed(&r->textures, slot);
  if (s->kind == ST_COPY) return host_run_copy(r, s);
  if (s->kind == ST_SET) return host_run_set(r, s);
  return script_fill(s->init, &r->env.view[slot], r->seed, r->s->name[slot].s, r->filled[slot]++, &r->env);
}

static bool host_run_statement(struct host_run *r, const struct stmt *s) {
  const struct view *w = &r->env.view[s->slot];
  if (s->kind == ST_SIZE) {
    if (has_statements(r, s)) host_enter(r, s, s->body, 0);
    return true;
  }
  if (++r->statements > r->limits.statements)
    return too_many(r, s, r->limits.statements, "statements", "sim.max_statements");
  switch (s->kind) {
    case ST_LET: return script_eval(&s->a, &r->env, &r->env.var[s->slot]);
    case ST_BUFFER: return host_run_buffer(r, s);
    case ST_SYMBOL:
    case ST_FILL: return !s->init || host_run_write(r, s); /* without: a symbol as the module has it */
    case ST_LAUNCH: return host_run_launch(r, s);
    case ST_SWAP: return host_run_swap(r, s->slot, s->slot2);
    case ST_TEXTURE: return host_run_texture(r, s);
    case ST_COPY:
    case ST_SET: return host_run_write(r, s);
    case ST_REPEAT:
    case ST_WHILE: return host_run_loop(r, s);
    case ST_DUMP:
      return r->ops->trial ||
             script_write(r->ops->dumps, s->path, w->data, w->bytes, r->s->path, s->name_line, s->name_col, r->env.e);
    case ST_IMAGE: return script_image(s, w, r->ops, &r->env);
    default: break;
  }
  bool *const steered = r->env.steered;
  r->env.steered = NULL;
  const bool ok = host_run_expect(r, s);
  r->env.steered = steered;
  return ok;
}

/* From where the run is to the end of the file. */
static bool host_run_rest(struct host_run *r) {
  while (r->depth) {
    struct frame *f = &r->frame[r->depth - 1];
    const struct stmt *s = f->next;
    if (s) {
      f->next = s->next;
      if (!host_run_statement(r, s)) return false;
    } else if (is_loop(f)) {
      f->k++;
      if (!begin_round(r)) return false;
    } else {
      r->depth--;
    }
  }
  return true;
}

/* Statements without running them: what cannot be known before a run (a size read from a buffer) stays 0. */
static void shape_all(struct host_run *r, const struct stmt *s) {
  struct err *real = r->env.e;
  for (; s && !r->shape->found && !real->set; s = s->next) {
    struct err ignored = {0};
    r->env.e = &ignored;
    if (s->kind == ST_LET && !script_eval(&s->a, &r->env, &r->env.var[s->slot])) r->env.var[s->slot] = value_int(0);
    if (s->kind == ST_REPEAT && s->slot2) r->env.var[s->slot] = value_int(0);
    r->env.e = real;
    if (s->kind == ST_LAUNCH && !shape_launch(r, s->launch)) return;
    if (s->kind != ST_SIZE || has_statements(r, s)) shape_all(r, s->body);
  }
}

static struct host_run *new_run(const struct script *s, struct module *m, uint64_t seed, const struct host_ops *ops) {
  struct host_run *r = xcalloc(1, sizeof *r);
  const uint64_t own = s->seed ? s->seed : 1;
  r->s = s;
  r->m = m;
  r->ops = ops;
  r->seed = seed ? seed : own;
  r->other_seed = r->seed != own;
  r->limits = ops->limits;
  if (!r->limits.insns) r->limits.insns = UINT64_MAX - 1;
  if (!r->limits.statements) r->limits.statements = UINT64_MAX;
  r->mem = memory_new(m);
  r->kernel = xcalloc(s->nlaunch, sizeof(struct code *));
  r->filled = xcalloc(s->nname, sizeof *r->filled);
  r->env.file = s->path;
  r->env.name = s->name;
  r->env.var = xcalloc(s->nname, sizeof *r->env.var);
  r->env.view = xcalloc(s->nname, sizeof *r->env.view);
  texture_run_begin(&r->textures, s, m);
  r->env.handle = r->textures.handle;
  return r;
}

void script_end(struct host_run *r) {
  if (!r) return;
  texture_run_end(&r->textures);
  free(r->env.view);
  free(r->env.var);
  free(r->filled);
  free(r->kernel);
  memory_free(r->mem);
  free(r);
}

struct host_run *script_begin(const struct script *s, struct module *m, uint64_t seed, const struct host_ops *ops,
                              struct err *e) {
  struct host_run *r = new_run(s, m, seed, ops);
  r->env.e = e;
  if (host_bind(r, s->first)) {
    host_enter(r, NULL, s->first, 0);
    return r;
  }
  script_end(r);
  return NULL;
}

bool script_go(struct host_run *r, struct err *e) {
  const struct script *s = r->s;
  r->env.e = e;
  if (r->launching && !host_end_launch(r, r->ops->resume(r->ops->ctx, &r->go, e))) return false;
  if (!host_run_rest(r)) return false;
  return !s->launches || s->launch_sizes >> s->chosen & 1 ||
         err_at(e, s->path, s->end_line, s->end_col,
                "found the end of the file, expected a launch statement before it%s%s", s->nsize ? " in size " : "",
                script_size(s));
}

bool script_run_then(const struct script *s, struct module *m, uint64_t seed, const struct host_ops *ops,
                     host_buffer_fn *each, void *each_ctx, struct err *e) {
  struct host_run *r = script_begin(s, m, seed, ops, e);
  const bool ok = r && script_go(r, e);
  for (uint32_t k = 0; ok && each && k < s->nname; k++) {
    const struct view *w = &r->env.view[k];
    if ((s->name[k].kind == NAME_BUFFER || w->rows) && w->set) each(each_ctx, s->name[k].s, w->type, w->data, w->n);
  }
  script_end(r);
  return ok;
}

bool script_shape(const struct script *s, struct module *m, const char *kernel, struct launch_shape *out,
                  struct err *e) {
  *out = (struct launch_shape){.found = false};
  const struct host_ops nobody = {0};
  struct host_run *r = script_begin(s, m, 0, &nobody, e);
  if (!r) return false;
  r->wanted = kernel;
  r->shape = out;
  shape_all(r, s->first);
  script_end(r);
  return out->found;
}

bool script_run(const struct script *s, struct module *m, uint64_t seed, const struct host_ops *ops, struct err *e) {
  return script_run_then(s, m, seed, ops, NULL, NULL, e);
}
