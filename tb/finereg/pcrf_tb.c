/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bench of pcrf: chains are written, changed by late loads, and walked while others are written to the entries
 * popped. The bench predicts every port from what it wrote and from the page's latencies: tag i + 1 is read two
 * cycles after tag i or, without a credit, in the cycle after a pop; its data two cycles later, visible
 * after two more. docs/blocks/finereg/pcrf.md
 */
#include <string.h>

#include "blocks/finereg/pcrf.h"
#include "tb.h"
#define EXPECT pcrf
#define EXPECT_DEF "blocks/finereg/pcrf.def"
#include "expect.h"

// clang-format off
#define BINS(B)                                                                                         \
  B(chain_1) B(chain_2) B(chain_3) B(chain_4) B(chain_5) B(chain_over_100) B(chain_of_all) B(credit_0)  \
  B(credit_1) B(credit_2) B(credit_3) B(fifo_1) B(fifo_2) B(fifo_3) B(fifo_4) B(tag_waits)              \
  B(tag_waits_long) B(tag_behind_pop) B(end_takes_last_credit) B(pop_at_once) B(pop_late)               \
  B(pop_beside_arrival) B(empty_within_walk) B(walk_at_once_again) B(walk_same_again)                   \
  B(walk_beside_write) B(walk_beside_load) B(write_in_walk) B(write_into_popped)                        \
  B(write_popped_at_once) B(write_before_tag) B(write_beside_data) B(write_where_end_points)            \
  B(load_before_tag) B(load_beside_tag) B(load_beside_data) B(load_popped_at_once) B(load_no_lane)      \
  B(load_all_lanes) B(load_some_lanes) B(load_twice) B(load_after_write) B(write_after_load) B(entry_0) \
  B(entry_last) B(register_0) B(register_62) B(warp_0) B(warp_31) B(up) B(down) B(reset_in_walk)        \
  B(reset_without_credit) B(junk_without_valid) B(skip)
// clang-format on
TB_BINS(BINS)
enum { ENTRIES = TB_PARAM(NumEntries), CHAINS = 32, FREE = CHAINS };

struct entry {
  unsigned chain; /* the chain it belongs to; FREE: none */
  unsigned end, next, w, r;
  uint64_t written, loaded; /* cycle + 1 of the last time, 0: never */
  uint32_t d[32];
};
struct chain {
  unsigned head, n;
};
struct found { /* a tag that was read, and from two cycles later its data */
  unsigned idx, end, w, r;
  uint64_t at;
  uint32_t d[32];
};
struct sim {
  struct tb_run *t;
  struct tb_rng *r;
  uint64_t now;
  struct entry e[ENTRIES];
  struct chain c[CHAINS];
  unsigned grows, target; /* the chain that is being written, and its final length */
  /* the walk */
  unsigned begun, popped, next, walked; /* tags read, entries popped, entry whose tag is next, the chain */
  bool more, moving;                    /* there is a next entry; popped entries may be used again */
  uint64_t due, last_pop, over;         /* no tag before this cycle; when the last walk was over */
  struct found f[4];                    /* of entry i: i mod 4 */
};
struct bias {
  unsigned write, load, pop, walk, move, shortest, longest, sticky;
};

static void pcrf_sim_init(struct sim *s, struct tb_run *t, struct tb_rng *r) {
  memset(s, 0, sizeof *s);
  s->t = t, s->r = r;
  for (unsigned i = 0; i < ENTRIES; i++) {
    s->e[i].chain = FREE;
  }
}

static unsigned pcrf_sim_credit(const struct sim *s) { return 4 - (s->begun - s->popped); }
static struct found *pcrf_sim_head(struct sim *s) {
  struct found *f = &s->f[s->popped % 4];
  return s->popped < s->begun && s->now >= f->at + 4 ? f : NULL;
}
static bool pcrf_sim_is_walking(struct sim *s) { return s->begun != s->popped; }
static bool pcrf_sim_reads_tag(const struct sim *s) { return s->more && s->now >= s->due && pcrf_sim_credit(s); }
static struct found *pcrf_sim_reads_data(struct sim *s) {
  struct found *f = &s->f[(s->begun + 3) % 4]; /* the youngest entry that was begun */
  return s->begun && f->at + 2 == s->now ? f : NULL;
}

