/* SPDX-License-Identifier: Apache-2.0 */
/* The small blocks of FineReg: golden models against the cycle numbers, the orders and the rules of
 * docs/blocks/finereg. */
#include "unit/finereg_kit.h"

#include "blocks/finereg/csm.h"
#include "blocks/finereg/csw.h"
#include "blocks/finereg/fsmon.h"
#include "blocks/finereg/lrvc.h"
#include "blocks/finereg/ppt.h"
#include "blocks/finereg/rid.h"

NOW(rid)
NOW(ppt)
NOW(fsmon)
NOW(lrvc)
NOW(csm)
NOW(csw)
SKIPS(rid)
SKIPS(ppt)
SKIPS(fsmon)
SKIPS(lrvc)
SKIPS(csm)
SKIPS(csw)

/* ---- rid ---- */
static void rid_indices(void **state) {
  (void)state;
  seed = 1;
  struct rid s;
  rid_reset(&s);
  for (int k = 0; k < 500; k++) {
    const uint64_t vec = k == 0 ? 0 : k == 1 ? UINT64_MAX : rng_next(&seed) & rng_next(&seed) & rng_next(&seed);
    assert_int_equal(rid_now(&s, &(struct rid_in){0}).load_ready_o, 1);
    rid_skips(&s, &(struct rid_in){0});
    rid_tick(&s, &(struct rid_in){.load_valid_i = 1, .load_vector_i = vec});
    for (uint64_t left = vec; left;) {
      const struct rid_in in = {
          .load_valid_i = 1, .load_vector_i = ~vec, .register_ready_i = chance(60)}; /* a load that must wait */
      const struct rid_out o = rid_now(&s, &in);
      assert_int_equal(o.load_ready_o, 0);
      assert_int_equal(o.register_valid_o, 1);
      assert_int_equal(o.register_o, bit_low64(left));
      assert_int_equal(o.register_last_o, bit_count64(left) == 1);
      assert_int_equal(s.r.remaining_q, left);
      assert_int_equal(rid_idle(&s), 0);
      rid_tick(&s, &in);
      if (in.register_ready_i) left &= left - 1;
    }
    const struct rid_out o = rid_now(&s, &(struct rid_in){.register_ready_i = 1});
    assert_true(!o.register_valid_o && !o.register_o && !o.register_last_o);
  }
}

/* ---- ppt ---- */
static void ppt_rows(void **state) {
  (void)state;
  seed = 2;
  struct {
    bool v;
    unsigned ptr, cnt;
  } row[128] = {0};
  struct ppt s;
  unsigned replaced = 0;
  ppt_reset(&s);
  for (int t = 0; t < 20000; t++) {
    const unsigned read = rnd(128), clr = rnd(128), wr = chance(20) ? clr : rnd(128);
    struct ppt_in in = {.read_cta_i = read,
                        .clear_cta_i = clr,
                        .write_cta_i = wr,
                        .write_pointer_i = rnd(1024),
                        .write_count_i = rnd(2017)};
    in.clear_valid_i = row[clr].v && chance(50);
    in.write_valid_i = (!row[wr].v || (in.clear_valid_i && wr == clr)) && chance(50);
    if (chance(20)) in.read_cta_i = wr;
    const unsigned r = (unsigned)in.read_cta_i;
    const struct ppt_out o = ppt_now(&s, &in);
    assert_int_equal(o.read_valid_o, row[r].v);
    assert_int_equal(o.read_pointer_o, row[r].v ? row[r].ptr : 0);
    assert_int_equal(o.read_count_o, row[r].v ? row[r].cnt : 0);
    replaced += in.clear_valid_i && in.write_valid_i && wr == clr;
    if (in.clear_valid_i) row[clr].v = false;
    if (in.write_valid_i)
      row[wr].v = true, row[wr].ptr = (unsigned)in.write_pointer_i, row[wr].cnt = (unsigned)in.write_count_i;
    if (!(t & 63)) ppt_skips(&s, &(struct ppt_in){0});
    ppt_tick(&s, &in);
  }
  assert_true(replaced > 100);
}

