/* SPDX-License-Identifier: Apache-2.0 */
/* The clocked slice blocks' golden models against the cycle numbers and orders of docs/blocks/slice/. */
#include "cosim/slice/kit.h"

#include <stdlib.h>
#include <string.h>

#include "blocks/slice/dit.h"
#include "blocks/slice/scu.h"
#include "blocks/slice/sit.h"
#include "blocks/slice/vc.h"
#include "blocks/slice/vcl.h"
#include "blocks/slice/vt.h"
#include "blocks/slice/vtl.h"
#include "unit/asserts.h"

static bool zero(const void *p, size_t n) {
  const unsigned char *b = p;
  for (size_t i = 0; i < n; i++) {
    if (b[i]) return false;
  }
  return true;
}

static uint32_t entry_of(uint32_t a) { /* a legal entry that encodes the register */
  return entry_make(a, 0x0f, a + 1, a & 1 ? 0xc0 : 0);
}

/* ---- vc ---- */
static void vc_cycles(void **state) {
  (void)state;
  uint64_t seed = 35;
  struct vc s;
  static struct vc_in in, was;
  static struct vc_out out;
  vc_reset(&s);
  memset(&was, 0, sizeof was);
  for (int t = 0; t < 2000; t++) {
    in = (struct vc_in){.operand_valid_i = rng32(&seed) & rng32(&seed) & 63};
    for (unsigned u = 0; u < 6; u++) {
      in.operand_nibbles_i[u] = (uint8_t)(2 + rng32(&seed) % 7);
      random_warp(&seed, in.operand_data_i[u]);
    }
    memset(&out, 0xa5, sizeof out);
    vc_eval(&s, &in, &out);
    assert_int_equal(out.converted_valid_o, was.operand_valid_i);
    for (unsigned u = 0; u < 6; u++) {
      for (unsigned l = 0; l < 32; l++) {
        const bool valid = was.operand_valid_i >> u & 1;
        const uint32_t want = valid ? vcl_convert(was.operand_data_i[u][l], was.operand_nibbles_i[u]) : 0;
        assert_int_equal(out.converted_data_o[u][l], want);
      }
    }
    assert_int_equal(vc_idle(&s), out.converted_valid_o ? 0 : UINT64_MAX);
    vc_tick(&s, &in);
    was = in;
  }
}

/* ---- vt ---- */
static void vt_give(struct vt_in *in, unsigned u, uint32_t e, bool fp, unsigned warp, uint32_t lanes,
                    const uint32_t x[32]) {
  in->result_valid_i |= 1ull << u;
  in->result_entry_i[u] = e;
  memcpy(in->result_payload_i[u], x, 128);
  words_set(in->result_payload_i[u], 1024, 32, lanes);
  words_set(in->result_payload_i[u], 1056, 6, warp);
  words_set(in->result_payload_i[u], 1062, 1, fp);
}

