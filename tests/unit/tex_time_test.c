/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tex_time: the texture unit by microbenchmarks whose cycles can be computed by hand: latency of hits and misses, rates of address
 * units, tags and filter, wrapping at the edge, capacity of a texture cache, sharing of the L1, stores to surfaces. Most cases run a
 * program with n and with m repetitions and compare the difference.
 */
#include "exec/texture.h"
#include "texture_image.h"
#include "unit/sm_prog.h"
#include "kit.h"

/* ---- images ---- */
enum { IMAGES = 3, SPAN = 1 << 16 };
static struct texture image[IMAGES];

static uint32_t first_address(uint32_t bytes) {
  struct memory *probe = memory_new(&(struct module){.global_end = GLOBAL_BASE});
  const uint32_t at = memory_alloc(probe, "image", bytes);
  memory_free(probe);
  return at;
}

static void set_image(unsigned n, unsigned geom, unsigned type, unsigned channels, uint32_t w, uint32_t h, uint32_t d) {
  struct err e = {0};
  image[n] = plain_image(geom, type, channels, w, h, d);
  image[n].writable = true;
  if (!texture_lay_out(&image[n], &e)) fail_msg("%s", e.text);
  image[n].addr = first_address(SPAN);
}
static void linear(unsigned n) {
  image[n].sampler.filter = TEX_LINEAR;
  image[n].normalized_values = image[n].type == T_U8;
}

/* Memory of SPAN bytes; as words each holds the number of the word `step` behind it, modulo `words`. */
static struct memory *chained(uint32_t words, uint32_t step) {
  struct memory *mem = memory_new(&(struct module){.global_end = GLOBAL_BASE});
  const uint32_t at = memory_alloc(mem, "image", SPAN);
  uint8_t *host = memory_at(mem, at, SPAN);
  for (uint32_t k = 0; words && k < SPAN / 4; k++) memcpy(host + 4 * (size_t)k, &(uint32_t){(k + step) % words}, 4);
  return mem;
}

/* Its counters; with `warm` those of a second launch, which finds its instructions, and in the L1 its lines. */
static struct run once(const struct config *cfg, struct prog *p, struct memory *mem, uint32_t threads, bool warm) {
  struct err e = {0};
  struct gpu *g = gpu_new(cfg, 1, &e);
  if (!g) fail_msg("%s", e.text);
  const struct textures all = {.texture = image, .ntexture = IMAGES};
  struct launch l = {
      .module = &p->m, .code = &p->c, .mem = mem, .grid = {1, 1, 1}, .block = {threads, 1, 1}, .textures = &all};
  struct sm_stats before = {0};
  for (unsigned k = 0; k <= warm; k++) {
    before = *sm_stats(gpu_sm(g, 0));
    if (!timed_launch(g, &l, NULL, &e)) fail_msg("%s:%d: %s", e.file, e.line, e.text);
  }
  struct run r = {.s = *sm_stats(gpu_sm(g, 0)), .m = *gpu_mem_stats(g), .hash = gpu_hash(g)};
  sm_stats_since(&r.s, &before);
  load_latencies(sm_latency(gpu_sm(g, 0)), took);
  gpu_free(g);
  return r;
}

/* The same with sim.skip off: every counter must be equal. */
static struct run timed(const struct config *cfg, struct prog *p, uint32_t words, uint32_t step, uint32_t threads,
                        bool warm) {
  struct config slow = *cfg;
  slow.sim_skip = false;
  struct memory *mem = chained(words, step);
  const struct run each = once(&slow, p, mem, threads, warm);
  memory_free(mem);
  mem = chained(words, step);
  const struct run r = once(cfg, p, mem, threads, warm);
  memory_free(mem);
  stats_equal(&r.s, &each.s);
  assert_int_equal(r.hash, each.hash);
  return r;
}

/* ---- instructions ---- */
static struct opnd handle(unsigned n) { return II(handle_of(HANDLE_TEXTURE, n)); }

