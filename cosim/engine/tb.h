/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tb: the interface between a block's bench (tb/SYSTEM/BLOCK_tb.c) and the engine. A bench generates stimulus; the
 * engine drives both twins, compares every output and register in every cycle, counts the bins, and stops at the
 * first difference. A bench is plain imperative C:
 *
 *   #include "blocks/slice/sit.h"
 *   #include "tb.h"
 *   #define BINS(BIN) BIN(grant) BIN(bank_conflict) BIN(load_blocks_grant)
 *   TB_BINS(BINS)
 *   static void episode(struct tb_run *t, struct tb_rng *r, unsigned phase) {
 *     for (unsigned n = 20 + tb_below(r, 60); n; n--) {
 *       struct sit_in in = {0};
 *       in.request_valid_i = tb_bits(r, 48);  ...
 *       const struct sit_out *out = tb_step(t, &in);          // one cycle: drive, compare, clock edge
 *     }
 *   }
 *   const struct tb tb_bench = {.phases = phases, .bins = tb_bin_names, .episode = episode, .cases = cases};
 *
 * An episode and a case begin after a reset, and must depend on nothing but their arguments and the models (no
 * statics): each episode has its own seed, so that any can be run alone.
 */
#ifndef RT_COSIM_TB_H
#define RT_COSIM_TB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tb_run;

/* ---- random numbers: the same on every host ---- */
struct tb_rng {
  uint64_t s[2];
};
uint64_t tb_rand(struct tb_rng *r);
unsigned tb_below(struct tb_rng *r, unsigned n);    /* 0 .. n-1; n >= 1 */
uint64_t tb_bits(struct tb_rng *r, unsigned width); /* width <= 64 random bits */
bool tb_chance(struct tb_rng *r, unsigned percent);
void tb_words(struct tb_rng *r, uint32_t *w, unsigned width); /* a port wider than 64 bits; bits above width zero */
/* width bits, each set with about this chance: few valids (near empty) or many (near full) */
uint64_t tb_dense(struct tb_rng *r, unsigned width, unsigned percent);

/* ---- a cycle ---- */
/* Drives in, compares, takes the clock edge. The result, C's outputs in that cycle, is good for the next 60 cycles. Does
   not return when the twins differ or the cycles are used up. Bits above a port's width must be zero. */
const void *tb_step(struct tb_run *t, const void *in);
/* C's outputs of the present cycle for these inputs, before the edge; good until the next call. NULL: the last inputs
   (enough for outputs of state only). For stimulus that depends on an output of the same cycle. */
const void *tb_peek(struct tb_run *t, const void *in);
/* The golden model: struct BLOCK, which begins with struct BLOCK_state. */
const void *tb_model(const struct tb_run *t);
/* Another reset within a case: rst_ni low for one cycle. */
void tb_reset(struct tb_run *t);
/* Both twins start from these registers, a struct BLOCK_state; in a case alone, after a reset and before its first cycle. For counters near
   their end and pointers near their wrap, which no run reaches. The block must be able to reach the state by legal inputs; the bench says how.
   Only what a STATE line declares is set: registers of the RTL alone (REG, RAM) are those after a reset, and so must be what the golden model
   has for them, but for what struct tb's adapt changes. Assertions of the RTL are not checked before the next reset, as some count from it.
   A netlist's registers have no names: there the case ends here. */
