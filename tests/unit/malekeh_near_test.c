/* SPDX-License-Identifier: Apache-2.0 */
/*
 * malekeh_near: reuse distances on streams made by hand, and on random ones and those of kernels against a program that
 * looks ahead in the whole stream and shares nothing with compiler/ir/reuse.c; the profile and the exact near bits of a run; the
 * reader of profiles.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/bits.h"
#include "base/io.h"
#include "config/keys.h"
#include "lab/run/compile.h"
#include "lab/run/near.h"
#include "lab/run/record.h"
#include "lab/run/reuse.h"
#include "lab/run/run.h"
#include "lab/run/timed.h"
#include "lab/run/trace.h"
#include "systems/malekeh/near.h"

/* ---- the independent program: the whole stream is there, and each operand searches it ---- */

enum { NO_READ = 0 };

static bool reads(const struct op *op, unsigned reg) {
  for (unsigned k = 0; k < op->nsrc; k++)
    if (op->src[k] == reg) return true;
  return false;
}
static bool writes(const struct op *op, unsigned reg, unsigned from) {
  for (unsigned k = from; k < op->ndst; k++)
    if (op->dst[k] == reg) return true;
  return false;
}

/* From operand k (6 and more: destinations) of instruction i to its reuse. */
static uint64_t search(const struct op *const *stream, size_t n, size_t i, unsigned k) {
  const unsigned reg = k < 6 ? stream[i]->src[k] : stream[i]->dst[k - 6];
  if (writes(stream[i], reg, k < 6 ? 0 : k - 5)) return NO_READ;
  for (size_t j = i + 1; j < n; j++) {
    if (reads(stream[j], reg)) return j - i;
    if (writes(stream[j], reg, 0)) return NO_READ;
  }
  return NO_READ;
}

static bool has(const struct op *op, unsigned k) { return k < 6 ? k < op->nsrc : k - 6 < op->ndst; }

/* ---- streams by hand ---- */

struct seen {
  size_t n;
  uint64_t (*distance)[REUSE_OPERANDS]; /* [n]; UNSEEN: nothing was said of this operand */
};
#define UNSEEN UINT64_MAX

static void note_it(void *ctx, uint64_t tag, unsigned operands, uint64_t distance) {
  struct seen *s = ctx;
  assert_true(tag < s->n && operands);
  for (unsigned k = 0; k < REUSE_OPERANDS; k++) {
    if (!(operands >> reuse_bit(k) & 1)) continue;
    assert_true(s->distance[tag][k] == UNSEEN); /* once for each operand */
    s->distance[tag][k] = distance;
  }
}

static struct seen distances(const struct op *const *stream, size_t n) {
  struct seen s = {n, xmalloc((n + 1) * sizeof *s.distance)};
  struct reuse_warp *w = xcalloc(1, sizeof *w);
  memset(s.distance, 0xff, n * sizeof *s.distance);
  for (size_t i = 0; i < n; i++) reuse_step(w, stream[i], i, note_it, &s);
  reuse_end(w, note_it, &s);
  free(w);
  return s;
}

/* "1 2>3": reads R1 and R2, writes R3. */
static struct op op_of(const char *text) {
  struct op op = {.nsrc = 0};
  bool dst = false;
  for (const char *p = text; *p; p++) {
    if (*p == '>') dst = true;
    if (*p < '0' || *p > '9') continue;
    const uint8_t reg = (uint8_t)strtoul(p, (char **)&p, 10);
    if (dst) op.dst[op.ndst++] = reg;
    else op.src[op.nsrc++] = reg;
    p--;
  }
  return op;
}

/* what: "0s0=1 0d0=0 ...": the distance of source or destination k of instruction i, of all operands that there are. */
static void stream_is(const char *const *text, const char *what) {
  struct op op[40];
  const struct op *stream[40] = {NULL};
  size_t n = 0;
  char got[1000] = "";
  for (; text[n]; n++) op[n] = op_of(text[n]), stream[n] = &op[n];
  const struct seen s = distances(stream, n);
  for (size_t i = 0; i < n; i++)
    for (unsigned k = 0; k < REUSE_OPERANDS; k++) {
      assert_true((s.distance[i][k] == UNSEEN) == !has(&op[i], k));
      if (has(&op[i], k))
        sprintf(got + strlen(got), "%s%zu%c%u=%llu", got[0] ? " " : "", i, k < 6 ? 's' : 'd', k % 6,
                (unsigned long long)s.distance[i][k]);
    }
  assert_string_equal(got, what);
  free(s.distance);
}
#define STREAM(...) ((const char *const[]){__VA_ARGS__, NULL})