/* Random traffic against what each unit must hold; parts leave in any order. */
static void vt_traffic(void **state) {
  (void)state;
  struct {
    bool v[2], fp;
    uint32_t e, lanes, x[32];
    unsigned warp;
  } held[3], give;
  uint64_t seed = 36;
  struct vt s;
  unsigned accepted = 0, only_first = 0, only_second = 0;
  memset(held, 0, sizeof held);
  vt_reset(&s);
  for (int t = 0; t < 4000; t++) {
    struct vt_in in = {.part0_ready_i = rng32(&seed) & 7, .part1_ready_i = rng32(&seed) & 7};
    struct vt_out out;
    memset(&out, 0xa5, sizeof out);
    vt_eval(&s, &in, &out);
    for (unsigned u = 0; u < 3; u++) {
      const uint32_t *d[2] = {out.part0_data_o[u], out.part1_data_o[u]};
      const uint64_t v[2] = {out.part0_valid_o, out.part1_valid_o};
      const uint8_t r[2] = {out.part0_register_o[u], out.part1_register_o[u]},
                    m[2] = {out.part0_mask_o[u], out.part1_mask_o[u]};
      const bool any = held[u].v[0] || held[u].v[1];
      for (int p = 0; p < 2; p++) {
        assert_int_equal(v[p] >> u & 1, held[u].v[p]);
        assert_int_equal(r[p], held[u].v[p] ? entry_r(held[u].e, p) : 0);
        assert_int_equal(m[p], held[u].v[p] ? entry_m(held[u].e, p) : 0);
        for (unsigned l = 0; l < 32; l++) {
          const uint32_t code = vtl_truncate(held[u].x[l], entry_n(held[u].e), held[u].fp);
          assert_int_equal(d[p][l], held[u].v[p] ? vt_scatter(code, held[u].e, p) : 0);
        }
      }
      only_first += held[u].v[0] && !held[u].v[1] && entry_m(held[u].e, 1);
      only_second += held[u].v[1] && !held[u].v[0];
      assert_int_equal(out.active_lanes_o[u], any ? held[u].lanes : 0);
      assert_int_equal(out.warp_o[u], any ? held[u].warp : 0);
      const bool stays0 = held[u].v[0] && !(in.part0_ready_i >> u & 1),
                 stays1 = held[u].v[1] && !(in.part1_ready_i >> u & 1);
      assert_int_equal(out.result_ready_o >> u & 1, !stays0 && !stays1);
      held[u].v[0] = stays0;
      held[u].v[1] = stays1;
      if (rng32(&seed) & 1) continue;
      const unsigned n = 1 + rng32(&seed) % 8;
      give.e = random_entry(&seed, rng32(&seed) & 0x7f, 0x80 | rng32(&seed), n);
      give.fp = n > 1 && rng32(&seed) & 1;
      give.warp = rng32(&seed) & 63;
      give.lanes = rng32(&seed);
      random_warp(&seed, give.x);
      for (unsigned l = 0; l < 32 && !give.fp; l++) {
        if (give.lanes >> l & 1) give.x[l] &= n == 8 ? ~0u : (1u << 4 * n) - 1; /* idle lanes may hold anything */
      }
      vt_give(&in, u, give.e, give.fp, give.warp, give.lanes, give.x);
      if (!(out.result_ready_o >> u & 1)) continue;
      accepted++;
      held[u] = give;
      held[u].v[0] = true;
      held[u].v[1] = entry_m(give.e, 1) != 0;
    }
    struct vt_out again; /* nothing but the parts' ready is seen in the same cycle */
    memset(&again, 0xa5, sizeof again);
    vt_eval(&s, &in, &again);
    assert_memory_equal(&again, &out, sizeof out);
    assert_int_equal(vt_idle(&s), out.part0_valid_o | out.part1_valid_o ? 0 : UINT64_MAX);
    vt_tick(&s, &in);
  }
  assert_true(accepted > 2000 && only_first > 200 && only_second > 200);
}

static void vt_bad_entry(uint32_t e) {
  struct vt s;
  static struct vt_in in;
  const uint32_t x[32] = {0};
  vt_reset(&s);
  vt_give(&in, 1, e, true, 0, ~0u, x);
  vt_tick(&s, &in);
}
static void vt_wide_integer(uint32_t value) {
  struct vt s;
  static struct vt_in in;
  const uint32_t x[32] = {[7] = value};
  vt_reset(&s);
  vt_give(&in, 2, entry_make(0, 0x0f, 0, 0), false, 0, 1u << 7, x);
  vt_tick(&s, &in);
}
static void vt_asserts(void **state) {
  (void)state;
  assert_false(asserts(vt_bad_entry, entry_make(0, 3, 0, 0)));
  assert_true(asserts(vt_bad_entry, entry_make(0, 1, 0, 0))); /* a float of one nibble */
  assert_true(asserts(vt_bad_entry, entry_make(0, 0, 1, 3)));
  assert_true(asserts(vt_bad_entry, entry_make(0, 0xff, 1, 1)));
  assert_true(asserts(vt_bad_entry, entry_make(5, 1, 5, 2)));
  assert_false(asserts(vt_wide_integer, 0xffff));
  assert_false(asserts(vt_wide_integer, 0xffff8000u));
  assert_true(asserts(vt_wide_integer, 0x10000));
}