static void ppt_break_rule(uint32_t rule) {
  struct ppt s;
  ppt_reset(&s);
  ppt_tick(&s, &(struct ppt_in){.write_valid_i = 1, .write_cta_i = 5});
  if (rule == 0) ppt_tick(&s, &(struct ppt_in){.write_valid_i = 1, .write_cta_i = 5});
  if (rule == 1) ppt_tick(&s, &(struct ppt_in){.clear_valid_i = 1, .clear_cta_i = 6});
  if (rule == 2)
    ppt_tick(&s, &(struct ppt_in){.clear_valid_i = 1, .clear_cta_i = 5, .write_valid_i = 1, .write_cta_i = 5});
}
static void ppt_asserts(void **state) {
  (void)state;
  assert_true(asserts(ppt_break_rule, 0));
  assert_true(asserts(ppt_break_rule, 1));
  assert_false(asserts(ppt_break_rule, 2));
}

/* ---- fsmon ---- */
static void fsmon_traffic(unsigned entries) {
  static bool occupied[fsmon_NumEntries_most];
  struct fsmon s;
  unsigned used = 0, full = 0;
  memset(occupied, 0, sizeof occupied);
  fsmon_reset(&s);
  if (entries != fsmon_NumEntries) {
    struct fsmon_params size = fsmon_defaults();
    size.NumEntries = entries;
    fsmon_size(&s, &size);
  }
  for (unsigned t = 0; t < 8 * entries + 2000; t++) {
    const bool filling = t / (2 * entries) % 2 == 0;
    unsigned lowest = 0;
    while (lowest < entries && occupied[lowest]) lowest++;
    struct fsmon_in in = {.allocate_valid_i = used < entries && chance(filling ? 90 : 30),
                          .release_index_i = rnd(entries)};
    in.release_valid_i = occupied[in.release_index_i] && chance(filling ? 20 : 90);
    const struct fsmon_out o = fsmon_now(&s, &in);
    assert_int_equal(o.free_count_o, entries - used);
    assert_int_equal(o.free_valid_o, used < entries);
    assert_int_equal(o.free_index_o, used < entries ? lowest : 0);
    full += used == entries;
    if (!(t & 255)) fsmon_skips(&s, &(struct fsmon_in){0});
    fsmon_tick(&s, &in);
    if (in.allocate_valid_i) occupied[lowest] = true, used++;
    if (in.release_valid_i) occupied[in.release_index_i] = false, used--;
  }
  assert_true(full > 0);
  for (unsigned i = 0; i < entries; i++) {
    assert_int_equal(fsmon_occupied(&s, i), occupied[i]);
    assert_int_equal(s.r.occupied_q[i / 32] >> i % 32 & 1, occupied[i]);
  }
}
static void fsmon_sizes(void **state) {
  (void)state;
  seed = 3;
  const unsigned entries[] = {1024, 1, 31, 32, 40, 64, 1500, 2048};
  for (unsigned i = 0; i < sizeof entries / sizeof *entries; i++) fsmon_traffic(entries[i]);
}

static void fsmon_break_rule(uint32_t rule) {
  struct fsmon s;
  fsmon_reset(&s);
  struct fsmon_params size = fsmon_defaults();
  size.NumEntries = 2;
  fsmon_size(&s, &size);
  fsmon_tick(&s, &(struct fsmon_in){.allocate_valid_i = 1});
  if (rule == 0)
    fsmon_tick(&s,
               &(struct fsmon_in){
                   .allocate_valid_i = 1, .release_valid_i = 1, .release_index_i = 1}); /* taken in this very cycle */
  if (rule == 1) fsmon_tick(&s, &(struct fsmon_in){.release_valid_i = 1, .release_index_i = 1});
  fsmon_tick(&s, &(struct fsmon_in){.allocate_valid_i = 1});
  if (rule == 2)
    fsmon_tick(&s, &(struct fsmon_in){.allocate_valid_i = 1, .release_valid_i = 1}); /* freed in this very cycle */
}
static void fsmon_asserts(void **state) {
  (void)state;
  for (uint32_t rule = 0; rule < 3; rule++) assert_true(asserts(fsmon_break_rule, rule));
  assert_false(asserts(fsmon_break_rule, 3));
}

