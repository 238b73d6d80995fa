/* SPDX-License-Identifier: Apache-2.0 */
/* Traces: what is written is read again, whatever it is; damage is found; replay waits as execution does. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <unistd.h>

#include "base/io.h"
#include "compiler/regalloc/regalloc.h"
#include "unit/trf_make.h"

enum { SHARED = 8192, LOCAL_WORDS = 8, MOST = 1 << 24 };

static char dir[64], path[128];

static int make_dir(void **state) {
  (void)state;
  snprintf(dir, sizeof dir, "/tmp/trf-test-XXXXXX");
  if (!mkdtemp(dir)) return -1;
  snprintf(path, sizeof path, "%s/x.trf", dir);
  return 0;
}

static int remove_dir(void **state) {
  (void)state;
  unlink(path);
  return rmdir(dir);
}

static struct trf_launch launch_of(uint32_t ctas, uint32_t threads) {
  return (struct trf_launch){.grid = {ctas, 1, 1},
                             .block = {threads, 1, 1},
                             .shared_bytes = SHARED,
                             .regs = 16,
                             .local_words = LOCAL_WORDS,
                             .code_base = CODE_BASE,
                             .stride = 1};
}

static uint32_t lanes_of_warp(uint32_t threads, unsigned warp) {
  return threads - 32 * warp >= 32 ? UINT32_MAX : (1u << (threads - 32 * warp)) - 1;
}

struct made_cta {
  struct made_warp warp[TRF_WARPS];
};

static struct made_cta *make_ctas(uint64_t *seed, const struct code *c, uint32_t ctas, uint32_t threads,
                                  uint32_t rounds, bool values) {
  const uint32_t warps = (threads + 31) / 32;
  struct made_cta *m = xcalloc(ctas, sizeof *m);
  for (uint32_t k = 0; k < ctas; k++)
    for (uint32_t w = 0; w < warps; w++)
      m[k].warp[w] = make_warp(seed, c, lanes_of_warp(threads, w), warps, SHARED, rounds, values);
  return m;
}

static void free_ctas(struct made_cta *m, uint32_t ctas) {
  for (uint32_t k = 0; k < ctas; k++)
    for (uint32_t w = 0; w < TRF_WARPS; w++) free(m[k].warp[w].step);
  free(m);
}

/* Warps in turns of a drawn length. */
static void write_cta(struct trf_writer *w, const struct made_cta *m, uint32_t cta, uint32_t warps, uint64_t seed) {
  struct trf_rec *r = trf_cta_begin(w, cta);
  uint32_t at[TRF_WARPS] = {0}, left = 0;
  for (uint32_t k = 0; k < warps; k++) left += m->warp[k].n;
  while (left) {
    const uint32_t k = make_below(&seed, warps);
    for (uint32_t n = make_below(&seed, 50); n && at[k] < m->warp[k].n; n--, left--)
      make_add(r, k, &m->warp[k].step[at[k]++]);
  }
  trf_cta_end(w, r, 1000 + cta);
}

static void write_file(const struct code *c, const struct made_cta *m, uint32_t ctas, uint32_t threads, bool values,
                       uint64_t seed) {
  struct err e = {0};
  struct trf_writer *w = trf_create(path, values ? TRF_VALUES : 0, "{\"kernel\": \"kinds\"}", &e);
  assert_non_null(w);
  const struct trf_code code = {.code = c, .ptx = "the text", .near = make_near};
  struct trf_launch l = launch_of(ctas, threads);
  l.code = trf_add_code(w, &code);
  trf_launch_begin(w, &l);
  for (uint32_t k = 0; k < ctas; k++) write_cta(w, &m[k], ctas - 1 - k, (threads + 31) / 32, seed); /* the last first */
  trf_launch_end(w);
  assert_true(trf_finish(w, true, NULL, &e));
  assert_false(e.set);
}

