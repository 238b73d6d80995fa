// SPDX-License-Identifier: Apache-2.0
// mem_tlm: mem.h for an SM in a SystemC simulation; linked instead of cmodel/mem. The interconnect is here
// (credits, the injection link, noc.latency each way); what is behind it is the TLM target of the SM's
// socket, and its delay is the time from a request's arrival to its reply. So a reply comes 2 noc.latency
// after its request at the earliest, as mem.h promises. Requests reach the target in the order of their
// arrival; SystemC's time is at the quantum's start then, and the delay argument holds the rest (loosely
// timed).
#include <algorithm>
#include <cstring>
#include <deque>
#include <vector>

#include "sm_tlm.h"

using namespace sc_core;

struct mem {
  rtsc::Sm *sm;
  uint64_t noc, up_bytes, quantum, end = 0, link_free = 0, handed = 0, stored = 0;
  size_t credits;
  std::deque<uint64_t> back;  // when each credit in use returns
  struct packet {
    uint64_t at;
    mem_req req;
  };
  std::deque<packet> on_the_way;  // by arrival
  std::vector<mem_reply> waiting, given;
  struct mem_stats st = {};
};

extern "C" {

mem *mem_new(const config *cfg, unsigned sms) {
  // the caller is the thread of the Sm that owns this socket
  rtsc::Sm *sm = dynamic_cast<rtsc::Sm *>(sc_get_current_process_handle().get_parent_object());
  if (!sm || sms != 1) die("mem_tlm: expected to be called in the thread of one rtsc::Sm");
  mem *m = new mem;
  m->sm = sm;
  m->noc = uint64_t(cfg->noc_latency);
  m->up_bytes = uint64_t(cfg->noc_request_bytes);
  m->credits = size_t(cfg->noc_credits);
  m->quantum = cfg->gpu_quantum > 0 && cfg->gpu_quantum < cfg->noc_latency ? uint64_t(cfg->gpu_quantum) : m->noc;
  return m;
}

void mem_free(mem *m) { delete m; }

// credits return in the order in which they were taken: all of them are under way equally long
uint64_t mem_post_at(const mem *m, unsigned, uint64_t cycle) {
  uint64_t at = std::max(m->link_free, cycle);
  return m->back.size() < m->credits ? at : std::max(at, m->back[m->back.size() - m->credits]);
}
bool mem_can_post(const mem *m, unsigned sm, uint64_t cycle) { return mem_post_at(m, sm, cycle) <= cycle; }

void mem_post(mem *m, unsigned, uint64_t cycle, const mem_req *req) {
  while (!m->back.empty() && m->back.front() <= cycle) m->back.pop_front();
  if (m->back.size() >= m->credits || cycle < m->end || !req->sectors) die("mem_tlm: a request that may not be posted");
  uint64_t bytes = req->kind == MEM_READ ? 8 : 8u + req->bytes;
  uint64_t sent = std::max(m->link_free, cycle) + (bytes - 1) / m->up_bytes;
  m->link_free = sent + 1;
  m->on_the_way.push_back({sent + m->noc, *req});
  m->back.push_back(sent + 2 * m->noc);  // the target takes each request when it arrives
  m->st.noc_request_bytes += bytes;
  (req->kind == MEM_READ ? m->st.req_reads : req->kind == MEM_WRITE ? m->st.req_writes : m->st.req_atomics)++;
}

// One request to the target; cycles from its arrival to the reply.
static uint64_t mem_transport(mem *m, const mem::packet &f, uint64_t base) {
  unsigned char data[128] = {0}, enable[128];
  unsigned first = unsigned(__builtin_ctz(f.req.sectors)), last = 31 - unsigned(__builtin_clz(f.req.sectors));
  unsigned length = 32 * (last - first + 1);
  for (unsigned i = 0; i < length; i++) enable[i] = f.req.sectors >> (first + i / 32) & 1 ? 0xff : 0;
  bool holes = memchr(enable, 0, length) != nullptr;
  tlm::tlm_generic_payload p;
  rtsc::SmRequest x;
  x.req = f.req;
  p.set_command(f.req.kind == MEM_READ    ? tlm::TLM_READ_COMMAND
                : f.req.kind == MEM_WRITE ? tlm::TLM_WRITE_COMMAND
                                          : tlm::TLM_IGNORE_COMMAND);
  p.set_address(f.req.addr + 32 * first);
  p.set_data_ptr(data);
  p.set_data_length(length);
  p.set_streaming_width(length);
  p.set_byte_enable_ptr(holes ? enable : nullptr);
  p.set_byte_enable_length(holes ? length : 0);
  p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  p.set_extension(&x);
  sc_time arrival(double(f.at - base), SC_NS), delay = arrival;
  m->sm->l2->b_transport(p, delay);
  p.clear_extension(&x);
  if (!p.is_response_ok()) die("mem_tlm: the target answers %s at %08x", p.get_response_string().c_str(), f.req.addr);
  if (delay < arrival) die("mem_tlm: the target answers before the request arrives");
  return uint64_t((delay - arrival) / sc_time(1, SC_NS));
}

void mem_advance(mem *m, uint64_t end) {
  if (end < m->end) die("mem_tlm: quantum ends before the last one");
  uint64_t base = m->end;
  while (!m->on_the_way.empty() && m->on_the_way.front().at < end) {
    mem::packet f = m->on_the_way.front();
    m->on_the_way.pop_front();
    uint64_t taken = f.at + mem_transport(m, f, base), at = taken + m->noc;
    if (f.req.kind != MEM_READ) m->stored = std::max(m->stored, taken + 1);
    if (f.req.kind != MEM_WRITE) m->waiting.push_back({at, f.req.tag, f.req.addr, false}); // dram: the target keeps to itself where it waits
  }
  std::stable_sort(m->waiting.begin(), m->waiting.end(),
                   [](const mem_reply &a, const mem_reply &b) { return a.cycle < b.cycle; });
}

void mem_exchange(mem *m, uint64_t end) {
  uint64_t base = m->end;
  size_t n = 0;
  while (n < m->waiting.size() && m->waiting[n].cycle < end + m->quantum) n++;
  m->given.assign(m->waiting.begin(), m->waiting.begin() + long(n));
  m->waiting.erase(m->waiting.begin(), m->waiting.begin() + long(n));
  m->st.replies += n;
  m->end = end;
  wait(sc_time(double(end - base), SC_NS));
}

void mem_quantum(mem *m, uint64_t end) {
  mem_advance(m, end);
  mem_exchange(m, end);
}

const mem_reply *mem_replies(mem *m, unsigned, uint32_t *n) {
  *n = uint32_t(m->given.size());
  return *n ? m->given.data() : nullptr;
}

uint64_t mem_next(const mem *m) {
  uint64_t next = m->on_the_way.empty() ? UINT64_MAX : m->on_the_way.front().at;
  if (!m->waiting.empty()) next = std::min(next, m->waiting.front().cycle - m->quantum + 1);
  if (m->stored > m->end) next = std::min(next, m->stored - 1);  // the target is still at work on a store
  return next < m->end ? m->end : next;
}

uint64_t mem_stored(const mem *m, unsigned) { return m->stored; }

void mem_touch(mem *, uint32_t) {}  // the target's lines are its own

bool mem_check(const mem *m, err *e) {
  uint64_t asked = m->st.req_reads + m->st.req_atomics;
  if (m->st.replies != asked)
    return err_at(e, nullptr, 0, 0, "memory: replies: found %llu, expected %llu", (unsigned long long)m->st.replies,
                  (unsigned long long)asked);
  return true;
}

// L2 and DRAM counters stay zero: the target counts its own events
const struct mem_stats *mem_stats(const mem *m) { return &m->st; }

// Only the interconnect's part, without the target.
uint64_t mem_hit_latency(const config *cfg) { return 2 * uint64_t(cfg->noc_latency); }
uint64_t mem_dram_latency(const config *cfg) { return 2 * uint64_t(cfg->noc_latency); }
}
