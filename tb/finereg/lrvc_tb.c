/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bench of lrvc: models the engine that looks up and the memory, which answers at once or late. Memory's
 * contents are a function of address and kernel, and the bench keeps the PC of each entry, so that it
 * predicts every answer, hit and address, and the cycle of each. docs/blocks/finereg/lrvc.md
 */
#include <string.h>

#include "blocks/finereg/lrvc.h"
#include "finereg_tb.h"

#define EXPECT lrvc
#define EXPECT_DEF "blocks/finereg/lrvc.def"
#include "expect.h"

/* An index is this many bits of the PC, from bit 3 on, and as many above them; what is above both stands in the tag
 * alone. */
enum { N = TB_PARAM(NumEntries), INDEX_BITS = RT_CLOG2(N), TAG_ALONE = 3 + 2 * INDEX_BITS };
#define FROM_17(B) B(tag_bit_17) B(tag_bit_18) B(tag_bit_19) TB_10(B, tag_bit_2) B(tag_bit_30) B(tag_bit_31)
#define FROM_15(B) B(tag_bit_15) B(tag_bit_16) FROM_17(B)
#define FROM_13(B) B(tag_bit_13) B(tag_bit_14) FROM_15(B)
#define FROM_11(B) B(tag_bit_11) B(tag_bit_12) FROM_13(B)
#define ENTRIES(B, p) TB_LIST(TB_PARAM(NumEntries), B, p)
#if TB_PARAM(NumEntries) == 8
#define TAG_BITS(B) B(tag_bit_9) B(tag_bit_10) FROM_11(B) TB_3(B, tag_pair_)
#elif TB_PARAM(NumEntries) == 16
#define TAG_BITS(B) FROM_11(B) TB_4(B, tag_pair_)
#elif TB_PARAM(NumEntries) == 32
#define TAG_BITS(B) FROM_13(B) TB_5(B, tag_pair_)
#elif TB_PARAM(NumEntries) == 64
#define TAG_BITS(B) FROM_15(B) TB_6(B, tag_pair_)
#elif TB_PARAM(NumEntries) == 128
#define TAG_BITS(B) FROM_17(B) TB_7(B, tag_pair_)
#endif
/* clang-format off */
#define BINS(B)                                                                                           \
  ENTRIES(B, fill_) ENTRIES(B, hit_) ENTRIES(B, evict_) TAG_BITS(B) B(hit_behind_hit) B(miss_behind_hit)  \
  B(same_behind_fill) B(hit_behind_fill) B(evict_behind_fill) B(miss_behind_fill) B(look_up_after_pause)  \
  B(all_valid) B(request_taken_at_once) B(request_waits) B(answer_at_once) B(answer_late)                 \
  B(held_in_memory_request) B(held_in_memory_wait) B(ready_without_request) B(invalidate_alone)           \
  B(invalidate_beside_hit) B(invalidate_beside_miss) B(invalidate_beside_answer) B(invalidate_behind_inv) \
  B(invalidate_full) B(look_up_before_invalidate) B(address_wraps) B(pc_below_code) B(vector_zero)        \
  B(vector_full) B(same_pc_other_kernel) B(reset_memory_request) B(reset_memory_wait) B(reset_answer)     \
  B(reset_full) B(junk_without_valid)
/* clang-format on */
TB_BINS(BINS)

enum { NONE = 1 }; /* NONE: no PC, they are multiples of 8 */
enum behind { NOTHING, HIT, FILL, INV };
struct sim {
  uint32_t pc[N], old[N]; /* the PC of each entry; the one it had before the last invalidate_i */
  uint64_t vec[N];
  unsigned state, waits; /* for how many cycles it has been in this state */
  uint32_t miss, vector_base, code_base;
  uint64_t kernel;              /* chooses memory's contents */
  bool begun, rs, hit, offered; /* invalidate_i since reset; the answer of this cycle; a look-up waits */
  uint64_t rs_vec;
  uint32_t offer;
  enum behind behind; /* the event of the cycle before */
};

