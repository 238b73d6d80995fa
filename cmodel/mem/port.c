/* SPDX-License-Identifier: Apache-2.0 */
/*
 * port: the SM's side of the interconnect: credits, the injection link, the replies handed out. Between two
 * quanta each SM's thread touches its own port and nothing else; counts are gathered in port_collect.
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
    p->back = xcalloc(room, sizeof *p->back);
    p->fl = xcalloc(room, sizeof *p->fl);
  }
}

void port_free(struct mem *m) {
  for (uint32_t i = 0; i < m->sms; i++) {
    free(m->port[i].back);
    free(m->port[i].fl);
    free(m->port[i].rep);
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
  struct inflight_inst *f = &p->fl[(p->fl_head + p->fl_n++) & p->mask];
  f->at = link_send(&p->up, m->up_bytes, cycle, bytes) + m->noc_latency;
  f->req = *req;
}

void port_collect(struct mem *m) {
  for (uint32_t i = 0; i < m->sms; i++) {
    struct port *p = &m->port[i];
    p->rep_gone = p->rep_given;
    if (p->rep_gone == p->rep_n) p->rep_gone = p->rep_given = p->rep_n = 0;
    if (!p->fl_n) continue; /* a request just posted is still here */
    m->st.req_reads += p->posts[MEM_READ];
    m->st.req_writes += p->posts[MEM_WRITE];
    m->st.req_atomics += p->posts[MEM_ATOMIC];
    m->st.noc_request_bytes += p->up_bytes;
    memset(p->posts, 0, sizeof p->posts);
    p->up_bytes = 0;
    if (!p->blocked) event_by(m, id_port(m, i), p->fl[p->fl_head].at);
  }
}

void port_hand_out(struct mem *m, uint64_t end) {
  if (!m->pending_replies) return;
  for (uint32_t i = 0; i < m->sms; i++) {
    struct port *p = &m->port[i];
    uint32_t n = p->rep_given;
    if (n < p->rep_n && p->rep[n].cycle < end) die("mem: quantum up to %llu is too long", (unsigned long long)end);
    while (n < p->rep_n && p->rep[n].cycle < end + m->quantum) n++;
    m->st.replies += n - p->rep_given;
    m->pending_replies -= n - p->rep_given;
    p->rep_given = n;
  }
}

const struct mem_reply *mem_replies(struct mem *m, unsigned sm, uint32_t *n) {
  const struct port *p = &m->port[sm];
  *n = p->rep_given - p->rep_gone;
  return *n ? p->rep + p->rep_gone : NULL; /* rep may be NULL: no offset on it */
}