static void same_step(const struct code *c, const struct made *m, const struct trf_step *s, uint32_t next, bool last,
                      bool values) {
  assert_int_equal(s->op, m->inst.op);
  assert_int_equal(s->active, m->inst.active);
  assert_int_equal(s->lanes, m->inst.lanes);
  assert_int_equal(s->seq, m->inst.seq);
  assert_int_equal(s->last, last);
  if (!last) assert_int_equal(s->next, next);
  const struct insn *i = &c->insn[s->op];
  assert_int_equal(s->rows, !m->access ? 0 : m->copy ? 2 : 1);
  if (m->access) {
    assert_int_equal(s->space, W_SPACE_OF(&m->inst));
    assert_memory_equal(s->addr, m->addr[0], sizeof m->addr[0]);
  }
  assert_int_equal(s->tex, s->space == SP_TEX && m->access ? m->inst.mem & ~0xffu : 0);
  for (unsigned k = 0; s->tex && k < tex_rows(s->tex); k++)
    assert_memory_equal(s->texel[k], m->addr[k], sizeof m->addr[k]);
  if (m->copy) assert_memory_equal(s->to, m->to, sizeof m->to);
  if (i->op == OP_BAR) {
    assert_int_equal(s->barrier, m->inst.mem & 15);
    assert_int_equal(s->warps, (m->inst.mem >> 16 & 0x7fff) / 32);
  } else {
    assert_int_equal(s->barrier, -1);
  }
  for (unsigned k = 0; values && k < s->nval; k++) assert_memory_equal(s->val[k], m->val[k], sizeof m->val[k]);
}

static void read_warp(struct trf_cta *c, const struct code *code, const struct made_warp *m, unsigned warp,
                      bool values) {
  uint32_t addr[32], to[32], val[4][32], texel[8][32];
  struct trf_step s = {.addr = addr, .to = to, .texel = texel, .val = val};
  struct err e = {0};
  for (uint32_t k = 0; k < m->n; k++) {
    assert_int_equal(trf_next(c, warp, &s, &e), STREAM_GIVEN);
    same_step(code, &m->step[k], &s, k + 1 < m->n ? m->step[k + 1].inst.op : 0, k + 1 == m->n, values);
  }
  assert_int_equal(trf_next(c, warp, &s, &e), STREAM_FINISHED);
}

static void read_file(const struct code *code, const struct made_cta *m, uint32_t ctas, uint32_t threads, bool values) {
  struct err e = {0};
  struct trf *t = trf_open(path, &e);
  assert_non_null(t);
  assert_true(trf_whole(t));
  assert_string_equal(trf_meta(t), "{\"kernel\": \"kinds\"}");
  assert_string_equal(trf_code(t, 0)->ptx, "the text");
  assert_int_equal(trf_code(t, 0)->shape, trf_shape(code));
  assert_memory_equal(trf_code(t, 0)->near, make_near, sizeof make_near);
  assert_int_equal(trf_launch(t, 0)->ctas, ctas);
  uint64_t insns = 0;
  for (uint32_t k = 0; k < ctas; k++) {
    assert_int_equal(trf_cta_at(t, 0, k), k);
    struct trf_cta *c = trf_cta_open(t, 0, k, &e);
    assert_non_null(c);
    for (unsigned w = (threads + 31) / 32; w--;) { /* another order than the writer's */
      read_warp(c, code, &m[ctas - 1 - k].warp[w], w, values);
      insns += m[ctas - 1 - k].warp[w].n;
    }
    assert_int_equal(trf_cta_hash(c), 1000 + k);
    trf_cta_close(c);
  }
  assert_int_equal(trf_launch(t, 0)->warp_insns, insns);
  trf_free(t);
}

static struct code code;
static struct insn insns[MAKE_INSNS];

static void written_and_read(void **state) {
  (void)state;
  make_code(&code, insns);
  for (uint64_t seed = 1; seed <= 30; seed++) {
    uint64_t draw = seed;
    const uint32_t ctas = 1 + make_below(&draw, 6), threads = 1 + make_below(&draw, seed % 3 ? 200 : 1024);
    const bool values = seed % 2;
    struct made_cta *m = make_ctas(&draw, &code, ctas, threads, seed % 5 == 0 ? 120 : 6, values);
    write_file(&code, m, ctas, threads, values, seed);
    read_file(&code, m, ctas, threads, values);
    free_ctas(m, ctas);
  }
}