/* ---- lrvc ---- */
static void lrvc_cycles(void **state) {
  (void)state;
  struct lrvc s;
  lrvc_reset(&s);
  const struct lrvc_in ask = {
      .request_valid_i = 1, .request_pc_i = 0x1010, .vector_base_i = 0x8000, .code_base_i = 0x1000};
  const struct lrvc_in none = {.vector_base_i = 0x8000, .code_base_i = 0x1000};
  struct lrvc_in in = ask;
  in.invalidate_i = 1; /* forgets before it looks up: a miss */
  lrvc_tick(&s, &in);
  for (int wait = 0; wait < 3; wait++) {
    const struct lrvc_out o = lrvc_now(&s, &none);
    assert_true(o.memory_request_valid_o && o.memory_request_addr_o == 0x8010 && !o.request_ready_o &&
                !o.response_valid_o && s.r.state_q == LRVC_MEMORY_REQUEST);
    in = none;
    in.memory_request_ready_i = wait == 2;
    lrvc_tick(&s, &in);
  }
  assert_true(s.r.state_q == LRVC_MEMORY_WAIT && !lrvc_now(&s, &none).memory_request_valid_o &&
              !lrvc_now(&s, &none).memory_request_addr_o);
  lrvc_skips(&s, &none);
  in = none;
  in.memory_response_valid_i = 1;
  in.memory_response_data_i = 0x123;
  lrvc_tick(&s, &in); /* u: filled; at u + 1 the answer, and idle */
  struct lrvc_out o = lrvc_now(&s, &none);
  assert_true(o.response_valid_o && o.response_vector_o == 0x123 && !o.response_hit_o && o.request_ready_o);
  assert_int_equal(s.r.valid_q[0], 1ull << (2 ^ 16)); /* the hash: PC[7:3] ^ PC[12:8] */
  for (int k = 0; k < 4; k++) {                       /* a hit in every cycle, answered in the next */
    lrvc_tick(&s, &ask);
    o = lrvc_now(&s, &none);
    assert_true(o.response_valid_o && o.response_vector_o == 0x123 && o.response_hit_o && o.request_ready_o &&
                !o.memory_request_valid_o);
    assert_int_equal(lrvc_idle(&s), 0);
  }
  lrvc_tick(&s, &none);
  o = lrvc_now(&s, &none);
  assert_true(!o.response_valid_o && !o.response_vector_o && !o.response_hit_o);
  in = (struct lrvc_in){.invalidate_i = 1, .vector_base_i = 0x8000, .code_base_i = 0x1000};
  lrvc_tick(&s, &in);
  assert_int_equal(s.r.valid_q[0], 0);
  in = ask;
  in.request_pc_i = 0x1110;
  lrvc_tick(&s, &in);
  in = none;
  in.memory_request_ready_i = 1;
  lrvc_tick(&s, &in);
  in.memory_response_valid_i = 1;
  lrvc_tick(&s, &in);
  assert_int_equal(s.r.valid_q[0], 1ull << (2 ^ 17));
}

static void lrvc_traffic(unsigned entries) {
  struct lrvc s;
  lrvc_reset(&s);
  if (entries != lrvc_NumEntries) {
    struct lrvc_params size = lrvc_defaults();
    size.NumEntries = entries;
    lrvc_size(&s, &size);
  }
  struct lrvc_in in = {.vector_base_i = rnd(1 << 20) * 8, .code_base_i = rnd(1 << 20) * 8, .invalidate_i = 1};
  uint64_t asked = 0;
  bool waits = false;
  unsigned hits = 0, misses = 0;
  for (int t = 0; t < 20000; t++) {
    const struct lrvc_out o = lrvc_now(&s, &in);
    assert_int_equal(o.response_valid_o && waits, o.response_valid_o); /* only what was asked, once */
    if (o.response_valid_o) {
      assert_int_equal(o.response_vector_o, vector_at((uint32_t)(in.vector_base_i + asked - in.code_base_i)));
      hits += o.response_hit_o;
      misses += !o.response_hit_o;
      waits = false;
    }
    if (o.memory_request_valid_o)
      assert_int_equal(o.memory_request_addr_o, (uint32_t)(in.vector_base_i + asked - in.code_base_i));
    in.invalidate_i = in.request_valid_i = in.memory_request_ready_i = in.memory_response_valid_i =
        in.memory_response_data_i = 0;
    lrvc_skips(&s, &in);
    if (s.r.state_q == LRVC_IDLE && (!t || chance(1)))
      in.invalidate_i = 1, in.vector_base_i = rnd(1 << 20) * 8, in.code_base_i = rnd(1 << 20) * 8;
    if (s.r.state_q == LRVC_IDLE && chance(70)) {
      assert_false(waits && !o.response_valid_o);
      in.request_valid_i = waits = true;
      in.request_pc_i = asked = in.code_base_i + 8 * rnd(2 * entries);
    }
    if (s.r.state_q == LRVC_MEMORY_REQUEST) in.memory_request_ready_i = chance(50);
    if (s.r.state_q == LRVC_MEMORY_WAIT && chance(50))
      in.memory_response_valid_i = 1,
      in.memory_response_data_i = vector_at((uint32_t)(in.vector_base_i + asked - in.code_base_i));
    lrvc_tick(&s, &in);
  }
  assert_true(hits > 100 && misses > 100);
}
static void lrvc_sizes(void **state) {
  (void)state;
  seed = 4;
  for (unsigned entries = 8; entries <= 128; entries *= 2) lrvc_traffic(entries);
}

