/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bench of sit: few and many of the 48 requesters, on one bank or spread, loads between. The bench has its own table and
 * pointers and predicts every port. Only what was loaded since reset is looked up. docs/blocks/slice/sit.md
 */
#include <string.h>

#include "blocks/slice/sit.h"
#include "slice_tb.h"

/* clang-format off */
#define BINS(B)                                                                                                      \
  TB_16(B, bank) TB_16(B, row) TB_48(B, winner) TB_48(B, pointer) TB_16(B, load_blocks_bank)                         \
  B(sixteen_grants) B(all_48_request) B(no_request) B(bank_asked_by_two) B(bank_asked_by_many) B(bank_asked_by_48)   \
  B(wraps) B(winner_at_pointer) B(pointer_over_the_end) B(three_of_one_collector) B(long_wait) B(load_beside_grants) \
  B(load_idle_bank) B(look_up_after_load) B(load_replaces) B(grants_back_to_back) B(response_then_none)              \
  B(reset_with_response) B(address_without_valid)
/* clang-format on */
TB_BINS(BINS)

struct sim {
  uint32_t table[256]; /* 0: not loaded (no legal entry is 0) */
  unsigned loaded_at[256], now, ptr[16], waited[48], a[48];
  uint64_t want, rest; /* requests raised; requesters granted in the cycle before */
  bool rs_v[16];
  unsigned rs_q[16];
  uint32_t rs_e[16];
};

static void sit_check_state(struct tb_run *t, const struct sim *s, const struct sit_out *out) {
  const struct sit_state *st = tb_model(t);
  for (unsigned b = 0; b < 16; b++) {
    unsigned q = out->response_requester_o[b], v = out->response_valid_o >> b & 1;
    uint32_t e = out->response_entry_o[b];
    tb_expect(t, v == s->rs_v[b], "bank %u: response_valid_o is not %u", b, s->rs_v[b]);
    tb_expect(t, q == (s->rs_v[b] ? s->rs_q[b] : 0), "bank %u: response to %u, expected %u", b, q, s->rs_q[b]);
    tb_expect(t, e == (s->rs_v[b] ? s->rs_e[b] : 0), "bank %u: entry %08x, expected %08x", b, e, s->rs_e[b]);
    tb_expect(t, st->pointer_q[b] == s->ptr[b], "pointer of bank %u is %u, expected %u", b, (unsigned)st->pointer_q[b],
              s->ptr[b]);
  }
}

static void sit_take_grant(struct tb_run *t, struct sim *s, unsigned b, unsigned q) {
  unsigned a = s->a[q];
  tb_hit(t, BIN_bank0 + b);
  tb_hit(t, BIN_row0 + (a >> 4));
  tb_hit(t, BIN_winner0 + q);
  tb_hit(t, BIN_pointer0 + s->ptr[b]);
  if (q <= s->ptr[b]) {
    tb_hit(t, q < s->ptr[b] ? BIN_wraps : BIN_winner_at_pointer);
  }
  if (q == 47) {
    tb_hit(t, BIN_pointer_over_the_end);
  }
  if (s->rs_v[b]) {
    tb_hit(t, BIN_grants_back_to_back);
  }
  if (s->loaded_at[a] + 1 == s->now) {
    tb_hit(t, BIN_look_up_after_load);
  }
  if (s->waited[q] >= 24) {
    tb_hit(t, BIN_long_wait);
  }
  s->ptr[b] = (q + 1) % 48;
  s->rs_q[b] = q;
  s->rs_e[b] = s->table[a];
}

static void sit_run_cycle(struct tb_run *t, struct sim *s, const struct sit_in *in) {
  sit_check_state(t, s, tb_peek(t, in));
  const struct sit_out *out = tb_step(t, in);
  unsigned ld = in->load_valid_i & 1, la = in->load_addr_i & 255;
  uint64_t gn = 0;
  for (unsigned b = 0; b < 16; b++) {
    unsigned asked = 0, first = 48;
    bool blocked = ld && (la & 15) == b;
    for (unsigned i = 0; i < 48; i++) {
      unsigned q = (s->ptr[b] + i) % 48;
      if (in->request_valid_i >> q & 1 && (s->a[q] & 15) == b) {
        first = asked++ ? first : q;
      }
    }
    if (asked >= 2) {
      tb_hit(t, asked == 48 ? BIN_bank_asked_by_48 : asked > 12 ? BIN_bank_asked_by_many : BIN_bank_asked_by_two);
    }
    if (blocked) {
      tb_hit(t, asked ? BIN_load_blocks_bank0 + b : BIN_load_idle_bank);
    }
    bool won = asked && !blocked;
    if (s->rs_v[b] && !won) {
      tb_hit(t, BIN_response_then_none);
    }
    if (won) {
      gn |= 1ull << first;
      sit_take_grant(t, s, b, first);
    }
    s->rs_v[b] = won;
  }
  tb_expect(t, out->grant_o == gn, "grant_o is %012llx, expected %012llx", (unsigned long long)out->grant_o,
            (unsigned long long)gn);
  for (unsigned c = 0; c < 16; c++) {
    if ((gn >> 3 * c & 7) == 7) {
      tb_hit(t, BIN_three_of_one_collector);
    }
  }
  for (unsigned q = 0; q < 48; q++) {
    s->waited[q] = in->request_valid_i >> q & 1 && !(gn >> q & 1) ? s->waited[q] + 1 : 0;
  }
  unsigned grants = (unsigned)__builtin_popcountll(gn);
  if (grants == 16) {
    tb_hit(t, BIN_sixteen_grants);
  }
  if (in->request_valid_i == 0 || in->request_valid_i == (1ull << 48) - 1) {
    tb_hit(t, in->request_valid_i ? BIN_all_48_request : BIN_no_request);
  }
  if (ld) {
    if (grants) {
      tb_hit(t, BIN_load_beside_grants);
    }
    if (s->table[la] && s->table[la] != in->load_entry_i) {
      tb_hit(t, BIN_load_replaces);
    }
    s->table[la] = (uint32_t)in->load_entry_i;
    s->loaded_at[la] = s->now;
  }
  s->want &= ~gn;
  s->rest = gn;
  s->now++;
}