/* A warp executes what no path of the kernel comes to: analyses of the systems know nothing of it. */
static void unreached(void **state) {
  (void)state;
  const struct insn i[] = {{.op = OP_BRA, .target = 2}, {.op = OP_NOP}, {.op = OP_EXIT}};
  const struct code c = {
      .name = "kinds", .file = "kinds.ptx", .insn = (struct insn *)i, .n = 3, .nreg = 16, .local_bytes = 32};
  struct err e = {0};
  struct trf_writer *w = trf_create(path, 0, "{}", &e);
  const struct trf_code code_of = {.code = &c, .ptx = ""};
  struct trf_launch l = launch_of(1, 32);
  l.code = trf_add_code(w, &code_of);
  trf_launch_begin(w, &l);
  struct trf_rec *r = trf_cta_begin(w, 0);
  for (uint32_t op = 0; op < 3; op++) {
    const struct warp_inst inst = {.op = op, .active = UINT32_MAX, .lanes = UINT32_MAX};
    trf_add(r, 0, &inst, NULL, NULL, NULL);
  }
  trf_cta_end(w, r, 0);
  trf_launch_end(w);
  assert_true(trf_finish(w, true, NULL, &e));
  struct trf *t = trf_open(path, &e);
  assert_non_null(t);
  struct trf_cta *cta = trf_cta_open(t, 0, 0, &e);
  assert_non_null(cta);
  struct trf_step s = {0};
  assert_int_equal(trf_next(cta, 0, &s, &e), STREAM_ERROR);
  assert_non_null(strstr(e.text, "an instruction that no path of the kernel comes to"));
  trf_cta_close(cta);
  trf_free(t);
}

/* A CTA of several blocks, and frames of several CTAs. */
static void many_blocks(void **state) {
  (void)state;
  make_code(&code, insns);
  uint64_t draw = 99;
  struct made_cta *m = make_ctas(&draw, &code, 3, 256, 600, true);
  write_file(&code, m, 3, 256, true, 5);
  read_file(&code, m, 3, 256, true);
  free_ctas(m, 3);
}

static uint8_t *slurp(size_t *n) {
  char why[IO_WHY];
  uint8_t *p = (uint8_t *)input_read(path, MOST, n, why);
  assert_non_null(p);
  return p;
}

static void spill(const uint8_t *p, size_t n) {
  FILE *f = fopen(path, "wb");
  assert_non_null(f);
  assert_int_equal(fwrite(p, 1, n, f), n);
  assert_int_equal(fclose(f), 0);
}

static void same_bytes(void **state) {
  (void)state;
  make_code(&code, insns);
  uint64_t draw = 3;
  size_t n, again;
  struct made_cta *m = make_ctas(&draw, &code, 4, 100, 5, false);
  write_file(&code, m, 4, 100, false, 8);
  uint8_t *first = slurp(&n);
  write_file(&code, m, 4, 100, false, 8);
  uint8_t *second = slurp(&again);
  assert_int_equal(n, again);
  assert_memory_equal(first, second, n);
  free(first);
  free(second);
  free_ctas(m, 4);
}

/* Regular kernels take next to nothing: as vecadd, a stride of the CTA and of the warp. */
static void small(void **state) {
  (void)state;
  enum { CTAS = 400, WARPS = 8 };
  make_code(&code, insns);
  struct err e = {0};
  struct trf_writer *w = trf_create(path, 0, "{}", &e);
  const struct trf_code c = {.code = &code};
  struct trf_launch l = launch_of(CTAS, 32 * WARPS);
  l.code = trf_add_code(w, &c);
  trf_launch_begin(w, &l);
  for (uint32_t cta = 0; cta < CTAS; cta++) {
    struct trf_rec *r = trf_cta_begin(w, cta);
    for (unsigned k = 0; k < WARPS; k++)
      for (uint32_t s = 0; s <= 32; s++) {
        struct warp_inst i = {
            .op = s == 32 ? MAKE_INSNS - 1 : s % 2, .active = UINT32_MAX, .lanes = UINT32_MAX, .seq = s};
        uint32_t row[32];
        for (unsigned x = 0; x < 32; x++) row[x] = 0x10000 + s * 4096 + (cta * WARPS + k) * 128 + x * 4;
        if (i.op == 1) i.flags = SP_GLOBAL << 4;
        trf_add(r, k, &i, i.op == 1 ? row : NULL, NULL, NULL);
      }
    trf_cta_end(w, r, cta);
  }
  trf_launch_end(w);
  assert_true(trf_finish(w, true, NULL, &e));
  struct trf *t = trf_open(path, &e);
  assert_non_null(t);
  const struct trf_launch *got = trf_launch(t, 0);
  assert_int_equal(got->warp_insns, CTAS * WARPS * 33);
  assert_true(got->stored_bytes * 10 < got->warp_insns);
  trf_free(t);
}

