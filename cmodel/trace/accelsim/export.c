/* SPDX-License-Identifier: Apache-2.0 */
/*
 * export: see export.h. Files are of tracer version 5: each line ends with an immediate. A launch's CTAs are written in the
 * order of the grid. Accel-Sim wants each CTA of a grid: a launch that was recorded with a stride is a grid in one dimension of the CTAs
 * that are there. The list is written last, so that it names whole files only.
 */
#include "trace/accelsim/export.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/show.h"
#include "trace/accelsim/opmap.h"
#include "trace/accelsim/sass.h"
#include "trace/accelsim/sink.h"
#include "trace/accelsim/traceg.h"

enum { LINE = 2048, VERSION = 5 };
/* Windows of shared and of local memory in generic addresses; local memory ends 16 MB behind its base. */
#define SHARED_BASE 0x7f0000000000ull
#define LOCAL_WINDOW_BASE 0x7f0001000000ull

struct shape { /* of a static instruction */
  bool access, predicates, constant, barrier, copy, waits, arrival;
  uint64_t imm;
};

struct writer {
  struct trf *t;
  uint32_t launch;
  const struct trf_launch *l;
  const struct trf_code *code;
  struct shape *shape;
  struct sass_listing list;
  struct sink *to;
  struct export_report *rep;
  struct err *e;
  char line[LINE];
  size_t n;
};

/* ---- static instructions ---- */

static bool reads_predicate(const struct insn *i) {
  const struct opnd *o[INSN_SRC + 1];
  for (unsigned k = 0, n = insn_reads(i, o); k < n; k++)
    if (o[k]->kind == O_PRED) return true;
  for (unsigned k = 0, n = insn_writes(i, o); k < n && k < INSN_DST; k++)
    if (o[k]->kind == O_PRED) return true;
  return false;
}

static bool export_is_access(const struct insn *i) {
  return insn_is(i, TRAIT_ACCESS) || (i->op == OP_CPASYNC && i->sub == ASYNC_COPY);
}

static struct shape export_shape_of(const struct insn *i) {
  struct shape s = {.access = export_is_access(i), .predicates = reads_predicate(i)};
  s.constant = i->op == OP_LD && i->space >= SP_CONST;
  s.barrier = i->op == OP_BAR && i->sub != BAR_WARP;
  s.arrival = i->op == OP_MBARRIER && i->sub == MBAR_COPIES;
  s.copy = i->op == OP_CPASYNC && i->sub == ASYNC_COPY;
  s.waits = i->op == OP_CPASYNC && i->sub == ASYNC_WAIT;
  if (s.waits && i->nsrc && i->src[0].kind == O_IMM) s.imm = i->src[0].imm;
  return s;
}

/* ---- lines ---- */