static void pcrf_check_outputs(struct sim *s, const struct pcrf_out *out, const struct pcrf_state *state) {
  const struct found *h = pcrf_sim_head(s);
  struct pcrf_state want_state = {.credit_q = pcrf_sim_credit(s)};
  struct pcrf_out want = {0};
  if (h) {
    want.head_valid_o = 1, want.head_index_o = h->idx, want.head_end_o = h->end, want.head_warp_o = h->w,
    want.head_register_o = h->r;
    memcpy(want.head_data_o, h->d, sizeof want.head_data_o);
  }
  expect_all(s->t, out, &want, state, &want_state);
}

/* pcrf_idle: asleep means that nothing changes without a valid or a pop; without a walk pcrf must be asleep. */
static void pcrf_check_sleep(struct sim *s, const struct pcrf_in *in) {
  const struct pcrf *m = tb_model(s->t);
  uint64_t idle = pcrf_idle(m);
  tb_expect(s->t, pcrf_sim_is_walking(s) || idle == UINT64_MAX, "pcrf_idle: not asleep without a walk");
  if (idle) {
    struct found *h = pcrf_sim_head(s);
    tb_expect(s->t, !pcrf_sim_reads_tag(s) && !pcrf_sim_reads_data(s), "pcrf_idle: asleep while a memory is read");
    s->now++;
    tb_expect(s->t, h == pcrf_sim_head(s), "pcrf_idle: asleep while an entry arrives");
    s->now--;
    if (tb_chance(s->r, 1)) {
      struct pcrf later = *m;
      struct pcrf_out out;
      pcrf_skip(&later, 1 + tb_below(s->r, 1000));
      pcrf_eval(&later, in, &out);
      pcrf_check_outputs(s, &out, &later.r);
      tb_hit(s->t, BIN_skip);
    }
  }
}

static void pcrf_bins_of_write(struct sim *s, const struct pcrf_in *in, const struct found *data) {
  const struct entry *e = &s->e[in->write_index_i];
  if (pcrf_sim_is_walking(s)) {
    tb_hit(s->t, BIN_write_in_walk);
    if (s->more && in->write_index_i == s->next && s->now + 1 == s->due) {
      tb_hit(s->t, BIN_write_before_tag);
    }
    if (data && data->end && s->e[data->idx].next == in->write_index_i) {
      tb_hit(s->t, BIN_write_where_end_points);
    } else if (data) {
      tb_hit(s->t, BIN_write_beside_data);
    }
  }
  if (e->loaded && e->loaded > e->written) {
    tb_hit(s->t, BIN_write_after_load);
  }
  if (in->write_index_i == 0 || in->write_index_i == ENTRIES - 1) {
    tb_hit(s->t, in->write_index_i ? BIN_entry_last : BIN_entry_0);
  }
  if (!in->write_end_i) {
    tb_hit(s->t, in->write_next_i > in->write_index_i ? BIN_up : BIN_down);
  }
}

static void pcrf_bins_of_load(struct sim *s, const struct pcrf_in *in, bool tag) {
  const struct entry *e = &s->e[in->fill_index_i];
  tb_hit(s->t, in->fill_lanes_i == 0            ? BIN_load_no_lane
               : in->fill_lanes_i == UINT32_MAX ? BIN_load_all_lanes
                                                : BIN_load_some_lanes);
  if (e->written == s->now || e->loaded == s->now) {
    tb_hit(s->t, e->written == s->now ? BIN_load_after_write : BIN_load_twice);
  }
  if (tag || in->walk_valid_i || pcrf_sim_reads_data(s)) {
    tb_hit(s->t, pcrf_sim_reads_data(s) ? BIN_load_beside_data : BIN_load_beside_tag);
  }
  if (s->more && in->fill_index_i == s->next && s->now + 1 == s->due) {
    tb_hit(s->t, BIN_load_before_tag);
  }
  if (in->head_pop_i && in->fill_index_i == pcrf_sim_head(s)->idx) {
    tb_hit(s->t, BIN_load_popped_at_once);
  }
}