/* ---- sit ---- */
static void sit_fill(struct sit *s) {
  sit_reset(s);
  for (unsigned a = 0; a < 256; a++) {
    const struct sit_in in = {.load_valid_i = 1, .load_addr_i = a, .load_entry_i = entry_of(a)};
    sit_tick(s, &in);
  }
}
/* All 48 request one bank forever: each is granted once in 48 cycles, in order, the response a cycle later. */
static void sit_round_robin(void **state) {
  (void)state;
  struct sit s;
  struct sit_out out;
  struct sit_in in = {.request_valid_i = (1ull << 48) - 1};
  sit_fill(&s);
  for (unsigned q = 0; q < 48; q++) in.request_addr_i[q] = (uint8_t)(5 + 16 * (q % 16));
  for (unsigned t = 0; t < 100; t++) {
    sit_eval(&s, &in, &out);
    assert_int_equal(out.grant_o, 1ull << t % 48);
    assert_int_equal(out.response_valid_o, t ? 1 << 5 : 0);
    if (t) {
      assert_int_equal(out.response_requester_o[5], (t - 1) % 48);
      assert_int_equal(out.response_entry_o[5], entry_of(5 + 16 * ((t - 1) % 48 % 16)));
    }
    sit_tick(&s, &in);
    assert_int_equal(s.r.pointer_q[5], (t + 1) % 48);
  }
  /* a load takes the bank: no grant, the pointer stays; another bank's load does not matter */
  in.load_valid_i = 1, in.load_addr_i = 0x35, in.load_entry_i = entry_of(0x77);
  sit_eval(&s, &in, &out);
  assert_int_equal(out.grant_o, 0);
  sit_tick(&s, &in);
  assert_int_equal(s.r.pointer_q[5], 100 % 48);
  sit_eval(&s, &in, &out);
  assert_int_equal(out.response_valid_o, 0);
  assert_true(zero(out.response_requester_o, sizeof out.response_requester_o) &&
              zero(out.response_entry_o, sizeof out.response_entry_o));
  in.load_addr_i = 0x36;
  sit_eval(&s, &in, &out);
  assert_int_equal(out.grant_o, 1ull << 100 % 48);
}