/* tex of image n into vec registers from d on; coordinates in registers from c on. */
static struct insn *tex(struct prog *p, unsigned n, unsigned d, unsigned vec, unsigned c) {
  const struct texture *t = &image[n];
  const bool floats = t->normalized_values || t->type == T_F16 || t->type == T_F32;
  struct insn *i = emit(p, OP_TEX, floats ? T_F32 : T_U32, 0, NO, handle(n), NO, NO);
  i->vec = i->ndst = (uint8_t)vec;
  i->sub = t->geom;
  i->stype = t->sampler.filter == TEX_LINEAR || t->sampler.normalized ? T_F32 : T_S32;
  for (unsigned k = 0; k < vec; k++) i->dst[k] = R(d + k);
  for (unsigned k = 0; k < geom_axes((enum tex_geom)t->geom); k++) i->src[i->nsrc++] = R(c + k);
  return i;
}
static void set(struct prog *p, unsigned r, uint32_t value) { emit(p, OP_MOV, T_B32, 0, R(r), I(value), NO, NO); }
/* Cycles of n dependent reads of a table of the next index. */
static struct run walk(const struct config *c, unsigned n, unsigned lanes, uint32_t words, uint32_t step) {
  struct prog *p = prog();
  set_image(0, GEOM_1D, T_U32, 1, SPAN / 4, 1, 1);
  image[0].linear_1d = true;
  set(p, 2, 0);
  for (unsigned k = 0; k < n; k++) tex(p, 0, 2, 1, 2);
  finish(p, 8);
  const struct run r = timed(c, p, words, step, lanes, false);
  assert_int_equal(r.s.tex_insns, n);
  drop(p);
  return r;
}

static struct config separate(void) {
  struct config c = base();
  c.tex_cache = tex_cache_separate;
  return c;
}

/* ---- latency ---- */

/* A texel that names itself: all but the first read hit. One quad: tex.latency. Eight quads, `quads` a step, interval cycles from step to
 * step: the last texels come (8 / quads - 1) x interval later, and the filter ends one step behind them. */
static void hit_latency(void **state) {
  (void)state;
  for (unsigned own = 0; own < 2; own++)
    for (unsigned quads = 1; quads <= 4; quads *= 2)
      for (unsigned interval = 1; interval <= 2; interval++) {
        struct config c = own ? separate() : base();
        c.tex_quads = quads, c.tex_interval = interval;
        const unsigned steps = 8 / quads - 1;
        assert_int_equal(walk(&c, 12, 1, 1, 0).s.cycles - walk(&c, 4, 1, 1, 0).s.cycles, 8 * c.tex_latency);
        assert_int_equal(walk(&c, 12, 32, 1, 0).s.cycles - walk(&c, 4, 32, 1, 0).s.cycles,
                         8 * (c.tex_latency + steps * interval));
      }
}

/* mem's latencies are of a whole line. A reply to a request of 32 bytes has a shorter packet. */
static uint64_t shorter(const struct config *c) {
  return (uint64_t)((8 + 128 - 1) / c->noc_reply_bytes - (8 + 32 - 1) / c->noc_reply_bytes);
}

/* A chain through lines of 128 bytes, which are all in L2 when it comes round. The way: 3 cycles from issue to the look-up, the
 * memory's latency, and then the filter's part; an L1 of 1 KB, or a texture cache of 512 bytes, keeps none of the 32 lines. */
static void miss_latency(void **state) {
  (void)state;
  for (unsigned own = 0; own < 2; own++) {
    struct config c = own ? separate() : base();
    c.l1_bytes = 1024, c.tex_bytes = 512, c.tex_ways = 16;
    const uint64_t mem = mem_hit_latency(&c) - (own ? shorter(&c) : 0);
    const struct run few = walk(&c, 40, 1, 32 * 32, 32), many = walk(&c, 56, 1, 32 * 32, 32);
    assert_int_equal(many.s.cycles - few.s.cycles, 16 * (3 + mem + (uint64_t)c.tex_filter_latency));
    assert_int_equal(many.s.tex_misses, 56);
    assert_int_equal(many.s.tex_own_misses, own ? 56 : 0);
    assert_int_equal(many.s.l1_read_misses, own ? 0 : 56);
    assert_int_equal(many.m.req_reads, 56 + many.s.icache_misses);
    assert_true(many.s.slot_memory > many.s.cycles / 2); /* of the one scheduler that has a warp */
  }
}

