// SPDX-License-Identifier: Apache-2.0
// sm_tlm: a whole SM as an sc_module whose L2 traffic leaves by a TLM-2.0 initiator socket, one SM cycle
// being 1 ns.
//   Payload: READ or WRITE of the 128-byte line's sectors from the first to the last wanted; byte enables
//   where not all of them are. ATOMIC: TLM_IGNORE_COMMAND. The extension says what the SM meant. Data are not
//   carried: RegTwin's kernels execute when they are issued, so the buffer is zeros and what the target
//   writes is not looked at. The target answers through b_transport's delay argument (from the request's
//   arrival); it must not wait().
#ifndef RT_SC_SM_TLM_H
#define RT_SC_SM_TLM_H

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>

extern "C" {
#define _Static_assert static_assert  // C11 headers
#include "base/err.h"
#include "lab/run/run.h"
#undef _Static_assert
}

namespace rtsc {

struct SmRequest : tlm::tlm_extension<SmRequest> {
  mem_req req = {};
  tlm::tlm_extension_base *clone() const override { return new SmRequest(*this); }
  void copy_from(const tlm::tlm_extension_base &x) override { req = static_cast<const SmRequest &>(x).req; }
};

class Sm : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<Sm> l2{"l2"};
  run_result result = {};
  err error = {};
  bool ok = false;

  typedef Sm SC_CURRENT_USER_MODULE;
  // w and cfg outlive the simulation; a launch file is run once, then the thread stops the simulation
  Sm(sc_core::sc_module_name n, workload *w, const config *cfg);

 private:
  workload *w_;
  const config *cfg_;
  void run();
};

}  // namespace rtsc
#endif
