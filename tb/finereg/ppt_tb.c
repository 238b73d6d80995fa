/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bench of ppt: rows are written, cleared and both at once; the row read is mostly one that changes in this cycle,
 * changed in the last one, or whose address differs in one bit from such a row. docs/blocks/finereg/ppt.md
 */
#include <string.h>

#include "blocks/finereg/ppt.h"
#include "finereg_tb.h"

#define EXPECT ppt
#define EXPECT_DEF "blocks/finereg/ppt.def"
#include "expect.h"

/* clang-format off */
#define BINS(B)                                                                                                    \
  TB_128(B, wr_) TB_128(B, clr_) B(replace) B(clear_and_write_elsewhere) B(read_beside_write) B(read_beside_clear) \
  B(read_beside_replace) B(read_behind_write) B(read_behind_clear) B(read_behind_replace) B(write_behind_clear)    \
  B(clear_behind_write) B(same_contents_again) B(count_0) B(count_max) B(pointer_max) B(all_valid) B(one_valid)    \
  B(none_again) B(read_empty) B(junk_without_valid) B(reset_full) B(neighbour_reads)
/* clang-format on */
TB_BINS(BINS)

enum {
  POINTER_BITS = RT_CLOG2(TB_PARAM(NumEntries)),
  POINTER_MAX = (1 << POINTER_BITS) - 1,
  COUNT_MAX = 2 * POINTER_MAX + 1
};

struct row {
  bool v;
  unsigned ptr, cnt;
};
struct sim {
  struct row row[128];
  unsigned valid, cleared, written; /* rows of the cycle before; 128: none */
};

static void ppt_run_cycle(struct tb_run *t, struct sim *s, const struct ppt_in *in) {
  unsigned a = (unsigned)in->read_cta_i, w = in->write_valid_i ? (unsigned)in->write_cta_i : 128,
           c = in->clear_valid_i ? (unsigned)in->clear_cta_i : 128;
  const struct row *row = &s->row[a];
  const struct ppt_state none = {0};
  const struct ppt_out want = {.read_valid_o = row->v, .read_pointer_o = row->ptr, .read_count_o = row->cnt};
  expect_all(t, tb_step(t, in), &want, &none, &none);
  if (!row->v) tb_hit(t, BIN_read_empty);
  if (a == w || a == c)
    tb_hit(t, w == c ? BIN_read_beside_replace : a == w ? BIN_read_beside_write : BIN_read_beside_clear);
  if (a == s->written || a == s->cleared) {
    tb_hit(t, s->written == s->cleared ? BIN_read_behind_replace
              : a == s->written        ? BIN_read_behind_write
                                       : BIN_read_behind_clear);
  }
  if (s->written < 128 && __builtin_popcount(a ^ s->written) == 1) tb_hit(t, BIN_neighbour_reads);
  if (w == 128 && c == 128 && in->write_cta_i && in->clear_cta_i && in->write_pointer_i)
    tb_hit(t, BIN_junk_without_valid);
  if (c < 128) {
    tb_hit(t, BIN_clr_0 + c);
    if (c == s->written) tb_hit(t, BIN_clear_behind_write);
    if (s->valid == 1 && w == 128) tb_hit(t, BIN_none_again);
    if (w < 128) tb_hit(t, w == c ? BIN_replace : BIN_clear_and_write_elsewhere);
    if (w == c && row == &s->row[c] && row->ptr == in->write_pointer_i && row->cnt == in->write_count_i)
      tb_hit(t, BIN_same_contents_again);
    s->row[c] = (struct row){0};
    s->valid--;
  }
  if (w < 128) {
    tb_hit(t, BIN_wr_0 + w);
    if (w == s->cleared) tb_hit(t, BIN_write_behind_clear);
    if (in->write_count_i == 0) tb_hit(t, BIN_count_0);
    if (in->write_count_i == COUNT_MAX) tb_hit(t, BIN_count_max);
    if (in->write_pointer_i == POINTER_MAX) tb_hit(t, BIN_pointer_max);
    s->row[w] = (struct row){true, (unsigned)in->write_pointer_i, (unsigned)in->write_count_i};
    s->valid++;
    if (s->valid == 128 || s->valid == 1) tb_hit(t, s->valid == 1 ? BIN_one_valid : BIN_all_valid);
  }
  s->written = w, s->cleared = c;
}

/* A row that is valid or not, of the first n; 128 if none is found soon. */
static unsigned ppt_find_row(struct tb_rng *r, const struct sim *s, bool v, unsigned n) {
  for (unsigned i = 0; i < 12; i++) {
    unsigned a = tb_below(r, n);
    if (s->row[a].v == v) return a;
  }
  return 128;
}

static unsigned to_read(struct tb_rng *r, const struct sim *s, const struct ppt_in *in, unsigned n) {
  unsigned of[4] = {(unsigned)in->write_cta_i, (unsigned)in->clear_cta_i, s->written & 127, s->cleared & 127};
  unsigned a = of[tb_below(r, 4)];
  switch (tb_below(r, 4)) {
    case 0: return tb_below(r, n);
    case 1: return a ^ 1u << tb_below(r, 7);
    default: return a;
  }
}

struct bias {
  unsigned write, clear, replace, rows;
};

