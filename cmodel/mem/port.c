/* SPDX-License-Identifier: Apache-2.0 */
/*
 * port: the SM's side of the interconnect: credits, the injection link, the replies handed out. Within a quantum an SM
 * posts into an outbox against the credits that it had or that were on their way to it when the quantum began; so it
 * may run beside the memory. Outboxes, credits and replies are exchanged at the quantum's end.
 */
#include <stdlib.h>
#include <string.h>

#include "mem/internal.h"

void port_init(struct mem *m, const struct config *cfg) {
  m->noc_latency = (uint32_t)cfg->noc_latency;
  m->up_bytes = (uint32_t)cfg->noc_request_bytes;
  m->down_bytes = (uint32_t)cfg->noc_reply_bytes;
  m->credits = (uint32_t)cfg->noc_credits;
  m->quantum = (uint64_t)cfg->noc_latency;
  if (cfg->gpu_quantum > 0 && cfg->gpu_quantum < cfg->noc_latency) m->quantum = (uint64_t)cfg->gpu_quantum;
  uint32_t room = 1;
  while (room < m->credits) room *= 2;
  m->port = xcalloc_lines(m->sms, sizeof *m->port);
  for (uint32_t i = 0; i < m->sms; i++) {
    struct port *p = &m->port[i];
    p->home = m->credits;
    p->mask = room - 1;
    p->back = xcalloc_lines(room, sizeof *p->back);
    p->out = xcalloc_lines(room, sizeof *p->out);
    p->fl = xcalloc_lines(room, sizeof *p->fl);
    p->credit = xcalloc_lines(room, sizeof *p->credit);
  }
}

void port_free(struct mem *m) {
  for (uint32_t i = 0; i < m->sms; i++) {
    struct port *p = &m->port[i];
    free(p->back), free(p->out), free(p->given), free(p->fl), free(p->credit), free(p->rep);
  }
  free(m->port);
}

uint64_t mem_post_at(const struct mem *m, unsigned sm, uint64_t cycle) {
  const struct port *p = &m->port[sm];
  uint64_t at = p->up.cycle > cycle ? p->up.cycle : cycle;
  if (p->home) return at;
  if (!p->back_n) return NEVER;
  uint64_t back = p->back[p->back_head];
  return back > at ? back : at;
}

bool mem_can_post(const struct mem *m, unsigned sm, uint64_t cycle) { return mem_post_at(m, sm, cycle) <= cycle; }

void mem_post(struct mem *m, unsigned sm, uint64_t cycle, const struct mem_req *req) {
  struct port *p = &m->port[sm];
  while (p->back_n && p->back[p->back_head] <= cycle) {
    p->back_head = (p->back_head + 1) & p->mask;
    p->back_n--;
    p->home++;
  }
  if (!p->home) die("mem: SM %u posts at cycle %llu without a credit", sm, (unsigned long long)cycle);
  if (cycle < m->end) die("mem: SM %u posts in the past", sm);
  if (!req->sectors || req->sectors > 15 || req->kind > MEM_ATOMIC || req->addr & 127)
    die("mem: SM %u posts a malformed request", sm);
  p->home--;
  uint32_t bytes = req->kind == MEM_READ ? 8 : 8u + req->bytes;
  p->posts[req->kind]++;
  p->up_bytes += bytes;
  struct inflight_inst *f = &p->out[p->out_n++];
  f->at = link_send(&p->up, m->up_bytes, cycle, bytes) + m->noc_latency;
  f->req = *req;
}

void port_collect(struct mem *m) {
  for (uint32_t i = 0; i < m->sms; i++) {
    struct port *p = &m->port[i];
    if (!p->out_n) continue;
    m->st.req_reads += p->posts[MEM_READ];
    m->st.req_writes += p->posts[MEM_WRITE];
    m->st.req_atomics += p->posts[MEM_ATOMIC];
    m->st.noc_request_bytes += p->up_bytes;
    memset(p->posts, 0, sizeof p->posts);
    p->up_bytes = 0;
    for (uint32_t k = 0; k < p->out_n; k++) p->fl[(p->fl_head + p->fl_n++) & p->mask] = p->out[k];
    p->out_n = 0;
    if (!p->blocked) mem_event_by(m, id_port(m, i), p->fl[p->fl_head].at);
  }
}

/* The replies that arrive before end + quantum. */
static void give_replies(struct mem *m, struct port *p, uint64_t end) {
  uint32_t n = p->rep_head;
  if (n < p->rep_n && p->rep[n].cycle < end) die("mem: quantum up to %llu is too long", (unsigned long long)end);
  for (; n < p->rep_n && p->rep[n].cycle < end + m->quantum; n++)
    VEC_PUSH(p->given, p->given_n, p->given_cap) = p->rep[n];
  m->st.replies += p->given_n;
  m->pending_replies -= p->given_n;
  p->rep_head = n;
  if (n == p->rep_n) p->rep_head = p->rep_n = 0;
}

void port_hand_out(struct mem *m, uint64_t end) {
  for (uint32_t i = 0; i < m->sms; i++) {
    struct port *p = &m->port[i];
    for (uint32_t k = 0; k < p->credit_n; k++) p->back[(p->back_head + p->back_n++) & p->mask] = p->credit[k];
    p->credit_n = 0;
    p->given_n = 0;
    if (p->rep_head < p->rep_n) give_replies(m, p, end);
  }
}

const struct mem_reply *mem_replies(struct mem *m, unsigned sm, uint32_t *n) {
  const struct port *p = &m->port[sm];
  *n = p->given_n;
  return p->given;
}