/* ---- damage ---- */

/* Reads everything; false: an error was found. */
static bool sound(void) {
  struct err e = {0};
  struct trf *t = trf_open(path, &e);
  bool ok = t != NULL;
  assert_true(ok != e.set);
  for (uint32_t k = 0; ok && k < trf_launch(t, 0)->ctas; k++) {
    struct trf_cta *c = trf_cta_open(t, 0, trf_cta_at(t, 0, k), &e);
    ok = c != NULL;
    for (unsigned w = 0; ok && w < (trf_launch(t, 0)->block[0] + 31) / 32; w++) {
      uint32_t addr[32], to[32];
      struct trf_step s = {.addr = addr, .to = to};
      int given;
      while ((given = trf_next(c, w, &s, &e)) == STREAM_GIVEN) continue;
      ok = given == STREAM_FINISHED;
    }
    trf_cta_close(c);
  }
  assert_true(ok || (e.text[0] && !strcmp(e.file, path)));
  trf_free(t);
  return ok;
}

/* Near bits of an operand that no instruction has. */
static void wrong_near_bits(void **state) {
  (void)state;
  const uint16_t bits[MAKE_INSNS] = {[3] = 0x40};
  struct err e = {0};
  make_code(&code, insns);
  struct trf_writer *w = trf_create(path, 0, "{}", &e);
  const struct trf_code c = {.code = &code, .near = bits};
  trf_add_code(w, &c);
  assert_true(trf_finish(w, true, NULL, &e));
  assert_null(trf_open(path, &e));
  assert_non_null(strstr(e.text, "section NEAR at byte"));
  assert_non_null(strstr(e.text, "found a near bit of an operand that no instruction has"));
}

/* A changed bit is found, or it changes nothing. */
static void every_byte_matters(void **state) {
  (void)state;
  make_code(&code, insns);
  uint64_t draw = 4;
  size_t n;
  struct made_cta *m = make_ctas(&draw, &code, 2, 40, 2, false);
  write_file(&code, m, 2, 40, false, 8);
  assert_true(sound());
  uint8_t *p = slurp(&n);
  for (size_t k = 0; k < n; k++) {
    p[k] ^= (uint8_t)(1u << k % 8);
    spill(p, n);
    if (sound()) read_file(&code, m, 2, 40, false); /* zstd has a bit that is not used */
    p[k] ^= (uint8_t)(1u << k % 8);
  }
  free(p);
  free_ctas(m, 2);
}

static void cut_off(void **state) {
  (void)state;
  enum { CTAS = 40 };
  make_code(&code, insns);
  uint64_t draw = 6;
  size_t n;
  struct made_cta *m = make_ctas(&draw, &code, CTAS, 256, 40, true); /* several frames */
  write_file(&code, m, CTAS, 256, true, 8);
  uint8_t *p = slurp(&n);
  uint32_t before = 0, seen = 0;
  for (size_t k = 0, step; k < n;
       k += k + step < n || k + 1 == n ? step : n - 1 - k) { /* the last: without its last byte */
    step = k < 1000 ? 37 : n / 60;
    struct err e = {0}, why = {0};
    spill(p, k);
    assert_null(trf_open(path, &e));
    assert_true(e.set);
    e = (struct err){0};
    struct trf *t = trf_open_partial(path, &why, &e);
    assert_true(!t == e.set);
    if (!t) continue;
    assert_false(trf_whole(t));
    assert_true(why.set);
    const uint32_t ctas = trf_launches(t) ? trf_launch(t, 0)->ctas : 0;
    assert_true(ctas >= before);
    seen += ctas > before;
    before = ctas;
    if (ctas) { /* what is there is whole */
      const uint32_t cta = trf_cta_at(t, 0, ctas - 1);
      struct trf_cta *c = trf_cta_open(t, 0, cta, &e);
      assert_non_null(c);
      for (unsigned w = 0; w < 8; w++) read_warp(c, &code, &m[CTAS - 1 - cta].warp[w], w, true);
      trf_cta_close(c);
    }
    trf_free(t);
  }
  assert_true(seen > 1);
  assert_int_equal(before, CTAS);
  free(p);
  free_ctas(m, CTAS);
}