static void by_hand(void **state) {
  (void)state;
  stream_is(STREAM(">1", "1>2", "1 2>3"), "0d0=1 1s0=1 1d0=1 2s0=0 2s1=0 2d0=0");
  stream_is(STREAM(">1", "", "", "1"), "0d0=3 3s0=0");                   /* others count, whatever they are */
  stream_is(STREAM("1", ">1", "1"), "0s0=0 1d0=1 2s0=0");                /* a write before the read */
  stream_is(STREAM("1>1", "1>1", "1"), "0s0=0 0d0=1 1s0=0 1d0=1 2s0=0"); /* a read and a write of one instruction */
  stream_is(STREAM("1 1>2", "2 1 2"), "0s0=1 0s1=1 0d0=1 1s0=0 1s1=0 1s2=0"); /* one register in two operands */
  stream_is(STREAM(">4 5", "4", "5 4"), "0d0=1 0d1=2 1s0=1 2s0=0 2s1=0");     /* the halves of an f64, each by itself */
  stream_is(STREAM(">1 1", "1"), "0d0=0 0d1=1 1s0=0");                        /* the later one of two writes stays */
  stream_is(STREAM(">1", ">2", ">255 0"), "0d0=0 1d0=0 2d0=0 2d1=0");         /* exit: none is read again */
}

static void threshold(void **state) {
  (void)state;
  for (unsigned distance = 11; distance <= 14; distance++) {
    struct op make = op_of(">1"), none = op_of(""), use = op_of("1");
    const struct op *stream[20] = {&make};
    for (unsigned i = 1; i < distance; i++) stream[i] = &none;
    stream[distance] = &use;
    const struct seen s = distances(stream, distance + 1);
    assert_int_equal(s.distance[0][6], distance);
    free(s.distance);
  }
}

static void majority(void **state) {
  (void)state;
  struct reuse_counts c = {{0}, {0}};
  assert_int_equal(reuse_near(&c), 0); /* never executed: a tie */
  reuse_count(&c, 1 << 0 | 1 << 5 | 1 << 8 | 1 << 11, true);
  assert_int_equal(reuse_near(&c), 1 << 0 | 1 << 5 | 1 << 8 | 1 << 11);
  reuse_count(&c, 1 << 5 | 1 << 11, false);
  assert_int_equal(reuse_near(&c), 1 << 0 | 1 << 8); /* ties are far */
  reuse_count(&c, 1 << 5, true);
  assert_int_equal(reuse_near(&c), 1 << 0 | 1 << 5 | 1 << 8);
  assert_int_equal(c.near[9], 1);
  assert_int_equal(c.far[9], 1);
}

static void random_streams(void **state) {
  (void)state;
  enum { N = 600, OPS = 40 };
  uint64_t seed = 18, reused = 0, never = 0;
  for (unsigned round = 0; round < 100; round++) {
    struct op op[OPS];
    const struct op *stream[N];
    const unsigned regs = 1 + (unsigned)(rng_next(&seed) % 40);
    for (unsigned i = 0; i < OPS; i++) {
      op[i] = (struct op){.nsrc = (uint8_t)(rng_next(&seed) % 7), .ndst = (uint8_t)(rng_next(&seed) % 5)};
      for (unsigned k = 0; k < 6; k++) op[i].src[k] = (uint8_t)(255 - rng_next(&seed) % regs);
      for (unsigned k = 0; k < 4; k++) op[i].dst[k] = (uint8_t)(255 - rng_next(&seed) % regs);
    }
    for (unsigned i = 0; i < N; i++) stream[i] = &op[rng_next(&seed) % OPS];
    const struct seen s = distances(stream, N);
    for (unsigned i = 0; i < N; i++)
      for (unsigned k = 0; k < REUSE_OPERANDS; k++) {
        if (!has(stream[i], k)) continue;
        const uint64_t want = search(stream, N, i, k);
        if (s.distance[i][k] != want) fail_msg("round %u, instruction %u, operand %u", round, i, k);
        want == NO_READ ? never++ : reused++;
      }
    free(s.distance);
  }
  assert_true(reused > 10000 && never > 10000);
}

/* ---- kernels: the streams of their warps ---- */

struct trace { /* of a warp of a launch */
  const struct op **op;
  uint16_t *near; /* warp_inst.near */
  size_t n, cap, cnear;
  bool guarded_off; /* it has an instruction without lanes */
};
struct traces { /* of the first `ctas` CTAs of a launch */
  struct trace *warp;
  uint32_t ctas, wpc;
  const struct op *op;
  const struct exec_tap *then; /* sees it first; or NULL */
};