/* ---- rates ---- */

/* Cycles of n fetches of each of `warps` warps, behind one whose result they wait for; `apart` texels from lane to lane. */
static struct run fetches(const struct config *c, unsigned n, unsigned warps, float apart) {
  struct prog *p = prog();
  emit(p, OP_AND, T_B32, 0, R(7), SR(SR_TID_X), I(31), NO);
  emit(p, OP_CVT, T_F32, 0, R(7), R(7), NO, NO)->stype = T_U32;
  p->insn[p->n - 1].rnd = R_RN;
  emit(p, OP_FMA, T_F32, 0, R(4), R(7), I(f32_bits(apart)), I(f32_bits(1.25f)));
  set(p, 5, f32_bits(1.25f));
  set(p, 6, f32_bits(1.25f));
  if (image[0].sampler.filter == TEX_POINT)
    for (unsigned k = 4; k < 7; k++) {
      emit(p, OP_CVT, T_U32, 0, R(k), R(k), NO, NO)->stype = T_F32;
      p->insn[p->n - 1].rnd = R_RZI;
    }
  tex(p, 0, 8, 1, 4);
  emit(p, OP_AND, T_B32, 0, R(8), R(8), I(0), NO);
  emit(p, OP_ADD, T_U32, 0, R(4), R(4), R(8), NO);
  for (unsigned k = 0; k < n; k++) tex(p, 0, 12 + k % 48, 1, 4);
  finish(p, 60);
  const struct run r = timed(c, p, 0, 0, 32 * warps, true);
  drop(p);
  return r;
}
static uint64_t per_fetch(const struct config *c, float apart) {
  const struct run few = fetches(c, 96, 1, apart), many = fetches(c, 288, 1, apart);
  const uint64_t took_more = many.s.cycles - few.s.cycles;
  assert_int_equal(took_more % 192, 0);
  assert_int_equal(many.s.tex_insns, 289);
  return took_more / 192;
}

/* Eight quads, two a step: four steps; as many cycles each as the format's passes. Eight texels a lane (3-D): twice. */
static void filter_rate(void **state) {
  (void)state;
  struct config c = base();
  c.tex_filter_64 = 2, c.tex_filter_128 = 4, c.tex_lines = 16;
  const struct {
    unsigned geom, type, channels, cycles;
  } want[] = {{GEOM_2D, T_U8, 4, 4},   {GEOM_2D, T_F16, 4, 8}, {GEOM_2D, T_F32, 1, 4}, {GEOM_2D, T_F32, 2, 8},
              {GEOM_2D, T_F32, 4, 16}, {GEOM_1D, T_U8, 1, 4},  {GEOM_3D, T_U8, 4, 8},  {GEOM_3D, T_F32, 4, 32}};
  for (unsigned k = 0; k < sizeof want / sizeof *want; k++) {
    const bool flat = want[k].geom == GEOM_1D, deep = want[k].geom == GEOM_3D;
    for (unsigned own = 0; own < 2; own++)
      for (unsigned interval = 1; interval <= 2; interval++) {
        c.tex_cache = own ? tex_cache_separate : tex_cache_unified;
        c.tex_interval = interval;
        set_image(0, want[k].geom, want[k].type, want[k].channels, 4, flat ? 1 : 4, deep ? 4 : 1);
        assert_int_equal(per_fetch(&c, 0), 4 * interval); /* nearest */
        linear(0);
        assert_int_equal(per_fetch(&c, 0), want[k].cycles * interval);
        assert_int_equal(fetches(&c, 9, 1, 0).s.tex_filter_busy,
                         9 * want[k].cycles * interval + want[k].cycles * interval);
      }
  }
}

/* Texels of 4 bytes; `apart` from lane to lane. A quad touches 4 lines of 128 bytes at 32 apart, 2 at 16; a step of two quads
 * eight and four; at one apart all 32 lanes are in two lines, a step in one or two. Lines of 32 bytes: four times as many. */