static void pcrf_bins_of_walk(struct sim *s, const struct pcrf_in *in) {
  const struct found *h = pcrf_sim_head(s);
  unsigned there = 0, arrives = 0;
  for (unsigned i = s->popped; i < s->begun; i++) {
    there += s->now >= s->f[i % 4].at + 4;
    arrives += s->now == s->f[i % 4].at + 3;
  }
  if (pcrf_sim_is_walking(s)) {
    tb_hit(s->t, BIN_credit_0 + pcrf_sim_credit(s));
  }
  if (there) {
    tb_hit(s->t, BIN_fifo_1 + there - 1);
  } else if (s->popped && pcrf_sim_is_walking(s)) {
    tb_hit(s->t, BIN_empty_within_walk);
  }
  if (s->more && s->now >= s->due && !pcrf_sim_credit(s)) {
    tb_hit(s->t, s->now >= s->due + 12 ? BIN_tag_waits_long : BIN_tag_waits);
  }
  if (pcrf_sim_reads_tag(s) && s->last_pop == s->now && s->now > s->due) { /* last_pop: the cycle behind it */
    tb_hit(s->t, BIN_tag_behind_pop);
  }
  if (!s->more && s->begun && !pcrf_sim_credit(s)) {
    tb_hit(s->t, BIN_end_takes_last_credit);
  }
  if (in->head_pop_i) {
    tb_hit(s->t, s->now == h->at + 4 ? BIN_pop_at_once : BIN_pop_late);
    if (arrives) {
      tb_hit(s->t, BIN_pop_beside_arrival);
    }
    if (h->r == 0 || h->r == 62) {
      tb_hit(s->t, h->r ? BIN_register_62 : BIN_register_0);
    }
    if (h->w == 0 || h->w == 31) {
      tb_hit(s->t, h->w ? BIN_warp_31 : BIN_warp_0);
    }
  }
}

static void pcrf_sim_read_tag(struct sim *s, unsigned idx) {
  struct found *f = &s->f[s->begun++ % 4];
  const struct entry *e = &s->e[idx];
  *f = (struct found){.idx = idx, .end = e->end, .w = e->w, .r = e->r, .at = s->now};
  s->more = !e->end, s->next = e->next, s->due = s->now + 2;
}

static void end_of_walk(struct sim *s, unsigned n) {
  tb_hit(s->t, n <= 5 ? BIN_chain_1 + n - 1 : n > 100 ? BIN_chain_over_100 : BIN_chain_5);
  if (n == ENTRIES) {
    tb_hit(s->t, BIN_chain_of_all);
  }
  s->begun = s->popped = 0;
  s->over = s->now + 1;
  if (s->moving) {
    s->c[s->walked] = (struct chain){0};
  }
}

