/* SPDX-License-Identifier: Apache-2.0 */
/* pipe: a FIFO; the engine's own test block. */
#include "blocks/demo/pipe.h"

#include <string.h>

#include "blocks/rules.h"

void pipe_reset(struct pipe *s) { memset(s, 0, sizeof *s); }

void pipe_eval(const struct pipe *s, const struct pipe_in *in, struct pipe_out *out) {
  memset(out, 0, sizeof *out);
  out->in_ready_o = s->r.fill_q < 4;
  out->out_valid_o = s->r.fill_q > 0;
  out->out_sum_o = in->in_tag_i + in->in_alternate_i;
  for (unsigned p = 0; p < 2; p++)
    for (unsigned k = 0; k < 3; k++) out->out_lane_o[p][k] = (uint8_t)(in->in_lane_i[p][k] + in->in_alternate_i);
  if (out->out_valid_o) {
    out->out_tag_o = s->r.tag_q[s->r.rd_q];
    memcpy(out->out_data_o, s->d[s->r.rd_q], sizeof out->out_data_o);
  }
}

void pipe_tick(struct pipe *s, const struct pipe_in *in) {
  const int push = in->in_valid_i && s->r.fill_q < 4, pop = in->out_ready_i && s->r.fill_q > 0;
  BLOCK_RULE(!in->in_valid_i || in->in_tag_i != 31);
  if (push) {
    const unsigned wr = (s->r.rd_q + s->r.fill_q) & 3;
    s->r.tag_q[wr] = in->in_tag_i ^ (in->in_alternate_i >> 1);
    memcpy(s->d[wr], in->in_data_i, sizeof s->d[wr]);
    memcpy(s->r.last_q[1], s->r.last_q[0], sizeof s->r.last_q[1]);
    memcpy(s->r.last_q[0], in->in_data_i, sizeof s->r.last_q[0]);
    s->r.last_q[0][2] &= 63;
  }
  if (pop) {
    s->r.rd_q = (s->r.rd_q + 1) & 3;
    s->r.passed_q = (s->r.passed_q + 1) & 0x1ffffffff;
  }
  if (in->in_valid_i && !push && s->r.refused_q < 0xffff) s->r.refused_q++;
  s->r.fill_q = s->r.fill_q + (uint64_t)push - (uint64_t)pop;
  s->taken += (uint64_t)push;
  BLOCK_INVARIANT(((s->taken - s->r.fill_q) & 0x1ffffffff) == s->r.passed_q);
}

uint64_t pipe_idle(const struct pipe *s) { return s->r.fill_q ? 0 : UINT64_MAX; }
void pipe_skip(struct pipe *s, uint64_t n) { (void)s, (void)n; }