static void nothing_left(void **state) {
  (void)state;
  struct err e = {0};
  unlink(path);
  struct trf_writer *w = trf_create(path, 0, "{}", &e);
  assert_non_null(w);
  assert_false(trf_finish(w, false, NULL, &e));
  assert_false(e.set);
  assert_int_not_equal(access(path, F_OK), 0);
}

/* ---- replay ---- */

struct player {
  struct module m;
  struct trf *t;
  struct stream *s;
};

/* One CTA of `warps` warps, each of these instructions and an exit; in warp slots from 4 on. */
static struct player play(unsigned warps, const uint32_t *op, unsigned n) {
  struct player p = {.m = {.nkernel = 1}};
  struct err e = {0};
  make_code(&code, insns);
  struct trf_writer *w = trf_create(path, 0, "{}", &e);
  const struct trf_code c = {.code = &code};
  struct trf_launch l = launch_of(1, 32 * warps);
  l.code = trf_add_code(w, &c);
  trf_launch_begin(w, &l);
  struct trf_rec *r = trf_cta_begin(w, 0);
  for (unsigned k = 0; k < warps; k++)
    for (unsigned i = 0; i <= n; i++) {
      uint32_t row[32], to[32];
      struct warp_inst inst = {
          .op = i == n ? MAKE_INSNS - 1 : op[i], .active = UINT32_MAX, .lanes = UINT32_MAX, .seq = i};
      const struct insn *in = &insns[inst.op];
      for (unsigned x = 0; x < 32; x++) row[x] = 128 * i + 16 * x, to[x] = 4 * x;
      const bool access = in->op == OP_LD || in->op == OP_ST || in->op == OP_ATOM || in->op == OP_CPASYNC;
      if (in->op == OP_ST && in->space == SP_LOCAL)
        for (unsigned x = 0; x < 32; x++) row[x] = 128 * 2 + 4 * x;
      if (access) inst.flags = (uint8_t)((in->op == OP_CPASYNC ? SP_GLOBAL : in->space) << 4);
      if (in->op == OP_BAR) inst.mem = 3 | (in->nsrc == 2 ? 32u << 16 : 0);
      trf_add(r, k, &inst, access ? row : NULL, in->op == OP_CPASYNC ? to : NULL, NULL);
    }
  trf_cta_end(w, r, 77);
  trf_launch_end(w);
  assert_true(trf_finish(w, true, NULL, &e));
  p.t = trf_open(path, &e);
  assert_non_null(p.t);
  static struct code finished;
  finished = *trf_code(p.t, 0)->code;
  finished.allocated = true;
  finish_code(&p.m, &finished);
  const struct stream_room room = {.warp_slots = 4 + warps, .cta_slots = 2, .sm = 1, .sms = 2};
  p.s = trf_stream(p.t, 0, &finished, &room, &e);
  assert_non_null(p.s);
  uint16_t slot[TRF_WARPS];
  for (unsigned k = 0; k < warps; k++) slot[k] = (uint16_t)(4 + k);
  p.s->ops->cta_begin(p.s, 1, 0, slot);
  return p;
}

static void over(struct player *p) {
  p->s->ops->cta_end(p->s, 1);
  assert_int_equal(p->s->hash, 77);
  p->s->ops->free(p->s);
  trf_free(p->t);
  arena_free(&p->m.arena);
}

static struct warp_inst give(struct player *p, unsigned warp) {
  struct warp_inst i = {0};
  assert_int_equal(p->s->ops->next(p->s, 4 + warp, &i), STREAM_GIVEN);
  return i;
}
static void waits(struct player *p, unsigned warp) {
  struct warp_inst i;
  assert_int_equal(p->s->ops->next(p->s, 4 + warp, &i), STREAM_WAIT);
}