void tb_state(struct tb_run *t, const void *state);
/* An oracle's verdict on the cycle just made: stops the run as a divergence does, with this text, when ok is false. */
void tb_expect(struct tb_run *t, bool ok, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* ---- coverage bins ---- */
void tb_hit(struct tb_run *t, unsigned bin);
static inline void tb_hit_if(struct tb_run *t, bool yes, unsigned bin) {
  if (yes) tb_hit(t, bin);
}
#define TB_BIN_ENUM(name) BIN_##name,
#define TB_BIN_NAME(name) #name,
/* Bins p0, p1, ... in a LIST: one for each value of a port. */
#define TB_1(B, p) B(p##0)
#define TB_2(B, p) B(p##0) B(p##1)
#define TB_3(B, p) TB_2(B, p) B(p##2)
#define TB_4(B, p) TB_3(B, p) B(p##3)
#define TB_5(B, p) TB_4(B, p) B(p##4)
#define TB_6(B, p) TB_5(B, p) B(p##5)
#define TB_7(B, p) TB_6(B, p) B(p##6)
#define TB_8(B, p) TB_7(B, p) B(p##7)
#define TB_9(B, p) TB_8(B, p) B(p##8)
#define TB_10(B, p) TB_9(B, p) B(p##9)
#define TB_12(B, p) TB_10(B, p) TB_2(B, p##1)
#define TB_16(B, p) TB_10(B, p) TB_6(B, p##1)
#define TB_17(B, p) TB_10(B, p) TB_7(B, p##1)
#define TB_18(B, p) TB_10(B, p) TB_8(B, p##1)
#define TB_19(B, p) TB_10(B, p) TB_9(B, p##1)
#define TB_20(B, p) TB_10(B, p) TB_10(B, p##1)
#define TB_24(B, p) TB_20(B, p) TB_4(B, p##2)
#define TB_32(B, p) TB_20(B, p) TB_10(B, p##2) TB_2(B, p##3)
#define TB_40(B, p) TB_20(B, p) TB_10(B, p##2) TB_10(B, p##3)
#define TB_48(B, p) TB_40(B, p) TB_8(B, p##4)
#define TB_64(B, p) TB_40(B, p) TB_10(B, p##4) TB_10(B, p##5) TB_4(B, p##6)
#define TB_128(B, p) \
  TB_40(B, p)        \
  TB_10(B, p##4)     \
  TB_10(B, p##5)     \
  TB_10(B, p##6) TB_10(B, p##7) TB_10(B, p##8) TB_10(B, p##9) TB_10(B, p##10) TB_10(B, p##11) TB_8(B, p##12)
/* TB_n; n is a number of those above, or a parameter that has one: TB_LIST(TB_PARAM(NumBanks), B, p). */
#define TB_LIST2(n, B, p) TB_##n(B, p)
#define TB_LIST(n, B, p) TB_LIST2(n, B, p)
#define TB_BINS(LIST)                   \
  enum { LIST(TB_BIN_ENUM) BIN_COUNT }; \
  static const char *const tb_bin_names[] = {LIST(TB_BIN_NAME) NULL};

/* A parameter's value in the set that the bench is built for: an integer that #if knows, too. */
#define TB_PARAM2(name) SET_##name
#define TB_PARAM(name) TB_PARAM2(name)

struct tb_case {
  const char *name;
  void (*run)(struct tb_run *t, struct tb_rng *r);
};

struct tb {
  uint64_t cycles;           /* of a full run; 0: 200000 */
  const char *const *phases; /* names, NULL at the end; NULL: one phase */
  const char *const *bins;   /* names, NULL at the end */
  /* One short random episode; the phase is the bias: near empty, near full, bursts... */
  void (*episode)(struct tb_run *t, struct tb_rng *r, unsigned phase);
  const struct tb_case *cases; /* directed; name NULL at the end; run before the episodes, in every run */
  /* Optional: called in every compared cycle, also those of a replayed stream, before the edge. Best place for
   * tb_hit. */
  void (*observe)(struct tb_run *t, const void *model, const void *in, const void *out);
  /* Optional: why these inputs break the block's rules in this cycle (what a BLOCK_RULE says), or NULL. The
     engine refuses such stimulus, and the shrinker keeps within the rules. last_in, last_out: the cycle
     before, NULL after a reset. */
  const char *(*illegal)(const void *model, const void *in, const void *last_in, const void *last_out);
  /* Optional: after a tb_state, also that of a replayed stream: makes the members of the golden model that no STATE shows agree with its
     registers, such as counts that its invariants use. */
  void (*adapt)(void *model);
};
extern const struct tb tb_bench;

#endif