struct bias {
  unsigned banks, load, ask;
};

/* Requests stay until granted and are low in the cycle after the grant. */
static void sit_drive_inputs(struct tb_run *t, struct tb_rng *r, struct sim *s, struct sit_in *in, const struct bias *k,
                             unsigned first, unsigned load) {
  if (tb_chance(r, load)) {
    in->load_valid_i = 1;
    in->load_entry_i = entry_any(r, 1);
  } else {
    in->load_entry_i = word_any(r);
  }
  in->load_addr_i = table_some_register(r, s->table, first, k->banks, false);
  for (unsigned q = 0; q < 48; q++) {
    if (!(s->want >> q & 1)) {
      unsigned a =
          !(s->rest >> q & 1) && tb_chance(r, k->ask) ? table_some_register(r, s->table, first, k->banks, true) : 256;
      if (a < 256) {
        s->want |= 1ull << q;
      } else {
        tb_hit(t, BIN_address_without_valid);
      }
      s->a[q] = a < 256 ? a : table_some_register(r, s->table, first, k->banks, false);
    }
    in->request_addr_i[q] = (uint8_t)s->a[q];
  }
  in->request_valid_i = s->want;
}

static void episode(struct tb_run *t, struct tb_rng *r, unsigned phase) {
  static const struct bias bias[] = {{16, 5, 1}, {1, 3, 60}, {16, 3, 90}, {3, 20, 20}, {16, 60, 10}, {1, 0, 3}};
  const struct bias *k = &bias[phase];
  struct sim s;
  struct sit_in in;
  memset(&s, 0, sizeof s);
  unsigned first = tb_below(r, 16), fill = 16 + tb_below(r, 40);
  for (unsigned i = 0, end = fill + 50 + tb_below(r, 90); i < end; i++) {
    memset(&in, 0, sizeof in);
    sit_drive_inputs(t, r, &s, &in, k, first, i < fill ? 90 : k->load);
    sit_run_cycle(t, &s, &in);
  }
}

static void sit_load_all(struct tb_run *t, struct tb_rng *r, struct sim *s) {
  for (unsigned a = 0; a < 256; a++) {
    struct sit_in in;
    memset(&in, 0, sizeof in);
    in.load_valid_i = 1, in.load_addr_i = a, in.load_entry_i = entry_any(r, 1);
    sit_run_cycle(t, s, &in);
  }
}

static void sit_put_request(struct sim *s, struct sit_in *in, unsigned q, unsigned a) {
  s->a[q] = a & 255;
  in->request_addr_i[q] = (uint8_t)(a & 255);
  s->want |= 1ull << q;
  in->request_valid_i = s->want;
}

/* Every entry is loaded twice and read back, sixteen per cycle. */
static void sit_case_whole_table(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  memset(&s, 0, sizeof s);
  for (unsigned round = 0; round < 2; round++) {
    sit_load_all(t, r, &s);
    for (unsigned i = 0; i < 48; i++) {
      struct sit_in in;
      memset(&in, 0, sizeof in);
      for (unsigned b = 0; b < 16; b++) {
        sit_put_request(&s, &in, 16 * (i % 3) + b, b | (i & 15) << 4);
      }
      sit_run_cycle(t, &s, &in);
    }
  }
}