/* With 32 entries PC[7:3] ^ PC[12:8]: each bit of the one is turned by its bit of the other. */
static unsigned lrvc_index_of_pc(uint32_t pc) {
  unsigned v = 0;
  for (unsigned k = 0; k < INDEX_BITS; k++) {
    if ((pc >> (3 + k) & 1) != (pc >> (3 + INDEX_BITS + k) & 1)) v |= 1u << k;
  }
  return v;
}

static uint64_t lrvc_memory_at(const struct sim *s, uint32_t a) {
  uint64_t x = (a ^ s->kernel) * 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
  x ^= x >> 32;
  return x % 16 == 0 ? 0 : x % 16 == 1 ? UINT64_MAX >> 1 : x >> 1;
}

static void lrvc_sim_reset(struct tb_rng *r, struct sim *s) {
  memset(s, 0, sizeof *s);
  for (unsigned i = 0; i < N; i++) s->pc[i] = s->old[i] = NONE;
  s->kernel = tb_rand(r);
  s->vector_base = tb_bits(r, 32), s->code_base = tb_bits(r, 29) << 3;
}

static unsigned lrvc_sim_count_valid(const struct sim *s) {
  unsigned n = 0;
  for (unsigned i = 0; i < N; i++) n += s->pc[i] != NONE;
  return n;
}

static uint32_t lrvc_sim_address(const struct sim *s) { return s->vector_base + (s->miss - s->code_base); }

static void lrvc_compare_cycle(struct tb_run *t, const struct sim *s, const struct lrvc_in *in) {
  const struct lrvc_state was = *(const struct lrvc_state *)tb_model(t);
  struct lrvc_state state = {.state_q = s->state};
  for (unsigned i = 0; i < N; i++) words_set(state.valid_q, i, 1, s->pc[i] != NONE);
  const struct lrvc_out want = {.request_ready_o = s->state == LRVC_IDLE,
                                .response_valid_o = s->rs,
                                .response_hit_o = s->rs && s->hit,
                                .response_vector_o = s->rs ? s->rs_vec : 0,
                                .memory_request_valid_o = s->state == LRVC_MEMORY_REQUEST,
                                .memory_request_addr_o = s->state == LRVC_MEMORY_REQUEST ? lrvc_sim_address(s) : 0};
  expect_all(t, tb_step(t, in), &want, &was, &state);
}

static void bins_of_miss(struct tb_run *t, const struct sim *s, uint32_t pc) {
  unsigned i = lrvc_index_of_pc(pc);
  uint32_t differ = s->pc[i] ^ pc;
  tb_hit(t, s->pc[i] != NONE ? BIN_evict_0 + i : BIN_fill_0 + i);
  for (unsigned k = TAG_ALONE; k < 32; k++) {
    if (differ == 1u << k) tb_hit(t, BIN_tag_bit_31 + k - 31);
  }
  for (unsigned k = 0; k < INDEX_BITS; k++) {
    if (differ == (1u << (3 + k) | 1u << (3 + INDEX_BITS + k))) tb_hit(t, BIN_tag_pair_0 + k);
  }
  if (s->old[i] == pc) tb_hit(t, BIN_same_pc_other_kernel);
  if (pc < s->code_base) tb_hit(t, BIN_pc_below_code);
  if (pc >= s->code_base && (uint64_t)s->vector_base + (pc - s->code_base) > UINT32_MAX) tb_hit(t, BIN_address_wraps);
  if (!s->begun) tb_hit(t, BIN_look_up_before_invalidate);
}