static bool trace_it(void *ctx, uint32_t cta, uint32_t warp, struct warp_inst *inst, struct err *e) {
  struct traces *t = ctx;
  if (t->then && !t->then->insn(t->then->ctx, cta, warp, inst, e)) return false;
  if (cta >= t->ctas) return true;
  struct trace *w = &t->warp[cta * t->wpc + warp];
  size_t at = w->n;
  VEC_PUSH(w->near, at, w->cnear) = inst->near;
  VEC_PUSH(w->op, w->n, w->cap) = &t->op[inst->op];
  w->guarded_off |= !inst->lanes;
  return true;
}

static struct traces traces_new(const struct launch *l, uint32_t ctas) {
  const uint32_t grid = l->grid[0] * l->grid[1] * l->grid[2];
  struct traces t = {.ctas = grid < ctas ? grid : ctas, .wpc = (l->block[0] * l->block[1] * l->block[2] + 31) / 32};
  t.op = l->code->op;
  t.warp = xcalloc((size_t)t.ctas * t.wpc, sizeof *t.warp);
  return t;
}
static void traces_free(struct traces *t) {
  for (size_t i = 0; i < (size_t)t->ctas * t->wpc; i++) free(t->warp[i].op), free(t->warp[i].near);
  free(t->warp);
}

static void open_it(const char *kernel, const struct config *cfg, struct workload *w) {
  struct err e = {0};
  if (!workload_compile(kernel, "small", cfg, 0, w, &e)) fail_msg("%s: %s", kernel, e.text);
}

static struct config turing(void) {
  struct config c;
  struct err e = {0};
  config_defaults(&c);
  if (!config_machine(&c, "rtx2060", &e)) fail_msg("%s", e.text);
  return c;
}

/* ---- the profile ---- */

struct counted { /* what the independent program counts, kernel by kernel */
  const struct module *m;
  struct reuse_counts *count[32]; /* per instruction */
  uint32_t ctas[32], near;
  uint64_t warps, reuses, guarded_off;
};

static void count_warp(struct counted *c, const struct launch *l, const struct trace *w) {
  const size_t kernel = (size_t)(l->code - c->m->kernel);
  for (size_t i = 0; i < w->n; i++)
    for (unsigned k = 0; k < REUSE_OPERANDS; k++) {
      if (!has(w->op[i], k)) continue;
      const uint64_t d = search(w->op, w->n, i, k);
      struct reuse_counts *x = &c->count[kernel][w->op[i] - l->code->op];
      if (d != NO_READ && d <= c->near) x->near[k]++;
      else x->far[k]++;
      c->reuses += d != NO_READ;
    }
  c->warps++;
  c->guarded_off += w->guarded_off;
}

static bool count_launch(void *ctx, const struct launch *l, unsigned index, struct err *e) {
  struct counted *c = ctx;
  const size_t kernel = (size_t)(l->code - c->m->kernel);
  struct launch mine = *l;
  struct exec_counts n;
  (void)index;
  assert_true(kernel < 32);
  struct traces t = traces_new(l, REUSE_CTAS - c->ctas[kernel]);
  const struct exec_tap tap = {trace_it, &t};
  mine.tap = &tap;
  if (!c->count[kernel]) c->count[kernel] = xcalloc(l->code->n, sizeof *c->count[kernel]);
  const bool ok = exec_run(&mine, 0, &n, e);
  for (size_t i = 0; ok && i < (size_t)t.ctas * t.wpc; i++) count_warp(c, l, &t.warp[i]);
  c->ctas[kernel] += t.ctas;
  traces_free(&t);
  return ok;
}

static void profile_of(const char *kernel, uint32_t near, struct counted *c) {
  const struct config cfg = turing();
  struct workload w, again;
  struct reuse_profile p;
  struct err e = {0};
  open_it(kernel, &cfg, &w);
  open_it(kernel, &cfg, &again);
  if (!reuse_run(&again, 0, REUSE_CTAS, near, &p, &e)) fail_msg("%s: %s", kernel, e.text);
  c->m = w.module;
  c->near = near;
  const struct host_ops ops = {.launch = count_launch, .ctx = c, .unchecked = true, .trial = true};
  if (!script_run(w.script, w.module, 0, &ops, &e)) fail_msg("%s: %s", kernel, e.text);
  reuse_apply(&p, w.module);
  uint32_t with = 0;
  for (uint32_t k = 0; k < w.module->nkernel; k++) {
    if (!c->count[k]) continue;
    const struct reuse_entry *x = &p.entry[with++];
    assert_string_equal(x->name, w.module->kernel[k].name);
    for (uint32_t i = 0; i < x->n; i++) {
      if (memcmp(&x->insn[i].count, &c->count[k][i], sizeof x->insn[i].count))
        fail_msg("%s, %s, instruction %u: other counts", kernel, x->name, (unsigned)i);
      unsigned bits = 0;
      for (unsigned o = 0; o < REUSE_OPERANDS; o++)
        bits |= (unsigned)(c->count[k][i].near[o] > c->count[k][i].far[o]) << (o < 6 ? o : o + 2);
      assert_int_equal(w.module->kernel[k].op[i].near, bits);
    }
    free(c->count[k]);
  }
  reuse_free(&p);
  workload_close(&again);
  workload_close(&w);
}