static void lrvc_break_rule(uint32_t rule) {
  struct lrvc s;
  lrvc_reset(&s);
  if (rule == 0) lrvc_tick(&s, &(struct lrvc_in){.memory_response_valid_i = 1});
  if (rule == 1) lrvc_tick(&s, &(struct lrvc_in){.request_valid_i = 1, .request_pc_i = 4});
  lrvc_tick(&s, &(struct lrvc_in){.request_valid_i = 1});
  if (rule == 2) lrvc_tick(&s, &(struct lrvc_in){.invalidate_i = 1});
  if (rule == 3)
    lrvc_tick(&s, &(struct lrvc_in){.memory_request_ready_i = 1,
                                    .memory_response_valid_i = 1}); /* in the cycle of the accept */
  lrvc_tick(&s, &(struct lrvc_in){.memory_request_ready_i = 1});
  if (rule == 4) lrvc_tick(&s, &(struct lrvc_in){.memory_response_valid_i = 1, .memory_response_data_i = 1ull << 63});
  lrvc_tick(&s, &(struct lrvc_in){.memory_response_valid_i = 1});
  if (rule == 5) lrvc_tick(&s, &(struct lrvc_in){.request_valid_i = 1, .vector_base_i = 8});
  if (rule == 6) lrvc_tick(&s, &(struct lrvc_in){.request_valid_i = 1, .invalidate_i = 1, .vector_base_i = 8});
}
static void lrvc_asserts(void **state) {
  (void)state;
  for (uint32_t rule = 0; rule < 6; rule++) assert_true(asserts(lrvc_break_rule, rule));
  assert_false(asserts(lrvc_break_rule, 6));
}

/* ---- csm ---- */
enum { CTAS = 128 };
struct status {
  uint8_t context, registers;
};

static int first_of(const struct status *st, const struct csm_in *in, unsigned from, uint8_t context,
                    uint8_t registers) {
  for (unsigned k = 0; k < CTAS; k++) {
    const unsigned i = (from + k) % CTAS;
    if (st[i].context == context && st[i].registers == registers && (!in || in->ready_i[i / 32] >> i % 32 & 1))
      return (int)i;
  }
  return -1;
}