static void ppt_drive_inputs(struct tb_rng *r, const struct sim *s, struct ppt_in *in, const struct bias *b) {
  unsigned w = tb_chance(r, b->write) ? ppt_find_row(r, s, false, b->rows) : 128;
  unsigned c = tb_chance(r, b->clear)
                   ? s->written < 128 && tb_chance(r, 20) ? s->written : ppt_find_row(r, s, true, b->rows)
                   : 128;
  if (tb_chance(r, 20) && s->cleared < 128 && !s->row[s->cleared].v && tb_chance(r, b->write)) w = s->cleared;
  if (c < 128 && tb_chance(r, b->replace)) w = c;
  in->write_valid_i = w < 128, in->clear_valid_i = c < 128;
  in->write_cta_i = w < 128 ? w : tb_bits(r, 7);
  in->clear_cta_i = c < 128 ? c : tb_bits(r, 7);
  in->write_pointer_i = tb_chance(r, 10) ? POINTER_MAX : tb_bits(r, POINTER_BITS);
  in->write_count_i = tb_chance(r, 20) ? COUNT_MAX * tb_below(r, 2) : tb_bits(r, POINTER_BITS + 1);
  if (w == c && w < 128 && tb_chance(r, 10)) in->write_pointer_i = s->row[c].ptr, in->write_count_i = s->row[c].cnt;
  in->read_cta_i = to_read(r, s, in, b->rows);
}

/* The whole table, one row a cycle. */
static void ppt_sweep(struct tb_run *t, struct sim *s) {
  for (unsigned a = 0; a < 128; a++) {
    struct ppt_in in = {.read_cta_i = a};
    ppt_run_cycle(t, s, &in);
  }
}

static void episode(struct tb_run *t, struct tb_rng *r, unsigned phase) {
  static const struct bias bias[] = {
      {10, 40, 20, 128}, {95, 3, 90, 128}, {90, 90, 40, 128}, {70, 70, 50, 3}, {60, 60, 10, 16}};
  struct sim s = {.cleared = 128, .written = 128};
  for (unsigned n = phase == 1 ? 400 + tb_below(r, 300) : 50 + tb_below(r, 300); n; n--) {
    struct ppt_in in = {0};
    ppt_drive_inputs(r, &s, &in, &bias[phase]);
    ppt_run_cycle(t, &s, &in);
  }
  ppt_sweep(t, &s);
}

/* Every row is written, the table read; each is replaced, then cleared, and the table read again. */
static void ppt_case_each_row(struct tb_run *t, struct tb_rng *r) {
  struct sim s = {.cleared = 128, .written = 128};
  for (unsigned round = 0; round < 3; round++) {
    unsigned from = tb_below(r, 128);
    for (unsigned i = 0; i < 128; i++) {
      unsigned a = (from + 37 * i) & 127;
      struct ppt_in in = {.write_valid_i = round<2, .clear_valid_i = round> 0,
                          .write_cta_i = a,
                          .clear_cta_i = a,
                          .read_cta_i = a,
                          .write_pointer_i = tb_bits(r, POINTER_BITS),
                          .write_count_i = tb_bits(r, POINTER_BITS + 1)};
      ppt_run_cycle(t, &s, &in);
    }
    ppt_sweep(t, &s);
  }
}

static void ppt_case_reset_full(struct tb_run *t, struct tb_rng *r) {
  static const struct bias fill = {100, 0, 0, 128};
  for (unsigned round = 0; round < 4; round++) {
    struct sim s = {.cleared = 128, .written = 128};
    for (unsigned i = 0; s.valid < 128 && i < 4000; i++) {
      struct ppt_in in = {0};
      ppt_drive_inputs(r, &s, &in, &fill);
      ppt_run_cycle(t, &s, &in);
    }
    if (s.valid == 128) tb_hit(t, BIN_reset_full);
    tb_reset(t);
    s = (struct sim){.cleared = 128, .written = 128};
    ppt_sweep(t, &s);
  }
}

static bool row_valid(const void *model, uint64_t cta) {
  const struct ppt_in in = {.read_cta_i = cta};
  struct ppt_out out;
  ppt_eval(model, &in, &out);
  return out.read_valid_o;
}

static const char *illegal(const void *model, const void *vin, const void *last_in, const void *last_out) {
  const struct ppt_in *in = vin;
  (void)last_in, (void)last_out;
  if (in->clear_valid_i && !row_valid(model, in->clear_cta_i)) return "clear_valid_i of a row that is not valid";
  if (in->write_valid_i && !(in->clear_valid_i && in->clear_cta_i == in->write_cta_i) &&
      row_valid(model, in->write_cta_i)) {
    return "write_valid_i to a row that is valid and not cleared in this cycle";
  }
  return NULL;
}

static const char *const phases[] = {"near_empty", "near_full", "bursts", "few_rows", "mixed", NULL};
static const struct tb_case cases[] = {
    {"each_row", ppt_case_each_row}, {"reset_full", ppt_case_reset_full}, {NULL, NULL}};
const struct tb tb_bench = {
    .cycles = 200000, .phases = phases, .bins = tb_bin_names, .episode = episode, .cases = cases, .illegal = illegal};