/* Random requesters that hold until granted, loads in between, against a search written out. */
static void sit_traffic(void **state) {
  (void)state;
  uint64_t seed = 38;
  uint32_t table[256];
  unsigned ptr[16] = {0};
  struct sit s;
  struct sit_in in = {0};
  struct sit_out out;
  uint64_t want_v = 0;
  uint32_t want_q[16] = {0}, want_e[16] = {0};
  unsigned most = 0;
  sit_fill(&s);
  for (unsigned a = 0; a < 256; a++) table[a] = entry_of(a);
  for (int t = 0; t < 6000; t++) {
    for (unsigned q = 0; q < 48; q++) {
      if (in.request_valid_i >> q & 1 || rng32(&seed) % (t & 1024 ? 40 : 3)) continue;
      in.request_valid_i |= 1ull << q;
      in.request_addr_i[q] = (uint8_t)(rng32(&seed) & 0xff);
    }
    in.load_valid_i = rng32(&seed) % 4 == 0;
    in.load_addr_i = rng32(&seed) & 0xff;
    in.load_entry_i = entry_of(rng32(&seed) & 0xff);
    memset(&out, 0xa5, sizeof out);
    sit_eval(&s, &in, &out);
    assert_int_equal(out.response_valid_o, want_v);
    for (unsigned b = 0; b < 16; b++) {
      assert_int_equal(out.response_requester_o[b], want_v >> b & 1 ? want_q[b] : 0);
      assert_int_equal(out.response_entry_o[b], want_v >> b & 1 ? want_e[b] : 0);
    }
    uint64_t grants = 0;
    want_v = 0;
    for (unsigned b = 0; b < 16; b++) {
      for (unsigned i = 0; i < 48; i++) {
        const unsigned q = (ptr[b] + i) % 48;
        if (!(in.request_valid_i >> q & 1) || in.request_addr_i[q] % 16 != b ||
            (in.load_valid_i && in.load_addr_i % 16 == b))
          continue;
        grants |= 1ull << q;
        want_v |= 1ull << b;
        want_q[b] = q;
        want_e[b] = table[in.request_addr_i[q]];
        ptr[b] = (q + 1) % 48;
        break;
      }
    }
    assert_int_equal(out.grant_o, grants);
    if ((unsigned)bit_count64(grants) > most) most = (unsigned)bit_count64(grants);
    sit_tick(&s, &in);
    for (unsigned b = 0; b < 16; b++) assert_int_equal(s.r.pointer_q[b], ptr[b]);
    if (in.load_valid_i) table[in.load_addr_i] = (uint32_t)in.load_entry_i;
    in.request_valid_i &= ~grants;
  }
  assert_int_equal(most, 16);
}

static void sit_load_entry(uint32_t e) {
  struct sit s;
  const struct sit_in in = {.load_valid_i = 1, .load_entry_i = e};
  sit_reset(&s);
  sit_tick(&s, &in);
}
static void sit_look_up(uint32_t a) { /* only register 3 is loaded */
  struct sit s;
  struct sit_in in = {.load_valid_i = 1, .load_addr_i = 3, .load_entry_i = entry_of(3)};
  sit_reset(&s);
  sit_tick(&s, &in);
  in = (struct sit_in){.request_valid_i = 1, .request_addr_i = {(uint8_t)a}};
  sit_tick(&s, &in);
}
static void sit_asserts(void **state) {
  (void)state;
  assert_false(asserts(sit_load_entry, entry_make(1, 0xf0, 2, 0x0f)));
  assert_true(asserts(sit_load_entry, entry_make(1, 0, 2, 0x0f)));
  assert_true(asserts(sit_load_entry, entry_make(1, 0xf0, 1, 0x0f)));
  assert_true(asserts(sit_load_entry, entry_make(1, 0xf8, 2, 0x0f)));
  assert_false(asserts(sit_look_up, 3));
  assert_true(asserts(sit_look_up, 4));
}

/* ---- dit ---- */
static void dit_fill(struct dit *s) {
  dit_reset(s);
  for (unsigned a = 0; a < 256; a++) {
    const struct dit_in in = {.load_valid_i = 1, .load_addr_i = a, .load_entry_i = entry_of(a)};
    dit_tick(s, &in);
  }
}

/* Three lanes at one bank: in turn, so that none waits more than two cycles. */
static void dit_conflict(void **state) {
  (void)state;
  struct dit s;
  struct dit_out out;
  struct dit_in in = {.write_valid_i = 7, .write_addr_i = {0x29, 0x39, 0x49}, .result_ready_i = 7};
  dit_fill(&s);
  for (unsigned t = 0; t < 30; t++) {
    dit_eval(&s, &in, &out);
    assert_int_equal(out.write_ready_o, 1 << t % 3);
    assert_int_equal(out.result_valid_o, t ? 1 << (t - 1) % 3 : 0);
    if (t) assert_int_equal(out.result_entry_o[(t - 1) % 3], entry_of(0x29 + 16 * ((t - 1) % 3)));
    dit_tick(&s, &in);
  }
  /* write_ready_o of a lane does not depend on its write_valid_i: a lane without a result is ready if it would win */
  in.write_valid_i = 6; /* pointer at lane 0 */
  dit_eval(&s, &in, &out);
  assert_int_equal(out.write_ready_o, 3);
  in.write_valid_i = 0;
  dit_eval(&s, &in, &out);
  assert_int_equal(out.write_ready_o, 7);
  in.load_valid_i = 1, in.load_addr_i = 0x99; /* the bank is loaded */
  dit_eval(&s, &in, &out);
  assert_int_equal(out.write_ready_o, 0);
  in.load_addr_i = 0x98;
  dit_eval(&s, &in, &out);
  assert_int_equal(out.write_ready_o, 7);
}