static void pcrf_run_cycle(struct sim *s, const struct pcrf_in *in) {
  pcrf_check_sleep(s, in);
  struct pcrf_state before = *(const struct pcrf_state *)tb_model(s->t);
  pcrf_check_outputs(s, tb_step(s->t, in), &before);
  struct found *data = pcrf_sim_reads_data(s), *h = pcrf_sim_head(s);
  bool tag = pcrf_sim_reads_tag(s), pop = in->head_pop_i;
  pcrf_bins_of_walk(s, in);
  if (in->write_valid_i) {
    pcrf_bins_of_write(s, in, data);
  } else if (in->fill_valid_i) {
    pcrf_bins_of_load(s, in, tag);
  }
  if (in->walk_valid_i && (in->write_valid_i || in->fill_valid_i)) {
    tb_hit(s->t, in->write_valid_i ? BIN_walk_beside_write : BIN_walk_beside_load);
  }
  if (data) {
    memcpy(data->d, s->e[data->idx].d, sizeof data->d);
  }
  if (tag || in->walk_valid_i) {
    pcrf_sim_read_tag(s, tag ? s->next : (unsigned)in->walk_pointer_i);
  }
  if (in->write_valid_i) {
    struct entry *e = &s->e[in->write_index_i];
    e->end = (unsigned)in->write_end_i, e->next = (unsigned)in->write_next_i;
    e->w = (unsigned)in->write_warp_i, e->r = (unsigned)in->write_register_i;
    memcpy(e->d, in->write_data_i, sizeof e->d);
    e->written = s->now + 1;
  }
  for (unsigned l = 0; in->fill_valid_i && l < 32; l++) {
    struct entry *e = &s->e[in->fill_index_i];
    e->d[l] = in->fill_lanes_i >> l & 1 ? in->fill_data_i[l] : e->d[l];
    e->loaded = s->now + 1;
  }
  if (pop) {
    bool last = h->end;
    s->last_pop = s->now + 1;
    if (++s->popped == s->begun && last) {
      end_of_walk(s, s->popped);
    }
  }
  s->now++;
}

/* May this entry be written in this cycle? Not from the cycle in which its tag is read until it is popped. */
static bool may_write(struct sim *s, const struct pcrf_in *in, unsigned idx) {
  if ((pcrf_sim_reads_tag(s) && s->next == idx) || (in->walk_valid_i && in->walk_pointer_i == idx)) {
    return false;
  }
  for (unsigned i = s->popped + (unsigned)in->head_pop_i; i < s->begun; i++) {
    if (s->f[i % 4].idx == idx) {
      return false;
    }
  }
  return true;
}

static void pcrf_put_write(struct sim *s, struct pcrf_in *in, unsigned idx, unsigned end, unsigned next) {
  in->write_valid_i = 1, in->write_index_i = idx, in->write_end_i = end, in->write_next_i = next;
  in->write_warp_i = tb_below(s->r, 8) ? tb_below(s->r, 32) : 31 * tb_below(s->r, 2);
  in->write_register_i = tb_below(s->r, 8) ? tb_below(s->r, 63) : 62 * tb_below(s->r, 2);
}

/* Adds one entry at the head of the chain that is being written. */
static void pcrf_grow_chain(struct sim *s, struct pcrf_in *in, const struct bias *k, unsigned idx) {
  struct chain *c = &s->c[s->grows];
  unsigned no = tb_below(s->r, 3) ? tb_below(s->r, ENTRIES) : s->next;
  if (s->e[idx].chain != FREE || !may_write(s, in, idx)) {
    return;
  }
  if (c->n == 0) {
    s->target = k->shortest + tb_below(s->r, k->longest - k->shortest + 1);
  }
  pcrf_put_write(s, in, idx, c->n == 0, c->n ? c->head : no); /* the last entry's next is not used */
  s->e[idx].chain = s->grows;
  c->head = idx, c->n++;
}

/* A complete chain; the one being written is complete when it has its final length. */
static void choose_chain(struct sim *s) {
  if (s->c[s->grows].n >= s->target && s->c[s->grows].n) {
    for (unsigned i = 0; i < CHAINS; i++) {
      if (s->c[i].n == 0) {
        s->grows = i;
        return;
      }
    }
  }
}

static void drive_walk(struct sim *s, struct pcrf_in *in, const struct bias *k) {
  in->walk_pointer_i = tb_below(s->r, ENTRIES);
  if (pcrf_sim_is_walking(s)) {
    return;
  }
  unsigned i = tb_below(s->r, CHAINS);
  for (unsigned n = 0; n < CHAINS && (s->c[i].n == 0 || i == s->grows); n++) {
    i = (i + 1) % CHAINS;
  }
  if (s->c[i].n && i != s->grows && tb_chance(s->r, k->walk)) {
    in->walk_valid_i = 1, in->walk_pointer_i = s->c[i].head;
    if (s->over) {
      if (s->over == s->now) {
        tb_hit(s->t, BIN_walk_at_once_again);
      }
      if (s->walked == i && !s->moving) {
        tb_hit(s->t, BIN_walk_same_again);
      }
    }
    s->walked = i, s->moving = tb_chance(s->r, k->move);
  }
}