static void address_rate(void **state) {
  (void)state;
  struct config c = base();
  const struct {
    unsigned own, quads, lines, apart, cycles;
  } want[] = {{0, 2, 1, 0, 4},   /* one line: the steps alone */
              {0, 2, 1, 32, 32}, /* 32 lines, one a cycle */
              {0, 2, 4, 32, 8},  /* 32 lines, four a cycle */
              {0, 2, 8, 32, 4},  /* 32 lines, eight a cycle: as fast as the steps */
              {0, 2, 1, 16, 16}, /* 16 lines */
              {0, 1, 1, 0, 8},   /* eight steps of a quad */
              {0, 1, 4, 32, 8},  /* four lines a step */
              {1, 2, 1, 8, 32},  /* texture cache: 32 lines of 32 bytes */
              {1, 2, 2, 8, 16},  {1, 2, 1, 4, 16}, {1, 2, 1, 1, 8}};
  for (unsigned k = 0; k < sizeof want / sizeof *want; k++) {
    c.tex_cache = want[k].own ? tex_cache_separate : tex_cache_unified;
    c.tex_quads = want[k].quads, c.tex_lines = want[k].lines;
    set_image(0, GEOM_1D, T_U32, 1, SPAN / 4, 1, 1);
    image[0].linear_1d = true;
    assert_int_equal(per_fetch(&c, (float)want[k].apart), want[k].cycles);
  }
}

/* ---- where texels lie ---- */

/* A 2-D image of 64 x 4 texels of 4 bytes, rows of 256 bytes; bilinear at column x for lane 0 and one further for each next lane of its
 * quad, between rows 1 and 2. One warp of one quad: one step a fetch. Returns lines looked up for a fetch. */
static uint64_t edge(const struct config *c, float x, unsigned address, uint64_t *cycles) {
  struct run r[2];
  for (unsigned more = 0; more < 2; more++) {
    struct prog *p = prog();
    set_image(0, GEOM_2D, T_U8, 4, 64, 4, 1);
    linear(0);
    memset(image[0].sampler.address, (int)address, sizeof image[0].sampler.address);
    image[0].sampler.normalized = true;
    emit(p, OP_CVT, T_F32, 0, R(7), SR(SR_TID_X), NO, NO)->stype = T_U32;
    p->insn[p->n - 1].rnd = R_RN;
    emit(p, OP_ADD, T_F32, 0, R(4), R(7), I(f32_bits(x)), NO);
    emit(p, OP_MUL, T_F32, 0, R(4), R(4), I(f32_bits(1.0f / 64)), NO);
    set(p, 5, f32_bits(0.5f));
    for (unsigned k = 0; k < (more ? 12 : 4); k++) {
      tex(p, 0, 8, 1, 4);
      emit(p, OP_AND, T_B32, 0, R(8), R(8), I(0), NO);
      emit(p, OP_ADD, T_U32, 0, R(4), R(4), R(8), NO);
    }
    finish(p, 12);
    r[more] = timed(c, p, 0, 0, 4, true);
    drop(p);
  }
  *cycles = (r[1].s.cycles - r[0].s.cycles) / 8;
  assert_int_equal((r[1].s.cycles - r[0].s.cycles) % 8, 0);
  assert_int_equal((r[1].s.tex_lines - r[0].s.tex_lines) % 8, 0);
  return (r[1].s.tex_lines - r[0].s.tex_lines) / 8;
}

/* Lane k at column x + k reads columns x + k - 1/2 and x + k + 1/2, so a quad five columns of two rows. Columns 8 to 12 are in one
 * line of each row; 30 to 34 in two; 62, 63, 0, 1, 2 with wrapping in the two ends of the row: four lines, one look-up a cycle,
 * as many cycles more as lines more than one. With clamping columns 62 and 63 alone are read. Each fetch waits for the one before it
 * and two operations. */