static void csm_traffic(void **state) {
  (void)state;
  seed = 5;
  const struct status legal[] = {{0, 0}, {1, 1}, {1, 2}, {2, 2}};
  struct status st[CTAS] = {{0}};
  unsigned kept_from = 0, spilled_from = 0, none_new = 0;
  struct csm s;
  csm_reset(&s);
  for (int t = 0; t < 30000; t++) {
    const bool full = t / 3000 % 2; /* all launched in every other stretch */
    struct csm_in in = {0};
    for (int i = 0; i < 4; i++)
      in.ready_i[i] = (uint32_t)(rng_next(&seed) & rng_next(&seed)) & (t & 64 ? 0x10001 : ~0u);
    for (unsigned p = 0, other = CTAS; p < 2; p++) {
      const unsigned cta = rnd(CTAS), k = full ? 1 + rnd(3) : rnd(4);
      if (cta == other || chance(30)) continue;
      in.set_valid_i |= 1u << p;
      in.set_cta_i[p] = (uint8_t)cta;
      in.set_context_i[p] = legal[k].context;
      in.set_registers_i[p] = legal[k].registers;
      other = cta;
    }
    const int kept = first_of(st, &in, kept_from, 1, 2), spilled = first_of(st, &in, spilled_from, 1, 1),
              fresh = first_of(st, NULL, 0, 0, 0);
    unsigned act = 0, res = 0;
    for (int i = 0; i < CTAS; i++) act += st[i].context == 2, res += st[i].context != 0;
    in.take_kept_i = kept >= 0 && chance(50);
    in.take_spilled_i = spilled >= 0 && chance(50);
    const struct csm_out o = csm_now(&s, &in);
    assert_int_equal(o.kept_valid_o, kept >= 0);
    assert_int_equal(o.kept_cta_o, kept >= 0 ? kept : 0);
    assert_int_equal(o.spilled_valid_o, spilled >= 0);
    assert_int_equal(o.spilled_cta_o, spilled >= 0 ? spilled : 0);
    assert_int_equal(o.new_valid_o, fresh >= 0);
    assert_int_equal(o.new_cta_o, fresh >= 0 ? fresh : 0);
    assert_int_equal(o.active_count_o, act);
    assert_int_equal(o.resident_count_o, res);
    assert_int_equal(s.r.kept_pointer_q, kept_from);
    assert_int_equal(s.r.spilled_pointer_q, spilled_from);
    none_new += fresh < 0;
    if (!(t & 63)) csm_skips(&s, &(struct csm_in){0});
    csm_tick(&s, &in);
    if (in.take_kept_i) kept_from = ((unsigned)kept + 1) % CTAS;
    if (in.take_spilled_i) spilled_from = ((unsigned)spilled + 1) % CTAS;
    for (unsigned p = 0; p < 2; p++) {
      if (in.set_valid_i >> p & 1) st[in.set_cta_i[p]] = (struct status){in.set_context_i[p], in.set_registers_i[p]};
    }
  }
  assert_true(none_new > 100);
}

static void csm_break_rule(uint32_t rule) { /* 0 to 15: the sixteen statuses, context + 4 registers */
  struct csm s;
  csm_reset(&s);
  if (rule < 16)
    csm_tick(&s, &(struct csm_in){.set_valid_i = 2,
                                  .set_cta_i = {0, 3},
                                  .set_context_i = {0, (uint8_t)(rule & 3)},
                                  .set_registers_i = {0, (uint8_t)(rule >> 2)}});
  if (rule == 16) csm_tick(&s, &(struct csm_in){.set_valid_i = 3, .set_cta_i = {3, 3}});
  if (rule == 17) csm_tick(&s, &(struct csm_in){.take_kept_i = 1});
  if (rule == 18) csm_tick(&s, &(struct csm_in){.take_spilled_i = 1});
}
static void csm_asserts(void **state) {
  (void)state;
  for (uint32_t rule = 0; rule < 16; rule++) {
    const bool legal = rule == 0 || rule == 1 + 4 || rule == 1 + 8 || rule == 2 + 8;
    assert_int_equal(asserts(csm_break_rule, rule), !legal);
  }
  for (uint32_t rule = 16; rule < 19; rule++) assert_true(asserts(csm_break_rule, rule));
}

/* ---- csw ---- */
/* One cycle in state `at`; zero ports are not spelt out. */
static void csw_step(struct csw *s, const struct csw_in *in, uint64_t at, const struct csw_out *want) {
  const struct csw_out o = csw_now(s, in);
  struct csw_out w = *want;
  w.finished_ready_o = at == CSW_IDLE;
  assert_int_equal(s->r.state_q, at);
#define BLOCK csw
#define BLOCK_DEF "blocks/finereg/csw.def"
#define OUT(name, ...) assert_memory_equal(&o.name, &w.name, sizeof o.name);
#include "blocks/def.h"
#undef BLOCK
#undef BLOCK_DEF
  csw_tick(s, in);
}
#define GIVE(...) (&(struct csw_in){__VA_ARGS__})
#define WANT(...) (&(struct csw_out){__VA_ARGS__})

/* What an examination of CTA 70 does in each of Fig. 6's cases; the kept CTA is 3, the spilled one 4, a new one 5. */
#define KEPT .kept_valid_i = 1, .kept_cta_i = 3
#define SPILLED .spilled_valid_i = 1, .spilled_cta_i = 4
#define FRESH .new_valid_i = 1, .new_cta_i = 5, .new_fits_i = 1
#define STL .stalled_i = {0, 0, 1u << 6, 0}
#define FRZ .freeze_valid_o = 1, .freeze_cta_o = 70
#define SETS(...) .set_cta_o = {__VA_ARGS__}
#define A_KEPT .set_valid_o = 3, .set_context_o = {1, 2}, .set_registers_o = {2, 2}
#define A_SPILLED .set_valid_o = 3, .set_context_o = {1, 2}, .set_registers_o = {1, 2}
#define B_COMES .set_valid_o = 2, .set_context_o = {0, 2}, .set_registers_o = {0, 2}

