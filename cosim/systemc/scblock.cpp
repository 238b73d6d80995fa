// SPDX-License-Identifier: Apache-2.0
// scblock: one block's golden model and its Verilated RTL as sc_modules of the same ports; compiled once per block with
//   -DDESC_BLOCK=vc -DDESC_DEF='"blocks/slice/vc.def"' -DMODEL_H='"Vvc.h"' [-DDESC_COMBINATIONAL]
// Verilator makes the RTL's (verilator --sc --pins-bv 2); the golden model's is made here, and all code that
// names a port comes from the .def. C twin: describe.c, by its struct block_desc.
#include "scblock.h"

#include <cstdlib>
#include <cstring>

#include MODEL_H

#define BLOCK DESC_BLOCK
#define BLOCK_DEF DESC_DEF
extern "C" {
#include "blocks/declare.h"
}
#include "describe.h"
#define BLOCK DESC_BLOCK
#define BLOCK_DEF DESC_DEF

#define CAT2(a, b) a##b
#define CAT(a, b) CAT2(a, b)
#define STR2(a) #a
#define STR(a) STR2(a)
#define OF(suffix) CAT(DESC_BLOCK, suffix)

extern "C" const block_desc CAT(golden_, DESC_BLOCK);

namespace {

using namespace sc_core;
const block_desc &desc = CAT(golden_, DESC_BLOCK);

// between a port and the field of the golden model's struct
template <unsigned W>
void wire_load(const typename rtsc::Wire<W>::type &v, uint64_t &field) {
  uint32_t w[2] = {0, 0};
  rtsc::Wire<W>::get(v, w);
  field = w[0] | uint64_t(w[1]) << 32;
}
template <unsigned W, std::size_t N>
void wire_load(const typename rtsc::Wire<W>::type &v, uint32_t (&field)[N]) {
  rtsc::Wire<W>::get(v, field);
}
template <unsigned W>
void wire_store(typename rtsc::Wire<W>::type &v, const uint64_t &field) {
  const uint32_t w[2] = {uint32_t(field), uint32_t(field >> 32)};
  rtsc::Wire<W>::put(v, w);
}
template <unsigned W, std::size_t N>
void wire_store(typename rtsc::Wire<W>::type &v, const uint32_t (&field)[N]) {
  rtsc::Wire<W>::put(v, field);
}

// the same of a port with a shape (flat.h); Width: bits of an element
template <unsigned Width, unsigned Bits, class V>
void wire_load(const typename rtsc::Wire<Bits>::type &v, V &field, const flat_shape &s) {
  uint32_t w[RT_WORDS(Bits)];
  rtsc::Wire<Bits>::get(v, w);
  flat_unpack(&s, Width, w, &field);
}
template <unsigned Width, unsigned Bits, class V>
void wire_store(typename rtsc::Wire<Bits>::type &v, const V &field, const flat_shape &s) {
  uint32_t w[RT_WORDS(Bits)];
  flat_pack(&s, Width, &field, w);
  rtsc::Wire<Bits>::put(v, w);
}

#define EACH_FLAT(does, wire, member, ...) does<RT_BITS(__VA_ARGS__)>(wire, member)
#define EACH_SHAPED(does, wire, member, ...)                                 \
  [&] {                                                                      \
    static constexpr flat_shape shape_ = FLAT_SHAPE(member, __VA_ARGS__);    \
    does<RT_WIDTH(__VA_ARGS__), RT_BITS(__VA_ARGS__)>(wire, member, shape_); \
  }()
#define EACH0 EACH_FLAT
#define EACH1 EACH_SHAPED
#define EACH2 EACH_SHAPED
#define EACH3 EACH_SHAPED
#define EACH(does, wire, member, ...) RT_OF_RANK(EACH, __VA_ARGS__)(does, wire, member, __VA_ARGS__)

class Golden : public sc_module {
 public:
#ifndef DESC_COMBINATIONAL
  sc_in<bool> clk_i{"clk_i"}, rst_ni{"rst_ni"};
#endif
#define IN(name, ...) sc_in<typename rtsc::Wire<RT_BITS(__VA_ARGS__)>::type> name{#name};
#define OUT(name, ...) sc_out<typename rtsc::Wire<RT_BITS(__VA_ARGS__)>::type> name{#name};
#include "blocks/def.h"

  typedef Golden SC_CURRENT_USER_MODULE;
  explicit Golden(sc_module_name n) : sc_module(n), model(calloc(1, desc.model_bytes)) {
    if (!model) throw std::bad_alloc();
#ifndef DESC_COMBINATIONAL
    desc.reset(model);
    SC_METHOD(edge);
    sensitive << clk_i.pos() << rst_ni.neg();
    dont_initialize();
#endif
    SC_METHOD(settle);
    sensitive << changed;
#define IN(name, ...) sensitive << name;
#include "blocks/def.h"
  }
  ~Golden() override { free(model); }

 private:
  void *model;
  sc_event changed;
  OF(_in) in = {};
  OF(_out) out = {};

  void inputs() {
#define IN(name, ...) EACH(wire_load, this->name.read(), in.name, __VA_ARGS__);
#include "blocks/def.h"
  }

  void settle() {
    inputs();
    desc.eval(model, &in, &out);
#define OUT(name, ...)                                 \
  {                                                    \
    typename rtsc::Wire<RT_BITS(__VA_ARGS__)>::type v; \
    EACH(wire_store, v, out.name, __VA_ARGS__);        \
    this->name.write(v);                               \
  }
#include "blocks/def.h"
  }

#ifndef DESC_COMBINATIONAL
  // what is read here is what was there before the edge: the others' outputs change a delta cycle later
  void edge() {
    if (!rst_ni.read()) {
      desc.reset(model);
    } else {
      inputs();
      desc.tick(model, &in);
    }
    changed.notify(SC_ZERO_TIME);
  }
#endif
};

template <unsigned W, class P>
void instance_add_port(rtsc::Instance &x, const char *name, P &port, bool input) {
  x.port.push_back(std::unique_ptr<rtsc::Port>(new rtsc::PortOf<W, P>(name, port, input)));
}

template <class M>
void instance_make_of(rtsc::Instance &x) {
  M *m = new M(x.name.c_str());
  x.module.reset(m);
#ifndef DESC_COMBINATIONAL
  x.clk = &m->clk_i;
  x.rst = &m->rst_ni;
#endif
#define IN(name, ...) instance_add_port<RT_BITS(__VA_ARGS__)>(x, #name, m->name, true);
#define OUT(name, ...) instance_add_port<RT_BITS(__VA_ARGS__)>(x, #name, m->name, false);
#include "blocks/def.h"
}

void instance_make(rtsc::Instance &x, bool rtl) {
  if (rtl) instance_make_of<CAT(V, DESC_BLOCK)>(x);
  else instance_make_of<Golden>(x);
}

}  // namespace

extern const rtsc::Block CAT(scblock_, DESC_BLOCK);
const rtsc::Block CAT(scblock_, DESC_BLOCK) = {STR(DESC_BLOCK), instance_make};