/* Random results that hold until taken; outputs blocked at random; against a search written out. */
static void dit_traffic(void **state) {
  (void)state;
  uint64_t seed = 39;
  struct dit s;
  struct dit_in in = {0};
  struct dit_out out;
  uint32_t table[256], pl[3][34] = {0}, e[3] = {0};
  unsigned ptr[16] = {0}, v = 0, wait[3] = {0}, longest = 0;
  dit_fill(&s);
  for (unsigned a = 0; a < 256; a++) table[a] = entry_of(a);
  for (int t = 0; t < 8000; t++) {
    const bool free_run = t & 2048; /* no loads, outputs always ready: the bound of two cycles holds */
    for (unsigned l = 0; l < 3; l++) {
      if (in.write_valid_i >> l & 1 || rng32(&seed) % 4 == 0) continue;
      in.write_valid_i |= 1ull << l;
      in.write_addr_i[l] = (uint8_t)(rng32(&seed) & 0xf3);
      for (unsigned i = 0; i < 33; i++) in.write_payload_i[l][i] = rng32(&seed);
      in.write_payload_i[l][33] = rng32(&seed) & 127;
    }
    in.load_valid_i = !free_run && rng32(&seed) % 3 == 0;
    in.load_addr_i = rng32(&seed) & 0xff;
    in.load_entry_i = entry_of(rng32(&seed) & 0xff);
    in.result_ready_i = free_run ? 7 : rng32(&seed) & 7;
    memset(&out, 0xa5, sizeof out);
    dit_eval(&s, &in, &out);
    assert_int_equal(out.result_valid_o, v);
    for (unsigned l = 0; l < 3; l++) {
      const uint32_t *got = out.result_payload_o[l];
      if (v >> l & 1) {
        assert_int_equal(out.result_entry_o[l], e[l]);
        assert_memory_equal(got, pl[l], sizeof pl[l]);
      } else {
        assert_true(!out.result_entry_o[l] && zero(got, sizeof pl[l]));
      }
    }
    unsigned want = 0, won = 0;
    for (unsigned l = 0; l < 3; l++) {
      const unsigned b = in.write_addr_i[l] & 15;
      bool first = true;
      for (unsigned k = 0; k < 3 && (ptr[b] + k) % 3 != l; k++) {
        const unsigned o = (ptr[b] + k) % 3;
        if (in.write_valid_i >> o & 1 && (in.write_addr_i[o] & 15) == b &&
            (!(v >> o & 1) || in.result_ready_i >> o & 1))
          first = false;
      }
      if (first && (!(v >> l & 1) || in.result_ready_i >> l & 1) && !(in.load_valid_i && in.load_addr_i % 16 == b))
        want |= 1u << l;
    }
    assert_int_equal(out.write_ready_o, want);
    won = want & (unsigned)in.write_valid_i;
    for (unsigned l = 0; l < 3; l++) {
      wait[l] = in.write_valid_i >> l & 1 && !(won >> l & 1) && free_run ? wait[l] + 1 : 0;
      if (wait[l] > longest) longest = wait[l];
      if (!(won >> l & 1)) continue;
      const unsigned a = in.write_addr_i[l];
      ptr[a % 16] = (l + 1) % 3;
      e[l] = table[a];
      memcpy(pl[l], in.write_payload_i[l], sizeof pl[l]);
    }
    v = (v & ~(unsigned)in.result_ready_i) | won;
    dit_tick(&s, &in);
    for (unsigned b = 0; b < 16; b++) assert_int_equal(s.r.pointer_q[b], ptr[b]);
    assert_int_equal(dit_idle(&s), v ? 0 : UINT64_MAX);
    if (in.load_valid_i) table[in.load_addr_i] = (uint32_t)in.load_entry_i;
    in.write_valid_i &= ~(uint64_t)won;
  }
  assert_int_equal(longest, 2);
}