static void csw_at_examine(struct csw *s_) {
  struct csw s;
  csw_reset(&s);
  csw_step(&s, GIVE(STL), CSW_IDLE, WANT()); /* the stall is seen ... */
  csw_step(&s, GIVE(STL), CSW_IDLE, WANT()); /* ... and chosen in the next cycle */
  assert_int_equal(s.r.outgoing_cta_q, 70);
  *s_ = s;
}

static void csw_cases(void **state) {
  (void)state;
  struct csw s;
  csw_at_examine(&s); /* it went on in this very cycle */
  csw_step(&s, GIVE(KEPT, SPILLED, FRESH), CSW_EXAMINE, WANT(FRZ));
  csw_step(&s, GIVE(KEPT), CSW_IDLE, WANT()); /* without room in the pipeline nothing is taken */

  csw_at_examine(&s); /* 5: no CTA can come */
  csw_step(&s, GIVE(STL, .pipeline_slot_free_i = 1), CSW_EXAMINE, WANT(FRZ));
  csw_step(&s, GIVE(STL), CSW_IDLE, WANT());

  csw_at_examine(&s); /* 1 */
  csw_step(&s, GIVE(STL, KEPT, SPILLED, FRESH), CSW_EXAMINE, WANT(FRZ, .take_kept_o = 1));
  csw_step(&s, GIVE(STL), CSW_MOVE_OUT, WANT(FRZ, .context_move_valid_o = 1, .context_move_cta_o = 70));
  csw_step(&s, GIVE(STL, .context_move_done_i = 1), CSW_MOVE_OUT,
           WANT(FRZ, .context_move_valid_o = 1, .context_move_cta_o = 70));
  csw_step(&s, GIVE(STL), CSW_MOVE_IN,
           WANT(FRZ, .context_move_valid_o = 1, .context_move_in_o = 1, .context_move_cta_o = 3));
  csw_step(&s, GIVE(STL, .context_move_done_i = 1), CSW_MOVE_IN,
           WANT(FRZ, .context_move_valid_o = 1, .context_move_in_o = 1, .context_move_cta_o = 3));
  csw_step(&s, GIVE(STL), CSW_SET, WANT(FRZ, A_KEPT, SETS(70, 3)));
  csw_step(&s, GIVE(), CSW_IDLE, WANT());

  csw_at_examine(&s); /* 2 */
  csw_step(&s, GIVE(STL, SPILLED, FRESH, .acrf_slot_free_i = 1), CSW_EXAMINE, WANT(FRZ));
  csw_step(&s, GIVE(STL, .context_move_done_i = 1), CSW_MOVE_OUT,
           WANT(FRZ, .context_move_valid_o = 1, .context_move_cta_o = 70));
  csw_step(&s, GIVE(STL), CSW_SET, WANT(FRZ, A_KEPT, SETS(70, 5), .launch_valid_o = 1, .launch_cta_o = 5));
  csw_step(&s, GIVE(), CSW_IDLE, WANT());

  csw_at_examine(&s); /* 3 */
  csw_step(&s, GIVE(STL, SPILLED, FRESH, .cta_warps_i = 9), CSW_EXAMINE, WANT(FRZ));
  csw_step(&s, GIVE(STL), CSW_COMMAND,
           WANT(FRZ, .command_valid_o = 1, .command_outgoing_cta_o = 70, .command_warps_o = 9));
  csw_step(&s, GIVE(STL, .command_ready_i = 1), CSW_COMMAND,
           WANT(FRZ, .command_valid_o = 1, .command_outgoing_cta_o = 70, .command_warps_o = 9));
  csw_step(&s, GIVE(STL), CSW_WAIT, WANT(FRZ));
  csw_step(&s, GIVE(STL, .done_valid_i = 1, .done_success_i = 1), CSW_WAIT, WANT(FRZ));
  csw_step(&s, GIVE(STL, .context_move_done_i = 1), CSW_MOVE_OUT,
           WANT(FRZ, .context_move_valid_o = 1, .context_move_cta_o = 70));
  csw_step(&s, GIVE(STL), CSW_SET, WANT(FRZ, A_SPILLED, SETS(70, 5), .launch_valid_o = 1, .launch_cta_o = 5));
  csw_step(&s, GIVE(), CSW_IDLE, WANT());

  for (int ok = 0; ok < 2; ok++) { /* 3 refused, then 4, refused or not */
    csw_at_examine(&s);
    csw_step(&s, GIVE(STL, FRESH), CSW_EXAMINE, WANT(FRZ));
    csw_step(&s, GIVE(STL, .command_ready_i = 1), CSW_COMMAND,
             WANT(FRZ, .command_valid_o = 1, .command_outgoing_cta_o = 70));
    csw_step(&s, GIVE(STL, .done_valid_i = 1), CSW_WAIT, WANT(FRZ));
    csw_step(&s, GIVE(STL, SPILLED, KEPT, FRESH, .cta_warps_i = 32), CSW_EXAMINE_SWAP, WANT(FRZ, .take_spilled_o = 1));
    csw_step(&s, GIVE(STL, .command_ready_i = 1), CSW_COMMAND,
             WANT(FRZ, .command_valid_o = 1, .command_operation_o = 2, .command_outgoing_cta_o = 70,
                  .command_incoming_cta_o = 4, .command_warps_o = 32));
    csw_step(&s, GIVE(STL, .done_valid_i = 1, .done_success_i = (unsigned)ok), CSW_WAIT, WANT(FRZ));
    if (ok) {
      csw_step(&s, GIVE(STL, .context_move_done_i = 1), CSW_MOVE_OUT,
               WANT(FRZ, .context_move_valid_o = 1, .context_move_cta_o = 70));
      csw_step(&s, GIVE(STL, .context_move_done_i = 1), CSW_MOVE_IN,
               WANT(FRZ, .context_move_valid_o = 1, .context_move_in_o = 1, .context_move_cta_o = 4));
      csw_step(&s, GIVE(STL), CSW_SET, WANT(FRZ, A_SPILLED, SETS(70, 4)));
    }
    csw_step(&s, GIVE(STL), CSW_IDLE, WANT());
  }
  csw_at_examine(&s); /* 3 refused, and no CTA to swap with */
  csw_step(&s, GIVE(STL, FRESH), CSW_EXAMINE, WANT(FRZ));
  csw_step(&s, GIVE(STL, .command_ready_i = 1), CSW_COMMAND,
           WANT(FRZ, .command_valid_o = 1, .command_outgoing_cta_o = 70));
  csw_step(&s, GIVE(STL, .done_valid_i = 1), CSW_WAIT, WANT(FRZ));
  csw_step(&s, GIVE(STL, FRESH, KEPT), CSW_EXAMINE_SWAP, WANT(FRZ));
  csw_step(&s, GIVE(STL), CSW_IDLE, WANT());
}