static void lrvc_sim_look_up(struct tb_run *t, struct sim *s, const struct lrvc_in *in) {
  unsigned i = lrvc_index_of_pc((uint32_t)in->request_pc_i);
  bool hit = s->pc[i] == in->request_pc_i;
  if (s->behind == HIT) tb_hit(t, hit ? BIN_hit_behind_hit : BIN_miss_behind_hit);
  if (s->behind == FILL) {
    bool same = lrvc_index_of_pc(s->miss) == i;
    tb_hit(t, hit    ? same ? BIN_same_behind_fill : BIN_hit_behind_fill
              : same ? BIN_evict_behind_fill
                     : BIN_miss_behind_fill);
  }
  if (s->waits > 5) tb_hit(t, BIN_look_up_after_pause);
  s->behind = hit ? HIT : NOTHING;
  if (hit) {
    tb_hit(t, BIN_hit_0 + i);
    s->rs = s->hit = true, s->rs_vec = s->vec[i];
  } else {
    bins_of_miss(t, s, (uint32_t)in->request_pc_i);
    s->state = LRVC_MEMORY_REQUEST, s->miss = (uint32_t)in->request_pc_i;
  }
}

static void lrvc_sim_forget(struct tb_run *t, struct sim *s, const struct lrvc_in *in, bool answers) {
  bool had = s->pc[lrvc_index_of_pc((uint32_t)in->request_pc_i)] == in->request_pc_i;
  tb_hit(t, !in->request_valid_i ? BIN_invalidate_alone : had ? BIN_invalidate_beside_hit : BIN_invalidate_beside_miss);
  if (answers) tb_hit(t, BIN_invalidate_beside_answer);
  if (s->behind == INV) tb_hit(t, BIN_invalidate_behind_inv);
  if (lrvc_sim_count_valid(s) == N) tb_hit(t, BIN_invalidate_full);
  for (unsigned i = 0; i < N; i++) s->old[i] = s->pc[i], s->pc[i] = NONE;
  s->begun = true;
}

static void lrvc_sim_fill(struct tb_run *t, struct sim *s, uint64_t vec) {
  unsigned i = lrvc_index_of_pc(s->miss);
  s->pc[i] = s->miss, s->vec[i] = vec;
  s->rs = true, s->hit = false, s->rs_vec = vec;
  s->behind = FILL, s->state = LRVC_IDLE;
  if (!vec || vec == UINT64_MAX >> 1) tb_hit(t, vec ? BIN_vector_full : BIN_vector_zero);
  if (lrvc_sim_count_valid(s) == N) tb_hit(t, BIN_all_valid);
}

static void lrvc_run_cycle(struct tb_run *t, struct sim *s, const struct lrvc_in *in) {
  lrvc_compare_cycle(t, s, in);
  unsigned was = s->state;
  bool answers = s->rs;
  enum behind before = s->behind;
  s->rs = false;
  if (was != LRVC_MEMORY_REQUEST && in->memory_request_ready_i) tb_hit(t, BIN_ready_without_request);
  if (!in->request_valid_i && !in->memory_response_valid_i && in->request_pc_i && in->memory_response_data_i)
    tb_hit(t, BIN_junk_without_valid);
  if (was != LRVC_IDLE && in->request_valid_i)
    tb_hit(t, was == LRVC_MEMORY_REQUEST ? BIN_held_in_memory_request : BIN_held_in_memory_wait);
  if (in->invalidate_i) lrvc_sim_forget(t, s, in, answers);
  if (was == LRVC_IDLE && in->request_valid_i) {
    lrvc_sim_look_up(t, s, in);
  } else if (was == LRVC_MEMORY_REQUEST && in->memory_request_ready_i) {
    if (!s->waits || s->waits > 5) tb_hit(t, s->waits ? BIN_request_waits : BIN_request_taken_at_once);
    s->state = LRVC_MEMORY_WAIT;
  } else if (was == LRVC_MEMORY_WAIT && in->memory_response_valid_i) {
    if (!s->waits || s->waits > 5) tb_hit(t, s->waits ? BIN_answer_late : BIN_answer_at_once);
    lrvc_sim_fill(t, s, in->memory_response_data_i);
  } else if (s->behind == before) {
    s->behind = NOTHING;
  }
  if (in->invalidate_i && was == LRVC_IDLE && !in->request_valid_i) s->behind = INV;
  s->waits = s->state == was ? s->waits + 1 : 0;
}

struct bias {
  unsigned look, ready, answer, inv, pcs; /* probabilities; number of PCs */
};