/* ---- scu ---- */
static struct scu_out scu_now(const struct scu *s, const struct scu_in *in) {
  struct scu_out out;
  memset(&out, 0xa5, sizeof out);
  scu_eval(s, in, &out);
  return out;
}

/* Operands 0 (one part) and 2 (two parts, converted): the cycle numbers of the specification. */
static void scu_sequence(void **state) {
  (void)state;
  const uint32_t e0 = entry_make(0x11, 0xff, 0, 0), e2 = entry_make(0x22, 0x03, 0x33, 0x80);
  struct scu s;
  struct scu_in in = {0};
  scu_reset(&s);
  assert_int_equal(scu_idle(&s), UINT64_MAX);
  struct scu_out o = scu_now(&s, &in);
  assert_true(zero(&o, sizeof o));

  in = (struct scu_in){.allocate_valid_i = 1,
                       .allocate_source_i = 5,
                       .allocate_addr_i = {0x0a, 0xbb, 0x0c},
                       .allocate_signed_i = 4,
                       .allocate_convert_i = 6,
                       .allocate_meta_i = 0xfeedbeef}; /* t: allocation */
  o = scu_now(&s, &in);
  assert_true(zero(&o, sizeof o));
  scu_tick(&s, &in);

  in = (struct scu_in){.grant_i = 4}; /* t+1: requests; operand 2 granted */
  o = scu_now(&s, &in);
  assert_int_equal(o.busy_o, 1);
  assert_int_equal(o.request_valid_o, 5);
  assert_int_equal(o.request_addr_o[0] | o.request_addr_o[1] << 8 | o.request_addr_o[2] << 16, 0x0a | 0x0c << 16);
  assert_int_equal(o.dispatch_valid_o | o.dispatch_convert_o | o.dispatch_meta_o | o.fetch_valid_o[0] |
                       o.fetch_valid_o[1] | o.fetch_valid_o[2],
                   0);
  assert_int_equal(scu_idle(&s), UINT64_MAX); /* it waits for its inputs */
  scu_tick(&s, &in);
  assert_int_equal(s.r.located_q, 4);

  in = (struct scu_in){
      .grant_i = 1, .response_valid_i = 4, .response_entry_i = {[2] = e2}}; /* g+1 of 2: both its parts; 0 granted */
  o = scu_now(&s, &in);
  assert_int_equal(o.request_valid_o, 1);
  assert_int_equal(o.request_addr_o[0] | o.request_addr_o[1] | o.request_addr_o[2], 0x0a);
  assert_int_equal(o.fetch_valid_o[2], 3);
  assert_int_equal(o.fetch_valid_o[0] | o.fetch_valid_o[1], 0);
  assert_int_equal(o.fetch_register_o[2][0], 0x22);
  assert_int_equal(o.fetch_register_o[2][1], 0x33);
  assert_int_equal(o.fetch_entry_o[2], e2);
  assert_int_equal(o.fetch_entry_o[0] | o.fetch_entry_o[1], 0);
  assert_int_equal(o.fetch_signed_o, 4);
  scu_tick(&s, &in);
  assert_int_equal(s.r.entry_q[2], e2);

  in = (struct scu_in){.response_valid_i = 1,
                       .response_entry_i = {e0},
                       .part_valid_i = 1,
                       .part_operand_i = 2}; /* 0's entry; 2's high part first */
  for (int l = 0; l < 32; l++) in.part_data_i[l] = 0x500;
  o = scu_now(&s, &in);
  assert_int_equal(o.request_valid_o, 0);
  assert_int_equal(o.fetch_valid_o[0], 1);
  assert_int_equal(o.fetch_register_o[0][0], 0x11);
  assert_int_equal(o.fetch_signed_o, 0);
  scu_tick(&s, &in);
  assert_int_equal(s.r.half_q, 4);
  assert_int_equal(s.r.complete_q, 0);

  in = (struct scu_in){.part_valid_i = 1, .part_operand_i = 2}; /* 2's low part, OR-ed */
  for (uint32_t l = 0; l < 32; l++) in.part_data_i[l] = l;
  scu_tick(&s, &in);
  assert_int_equal(s.r.complete_q, 4);

  in = (struct scu_in){.part_valid_i = 1, .part_operand_i = 0};
  for (uint32_t l = 0; l < 32; l++) in.part_data_i[l] = 0x80000000u + l;
  o = scu_now(&s, &in);
  assert_int_equal(o.dispatch_valid_o, 0); /* the last part arrives */
  assert_true(zero(o.dispatch_data_o, sizeof o.dispatch_data_o));
  scu_tick(&s, &in);

  in = (struct scu_in){0};
  for (int wait = 0; wait < 3; wait++) { /* the cycle after: ready, and holds */
    in.dispatch_take_i = wait == 2;
    o = scu_now(&s, &in);
    assert_int_equal(o.dispatch_valid_o, 1);
    assert_int_equal(o.dispatch_convert_o, 1);
    assert_int_equal(o.dispatch_meta_o, 0xfeedbeef);
    for (uint32_t l = 0; l < 32; l++) {
      assert_int_equal(o.dispatch_data_o[0][l], 0x80000000u + l);
      assert_int_equal(o.dispatch_data_o[1][l], 0); /* no such operand */
      assert_int_equal(o.dispatch_data_o[2][l], 0x500 | l);
    }
    scu_tick(&s, &in);
  }
  o = scu_now(&s, &(struct scu_in){0});
  assert_true(zero(&o, sizeof o));
}