/* lud and gaussian have launches of one CTA: the second comes from a later launch. In bfs instructions have no lane. */
static void profiles(void **state) {
  (void)state;
  static const char *const kernels[] = {"vecadd", "bfs", "lud", "gaussian", "conv_tensor", "particlefilter_naive"};
  uint64_t guarded_off = 0;
  for (unsigned k = 0; k < sizeof kernels / sizeof *kernels; k++)
    for (uint32_t near = 12; near; near = near == 12 ? 2 : 0) {
      struct counted c = {0};
      profile_of(kernels[k], near, &c);
      assert_true(c.warps && c.reuses > 100);
      guarded_off += c.guarded_off;
    }
  assert_true(guarded_off > 0);
}

/* ---- exact near bits: each instruction of a timed run has them ---- */

struct timing {
  struct gpu *gpu;
  struct near_record *record;
  uint32_t near;
  uint64_t insns, bits;
};

static bool exact_launch(void *ctx, const struct launch *l, unsigned index, struct err *e) {
  struct timing *x = ctx;
  struct launch mine = *l;
  struct traces t = traces_new(l, UINT32_MAX);
  const struct exec_tap tap = {trace_it, &t};
  if (!(t.then = near_launch(x->record, l, index, e))) return traces_free(&t), false;
  mine.tap = &tap;
  const bool ok = timed_launch(x->gpu, &mine, NULL, e);
  for (size_t w = 0; ok && w < (size_t)t.ctas * t.wpc; w++) {
    const struct trace *one = &t.warp[w];
    x->insns += one->n;
    for (size_t i = 0; i < one->n; i++) {
      unsigned bits = 0;
      for (unsigned k = 0; k < REUSE_OPERANDS; k++) {
        const uint64_t d = has(one->op[i], k) ? search(one->op, one->n, i, k) : NO_READ;
        x->bits += has(one->op[i], k);
        bits |= (unsigned)(d != NO_READ && d <= x->near) << (k < 6 ? k : k + 2);
      }
      if (one->near[i] != bits)
        fail_msg("%s: warp %zu, instruction %zu: %x, expected %x", l->code->name, w, i, one->near[i], bits);
    }
  }
  traces_free(&t);
  return ok;
}

static bool exact(const char *kernel, const struct config *cfg, uint64_t seed, struct timing *x, struct err *e) {
  const struct near_want want = {.source = NEAR_EXACT, .file = "", .most = x->near};
  struct workload w;
  bool ok;
  open_it(kernel, cfg, &w);
  x->record = near_make(&w, &want, cfg, 0, &ok, e);
  if (!ok) fail_msg("%s: %s", kernel, e->text);
  if (!(x->gpu = gpu_new(cfg, 1, e))) fail_msg("%s", e->text);
  const struct host_ops ops = {.launch = exact_launch, .ctx = x, .trial = true, .unchecked = true};
  const struct near_size size = near_size(x->record);
  ok = script_run(w.script, w.module, seed, &ops, e);
  if (ok) {
    assert_int_equal(size.insns, x->insns);
    assert_int_equal(size.bits, x->bits);
    assert_true(size.bytes <= size.bits / 8 + 64 * size.warps); /* a bit for each operand, and a record for each warp */
  }
  gpu_free(x->gpu);
  near_free(x->record);
  workload_close(&w);
  return ok;
}

static void exact_bits(void **state) {
  (void)state;
  static const char *const kernels[] = {"vecadd", "bfs", "lud", "reduction", "conv_tensor"};
  for (unsigned k = 0; k < sizeof kernels / sizeof *kernels; k++) {
    struct config cfg = turing();
    struct timing x = {.near = 12};
    struct err e = {0};
    if (!exact(kernels[k], &cfg, 0, &x, &e)) fail_msg("%s: %s", kernels[k], e.text);
    assert_true(x.insns > 100);
  }
}