static void csw_filling(void **state) {
  (void)state;
  struct csw s;
  csw_reset(&s);
  csw_step(&s, GIVE(KEPT, SPILLED, FRESH, .acrf_slot_free_i = 1), CSW_IDLE, WANT()); /* no pipeline slot */
  csw_step(&s, GIVE(KEPT, SPILLED, FRESH, .pipeline_slot_free_i = 1, .acrf_slot_free_i = 1), CSW_IDLE,
           WANT(.take_kept_o = 1));
  csw_step(&s, GIVE(.context_move_done_i = 1), CSW_MOVE_IN,
           WANT(.context_move_valid_o = 1, .context_move_in_o = 1, .context_move_cta_o = 3));
  csw_step(&s, GIVE(), CSW_SET, WANT(B_COMES, SETS(0, 3)));
  csw_step(&s, GIVE(SPILLED, FRESH, .pipeline_slot_free_i = 1), CSW_IDLE, WANT()); /* no ACRF slot */
  csw_step(&s, GIVE(SPILLED, FRESH, .pipeline_slot_free_i = 1, .acrf_slot_free_i = 1, .cta_warps_i = 6), CSW_IDLE,
           WANT(.take_spilled_o = 1));
  csw_step(&s, GIVE(.command_ready_i = 1), CSW_COMMAND,
           WANT(.command_valid_o = 1, .command_operation_o = 1, .command_incoming_cta_o = 4, .command_warps_o = 6));
  csw_step(&s, GIVE(.done_valid_i = 1, .done_success_i = 1), CSW_WAIT, WANT());
  csw_step(&s, GIVE(.context_move_done_i = 1), CSW_MOVE_IN,
           WANT(.context_move_valid_o = 1, .context_move_in_o = 1, .context_move_cta_o = 4));
  csw_step(&s, GIVE(), CSW_SET, WANT(B_COMES, SETS(0, 4)));
  csw_step(&s, GIVE(FRESH, .pipeline_slot_free_i = 1, .acrf_slot_free_i = 1), CSW_IDLE, WANT());
  csw_step(&s, GIVE(), CSW_SET, WANT(B_COMES, SETS(0, 5), .launch_valid_o = 1, .launch_cta_o = 5));
  /* an ended CTA comes before everything */
  csw_step(&s, GIVE(STL, KEPT, .pipeline_slot_free_i = 1, .finished_valid_i = 1, .finished_cta_i = 9), CSW_IDLE,
           WANT());
  csw_step(&s, GIVE(), CSW_SET, WANT(.set_valid_o = 1, SETS(9, 0)));
  assert_int_equal(s.r.outgoing_cta_q, 9);
  assert_int_equal(s.r.incoming_cta_q, 5);
}