/* The next instruction sees nothing of the last: same operand, split again, then whole. */
static void scu_next_instruction(void **state) {
  (void)state;
  const uint32_t e[3] = {entry_make(1, 0x01, 2, 0x01), entry_make(3, 0x10, 4, 0x01), entry_make(5, 0x03, 0, 0)};
  struct scu s;
  scu_reset(&s);
  for (uint32_t i = 0; i < 3; i++) {
    const unsigned parts = i < 2 ? 2 : 1;
    scu_tick(&s, &(struct scu_in){.allocate_valid_i = 1, .allocate_source_i = 4, .allocate_meta_i = i});
    assert_int_equal(s.r.located_q | s.r.half_q | s.r.complete_q, 0);
    assert_int_equal(scu_now(&s, &(struct scu_in){0}).dispatch_valid_o, 0);
    scu_tick(&s, &(struct scu_in){.grant_i = 4});
    scu_tick(&s, &(struct scu_in){.response_valid_i = 4, .response_entry_i = {[2] = e[i]}});
    for (uint32_t part = 0; part < parts; part++) {
      assert_int_equal(scu_now(&s, &(struct scu_in){0}).dispatch_valid_o, 0);
      struct scu_in in = {.part_valid_i = 1, .part_operand_i = 2};
      for (uint32_t l = 0; l < 32; l++) in.part_data_i[l] = (l + i + 1) << 16 * part;
      scu_tick(&s, &in);
      assert_int_equal(s.r.half_q, parts == 2 ? 4 : 0);
    }
    const struct scu_out o = scu_now(&s, &(struct scu_in){0});
    assert_int_equal(o.dispatch_valid_o, 1);
    assert_int_equal(o.dispatch_meta_o, i);
    for (uint32_t l = 0; l < 32; l++)
      assert_int_equal(o.dispatch_data_o[2][l], (l + i + 1) * (parts == 2 ? 0x10001u : 1));
    scu_tick(&s, &(struct scu_in){.dispatch_take_i = 1});
  }
}

