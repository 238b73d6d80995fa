/* SPDX-License-Identifier: Apache-2.0 */
/* Bench of pipe, the engine's own test block. */
#include "blocks/demo/pipe.h"
#include "tb.h"

#define BINS(BIN) BIN(empty) BIN(full) BIN(push_pop) BIN(refused) BIN(refused_most)
TB_BINS(BINS)
static const char *const phases[] = {"even", "near_empty", "near_full", NULL};

static void observe(struct tb_run *t, const void *model, const void *vin, const void *vout) {
  const struct pipe_in *in = vin;
  const struct pipe_out *out = vout;
  const struct pipe_state *s = model;
  if (!s->fill_q) tb_hit(t, BIN_empty);
  if (s->fill_q == 4) tb_hit(t, BIN_full);
  if (in->in_valid_i && !out->in_ready_o) tb_hit(t, BIN_refused);
  if (s->refused_q == 0xffff) tb_hit(t, BIN_refused_most);
  if (in->in_valid_i && out->in_ready_o && in->out_ready_i && out->out_valid_o) tb_hit(t, BIN_push_pop);
}

static void episode(struct tb_run *t, struct tb_rng *r, unsigned phase) {
  static const unsigned push[] = {50, 20, 90}, pop[] = {50, 90, 20};
  struct pipe_in in = {0};
  bool held = false;
  for (uint64_t n = 10 + tb_below(r, 40); n; n--) {
    if (!held) {
      in.in_valid_i = tb_chance(r, push[phase]);
      in.in_tag_i = in.in_valid_i ? tb_below(r, 31) : 0;
      in.in_alternate_i = tb_bits(r, 5);
      tb_words(r, in.in_data_i, 72);
      for (unsigned k = 0; k < 6; k++) in.in_lane_i[k / 3][k % 3] = (uint8_t)tb_bits(r, 5);
    }
    in.out_ready_i = tb_chance(r, pop[phase]);
    const struct pipe_out *out = tb_step(t, &in);
    held = in.in_valid_i && !out->in_ready_o;
  }
}

static void one_word(struct tb_run *t, struct tb_rng *r) {
  struct pipe_in in = {.in_valid_i = 1, .in_tag_i = 9, .in_data_i = {1, 2, 3}};
  (void)r;
  const struct pipe_out *out = tb_peek(t, &in);
  tb_expect(t, out->in_ready_o && !out->out_valid_o, "a fresh pipe is not empty");
  tb_step(t, &in);
  in.in_valid_i = 0;
  in.out_ready_i = 1;
  out = tb_step(t, &in);
  tb_expect(t, out->out_tag_o == 9 && out->out_data_o[2] == 3, "the word did not come back");
  tb_reset(t);
  out = tb_step(t, &in);
  tb_expect(t, !out->out_valid_o, "not empty after a reset");
  for (unsigned n = 0; n < 6; n++) tb_step(t, &in);
}

/* The pipe has passed four words, refused so many, and is empty again. */
static void many_refused(struct tb_run *t, struct tb_rng *r) {
  static const uint64_t most[] = {0xfffc, 0x5554, 0xaaaa};
  struct pipe_in in = {.in_valid_i = 1};
  for (unsigned k = 0; k < 3; k++) {
    const struct pipe_state state = {.refused_q = most[k], .passed_q = 4};
    tb_reset(t);
    tb_state(t, &state);
    for (unsigned n = 0; n < 12; n++) {
      tb_words(r, in.in_data_i, 72);
      tb_step(t, &in);
    }
  }
}

static void adapt(void *model) {
  struct pipe *s = model;
  s->taken = s->r.passed_q + s->r.fill_q;
}

static const struct tb_case cases[] = {{"one_word", one_word}, {"many_refused", many_refused}, {NULL, NULL}};
const struct tb tb_bench = {.cycles = 50000,
                            .phases = phases,
                            .bins = tb_bin_names,
                            .episode = episode,
                            .cases = cases,
                            .observe = observe,
                            .adapt = adapt};