/* Of every second CTA: the others are neither recorded nor seen. */
static void exact_stride(void **state) {
  (void)state;
  uint64_t insns[3];
  for (unsigned stride = 1; stride <= 2; stride++) {
    struct config cfg = turing();
    struct timing x = {.near = 12};
    struct err e = {0};
    cfg.sm_cta_stride = stride;
    if (!exact("reduction", &cfg, 0, &x, &e)) fail_msg("%s", e.text);
    insns[stride] = x.insns;
  }
  assert_true(insns[2] >= insns[1] / 2 && insns[2] < insns[1] * 2 / 3);
}

static void put_file(const char *path, const char *text, size_t n) {
  FILE *f = fopen(path, "w");
  assert_true(f && fwrite(text, 1, n, f) == n);
  fclose(f);
}

/* Other inputs than those of the recording: the branches of bfs are others. */
static void exact_refused(void **state) {
  (void)state;
  const struct config cfg = turing();
  struct timing x = {.near = 12};
  struct err e = {0};
  assert_false(exact("bfs", &cfg, 77, &x, &e));
  if (!strstr(e.text, "than in the run that recorded its exact near bits, expected the same")) fail_msg("%s", e.text);
  assert_true(e.line > 0);
}

/* As many instructions of each warp, of the same code, but other lanes execute one of them. */
static void exact_lanes(void **state) {
  (void)state;
  static const char ptx[] =
      ".version 7.0\n.target sm_52\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
      ".reg .b64 %d<4>; .reg .u32 %r<4>; .reg .pred %p<2>;\n"
      "ld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.u64 %d2, %d1, %d2;\n"
      "ld.global.u32 %r2, [%d2]; setp.gt.u32 %p1, %r2, 500; @%p1 add.u32 %r2, %r2, 1; st.global.u32 [%d2], %r2; ret; "
      "}\n";
  static const char launch[] = "ptx k.ptx\nbuffer a u32 64 rand 0 1000\nlaunch k grid 1 block 64 args(a)\n";
  char dir[] = "/tmp/malekeh_near_test.XXXXXX", file[2][64];
  const struct config cfg = turing();
  assert_non_null(mkdtemp(dir));
  snprintf(file[0], sizeof file[0], "%s/k.ptx", dir);
  snprintf(file[1], sizeof file[1], "%s/k.launch", dir);
  put_file(file[0], ptx, sizeof ptx - 1);
  put_file(file[1], launch, sizeof launch - 1);
  struct timing same = {.near = 12}, other = {.near = 12};
  struct err e = {0};
  if (!exact(file[1], &cfg, 0, &same, &e)) fail_msg("%s", e.text);
  assert_int_equal(same.insns % 2, 0);
  assert_false(exact(file[1], &cfg, 77, &other, &e));
  if (!strstr(e.text, "found another instruction stream of CTA 0, warp ")) fail_msg("%s", e.text);
  unlink(file[0]);
  unlink(file[1]);
  rmdir(dir);
}

/* ---- the file ---- */

#define H "regtwin-reuse 1 ptx 00000000000000af near 12 entries 1\n"
#define K "entry k instructions 2 code 0123456789abcdef\n"
#define L0 "0 - - - - - - 3/1 - - -\n"
#define L1 "8 1/0 0/5 - - - - - - - -\n"

static void good(void **state) {
  (void)state;
  struct reuse_profile p;
  struct err e = {0};
  char *text = NULL;
  size_t n = 0;
  if (!reuse_text(&p, "f", H K L0 L1, strlen(H K L0 L1), &e)) fail_msg("%d:%d: %s", e.line, e.col, e.text);
  assert_int_equal(p.hash, 0xaf);
  assert_int_equal(p.near, 12);
  assert_int_equal(p.n, 1);
  assert_string_equal(p.entry[0].name, "k");
  assert_int_equal(p.entry[0].code, 0x0123456789abcdef);
  assert_int_equal(p.entry[0].n, 2);
  assert_int_equal(reuse_near(&p.entry[0].insn[0].count), 1 << 8);
  assert_int_equal(reuse_near(&p.entry[0].insn[1].count), 1 << 0);
  assert_int_equal(p.entry[0].insn[1].count.far[1], 5);
  assert_int_equal(p.entry[0].insn[1].has, 3);
  FILE *f = open_memstream(&text, &n);
  reuse_write(&p, f);
  fclose(f);
  assert_string_equal(text, H K L0 L1); /* there is one way to write a profile */
  free(text);
  reuse_free(&p);
}

static void bad(const char *text, int line, int col, const char *says) {
  struct reuse_profile p;
  struct err e = {0};
  assert_false(reuse_text(&p, "f", text, strlen(text), &e));
  assert_string_equal(e.text, says);
  assert_int_equal(e.line, line);
  assert_int_equal(e.col, col);
  reuse_free(&p);
}