static void wrap_at_the_edge(void **state) {
  (void)state;
  const struct {
    float x;
    unsigned address, lines;
  } want[] = {{9, TEX_WRAP, 2}, {31, TEX_WRAP, 4}, {63, TEX_WRAP, 4}, {63, TEX_CLAMP, 2}};
  for (unsigned own = 0; own < 2; own++)
    for (unsigned k = 0; k < sizeof want / sizeof *want; k++) {
      struct config c = own ? separate() : base();
      c.tex_lines = 1, c.tex_line = 128, c.tex_ways = 24;
      uint64_t cycles;
      assert_int_equal(edge(&c, want[k].x, want[k].address, &cycles), want[k].lines);
      const uint64_t alu = (uint64_t)(2 * c.unit_int_latency);
      assert_int_equal(cycles, (uint64_t)c.tex_latency + want[k].lines - 1 + alu);
    }
}

/* ---- capacity ---- */

/* 12 KB in lines of 32 bytes, four sets of 96 ways, the set by bits 7 and 8. A chain through all lines, twice: up to 12 KB the second
 * round hits; 128 bytes more are four more lines in set 0, whose 100 lines then throw each other out (LRU): 100 misses, 288 hits. */
static void capacity_cliff(void **state) {
  (void)state;
  struct config c = separate();
  const struct { unsigned lines, misses; } want[] = {{384, 384}, {388, 388 + 100}, {256, 256}, {400, 400 + 400}};
  for (unsigned k = 0; k < sizeof want / sizeof *want; k++) {
    const struct run r = walk(&c, 2 * want[k].lines, 1, want[k].lines * 8, 8);
    assert_int_equal(r.s.tex_lines, 2 * want[k].lines);
    assert_int_equal(r.s.tex_misses, want[k].misses);
    assert_int_equal(r.s.tex_own_misses, want[k].misses);
  }
}

/* ---- with loads and stores ---- */

/* One warp: what a load has brought, a fetch finds in the L1, and the other way round; a texture cache of its own has nothing of the L1. */
static void one_cache_or_two(void **state) {
  (void)state;
  for (unsigned own = 0; own < 2; own++)
    for (unsigned first = 0; first < 2; first++) {
      struct config c = own ? separate() : base();
      struct prog *p = prog();
      set_image(0, GEOM_1D, T_U32, 1, SPAN / 4, 1, 1);
      image[0].linear_1d = true;
      emit(p, OP_MOV, T_U64, 0, RR(2), II(image[0].addr), NO, NO);
      set(p, 4, 0);
      for (unsigned k = 0; k < 2; k++) {
        if (k == first) tex(p, 0, 4, 1, 4);
        else load(p, SP_GLOBAL, R(4), RR(2), 0);
        emit(p, OP_ADD, T_U32, 0, R(2), R(2), R(4), NO); /* memory is 0 */
      }
      finish(p, 8);
      const struct run r = timed(&c, p, 1, 0, 1, false);
      assert_int_equal(r.s.l1_reads, own ? 1 : 2);
      assert_int_equal(r.s.l1_read_hits, own ? 0 : 1);
      assert_int_equal(r.s.tex_hits, own ? 0 : first);
      assert_int_equal(r.s.tex_own_reads, own);
      assert_int_equal(took[LATENCY_ALL].loads, 2);
      drop(p);
    }
}

/* The tags of an L1 serve LSU and texture unit in turns: n loads and n fetches of 32 lines each take 64 n cycles together, one line a
 * cycle; of two caches 32 n. */
static uint64_t both(const struct config *c, unsigned n) {
  struct prog *p = prog();
  set_image(0, GEOM_1D, T_U32, 1, SPAN / 4, 1, 1);
  image[0].linear_1d = true;
  emit(p, OP_MUL, T_U32, M_LO, R(4), SR(SR_TID_X), I(32), NO);
  emit(p, OP_MAD, T_U32, M_WIDE, RR(2), SR(SR_TID_X), I(128), II(image[0].addr));
  for (unsigned k = 0; k < n; k++) {
    tex(p, 0, 8 + k % 16, 1, 4);
    load(p, SP_GLOBAL, R(24 + k % 16), RR(2), 0);
  }
  finish(p, 40);
  const uint64_t t = timed(c, p, 1, 0, 32, true).s.cycles;
  drop(p);
  return t;
}
static void tags_in_turns(void **state) {
  (void)state;
  for (unsigned own = 0; own < 2; own++) {
    struct config c = own ? separate() : base();
    c.tex_lines = 1;
    assert_int_equal(both(&c, 96) - both(&c, 48), 48 * (own ? 32 : 64));
  }
}

