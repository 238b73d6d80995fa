/* SPDX-License-Identifier: Apache-2.0 */
/*
 * noc: between ports and L2. Requests of one SM stay in order: when the first finds its slice's queue full,
 * those behind it wait too, and blocked SMs are let in first come first. Replies share one link per SM. All
 * of them become ready l2.latency after the event that made them, so they are ready in the order in which
 * they are made, and the link's times are known at once: replies need no events.
 */
#include <string.h>

#include "mem/internal.h"

void noc_run(struct mem *m, uint32_t sm, uint64_t t) {
  struct port *p = &m->port[sm];
  while (p->fl_n) {
    const struct inflight_inst *f = &p->fl[p->fl_head];
    if (f->at > t) {
      mem_event_at(m, id_port(m, sm), f->at);
      return;
    }
    uint32_t s = l2_slice(m, f->req.addr >> 7);
    if (!l2_room(m, s)) {
      struct slice *sl = &m->slice[s];
      uint32_t i = sl->wait_head + sl->wait_n++;
      sl->wait[i >= m->sms ? i - m->sms : i] = sm;
      p->blocked = true;
      break;
    }
    l2_push(m, s, sm, &f->req, t);
    p->fl_head = (p->fl_head + 1) & p->mask;
    p->fl_n--;
  }
  mem_event_at(m, id_port(m, sm), NEVER);
}

void noc_unblock(struct mem *m, uint32_t sm, uint64_t t) {
  struct port *p = &m->port[sm];
  const struct mem_req *req = &p->fl[p->fl_head].req;
  l2_push(m, l2_slice(m, req->addr >> 7), sm, req, t);
  p->blocked = false;
  p->fl_head = (p->fl_head + 1) & p->mask;
  p->fl_n--;
  noc_run(m, sm, t);
}

void noc_credit(struct mem *m, uint32_t sm, uint64_t t) {
  struct port *p = &m->port[sm];
  p->credit[p->credit_n++] = t + m->noc_latency;
}

void noc_reply(struct mem *m, uint32_t sm, uint32_t line, uint32_t tag, uint8_t sectors, bool dram, uint64_t ready) {
  struct port *p = &m->port[sm];
  uint32_t n = sectors_in(sectors), bytes = 8 + 32 * n;
  uint64_t left = link_send(&p->down, m->down_bytes, ready, bytes);
  if (p->rep_n == p->rep_cap && p->rep_head > p->rep_cap / 2) { /* room at the front: no need to grow */
    memmove(p->rep, p->rep + p->rep_head, (p->rep_n - p->rep_head) * sizeof *p->rep);
    p->rep_n -= p->rep_head;
    p->rep_head = 0;
  }
  VEC_PUSH(p->rep, p->rep_n, p->rep_cap) =
      (struct mem_reply){.cycle = left + m->noc_latency, .tag = tag, .addr = line << 7, .dram = dram};
  m->st.noc_reply_bytes += bytes;
  m->replied_sectors += n;
  m->pending_replies++;
}