static void errors(void **state) {
  (void)state;
  static const char counts[] = "counts of near and far reuses as 12/0 (at most 18 digits), or -";
  char text[200];
  bad("", 1, 1, "found the end of the file, expected 'regtwin-reuse'");
  bad("regtwin-widths 1", 1, 1, "found 'regtwin-widths', expected 'regtwin-reuse'");
  bad("regtwin-reuse 2", 1, 15, "found '2', expected '1'");
  bad("regtwin-reuse  1", 1, 15, "found a blank, expected '1'");
  bad("regtwin-reuse\n", 1, 14, "found the end of the line, expected '1'");
  bad("regtwin-reuse\t1\n", 1, 14, "found character 0x09, expected '1'");
  bad("regtwin-reuse 1 ptx af near", 1, 21, "found 'af', expected a hash of 16 hexadecimal digits");
  bad("regtwin-reuse 1 ptx 00000000000000AF near", 1, 21,
      "found '00000000000000AF', expected a hash of 16 hexadecimal digits");
  bad("regtwin-reuse 1 ptx 00000000000000af near 0 ", 1, 43, "found '0', expected a distance from 1 to 63");
  bad("regtwin-reuse 1 ptx 00000000000000af near 64", 1, 43, "found '64', expected a distance from 1 to 63");
  bad("regtwin-reuse 1 ptx 00000000000000af near 07", 1, 43, "found '07', expected a distance from 1 to 63");
  bad("regtwin-reuse 1 ptx 00000000000000af near 12 entries 0\n", 1, 54,
      "found '0', expected a number of entries from 1 to 65536");
  bad("regtwin-reuse 1 ptx 00000000000000af near 12 entries 1 ", 1, 55, "found a blank, expected the end of the line");
  bad(H, 2, 1, "found the end of the file, expected 'entry'");
  bad(H "entry", 2, 6, "found the end of the file, expected the name of an .entry");
  bad(H "entry k instructions 0 code", 2, 22, "found '0', expected a number of instructions from 1 to 1048576");
  bad(H "entry k instructions 99999999999999999999", 2, 22,
      "found '99999999999999999999', expected a number of instructions from 1 to 1048576");
  bad(H K, 3, 1, "found the end of the file, expected pc 0");
  bad(H K "8 ", 3, 1, "found '8', expected pc 0");
  bad(H K "0 1", 3, 3, "found '1', expected counts of near and far reuses as 12/0 (at most 18 digits), or -");
  bad(H K "0 - - - - - - 3/1 - -\n", 3, 22,
      "found the end of the line, expected counts of near and far reuses as 12/0 (at most 18 digits), or -");
  static const char *const wrong[] = {"1/",
                                      "/1",
                                      "01/1",
                                      "1/00",
                                      "1/1x",
                                      "-1",
                                      "--",
                                      "1/1/1",
                                      "1.5/2",
                                      "1234567890123456789/1",
                                      "1/1234567890123456789"};
  for (unsigned k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    char want[200];
    snprintf(text, sizeof text, H K "0 %s - - - - - 3/1 - - -\n", wrong[k]);
    snprintf(want, sizeof want, "found '%s', expected %s", wrong[k], counts);
    bad(text, 3, 3, want);
  }
  bad(H K L0, 4, 1, "found the end of the file, expected pc 8");
  bad(H K L0 L0, 4, 1, "found '0', expected pc 8");
  bad(H K L0 "8 1/0 0/5 - - - - - - - -", 4, 26, "found the end of the file, expected the end of the line");
  bad(H K L0 L1 "\n", 5, 1, "found the end of the line, expected the end of the file");
  bad(H K L0 L1 K L0 L1, 5, 1, "found character 0x65, expected the end of the file");
  bad("regtwin-reuse 1 ptx 00000000000000af near 12 entries 2\n" K L0 L1 K, 5, 7,
      "found 'k', expected each entry once");
}

/* A file of a kernel, written, changed and read again. */
static void written(const struct config *cfg, const char *kernel, char **text, size_t *n) {
  struct workload w;
  struct reuse_profile p;
  struct err e = {0};
  open_it(kernel, cfg, &w);
  if (!reuse_run(&w, 0, REUSE_CTAS, 12, &p, &e)) fail_msg("%s", e.text);
  FILE *f = open_memstream(text, n);
  reuse_write(&p, f);
  fclose(f);
  reuse_free(&p);
  workload_close(&w);
}

