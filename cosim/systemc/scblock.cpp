// SPDX-License-Identifier: Apache-2.0
// scblock: one block's golden model and its Verilated RTL as sc_modules of the same ports; compiled once per block with
//   -DDESC_BLOCK=vc -DDESC_DEF='"blocks/slice/vc.def"' -DMODEL_H='"Vvc.h"' [-DDESC_COMBINATIONAL]
// Verilator makes the RTL's (verilator --sc --pins-bv 2); the golden model's is made here, and all code that
// names a port comes from the .def. C twin: describe.c, by its struct block_desc.
#include "scblock.h"

#include <cstdlib>
#include <cstring>

#include MODEL_H

#include "block_ports.h"

extern "C" const block_desc CAT(golden_, DESC_BLOCK);

namespace {

using namespace sc_core;
const block_desc &desc = CAT(golden_, DESC_BLOCK);

// between a port and the field of the golden model's struct
template <class T>
void wire_load(const T &v, uint64_t &field) {
  uint32_t w[2] = {0, 0};
  rtsc::WireOf<T>::get(v, w);
  field = w[0] | uint64_t(w[1]) << 32;
}
template <class T, std::size_t N>
void wire_load(const T &v, uint32_t (&field)[N]) {
  rtsc::WireOf<T>::get(v, field);
}
template <class T>
void wire_store(T &v, const uint64_t &field) {
  const uint32_t w[2] = {uint32_t(field), uint32_t(field >> 32)};
  rtsc::WireOf<T>::put(v, w);
}
template <class T, std::size_t N>
void wire_store(T &v, const uint32_t (&field)[N]) {
  rtsc::WireOf<T>::put(v, field);
}

// the same of a port with a shape (flat.h); Width: bits of an element
template <unsigned Width, class T, class V>
void wire_load(const T &v, V &field, const flat_shape &s) {
  uint32_t w[RT_WORDS(rtsc::WireOf<T>::bits)];
  rtsc::WireOf<T>::get(v, w);
  flat_unpack(&s, Width, w, &field);
}
template <unsigned Width, class T, class V>
void wire_store(T &v, const V &field, const flat_shape &s) {
  uint32_t w[RT_WORDS(rtsc::WireOf<T>::bits)];
  flat_pack(&s, Width, &field, w);
  rtsc::WireOf<T>::put(v, w);
}

class Golden : public sc_module {
 public:
#ifndef DESC_COMBINATIONAL
  sc_in<bool> clk_i{"clk_i"}, rst_ni{"rst_ni"};
#endif
#define IN(name, ...) sc_in<rtsc::WireType<RT_BITS(__VA_ARGS__)>> name{#name};
#define OUT(name, ...) sc_out<rtsc::WireType<RT_BITS(__VA_ARGS__)>> name{#name};
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
#define OUT(name, ...)                          \
  {                                             \
    rtsc::WireType<RT_BITS(__VA_ARGS__)> v;     \
    EACH(wire_store, v, out.name, __VA_ARGS__); \
    this->name.write(v);                        \
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