/* Neighbours, and those that fall on the same entry: they differ above the index's bits, or in two of them that
 * cancel out. */
static uint32_t lrvc_near_pc(struct tb_rng *r, uint32_t pc) {
  unsigned k = tb_below(r, INDEX_BITS);
  switch (tb_below(r, 4)) {
    case 0: return pc ^ 1u << (TAG_ALONE + tb_below(r, 32 - TAG_ALONE));
    case 1: return pc ^ (1u << (3 + k) | 1u << (3 + INDEX_BITS + k));
    case 2: return pc ^ 1u << (3 + tb_below(r, 29));
    default: return pc + 8;
  }
}

/* A quarter of the PCs are sequential, as in code. */
static void some_pcs(struct tb_rng *r, uint32_t *pc, unsigned n) {
  pc[0] = tb_bits(r, 29) << 3;
  for (unsigned i = 1; i < n; i++) pc[i] = i < n / 4 ? pc[i - 1] + 8 : lrvc_near_pc(r, pc[tb_below(r, i)]);
}

static void lrvc_drive_inputs(struct tb_rng *r, struct sim *s, struct lrvc_in *in, const struct bias *b,
                              const uint32_t *pc) {
  if (s->state == LRVC_IDLE && tb_chance(r, b->inv)) {
    in->invalidate_i = 1;
    s->kernel = tb_rand(r);
    s->vector_base = tb_bits(r, 32);
    s->code_base = tb_chance(r, 50) ? pc[0] & ~UINT32_C(0xfff) : tb_bits(r, 29) << 3;
  }
  in->vector_base_i = s->vector_base, in->code_base_i = s->code_base;
  if (!s->offered && tb_chance(r, b->look)) {
    s->offered = true;
    s->offer =
        s->rs && tb_chance(r, 30) ? tb_chance(r, 50) ? s->miss : lrvc_near_pc(r, s->miss) : pc[tb_below(r, b->pcs)];
  }
  in->request_valid_i = s->offered;
  in->request_pc_i = s->offered ? s->offer : tb_chance(r, 50) ? pc[tb_below(r, b->pcs)] : 0;
  in->memory_request_ready_i = tb_chance(r, b->ready);
  in->memory_response_valid_i = s->state == LRVC_MEMORY_WAIT && tb_chance(r, b->answer);
  in->memory_response_data_i = in->memory_response_valid_i ? lrvc_memory_at(s, lrvc_sim_address(s)) : tb_bits(r, 64);
  if (s->state == LRVC_IDLE) s->offered = false; /* accepted in this cycle */
}

static void lrvc_run_random(struct tb_run *t, struct tb_rng *r, struct sim *s, const struct bias *b, unsigned cycles) {
  uint32_t pc[256];
  lrvc_sim_reset(r, s);
  some_pcs(r, pc, b->pcs);
  for (; cycles; cycles--) {
    struct lrvc_in in = {0};
    lrvc_drive_inputs(r, s, &in, b, pc);
    lrvc_run_cycle(t, s, &in);
  }
}

static void episode(struct tb_run *t, struct tb_rng *r, unsigned phase) {
  static const struct bias bias[] = {{12, 50, 50, 2, 6},  {100, 100, 100, 1, 24}, {90, 60, 60, 0, 200},
                                     {80, 12, 12, 3, 40}, {95, 90, 90, 30, 12},   {100, 100, 100, 0, 4}};
  struct sim s;
  lrvc_run_random(t, r, &s, &bias[phase], 60 + tb_below(r, phase == 2 ? 900 : 200));
}