static void scu_no_sources(void **state) {
  (void)state;
  struct scu s;
  struct scu_in in = {.allocate_valid_i = 1, .allocate_meta_i = 7, .allocate_convert_i = 7};
  scu_reset(&s);
  scu_tick(&s, &in);
  in = (struct scu_in){.dispatch_take_i = 1};
  const struct scu_out o = scu_now(&s, &in);
  assert_int_equal(o.dispatch_valid_o, 1);
  assert_int_equal(o.dispatch_convert_o, 0);
  assert_int_equal(o.dispatch_meta_o, 7);
  scu_tick(&s, &in);
  assert_int_equal(scu_idle(&s), UINT64_MAX);
}

/* cvt with all eight nibbles converts nothing; nor does a narrow operand without cvt. */
static void scu_conversion(void **state) {
  (void)state;
  for (unsigned k = 0; k < 4; k++) {
    struct scu s;
    struct scu_in in = {.allocate_valid_i = 1, .allocate_source_i = 2, .allocate_convert_i = k & 1 ? 2 : 5};
    const uint32_t e = k & 2 ? entry_make(1, 0x7f, 0, 0) : entry_make(1, 0x0f, 2, 0x0f);
    scu_reset(&s);
    scu_tick(&s, &in);
    scu_tick(&s, &(struct scu_in){.grant_i = 2});
    scu_tick(&s, &(struct scu_in){.response_valid_i = 2, .response_entry_i = {0, e, 0}});
    scu_tick(&s, &(struct scu_in){.part_valid_i = 1, .part_operand_i = 1});
    if (!(k & 2)) scu_tick(&s, &(struct scu_in){.part_valid_i = 1, .part_operand_i = 1});
    const struct scu_out o = scu_now(&s, &(struct scu_in){0});
    assert_int_equal(o.dispatch_valid_o, 1);
    assert_int_equal(o.dispatch_convert_o, k == 3);
  }
}

static void scu_break_rule(uint32_t rule) {
  struct scu s;
  scu_reset(&s);
  scu_tick(&s, &(struct scu_in){.allocate_valid_i = 1, .allocate_source_i = 1});
  if (rule == 0) scu_tick(&s, &(struct scu_in){.allocate_valid_i = 1}); /* allocation while busy */
  if (rule == 1) scu_tick(&s, &(struct scu_in){.grant_i = 2});          /* a grant without a request */
  if (rule == 2) scu_tick(&s, &(struct scu_in){.response_valid_i = 1}); /* a response without grant */
  if (rule == 3) scu_tick(&s, &(struct scu_in){.part_valid_i = 1});     /* data before the look-up */
  if (rule == 4) scu_tick(&s, &(struct scu_in){.dispatch_take_i = 1});  /* taken before it is ready */
}
static void scu_asserts(void **state) {
  (void)state;
  for (uint32_t rule = 0; rule < 5; rule++) assert_true(asserts(scu_break_rule, rule));
  assert_false(asserts(scu_break_rule, 5));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(vc_cycles),      cmocka_unit_test(vt_traffic),
      cmocka_unit_test(vt_asserts),     cmocka_unit_test(sit_round_robin),
      cmocka_unit_test(sit_traffic),    cmocka_unit_test(sit_asserts),
      cmocka_unit_test(dit_conflict),   cmocka_unit_test(dit_traffic),
      cmocka_unit_test(scu_sequence),   cmocka_unit_test(scu_next_instruction),
      cmocka_unit_test(scu_no_sources), cmocka_unit_test(scu_conversion),
      cmocka_unit_test(scu_asserts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