static void rows_of_a_copy(void **state) {
  (void)state;
  const uint32_t op[] = {8, 2};
  struct player p = play(1, op, 2);
  struct warp_inst i = give(&p, 0);
  assert_int_equal(i.mem, 2);
  assert_int_equal(W_SPACE_OF(&i), SP_GLOBAL);
  assert_int_equal(inst_addr(p.s, &i)[3], 16 * 3);
  i.mem = 1;
  assert_int_equal(inst_addr(p.s, &i)[3], 4 * 3);
  i = give(&p, 0); /* local memory: of SM 1, slot 4 */
  assert_int_equal(i.mem, 3);
  assert_int_equal(inst_addr(p.s, &i)[5], LOCAL_BASE + (5 + 4) * LOCAL_WORDS * 128 + 2 * 128 + 4 * 5);
  assert_true(give(&p, 0).flags & W_EXIT);
  over(&p);
}

static void atomics_wait(void **state) {
  (void)state;
  const uint32_t op[] = {5, 4, 0, 1, 4};
  struct player p = play(1, op, 5);
  assert_true(give(&p, 0).flags & W_ATOMIC); /* with a result */
  waits(&p, 0);
  assert_int_equal(p.s->ops->quantum(p.s), 1);
  assert_false(give(&p, 0).flags & W_ATOMIC); /* without one: the next access to global memory waits */
  give(&p, 0);
  waits(&p, 0);
  waits(&p, 0);
  assert_int_equal(p.s->ops->quantum(p.s), 1);
  struct warp_inst i = give(&p, 0);
  assert_int_equal(i.op, 1);
  assert_int_equal(inst_addr(p.s, &i)[2], 128 * 3 + 32);
  give(&p, 0);
  assert_true(give(&p, 0).flags & W_EXIT);
  over(&p);
}

static void a_barrier_passes_it_on(void **state) {
  (void)state;
  const uint32_t op[] = {4, 6, 1};
  struct player p = play(2, op, 3);
  give(&p, 0);
  struct warp_inst i = give(&p, 0);
  assert_true(i.flags & W_BARRIER);
  assert_int_equal(i.mem, 3 | 64 << 16);
  assert_int_equal(p.s->ops->quantum(p.s), 1); /* warp 0's is performed, but the barrier does not forget it */
  give(&p, 1);
  assert_int_equal(p.s->ops->quantum(p.s), 1);
  give(&p, 1); /* opens it */
  waits(&p, 0);
  waits(&p, 1);
  assert_int_equal(p.s->ops->quantum(p.s), 0);
  give(&p, 0);
  give(&p, 1);
  assert_true(give(&p, 0).flags & W_EXIT);
  assert_true(give(&p, 1).flags & W_EXIT);
  over(&p);
}

static void barriers_count_who_is_left(void **state) {
  (void)state;
  const uint32_t op[] = {6, 7};
  struct player p = play(3, op, 2);
  assert_int_equal(give(&p, 0).mem, 3 | 96 << 16);
  assert_int_equal(give(&p, 1).mem, 3 | 96 << 16);
  assert_int_equal(give(&p, 2).mem, 3 | 96 << 16);
  assert_int_equal(give(&p, 0).mem, 3 | 32 << 16); /* its own count */
  assert_true(give(&p, 0).flags & W_EXIT);
  struct err e = {0};
  assert_false(p.s->ops->deadlock(p.s, &e));
  give(&p, 1), give(&p, 2), give(&p, 1), give(&p, 2);
  over(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(written_and_read),
                                     cmocka_unit_test(unreached),
                                     cmocka_unit_test(many_blocks),
                                     cmocka_unit_test(same_bytes),
                                     cmocka_unit_test(small),
                                     cmocka_unit_test(wrong_near_bits),
                                     cmocka_unit_test(every_byte_matters),
                                     cmocka_unit_test(cut_off),
                                     cmocka_unit_test(nothing_left),
                                     cmocka_unit_test(rows_of_a_copy),
                                     cmocka_unit_test(atomics_wait),
                                     cmocka_unit_test(a_barrier_passes_it_on),
                                     cmocka_unit_test(barriers_count_who_is_left)};
  return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