/* All 48 requesters on one bank, two rounds, from every pointer, with loads that take the bank's port. */
static void sit_case_all_on_one_bank(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  memset(&s, 0, sizeof s);
  sit_load_all(t, r, &s);
  for (unsigned b = 0; b < 16; b++) {
    uint64_t asked = 0;
    unsigned begin = tb_below(r, 48);
    for (unsigned i = 0; i < 160; i++) {
      struct sit_in in;
      memset(&in, 0, sizeof in);
      for (unsigned q = 0; q < 48; q++) {
        if (s.want >> q & 1) {
          in.request_addr_i[q] = (uint8_t)s.a[q];
        } else if (i == 0 ? q == begin : i >= 2 && i < 100 && !(s.rest >> q & 1)) {
          sit_put_request(&s, &in, q, b | tb_below(r, 16) << 4);
          asked |= 1ull << q;
        }
      }
      in.request_valid_i = s.want;
      if (i % 7 == 3) {
        in.load_valid_i = 1, in.load_addr_i = b | tb_below(r, 16) << 4, in.load_entry_i = entry_any(r, 1);
      }
      sit_run_cycle(t, &s, &in);
    }
    tb_expect(t, s.want == 0, "requests left over: %012llx", (unsigned long long)s.want);
  }
}

/* Each requester alone, from each pointer of a bank. */
static void sit_case_each_alone(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  memset(&s, 0, sizeof s);
  sit_load_all(t, r, &s);
  for (unsigned i = 0; i < 48 * 48; i++) {
    struct sit_in in;
    memset(&in, 0, sizeof in);
    unsigned q = i * 13 / 48 % 48 + i % 48 * 7;
    q %= 48;
    if (!(s.rest >> q & 1)) {
      sit_put_request(&s, &in, q, (i & 15) | tb_below(r, 16) << 4);
    }
    sit_run_cycle(t, &s, &in);
  }
}

/* Each bank with its pointer at requester q: q, the only one at or above the pointer, goes before one below it. */
static void sit_case_at_the_pointer(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  memset(&s, 0, sizeof s);
  sit_load_all(t, r, &s);
  for (unsigned i = 0; i < 16 * 47; i++) {
    const unsigned b = i / 47, q = 1 + i % 47, lower = tb_below(r, q);
    for (unsigned c = 0; c < 5; c++) {
      struct sit_in in;
      memset(&in, 0, sizeof in);
      if (c == 0) sit_put_request(&s, &in, q - 1, b | tb_below(r, 16) << 4);
      if (c == 2)
        sit_put_request(&s, &in, q, b | tb_below(r, 16) << 4),
            sit_put_request(&s, &in, lower, b | tb_below(r, 16) << 4);
      if (c == 3) sit_put_request(&s, &in, lower, s.a[lower]);
      sit_run_cycle(t, &s, &in);
    }
    tb_expect(t, s.want == 0 && s.ptr[b] == lower + 1, "bank %u: requester %u was not the last", b, lower);
  }
}

static void sit_case_reset_with_response(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  struct sit_in in;
  for (unsigned i = 0; i < 4; i++) {
    memset(&s, 0, sizeof s);
    sit_load_all(t, r, &s);
    memset(&in, 0, sizeof in);
    for (unsigned q = 0; q < 48; q++) {
      sit_put_request(&s, &in, q, q * 5 + i);
    }
    sit_run_cycle(t, &s, &in);
    tb_reset(t);
    tb_hit(t, BIN_reset_with_response);
    memset(&s, 0, sizeof s);
    memset(&in, 0, sizeof in);
    sit_run_cycle(t, &s, &in);
  }
}

static const char *illegal(const void *model, const void *vin, const void *last_in, const void *last_out) {
  const struct sit_in *in = vin, *was = last_in;
  const struct sit_out *out = last_out;
  if (in->load_valid_i & 1 && !entry_is_legal((uint32_t)in->load_entry_i)) {
    return "load_entry_i is not a legal entry";
  }
  for (unsigned q = 0; q < 48; q++) {
    if (in->request_valid_i >> q & 1 && !((const struct sit *)model)->mem_q[in->request_addr_i[q]]) {
      return "a request for an entry that was not loaded since reset";
    }
  }
  if (!was) {
    return NULL;
  }
  if (in->request_valid_i & out->grant_o) {
    return "a request in the cycle after its grant";
  }
  uint64_t waiting = was->request_valid_i & ~out->grant_o;
  if (waiting & ~in->request_valid_i) {
    return "a request was dropped before its grant";
  }
  for (unsigned q = 0; q < 48; q++) {
    if (waiting >> q & 1 && in->request_addr_i[q] != was->request_addr_i[q]) {
      return "a request's address was changed before its grant";
    }
  }
  return NULL;
}

static const char *const phases[] = {"near_empty", "one_bank",        "near_full", "three_banks",
                                     "loads",      "one_bank_sparse", NULL};
static const struct tb_case cases[] = {{"whole_table", sit_case_whole_table},
                                       {"all_on_one_bank", sit_case_all_on_one_bank},
                                       {"each_alone", sit_case_each_alone},
                                       {"at_the_pointer", sit_case_at_the_pointer},
                                       {"reset_with_response", sit_case_reset_with_response},
                                       {NULL, NULL}};
const struct tb tb_bench = {
    .cycles = 100000, .phases = phases, .bins = tb_bin_names, .episode = episode, .cases = cases, .illegal = illegal};
