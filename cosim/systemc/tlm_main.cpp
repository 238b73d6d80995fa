// SPDX-License-Identifier: Apache-2.0
// tlm_main: regtwin-tlm FILE.launch|NAME [CYCLES]: a kernel on the SM of sm_tlm.h, behind its socket a small
// memory that counts and answers after CYCLES (default 100), one sector a cycle.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <tlm_utils/simple_target_socket.h>

#include "sm_tlm.h"

using namespace sc_core;

struct Memory : sc_module {
  tlm_utils::simple_target_socket<Memory> in{"in"};
  uint64_t reads = 0, writes = 0, atomics = 0, bytes = 0;
  const sc_time latency;
  sc_time busy;
  Memory(sc_module_name n, uint64_t cycles) : sc_module(n), latency(double(cycles), SC_NS) {
    in.register_b_transport(this, &Memory::transport);
  }
  void transport(tlm::tlm_generic_payload &p, sc_time &delay) {
    (p.is_read() ? reads : p.is_write() ? writes : atomics)++;
    bytes += p.get_data_length();
    sc_time start = std::max(sc_time_stamp() + delay, busy);
    busy = start + sc_time(p.get_data_length() / 32, SC_NS);
    delay = busy + latency - sc_time_stamp();
    p.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

static int tlm_fail(const err &e) {
  char text[1200];
  err_format(&e, text, sizeof text);
  fprintf(stderr, "%s\n", text);
  return 2;
}

int sc_main(int argc, char **argv) {
  if (argc < 2 || argc > 3) {
    fprintf(stderr, "expected: regtwin-tlm FILE.launch|NAME [CYCLES]\n");
    return 2;
  }
  static workload w;
  static config cfg;
  err e = {};
  if (!workload_open(argv[1], "small", &w, &e)) return tlm_fail(e);
  config_defaults(&cfg);
  rtsc::Sm sm("sm", &w, &cfg);
  Memory memory("memory", argc > 2 ? strtoull(argv[2], nullptr, 0) : 100);
  sm.l2.bind(memory.in);
  sc_report_handler::set_actions(SC_INFO, SC_DO_NOTHING);
  sc_start();
  workload_close(&w);
  if (!sm.ok) return tlm_fail(sm.error);
  const struct mem_stats &m = sm.result.mem;
  printf("%s: %llu SM cycles, SystemC time %s\n", sm.result.kernel, (unsigned long long)sm.result.sm.cycles,
         sc_time_stamp().to_string().c_str());
  printf("target: %llu reads, %llu writes, %llu atomics, %llu bytes\n", (unsigned long long)memory.reads,
         (unsigned long long)memory.writes, (unsigned long long)memory.atomics, (unsigned long long)memory.bytes);
  bool same = memory.reads == m.req_reads && memory.writes == m.req_writes && memory.atomics == m.req_atomics &&
              m.replies == m.req_reads + m.req_atomics && m.replies > 0;
  printf("replies %s reads and atomics: %llu\n", same ? "equal" : "DIFFER from", (unsigned long long)m.replies);
  return same ? 0 : 1;
}

int main(int argc, char **argv) { return sc_core::sc_elab_and_sim(argc, argv); }