/* A surface store is a store of the LSU: of 32 lanes, 4 bytes each, one line to L2, which the L1 loses. A read is the texture unit's. */
static void surfaces(void **state) {
  (void)state;
  struct config c = base();
  struct prog *p = prog();
  set_image(0, GEOM_1D, T_U32, 1, 256, 1, 1);
  emit(p, OP_MUL, T_U32, M_LO, R(2), SR(SR_TID_X), I(4), NO);
  struct insn *i = emit(p, OP_SULD, T_U32, 0, R(3), II(handle_of(HANDLE_SURFACE, 0)), R(2), NO);
  i->sub = GEOM_1D, i->stype = T_U32;
  emit(p, OP_ADD, T_U32, 0, R(3), R(3), R(2), NO);
  i = emit(p, OP_SUST, T_U32, 0, NO, II(handle_of(HANDLE_SURFACE, 0)), R(2), R(3));
  i->sub = GEOM_1D, i->stype = T_U32;
  finish(p, 8);
  const struct run r = timed(&c, p, 1, 0, 32, false);
  assert_int_equal(r.s.tex_insns, 1);
  assert_int_equal(r.s.tex_lines, 4 - 3 * (c.tex_cache == tex_cache_unified)); /* its steps wait for the same line */
  assert_int_equal(r.s.tex_misses, 1);
  assert_int_equal(r.s.global_accesses, 1);
  assert_int_equal(r.s.global_lines, 1);
  assert_int_equal(r.s.l1_writes, 1);
  assert_int_equal(r.s.l1_write_hits, 1);
  assert_int_equal(r.m.req_writes, 1);
  drop(p);
}

/* ---- many rows of addresses ---- */

/* Three-dimensional fetches take eight rows of a ring of 64; their tags are slow, their instructions many. All lanes read the same
 * texels, of two rows and two slices: four lines a step; every third time texels 64 bytes apart: sixteen. If rows were overwritten before their
 * look-up, the sum would be another. */
static void rows_are_kept(void **state) {
  (void)state;
  for (unsigned fifo = 1; fifo <= 64; fifo *= 8) {
    struct config c = base();
    c.tex_lines = 1, c.tex_fifo = fifo, c.tex_queue = 64;
    struct prog *p = prog();
    set_image(0, GEOM_3D, T_F32, 1, 512, 4, 4);
    linear(0);
    emit(p, OP_CVT, T_F32, 0, R(7), SR(SR_TID_X), NO, NO)->stype = T_U32;
    p->insn[p->n - 1].rnd = R_RN;
    set(p, 5, f32_bits(1.5f));
    for (unsigned k = 0; k < 40; k++) {
      emit(p, OP_FMA, T_F32, 0, R(4), R(7), I(f32_bits(k % 3 ? 0 : 16)), I(f32_bits(8)));
      set(p, 6, f32_bits((float)(k % 3 + 1)));
      tex(p, 0, 8 + k % 32, 1, 4);
    }
    finish(p, 40);
    const struct run r = timed(&c, p, 0, 0, 32, true);
    assert_int_equal(r.s.tex_lines, 26 * 4 * 4 + 14 * 4 * 16); /* texels of weight 0 are read, too */
    assert_int_equal(r.s.tex_insns, 40);
    drop(p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(hit_latency),      cmocka_unit_test(miss_latency),
                                     cmocka_unit_test(filter_rate),      cmocka_unit_test(address_rate),
                                     cmocka_unit_test(wrap_at_the_edge), cmocka_unit_test(capacity_cliff),
                                     cmocka_unit_test(one_cache_or_two), cmocka_unit_test(tags_in_turns),
                                     cmocka_unit_test(surfaces),         cmocka_unit_test(rows_are_kept)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