static void read_fails(const char *path, const char *kernel, const struct config *cfg, uint32_t near, int line, int col,
                       const char *says) {
  struct workload w;
  struct err e = {0};
  const struct near_want want = {.source = NEAR_PROFILE, .file = path, .most = near};
  bool ok = true;
  open_it(kernel, cfg, &w);
  assert_null(near_make(&w, &want, cfg, 0, &ok, &e));
  assert_false(ok);
  if (!strstr(e.text, says)) fail_msg("%s", e.text);
  assert_string_equal(e.file, path);
  assert_int_equal(e.line, line);
  assert_int_equal(e.col, col);
  workload_close(&w);
}

static void of_which_kernel(void **state) {
  (void)state;
  char path[] = "/tmp/malekeh_near_test.XXXXXX";
  struct config cfg = turing(), listed = cfg;
  size_t n;
  struct workload w, first;
  struct err e = {0};
  bool ok;
  const int fd = mkstemp(path);
  assert_true(fd >= 0);
  close(fd);
  char *text = NULL;
  written(&cfg, "bfs", &text, &n);
  put_file(path, text, n);
  /* read: the same bits as those made by executing */
  const struct near_want from = {.source = NEAR_PROFILE, .file = path, .most = 12},
                         made = {.source = NEAR_PROFILE, .file = "", .most = 12};
  open_it("bfs", &cfg, &w);
  open_it("bfs", &cfg, &first);
  assert_null(near_make(&w, &from, &cfg, 0, &ok, &e));
  assert_true(ok);
  assert_null(near_make(&first, &made, &cfg, 0, &ok, &e));
  assert_true(ok);
  unsigned near = 0;
  for (uint32_t k = 0; k < w.module->nkernel; k++)
    for (uint32_t i = 0; i < w.module->kernel[k].n; i++) {
      assert_int_equal(w.module->kernel[k].op[i].near, first.module->kernel[k].op[i].near);
      near += w.module->kernel[k].op[i].near != 0;
    }
  assert_true(near > 10);
  workload_close(&w);
  workload_close(&first);
  read_fails(path, "vecadd", &cfg, 12, 1, 21, "found the profile of another PTX (hash ");
  read_fails(path, "bfs", &cfg, 8, 1, 43,
             "found a profile in which distances up to 12 are near, expected 8 as the configuration says");
  listed.compile_schedule = compile_schedule_list;
  char *at = strstr(text, "\nentry "), *code = strstr(at, " code ") + 6;
  read_fails(path, "bfs", &listed, 12, 2, (int)(code - at), "found the profile of other code of entry ");
  at[7] ^= 1; /* the entry's name */
  put_file(path, text, n);
  read_fails(path, "bfs", &cfg, 12, 2, 7, "found entry '");
  at[7] ^= 1;
  char *counts = strstr(code, "\n0 ") + 3; /* an operand that is not there */
  assert_true(!strncmp(counts, "- -", 3));
  char *more = malloc(n + 3);
  const size_t before = (size_t)(counts - text);
  memcpy(more, text, before);
  memcpy(more + before, "1/0", 3);
  memcpy(more + before + 3, counts + 1, n - before - 1);
  put_file(path, more, n + 2);
  read_fails(path, "bfs", &cfg, 12, 3, 1, "expected those of the 0 sources and 1 destinations of pc 0");
  unlink(path);
  read_fails(path, "bfs", &cfg, 12, 0, 0, "cannot read: No such file or directory; expected a profile");
  free(more);
  free(text);
}

/* ---- keys ---- */

static void keys(void **state) {
  (void)state;
  struct config c = turing(), again;
  struct near_want want;
  struct err e = {0};
  malekeh_near(&c, &want);
  assert_int_equal(want.source, NEAR_PROFILE);
  assert_int_equal(want.most, 12);
  assert_string_equal(want.file, "");
  const struct op op = {.near = 5};
  const struct warp_inst inst = {.near = 9};
  assert_int_equal(malekeh_near_bits(&c, &op, &inst), 5);
  assert_true(config_set(&c, "malekeh.near=exact", 0, &e));
  assert_true(config_set(&c, "malekeh.rthld=7", 0, &e));
  assert_true(config_set(&c, "malekeh.profile=a \"b\"\\c=#: d", 0, &e));
  assert_int_equal(malekeh_near_bits(&c, &op, &inst), 9);
  malekeh_near(&c, &want);
  assert_int_equal(want.source, NEAR_EXACT);
  assert_int_equal(want.most, 7);
  assert_string_equal(want.file, "a \"b\"\\c=#: d");
  char *text = NULL; /* every path is written as a file reads it */
  size_t n = 0;
  FILE *f = open_memstream(&text, &n);
  config_dump(&c, f);
  fclose(f);
  again = c;
  memset(again.malekeh_profile, 0, sizeof again.malekeh_profile);
  if (!config_text(&again, "f", text, n, &e)) fail_msg("%d:%d: %s", e.line, e.col, e.text);
  assert_memory_equal(&again, &c, sizeof c);
  free(text);
  char longest[400] = "malekeh.profile=";
  memset(longest + strlen(longest), 'x', 255);
  assert_true(config_set(&c, longest, 0, &e));
  strcat(longest, "x");
  assert_false(config_set(&c, longest, 0, &e));
  assert_string_equal(e.text, "malekeh.profile: found a path of 256 bytes, expected at most 255");
  e = (struct err){0};
  assert_false(config_set(&c, "malekeh.profile=a\nb", 0, &e));
  assert_string_equal(e.text, "malekeh.profile: found a path with control character 0x0a, expected none");
  e = (struct err){0};
  assert_true(config_set(&c, "malekeh.profile=", 0, &e));
  assert_string_equal(c.malekeh_profile, "");
}