/* A stalled CTA is looked at when it stalls and then where the timer is 15, the lowest id first. */
static void csw_looks(void **state) {
  (void)state;
  struct csw s;
  csw_reset(&s);
  const struct csw_in two = {.stalled_i = {0, 1u << 8, 1u << 6, 0}}; /* CTAs 40 and 70 */
  unsigned looked[64] = {0};
  for (unsigned t = 0; t < 64; t++) {
    assert_int_equal(s.r.timer_q, t & 15);
    csw_skips(&s, t ? &two : GIVE());
    if (s.r.state_q == CSW_EXAMINE) looked[t] = (unsigned)s.r.outgoing_cta_q;
    csw_tick(&s, &two);
  }
  for (unsigned t = 0; t < 64; t++) {
    const bool first = t == 2 || (t > 15 && t % 16 == 1), second = t == 4 || (t > 15 && t % 16 == 3);
    assert_int_equal(looked[t], first ? 40 : second ? 70 : 0);
  }
  for (unsigned n = 1; n < 100; n++) { /* while no CTA can come it holds, whichever CTA it examines */
    struct csw ticked = s, skipped = s;
    assert_true(csw_hold(&s, &two) == UINT64_MAX);
    for (unsigned t = 0; t < n; t++) csw_tick(&ticked, &two);
    csw_skip(&skipped, n);
    assert_memory_equal(&ticked, &skipped, sizeof ticked);
  }
  assert_true(csw_hold(&s, GIVE()) == 0); /* CTAs have changed */
  assert_true(csw_hold(&s, GIVE(.stalled_i = {0, 1u << 8, 1u << 6, 0}, FRESH)) == 0);
  csw_reset(&s);
  assert_true(csw_idle(&s) == UINT64_MAX);
  csw_skip(&s, 21);
  assert_int_equal(s.r.timer_q, 5);
}

static void csw_break_rule(uint32_t rule) {
  struct csw s;
  csw_at_examine(&s);
  if (rule == 0) csw_tick(&s, &(struct csw_in){.done_valid_i = 1});
  if (rule == 1) csw_tick(&s, &(struct csw_in){.context_move_done_i = 1});
  csw_tick(&s, &(struct csw_in){STL, KEPT});
  if (rule == 2) csw_tick(&s, &(struct csw_in){0}); /* the frozen CTA goes on */
}
static void csw_asserts(void **state) {
  (void)state;
  for (uint32_t rule = 0; rule < 3; rule++) assert_true(asserts(csw_break_rule, rule));
  assert_false(asserts(csw_break_rule, 3));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rid_indices), cmocka_unit_test(ppt_rows),      cmocka_unit_test(ppt_asserts),
      cmocka_unit_test(fsmon_sizes), cmocka_unit_test(fsmon_asserts), cmocka_unit_test(lrvc_cycles),
      cmocka_unit_test(lrvc_sizes),  cmocka_unit_test(lrvc_asserts),  cmocka_unit_test(csm_traffic),
      cmocka_unit_test(csm_asserts), cmocka_unit_test(csw_cases),     cmocka_unit_test(csw_filling),
      cmocka_unit_test(csw_looks),   cmocka_unit_test(csw_asserts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