static void export_put(struct writer *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void export_put(struct writer *w, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  w->n += (size_t)vsnprintf(w->line + w->n, LINE - w->n, fmt, ap);
  va_end(ap);
  if (w->n >= LINE) die("export: found a line of more than %d bytes", LINE);
}

/* As the tracer does: a stride where the lanes are neighbours, at least two; else steps. No lane: a stride of 0. */
static void export_put_addresses(struct writer *w, uint32_t lanes, const uint64_t *addr) {
  if (!lanes) {
    export_put(w, "1 0x0 0 ");
    return;
  }
  const int first = bit_low32(lanes);
  const uint32_t run = lanes >> first;
  const int64_t stride = run & 2 ? (int64_t)(addr[first + 1] - addr[first]) : 0;
  bool same = run & 2 && !(run & (run + 1));
  for (uint32_t m = lanes & (lanes - 1); m && same; m &= m - 1)
    same = (int64_t)(addr[bit_low32(m)] - addr[bit_low32(m) - 1]) == stride;
  if (same) {
    export_put(w, "1 0x%" PRIx64 " %" PRId64 " ", addr[first], stride);
    return;
  }
  export_put(w, "2 0x%" PRIx64 " ", addr[first]);
  int last = first;
  for (uint32_t m = lanes & (lanes - 1); m; m &= m - 1) {
    export_put(w, "%" PRId64 " ", (int64_t)(addr[bit_low32(m)] - addr[last]));
    last = bit_low32(m);
  }
}

static void addresses_of(const struct trf_step *s, bool generic, uint64_t *addr) {
  for (unsigned l = 0; l < 32; l++) {
    const uint32_t a = s->addr[l];
    addr[l] = a;
    if (s->space == SP_LOCAL) addr[l] = a / 128 * 4 + a % 4 + (generic ? LOCAL_WINDOW_BASE : 0);
    if (s->space == SP_SHARED && generic) addr[l] += SHARED_BASE;
  }
}

static void export_count(struct export_report *r, const struct shape *h, const struct sass_line *line, uint32_t lines,
                         const struct trf_step *s) {
  r->warp_insns++;
  r->lines += lines;
  r->divisions += lines > 1;
  r->registers += line->dropped != 0;
  r->predicates += h->predicates;
  r->barriers += h->barrier && (s->barrier > 0 || s->warps);
  r->copies += h->copy && s->lanes;
  r->zero_fills += h->copy && s->rows == 1;
  r->constants += h->constant;
  r->texels += s->space == SP_TEX;
  r->arrivals += h->arrival && s->lanes;
}

/* The lines [from, from + n) of the listing, for one executed instruction. Only the first one may be an access. */
static void export_put_lines(struct writer *w, const struct trf_step *s, uint32_t from, uint32_t n) {
  const struct shape *h = &w->shape[s->op];
  const struct insn *i = &w->code->code->insn[s->op];
  const bool zeros = h->copy && s->rows == 1, shared_only = i->op == OP_LDMATRIX || i->op == OP_MBARRIER;
  const bool generic = i->op != OP_CPASYNC && !shared_only && !i->space;
  uint64_t addr[32];
  char store[SASS_NAME];
  for (uint32_t k = from; k < from + n; k++) {
    const struct sass_line *l = &w->list.line[k];
    if (zeros) sass_zeros_name(l->name, store);
    const char *name = zeros ? store : l->name;
    w->n = 0;
    export_put(w, "%04x %08x ", 16 * k, s->lanes);
    if (l->dst >= 0) export_put(w, "1 R%d ", l->dst);
    else export_put(w, "0 ");
    export_put(w, "%s %u ", name, l->nsrc);
    for (unsigned r = 0; r < l->nsrc; r++) export_put(w, "R%u ", l->src[r]);
    if (h->access) {
      export_put(w, "%u ", traceg_bytes(name));
      if (s->lanes) addresses_of(s, generic, addr);
      export_put_addresses(w, s->lanes, addr);
    } else {
      export_put(w, "0 ");
    }
    export_put(w, "%" PRId64 " \n", h->barrier ? (int64_t)(s->barrier > 0 ? s->barrier : 0) : (int64_t)h->imm);
    sink_put(w->to, w->line, w->n);
  }
}

static void export_put_step(struct writer *w, const struct trf_step *s) {
  const uint32_t from = w->list.first[s->op], n = sass_lines(&w->list, s->op, s->lanes);
  export_put_lines(w, s, from, n);
  export_count(w->rep, &w->shape[s->op], &w->list.line[from], n, s);
}

/* ---- CTAs ---- */

/* How many lines each warp has. */
static bool export_count_lines(struct writer *w, uint32_t cta, uint32_t warps, uint32_t *insns) {
  uint32_t addr[32], to[32];
  struct trf_step s = {.addr = addr, .to = to};
  struct trf_cta *c = trf_cta_open(w->t, w->launch, cta, w->e);
  int got = c ? STREAM_FINISHED : STREAM_ERROR;
  for (uint32_t k = 0; k < warps && got == STREAM_FINISHED; k++)
    for (insns[k] = 0; (got = trf_next(c, k, &s, w->e)) == STREAM_GIVEN;)
      insns[k] += sass_lines(&w->list, s.op, s.lanes);
  trf_cta_close(c);
  return got == STREAM_FINISHED;
}

/* The grid that is written. Returns whether it is that of the launch. */
static bool export_grid_of(const struct trf_launch *l, uint32_t *grid) {
  const bool all = l->ctas == (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
  for (unsigned k = 0; k < 3; k++) grid[k] = all ? l->grid[k] : k ? 1 : l->ctas;
  return all;
}

/* The launch's k-th CTA. */
static bool export_put_cta(struct writer *w, uint32_t k) {
  uint32_t g[3];
  const uint32_t cta = trf_cta_at(w->t, w->launch, k), at = export_grid_of(w->l, g) ? cta : k;
  const uint32_t warps = (w->l->block[0] * w->l->block[1] * w->l->block[2] + 31) / 32;
  uint32_t insns[TRF_WARPS], addr[32], to[32];
  struct trf_step s = {.addr = addr, .to = to};
  if (!export_count_lines(w, cta, warps, insns)) return false;
  struct trf_cta *c = trf_cta_open(w->t, w->launch, cta, w->e);
  int got = c ? STREAM_FINISHED : STREAM_ERROR;
  sink_print(w->to, "\n#BEGIN_TB\n\nthread block = %u,%u,%u\n", at % g[0], at / g[0] % g[1], at / g[0] / g[1]);
  for (uint32_t i = 0; i < warps && got == STREAM_FINISHED; i++) {
    sink_print(w->to, "\nwarp = %u\ninsts = %u\n", i, insns[i]);
    while ((got = trf_next(c, i, &s, w->e)) == STREAM_GIVEN) export_put_step(w, &s);
  }
  sink_print(w->to, "\n#END_TB\n");
  trf_cta_close(c);
  w->rep->ctas++;
  return got == STREAM_FINISHED && !sink_failed(w->to);
}

/* ---- files ---- */

/* Of an imported trace: the binary version of each kernel; else ours. */
static unsigned binary_of(const struct trf *t, uint32_t code) {
  json_t *j = json_loads(trf_meta(t), 0, NULL), *b = json_array_get(json_object_get(j, "binary"), code);
  const unsigned v = trf_code(t, code)->text && json_is_integer(b) ? (unsigned)json_integer_value(b) : SASS_BINARY;
  json_decref(j);
  return v;
}

static void export_put_head(struct writer *w) {
  const struct trf_launch *l = w->l;
  uint32_t g[3];
  w->rep->parts += !export_grid_of(l, g);
  sink_print(w->to,
             "-kernel name = %s\n-kernel id = %u\n-grid dim = (%u,%u,%u)\n-block dim = (%u,%u,%u)\n-shmem = %u\n"
             "-nregs = %u\n-binary version = %u\n-cuda stream id = 0\n",
             SHOWN(w->code->code->name), w->launch + 1, g[0], g[1], g[2], l->block[0], l->block[1], l->block[2],
             l->shared_bytes, l->regs > w->list.regs ? l->regs : w->list.regs, binary_of(w->t, l->code));
  sink_print(w->to,
             "-shmem base_addr = 0x%016llx\n-local mem base_addr = 0x%016llx\n-nvbit version = regtwin %s\n"
             "-accelsim tracer version = %d\n-enable lineinfo = 0\n\n#traces format = [line_num] PC mask dest_num "
             "[reg_dests] opcode src_num [reg_srcs] mem_width [adrrescompress?] [mem_addresses] immediate\n",
             SHARED_BASE, LOCAL_WINDOW_BASE, RT_VERSION, VERSION);
}

static void export_file_name(char *buf, size_t size, const char *dir, uint32_t launch, bool xz) {
  snprintf(buf, size, "%s/kernel-%u.traceg%s", dir, launch + 1, xz ? ".xz" : "");
}

static bool export_put_launch(struct writer *w, const char *path, bool xz) {
  uint64_t bytes;
  w->l = trf_launch(w->t, w->launch);
  w->code = trf_code(w->t, w->l->code);
  const struct code *c = w->code->code;
  if (!(w->to = sink_open(path, xz, w->e))) return false;
  w->shape = xcalloc(c->n, sizeof *w->shape);
  for (uint32_t k = 0; k < c->n; k++) w->shape[k] = export_shape_of(&c->insn[k]);
  w->list = sass_list(c, w->code->text);
  export_put_head(w);
  bool good = true;
  for (uint32_t k = 0; k < w->l->ctas && good; k++) good = export_put_cta(w, k);
  const bool failed = sink_failed(w->to);
  good = sink_close(w->to, good || failed, &bytes, w->e) && good;
  w->rep->bytes += bytes;
  free(w->shape);
  sass_list_free(&w->list);
  return good;
}

static bool export_put_list(const char *dir, uint32_t launches, bool xz, struct export_report *rep, struct err *e) {
  char path[PATH_MAX];
  uint64_t bytes = 0;
  snprintf(path, sizeof path, "%s/kernelslist.g", dir);
  struct sink *s = sink_open(path, false, e);
  if (!s) return false;
  for (uint32_t k = 0; k < launches; k++) sink_print(s, "kernel-%u.traceg%s\n", k + 1, xz ? ".xz" : "");
  const bool good = sink_close(s, true, &bytes, e);
  rep->bytes += bytes;
  return good;
}

bool traceg_export(struct trf *t, const char *dir, bool xz, struct export_report *report, struct err *e) {
  char path[PATH_MAX];
  struct writer w = {.t = t, .rep = report, .e = e};
  *report = (struct export_report){.kernels = trf_launches(t)};
  if (!trf_whole(t)) return err_at(e, trf_path(t), 0, 0, "found a part of a trace, expected a whole one");
  if (strlen(dir) > PATH_MAX - 64)
    return err_at(e, NULL, 0, 0, "found a directory of %zu characters, expected fewer", strlen(dir));
  const bool made = !mkdir(dir, 0777);
  if (!made && errno != EEXIST) return err_at(e, dir, 0, 0, "cannot make the directory: %s", strerror(errno));
  bool good = true;
  for (w.launch = 0; w.launch < trf_launches(t) && good; w.launch += good) {
    export_file_name(path, sizeof path, dir, w.launch, xz);
    good = export_put_launch(&w, path, xz);
  }
  if (good) good = export_put_list(dir, trf_launches(t), xz, report, e);
  for (uint32_t k = 0; !good && k < w.launch; k++) {
    export_file_name(path, sizeof path, dir, k, xz);
    unlink(path);
  }
  if (!good && made) rmdir(dir);
  return good;
}