/* ---- traces ---- */

enum { HEAD = 16, HEADER = 32, END = 7, NEAR = 8, UNKNOWN = 99 }; /* docs/use/trace-format.md */

static uint64_t number(const uint8_t *p, unsigned bytes) {
  uint64_t v = 0;
  while (bytes--) v = v << 8 | p[bytes];
  return v;
}

static void put(uint8_t *to, uint64_t v, unsigned bytes) {
  for (unsigned k = 0; k < bytes; k++) to[k] = (uint8_t)(v >> 8 * k);
}

/* Gives each section NEAR of a trace an unknown type, so that the trace is as earlier versions wrote it. */
static unsigned hide_near(uint8_t *p, size_t n) {
  unsigned hidden = 0;
  uint64_t headers = fnv1a(FNV_START, p, HEAD);
  size_t at = HEAD;
  for (; number(p + at, 4) != END; at += HEADER + number(p + at + 16, 8)) {
    assert_true(at + 2 * HEADER < n);
    if (number(p + at, 4) == NEAR) {
      put(p + at, UNKNOWN, 4);
      put(p + at + 24, fnv1a(FNV_START, p + at, 24), 4);
      hidden++;
    }
    headers = fnv1a(headers, p + at, HEADER);
  }
  put(p + at + HEADER + 12, headers, 8);
  return hidden;
}

/* What a run of a trace says before it begins. */
static void notes_of(const char *path, const struct config *cfg, char *text, size_t size) {
  struct workload w;
  struct err e = {0};
  FILE *f = tmpfile();
  const int before = dup(2);
  assert_true(f && before >= 0);
  if (!workload_compile(path, NULL, cfg, 0, &w, &e)) fail_msg("%s", e.text);
  dup2(fileno(f), 2);
  trace_note(&w, cfg);
  fflush(stderr);
  dup2(before, 2);
  close(before);
  rewind(f);
  text[fread(text, 1, size - 1, f)] = 0;
  fclose(f);
  workload_close(&w);
}

static void traces_without_near_bits(void **state) {
  (void)state;
  char path[] = "/tmp/nearXXXXXX.trf", why[IO_WHY], text[400];
  struct config cfg;
  struct err e = {0};
  struct run_progress hooks = {0};
  assert_true(close(mkstemps(path, 4)) == 0);
  if (!config_load(&cfg, NULL, "Malekeh", &e)) fail_msg("%s", e.text);
  const struct record_what what = {.name = "vecadd", .size = "small", .path = path, .cfg = &cfg};
  if (!record_workload(&what, &hooks, &e)) fail_msg("%s", e.text);
  notes_of(path, &cfg, text, sizeof text);
  assert_string_equal(text, "");
  size_t n;
  char *p = input_read(path, 1 << 24, &n, why);
  assert_non_null(p);
  assert_int_equal(hide_near((uint8_t *)p, n), 1);
  put_file(path, p, n);
  free(p);
  notes_of(path, &cfg, text, sizeof text);
  if (!strstr(text, "recorded without near bits, by an earlier version")) fail_msg("found '%s'", text);
  unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      /* first: a file that a test has read may lend its inode to the trace, which is refused then */
      cmocka_unit_test(traces_without_near_bits),
      cmocka_unit_test(by_hand),
      cmocka_unit_test(threshold),
      cmocka_unit_test(majority),
      cmocka_unit_test(random_streams),
      cmocka_unit_test(profiles),
      cmocka_unit_test(exact_bits),
      cmocka_unit_test(exact_stride),
      cmocka_unit_test(exact_refused),
      cmocka_unit_test(exact_lanes),
      cmocka_unit_test(good),
      cmocka_unit_test(errors),
      cmocka_unit_test(of_which_kernel),
      cmocka_unit_test(keys),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
