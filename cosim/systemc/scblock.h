// SPDX-License-Identifier: Apache-2.0
// scblock: what rt_sc.cpp knows of a block, whatever its ports: scblock.cpp makes one `Block` per block from
// its .def.
#ifndef RT_SC_SCBLOCK_H
#define RT_SC_SCBLOCK_H

#include <memory>
#include <string>
#include <systemc>
#include <type_traits>
#include <vector>

#include "rt_sc.h"

namespace rtsc {

// the values of a port of type T, in words
template <class T>
struct WireOf;
template <int W>
struct WireOf<sc_dt::sc_bv<W>> {
  static constexpr unsigned bits = W;
  static void put(sc_dt::sc_bv<W> &v, const uint32_t *w) {
    for (unsigned i = 0; i < RT_SC_WORDS(bits); i++) v.set_word(int(i), w[i]);
  }
  static void get(const sc_dt::sc_bv<W> &v, uint32_t *w) {
    for (unsigned i = 0; i < RT_SC_WORDS(bits); i++) w[i] = uint32_t(v.get_word(int(i)));
  }
};
template <>
struct WireOf<bool> {
  static constexpr unsigned bits = 1;
  static void put(bool &v, const uint32_t *w) { v = w[0] & 1; }
  static void get(const bool &v, uint32_t *w) { w[0] = v; }
};

// A port of width W is bool when W is 1, else sc_bv<W>: Verilator's choice with --pins-bv 2, and so ours for
// both sides.
template <unsigned W>
using WireType = typename std::conditional<W == 1, bool, sc_dt::sc_bv<int(W)>>::type;

class Port {
 public:
  Port(const char *name, unsigned width, bool input) : info{name, width, input} {}
  virtual ~Port() {}
  virtual bool join(Port &from) = 0;  // takes its signal; false: another width
  virtual void attach() = 0;          // binds the sc_port to the signal
  virtual void put(const uint32_t *words) = 0;
  virtual void get(uint32_t *words) const = 0;
  virtual void trace(sc_core::sc_trace_file *f, const std::string &name) const = 0;
  const rt_sc_port info;
  bool bound = false;  // an input that an output drives
};

template <unsigned W>
class PortOfWidth : public Port {
 public:
  typedef WireType<W> type;
  using Port::Port;
  bool join(Port &from) override {
    PortOfWidth *p = dynamic_cast<PortOfWidth *>(&from);
    if (p) signal = p->signal;
    return p != nullptr;
  }
  void put(const uint32_t *words) override {
    type v;
    WireOf<type>::put(v, words);
    signal->write(v);
  }
  void get(uint32_t *words) const override { WireOf<type>::get(signal->read(), words); }
  void trace(sc_core::sc_trace_file *f, const std::string &name) const override { sc_core::sc_trace(f, *signal, name); }

 protected:
  std::shared_ptr<sc_core::sc_signal<type>> signal = std::make_shared<sc_core::sc_signal<type>>();
};

template <unsigned W, class P>
class PortOf : public PortOfWidth<W> {
 public:
  PortOf(const char *name, P &port, bool input) : PortOfWidth<W>(name, W, input), port_(port) {}
  void attach() override { port_(*this->signal); }

 private:
  P &port_;
};

struct Instance {
  std::string name;
  std::unique_ptr<sc_core::sc_module> module;
  std::vector<std::unique_ptr<Port>> port;
  sc_core::sc_in<bool> *clk = nullptr, *rst = nullptr;  // null: combinational
};

struct Block {
  const char *name;
  void (*make)(Instance &x, bool rtl);  // x.name is set; the rest is filled in
};

}  // namespace rtsc
#endif
