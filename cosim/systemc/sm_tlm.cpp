// SPDX-License-Identifier: Apache-2.0
// sm_tlm: see sm_tlm.h. The SM's cycles pass in mem_quantum (mem_tlm.cpp), which is called in this thread.
#include "sm_tlm.h"

rtsc::Sm::Sm(sc_core::sc_module_name n, workload *w, const config *cfg) : sc_module(n), w_(w), cfg_(cfg) {
  SC_THREAD(run);
  set_stack_size(16 << 20);
}

void rtsc::Sm::run() {
  ok = run_workload(w_, cfg_, 0, false, nullptr, &result, &error);
  sc_core::sc_stop();
}