/* Every entry is filled, hit, replaced by a PC that differs in the tag only, hit again, and invalidated. */
static void lrvc_case_whole_cache(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  lrvc_sim_reset(r, &s);
  for (unsigned round = 0; round < 12; round++) {
    if (round % 4 == 3) {
      struct lrvc_in in = {
          .invalidate_i = 1, .vector_base_i = s.vector_base = tb_bits(r, 32), .code_base_i = s.code_base};
      s.kernel = tb_rand(r);
      lrvc_run_cycle(t, &s, &in);
    }
    uint32_t high = (round & 2) << (TAG_ALONE - 1);
    for (unsigned i = 0; i < N;) {
      struct lrvc_in in = {.request_valid_i = s.state == LRVC_IDLE,
                           .request_pc_i = high | i << 3,
                           .memory_request_ready_i = 1,
                           .vector_base_i = s.vector_base,
                           .code_base_i = s.code_base};
      in.memory_response_valid_i = s.state == LRVC_MEMORY_WAIT;
      in.memory_response_data_i = in.memory_response_valid_i ? lrvc_memory_at(&s, lrvc_sim_address(&s)) : 0;
      i += s.state == LRVC_IDLE;
      lrvc_run_cycle(t, &s, &in);
    }
    while (s.state != LRVC_IDLE) {
      struct lrvc_in in = {.memory_request_ready_i = 1, .vector_base_i = s.vector_base, .code_base_i = s.code_base};
      in.memory_response_valid_i = s.state == LRVC_MEMORY_WAIT;
      in.memory_response_data_i = in.memory_response_valid_i ? lrvc_memory_at(&s, lrvc_sim_address(&s)) : 0;
      lrvc_run_cycle(t, &s, &in);
    }
  }
  if (lrvc_sim_count_valid(&s) == N) tb_hit(t, BIN_reset_full);
  tb_reset(t);
  lrvc_sim_reset(r, &s);
  struct lrvc_in in = {.vector_base_i = s.vector_base, .code_base_i = s.code_base};
  lrvc_run_cycle(t, &s, &in);
}

/* A reset in each state and with an answer under way: afterwards no answer, request or hit. */
static void lrvc_case_resets(struct tb_run *t, struct tb_rng *r) {
  static const struct bias slow = {90, 30, 30, 2, 30}, full = {100, 100, 100, 0, 250};
  struct sim s;
  for (unsigned i = 0; i < 60; i++) {
    lrvc_run_random(t, r, &s, i % 10 ? &slow : &full, i % 10 ? 1 + tb_below(r, 24) : 1500);
    if (s.state != LRVC_IDLE)
      tb_hit(t, s.state == LRVC_MEMORY_REQUEST ? BIN_reset_memory_request : BIN_reset_memory_wait);
    if (s.rs) tb_hit(t, BIN_reset_answer);
    tb_reset(t);
  }
}

static const char *illegal(const void *model, const void *vin, const void *last_in, const void *last_out) {
  const struct lrvc_state *st = model;
  const struct lrvc_in *in = vin, *was = last_in;
  const struct lrvc_out *out = last_out;
  if (in->memory_response_valid_i && st->state_q != LRVC_MEMORY_WAIT)
    return "memory_response_valid_i outside memory_wait";
  if (in->memory_response_valid_i && in->memory_response_data_i >> 63) return "bit 63 of a vector";
  if (in->invalidate_i && st->state_q != LRVC_IDLE) return "invalidate_i outside idle";
  if (in->request_valid_i && in->request_pc_i & 7) return "a PC that is no multiple of 8";
  if (was && !in->invalidate_i && (in->vector_base_i != was->vector_base_i || in->code_base_i != was->code_base_i)) {
    return "vector_base_i or code_base_i changed without invalidate_i";
  }
  if (was && was->request_valid_i && !out->request_ready_o &&
      (!in->request_valid_i || in->request_pc_i != was->request_pc_i)) {
    return "a look-up was changed before it was accepted";
  }
  return NULL;
}

static const char *const phases[] = {"near_empty", "at_once", "near_full", "slow_memory", "kernels", "hits", NULL};
static const struct tb_case cases[] = {
    {"whole_cache", lrvc_case_whole_cache}, {"resets", lrvc_case_resets}, {NULL, NULL}};
const struct tb tb_bench = {
    .cycles = 200000, .phases = phases, .bins = tb_bin_names, .episode = episode, .cases = cases, .illegal = illegal};