/* An entry for a write: under way in the walker, the next one, the one a last entry's next names, or any. */
static unsigned pcrf_choose_entry(struct sim *s) {
  const struct found *f = &s->f[tb_below(s->r, 4)];
  switch (tb_below(s->r, 4)) {
    case 0: return f->idx;
    case 1: return s->next;
    case 2: return s->e[f->idx].next;
    default: return tb_below(s->r, ENTRIES);
  }
}

static void drive_write(struct sim *s, struct pcrf_in *in, const struct bias *k) {
  const struct found *h = pcrf_sim_head(s);
  tb_words(s->r, in->write_data_i, 1024);
  if (in->head_pop_i && s->moving) { /* as in a swap */
    s->e[h->idx].chain = FREE;
    if (tb_chance(s->r, 60)) {
      pcrf_grow_chain(s, in, k, h->idx);
      tb_hit(s->t, BIN_write_popped_at_once);
      return;
    }
  }
  if (tb_chance(s->r, k->write)) {
    unsigned idx = pcrf_choose_entry(s);
    if (s->e[idx].chain == FREE) {
      if (s->moving && s->e[idx].written && pcrf_sim_is_walking(s)) {
        tb_hit(s->t, BIN_write_into_popped);
      }
      pcrf_grow_chain(s, in, k, idx);
    } else if (may_write(s, in, idx)) { /* new values at the same place in its chain */
      pcrf_put_write(s, in, idx, s->e[idx].end, s->e[idx].next);
    }
  }
}

static void drive_load(struct sim *s, struct pcrf_in *in, const struct bias *k) {
  unsigned idx = pcrf_choose_entry(s);
  in->fill_index_i = idx;
  in->fill_lanes_i = tb_below(s->r, 4) ? tb_bits(s->r, 32) : tb_below(s->r, 2) ? UINT32_MAX : 0;
  tb_words(s->r, in->fill_data_i, 1024);
  in->fill_valid_i = !in->write_valid_i && tb_chance(s->r, k->load) && s->e[idx].written && may_write(s, in, idx);
}

static void pcrf_drive_inputs(struct sim *s, struct pcrf_in *in, const struct bias *k, bool pop) {
  memset(in, 0, sizeof *in);
  choose_chain(s);
  drive_walk(s, in, k);
  in->head_pop_i = pop && pcrf_sim_head(s);
  in->write_index_i = tb_below(s->r, ENTRIES), in->write_end_i = tb_below(s->r, 2),
  in->write_next_i = tb_below(s->r, ENTRIES);
  in->write_warp_i = tb_below(s->r, 32), in->write_register_i = tb_below(s->r, 64);
  drive_write(s, in, k);
  drive_load(s, in, k);
  if (!in->walk_valid_i && !in->write_valid_i && !in->fill_valid_i) {
    tb_hit(s->t, BIN_junk_without_valid);
  }
}

static void episode(struct tb_run *t, struct tb_rng *r, unsigned phase) {
  static const struct bias bias[] = {{60, 30, 60, 60, 50, 1, 3, 0},    {60, 30, 100, 90, 80, 1, 12, 0},
                                     {50, 40, 15, 80, 50, 4, 20, 0},   {50, 50, 50, 90, 60, 2, 30, 94},
                                     {95, 5, 100, 30, 60, 60, 180, 0}, {40, 90, 40, 90, 10, 1, 8, 60}};
  const struct bias *k = &bias[phase];
  struct sim s;
  struct pcrf_in in;
  bool pop = false;
  pcrf_sim_init(&s, t, r);
  for (unsigned i = 60 + tb_below(r, k->longest > 50 ? 1500 : 500); i; i--) {
    if (!tb_chance(r, k->sticky)) {
      pop = tb_chance(r, k->pop);
    }
    pcrf_drive_inputs(&s, &in, k, pop);
    pcrf_run_cycle(&s, &in);
  }
  if (pcrf_sim_is_walking(&s)) {
    tb_hit(t, pcrf_sim_credit(&s) ? BIN_reset_in_walk : BIN_reset_without_credit);
  }
}

/* All entries in one chain in a random order, walked at full rate: one every second cycle, the first
 * after four. */
static void pcrf_case_chain_of_all(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  struct pcrf_in in;
  unsigned order[ENTRIES];
  pcrf_sim_init(&s, t, r);
  for (unsigned i = 0; i < ENTRIES; i++) {
    unsigned j = tb_below(r, i + 1);
    order[i] = order[j], order[j] = i;
  }
  for (unsigned i = 0; i < ENTRIES; i++) {
    memset(&in, 0, sizeof in);
    pcrf_put_write(&s, &in, order[i], i == 0, i ? order[i - 1] : 0);
    tb_words(r, in.write_data_i, 1024);
    pcrf_run_cycle(&s, &in);
  }
  uint64_t from = s.now;
  for (unsigned i = 0; i < 4 + 2 * (ENTRIES - 1) + 1; i++) {
    memset(&in, 0, sizeof in);
    in.walk_valid_i = i == 0, in.walk_pointer_i = order[ENTRIES - 1];
    in.head_pop_i = pcrf_sim_head(&s) != NULL;
    pcrf_run_cycle(&s, &in);
  }
  tb_expect(t, s.over == from + 4 + 2 * (ENTRIES - 1) + 1, "the walk of %u entries took %llu cycles", ENTRIES,
            (unsigned long long)(s.over - from));
}

/* Chains of one to twelve entries, each pop delayed by 0 to 7 cycles. */
static void pcrf_case_delays(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  struct pcrf_in in;
  pcrf_sim_init(&s, t, r);
  for (unsigned n = 1; n <= 12; n++) {
    for (unsigned i = 0; i < n; i++) {
      memset(&in, 0, sizeof in);
      pcrf_put_write(&s, &in, 7 * n + i, i == 0, 7 * n + i - 1);
      tb_words(r, in.write_data_i, 1024);
      pcrf_run_cycle(&s, &in);
    }
    for (unsigned delay = 0; delay < 8; delay++) {
      memset(&in, 0, sizeof in);
      in.walk_valid_i = 1, in.walk_pointer_i = 8 * n - 1;
      s.moving = false;
      for (unsigned waited = 0; in.walk_valid_i || pcrf_sim_is_walking(&s);
           waited = pcrf_sim_head(&s) ? waited + 1 : 0) {
        in.head_pop_i = pcrf_sim_head(&s) && waited >= delay;
        waited = in.head_pop_i ? 0 : waited;
        pcrf_run_cycle(&s, &in);
        memset(&in, 0, sizeof in);
      }
    }
  }
}

static const char *illegal(const void *model, const void *vin, const void *last_in, const void *last_out) {
  const struct pcrf_in *in = vin;
  struct pcrf_out out;
  (void)last_in, (void)last_out;
  pcrf_eval(model, in, &out);
  if (in->walk_valid_i && (out.head_valid_o || ((const struct pcrf_state *)model)->credit_q != 4)) {
    return "walk_valid_i while a walk is under way";
  }
  if (in->head_pop_i && !out.head_valid_o) {
    return "head_pop_i without head_valid_o";
  }
  if (in->write_valid_i && in->fill_valid_i) {
    return "write_valid_i and fill_valid_i together";
  }
  return NULL;
}

static const char *const phases[] = {"short", "fast", "slow_pops", "blocked_for_long", "long_chains", "loads", NULL};
static const struct tb_case cases[] = {
    {"chain_of_all", pcrf_case_chain_of_all}, {"delays", pcrf_case_delays}, {NULL, NULL}};
const struct tb tb_bench = {
    .cycles = 150000, .phases = phases, .bins = tb_bin_names, .episode = episode, .cases = cases, .illegal = illegal};
