// SPDX-License-Identifier: Apache-2.0
// shim: the Verilated model of one block behind the C functions of describe.h; compiled once per block and set with
//   -DDESC_BLOCK=vc -DDESC_DEF='"blocks/slice/vc.def"' -DMODEL_H='"Vvc.h"' -DROOT_H='"Vvc___024root.h"'
//   [-DDESC_SET=kb64 -DDESC_AT=fsmon_kb64 -DSET_NumEntries=512 ...] [-DDESC_COMBINATIONAL] [-DWITH_COVERAGE] [-DWITH_TRACE]
//   [-DWITH_MUTANTS] [-DNETLIST]
// All code that names a port is made here from the .def. With NETLIST the registers are not compared (a netlist has other
// names); WITH_MUTANTS is such a netlist whose extra input mutsel_i chooses the fault.
#ifdef WITH_MUTANTS
#define NETLIST
#endif
#include <cstddef>
#include <cstring>
#include <cstdlib>
#include <type_traits>

#include MODEL_H
#include ROOT_H
#ifdef WITH_TRACE
#include "verilated_fst_c.h"
#endif
#ifdef WITH_COVERAGE
#include "verilated_cov.h"
#endif

#include "block_ports.h"

#define OF_RTL CAT(rtl_, DESC_AT)

#if !defined NETLIST && !defined DESC_COMBINATIONAL
// Verilator's own: evaluates all logic anew, as before the first cycle
void CAT(CAT(V, DESC_AT), ___024root___eval_settle)(CAT(CAT(V, DESC_AT), ___024root) * root);
#endif

namespace {

using Model = CAT(V, DESC_AT);
using In = OF(_in);
using Out = OF(_out);
using State = OF(_state);

struct Rtl {
  VerilatedContext context;
  Model *model = nullptr;
#ifdef WITH_TRACE
  VerilatedFstC *trace = nullptr;
  const wave_list *more = nullptr;
  uint32_t base = 0;
#endif
};

// drive and sample, for each of the types that Verilator gives a port
template <class T>
inline void port_drive(T &port, const uint64_t &v) {
  port = static_cast<T>(v);
}
// a C array is as long as the widest set needs; the words beyond this set's port are zero
template <class T, std::size_t N>
inline void port_drive(T &port, const uint32_t (&v)[N]) {
  static_assert(N > 1, "wider than 64 bits at most");
  port = static_cast<T>(v[0] | uint64_t(v[1]) << 32);
}
template <std::size_t M, std::size_t N>
inline void port_drive(VlWide<M> &port, const uint32_t (&v)[N]) {
  memcpy(port.data(), v, 4 * M);
}
template <class T>
inline void port_sample(const T &port, uint64_t &v) {
  v = port;
}
template <class T, std::size_t N>
inline void port_sample(const T &port, uint32_t (&v)[N]) {
  v[0] = static_cast<uint32_t>(port);
  v[1] = static_cast<uint32_t>(uint64_t(port) >> 32);
}
template <std::size_t M, std::size_t N>
inline void port_sample(const VlWide<M> &port, uint32_t (&v)[N]) {
  memcpy(v, port.data(), 4 * M);
}
template <class T, std::size_t M, std::size_t N>
inline void port_sample(const VlUnpacked<T, M> &reg, uint64_t (&v)[N]) {
  for (std::size_t i = 0; i < M; i++) v[i] = reg[i];
}
template <class T, std::size_t M, std::size_t N>
inline void port_drive(VlUnpacked<T, M> &reg, const uint64_t (&v)[N]) {
  for (std::size_t i = 0; i < M; i++) reg[i] = static_cast<T>(v[i]);
}
template <class T>
inline bool port_equal(const T &port, const uint64_t &v) {
  return port == v;
}
template <class T, std::size_t N>
inline bool port_equal(const T &port, const uint32_t (&v)[N]) {
  return port == (v[0] | uint64_t(v[1]) << 32);
}
template <std::size_t M, std::size_t N>
inline bool port_equal(const VlWide<M> &port, const uint32_t (&v)[N]) {
  return memcmp(v, port.data(), 4 * M) == 0;
}
template <class T, std::size_t M, std::size_t N>
inline bool port_equal(const VlUnpacked<T, M> &reg, const uint64_t (&v)[N]) {
  uint64_t differ = 0;
  for (std::size_t i = 0; i < M; i++) differ |= reg[i] ^ v[i];
  return differ == 0;
}

// ports and registers with a shape (flat.h); Width: bits of an element. An array of the RTL has an element for each of C's.
template <unsigned Width, class T, class V>
inline void port_drive(T &port, const V &v, const flat_shape &s) {
  if constexpr (std::is_integral<T>::value) {
    uint32_t w[2] = {0, 0};
    flat_pack(&s, Width, &v, w);
    port = static_cast<T>(w[0] | uint64_t(w[1]) << 32);
  } else {
    flat_pack(&s, Width, &v, port.data());
  }
}
template <unsigned Width, class T, std::size_t M, class V>
inline void port_drive(VlUnpacked<T, M> &reg, const V &v, const flat_shape &s) {
  const flat_shape one = {0, {}, {}, s.element};
  for (unsigned i = 0; i < M; i++)
    port_drive<Width>(reg[i], *(reinterpret_cast<const char *>(&v) + flat_place(&s, i)), one);
}
template <unsigned Width, class T, class V>
inline void port_sample(const T &port, V &v, const flat_shape &s) {
  if constexpr (std::is_integral<T>::value) {
    const uint32_t w[2] = {static_cast<uint32_t>(port), static_cast<uint32_t>(uint64_t(port) >> 32)};
    flat_unpack(&s, Width, w, &v);
  } else {
    flat_unpack(&s, Width, port.data(), &v);
  }
}
template <unsigned Width, class T, std::size_t M, class V>
inline void port_sample(const VlUnpacked<T, M> &reg, V &v, const flat_shape &s) {
  const flat_shape one = {0, {}, {}, s.element};
  for (unsigned i = 0; i < M; i++) port_sample<Width>(reg[i], *(reinterpret_cast<char *>(&v) + flat_place(&s, i)), one);
}
template <unsigned Width, class T, class V>
inline bool port_equal(const T &port, const V &v, const flat_shape &s) {
  if constexpr (std::is_integral<T>::value) {
    const uint32_t w[2] = {static_cast<uint32_t>(port), static_cast<uint32_t>(uint64_t(port) >> 32)};
    return flat_equal(&s, Width, w, &v);
  } else {
    return flat_equal(&s, Width, port.data(), &v);
  }
}
template <unsigned Width, class T, std::size_t M, class V>
inline bool port_equal(const VlUnpacked<T, M> &reg, const V &v, const flat_shape &s) {
  const flat_shape one = {0, {}, {}, s.element};
  for (unsigned i = 0; i < M; i++)
    if (!port_equal<Width>(reg[i], *(reinterpret_cast<const char *>(&v) + flat_place(&s, i)), one)) return false;
  return true;
}

#define REGISTER(name) m.rootp->CAT(CAT(DESC_BLOCK, __DOT__), name)

void *shim_create(unsigned seed) {
  Rtl *r = new Rtl;
  r->context.randReset(seed ? 2 : 0);
  if (seed) r->context.randSeed(static_cast<int>(seed & 0x7fffffff));
#ifdef WITH_TRACE
  r->context.traceEverOn(true);
#endif
  r->model = new Model(&r->context, STR(DESC_BLOCK));
  return r;
}

void shim_destroy(void *p) {
  Rtl *r = static_cast<Rtl *>(p);
  r->model->final();
  Verilated::threadContextp(&r->context); /* a scope's destructor asks for the thread's context, not for its own */
  delete r->model;
  delete r;
}

void shim_hold(void *p, int reset) {
#ifndef DESC_COMBINATIONAL
  Model &m = *static_cast<Rtl *>(p)->model;
  m.clk_i = 0;
  m.rst_ni = !reset;
  m.eval();
#else
  (void)p, (void)reset;
#endif
}

void shim_eval(void *p, const void *from) {
  Model &m = *static_cast<Rtl *>(p)->model;
  const In &in = *static_cast<const In *>(from);
#define P(name) VALUE(name)
#define IN(name, ...) EACH(port_drive, m.name, in.name, __VA_ARGS__);
#include "blocks/def.h"
#ifndef DESC_COMBINATIONAL
  m.clk_i = 0;
#endif
  m.eval();
}

void shim_tick(void *p) {
#ifndef DESC_COMBINATIONAL
  Model &m = *static_cast<Rtl *>(p)->model;
  m.clk_i = 1;
  rtl_asserted.line = 0;
  m.eval();
#else
  (void)p;
#endif
}

const asserted *shim_asserted() { return rtl_asserted.line ? &rtl_asserted : nullptr; }

int shim_same_out(void *p, const void *o) {
  const Model &m = *static_cast<Rtl *>(p)->model;
  const Out &out = *static_cast<const Out *>(o);
  bool is = true;
#define P(name) VALUE(name)
#define OUT(name, ...) is = is && EACH(port_equal, m.name, out.name, __VA_ARGS__);
#include "blocks/def.h"
  return is;
}

int shim_same(void *p, const void *o, const void *s) {
  const Model &m = *static_cast<Rtl *>(p)->model;
  const State &state = *static_cast<const State *>(s);
  bool is = shim_same_out(p, o);
#ifndef NETLIST
#define P(name) VALUE(name)
#define STATE(name, ...) is = is && EACH(port_equal, REGISTER(name), state.name, __VA_ARGS__);
#include "blocks/def.h"
#endif
  (void)m, (void)state;
  return is;
}

void shim_sample(void *p, void *o, void *s) {
  const Model &m = *static_cast<Rtl *>(p)->model;
  Out &out = *static_cast<Out *>(o);
  State &state = *static_cast<State *>(s);
  memset(&out, 0, sizeof out);
  memset(&state, 0, sizeof state);
#define P(name) VALUE(name)
#define OUT(name, ...) EACH(port_sample, m.name, out.name, __VA_ARGS__);
#include "blocks/def.h"
#ifndef NETLIST
#define P(name) VALUE(name)
#define STATE(name, ...) EACH(port_sample, REGISTER(name), state.name, __VA_ARGS__);
#include "blocks/def.h"
#endif
}

void shim_inputs(void *p, void *to) {
  const Model &m = *static_cast<Rtl *>(p)->model;
  In &in = *static_cast<In *>(to);
  memset(&in, 0, sizeof in);
#define P(name) VALUE(name)
#define IN(name, ...) EACH(port_sample, m.name, in.name, __VA_ARGS__);
#include "blocks/def.h"
}

#if !defined NETLIST && !defined DESC_COMBINATIONAL
void shim_set_registers(void *p, const void *s) {
  Model &m = *static_cast<Rtl *>(p)->model;
  const State &state = *static_cast<const State *>(s);
#define P(name) VALUE(name)
#define STATE(name, ...) EACH(port_drive, REGISTER(name), state.name, __VA_ARGS__);
#include "blocks/def.h"
  (void)state;
  CAT(CAT(V, DESC_AT), ___024root___eval_settle)(m.rootp);
}
#endif

#ifdef WITH_COVERAGE
void shim_write_coverage(void *p, const char *path) { static_cast<Rtl *>(p)->context.coveragep()->write(path); }
#endif

#ifdef WITH_TRACE
// The other signals go into the same file: `more` is declared below scopes of its own, next to the RTL's.
void more_values(Rtl *r, VerilatedFst::Buffer *b, bool all) {
  uint32_t code = r->base;
  for (unsigned i = 0; i < r->more->n; i++) {
    const wave_signal &s = r->more->s[i];
    uint32_t *old = b->oldp(code);
    if (s.width == 1) {
      if (all) b->fullBit(old, s.value[0] & 1);
      else b->chgBit(old, s.value[0] & 1);
    } else if (s.width <= 32) {
      if (all) b->fullIData(old, s.value[0], s.width);
      else b->chgIData(old, s.value[0], s.width);
    } else if (s.width <= 64) {
      uint64_t v = s.value[0] | static_cast<uint64_t>(s.value[1]) << 32;
      if (all) b->fullQData(old, v, s.width);
      else b->chgQData(old, v, s.width);
    } else {
      if (all) b->fullWData(old, s.value, s.width);
      else b->chgWData(old, s.value, s.width);
    }
    code += (s.width + 31) / 32;
  }
}
/* Verilator 5.032 (Debian 13) names a signal's kind by enums of its own, and numbers the functions that write values. */
#if VERILATOR_VERSION_INTEGER >= 5032000
#define OF_A_WIRE VerilatedTraceSigDirection::NONE, VerilatedTraceSigKind::WIRE, VerilatedTraceSigType::LOGIC
#define FUNCTION 0,
void scope_begins(VerilatedFst *f, const char *name) { f->pushPrefix(name, VerilatedTracePrefixType::SCOPE_MODULE); }
void scope_ends(VerilatedFst *f) { f->popPrefix(); }
#else
#define OF_A_WIRE fstVarDir(0), fstVarType(16)
#define FUNCTION
void scope_begins(VerilatedFst *f, const char *name) { f->pushNamePrefix(std::string(name) + ' '); }
void scope_ends(VerilatedFst *f) { f->popNamePrefix(); }
#endif

void more_init(void *p, VerilatedFst *f, uint32_t code) {
  Rtl *r = static_cast<Rtl *>(p);
  r->base = code;
  for (unsigned i = 0; i < r->more->n; i++) {
    const wave_signal &s = r->more->s[i];
    const int top = int(s.width) - 1;
    scope_begins(f, s.scope);
    if (s.width == 1) f->declBit(code, FUNCTION s.name, -1, OF_A_WIRE, false, 0);
    else if (s.width <= 32) f->declBus(code, FUNCTION s.name, -1, OF_A_WIRE, false, 0, top, 0);
    else if (s.width <= 64) f->declQuad(code, FUNCTION s.name, -1, OF_A_WIRE, false, 0, top, 0);
    else f->declArray(code, FUNCTION s.name, -1, OF_A_WIRE, false, 0, top, 0);
    scope_ends(f);
    code += (s.width + 31) / 32;
  }
}
void more_full(void *p, VerilatedFst::Buffer *b) { more_values(static_cast<Rtl *>(p), b, true); }
void more_change(void *p, VerilatedFst::Buffer *b) { more_values(static_cast<Rtl *>(p), b, false); }

void shim_trace_open(void *p, const char *path, const wave_list *more) {
  Rtl *r = static_cast<Rtl *>(p);
  r->more = more;
  r->trace = new VerilatedFstC;
  r->model->trace(r->trace, 99);
  r->trace->spTrace()->addInitCb([](void *q, VerilatedFst *f, uint32_t code) { more_init(q, f, code); }, r);
  r->trace->spTrace()->addFullCb(more_full, FUNCTION r);
  r->trace->spTrace()->addChgCb(more_change, FUNCTION r);
  r->trace->open(path);
}
void shim_trace_dump(void *p, uint64_t time) { static_cast<Rtl *>(p)->trace->dump(time); }
void shim_trace_close(void *p) {
  Rtl *r = static_cast<Rtl *>(p);
  r->trace->close();
  delete r->trace;
  r->trace = nullptr;
}
#endif

#ifdef WITH_MUTANTS
void shim_choose(void *p, unsigned mutant) { static_cast<Rtl *>(p)->model->mutsel_i = mutant; }
#endif

rtl_api shim_api() {
  rtl_api a = {};
  a.name = STR(DESC_BLOCK);
  a.create = shim_create;
  a.destroy = shim_destroy;
  a.hold = shim_hold;
  a.eval = shim_eval;
  a.tick = shim_tick;
  a.asserted = shim_asserted;
  a.same = shim_same;
  a.same_out = shim_same_out;
  a.sample = shim_sample;
  a.inputs = shim_inputs;
#if !defined NETLIST && !defined DESC_COMBINATIONAL
  a.set = shim_set_registers;
#endif
#ifdef WITH_COVERAGE
  a.coverage = shim_write_coverage;
#endif
#ifdef WITH_TRACE
  a.trace_open = shim_trace_open;
  a.trace_dump = shim_trace_dump;
  a.trace_close = shim_trace_close;
#endif
#ifdef NETLIST
  a.ports_only = true;
#endif
#ifdef WITH_MUTANTS
  a.choose = shim_choose;
#endif
  return a;
}

}  // namespace

// rtl_vc; and under the name that a runner, which has one block only, knows
extern "C" {
extern const rtl_api OF_RTL;
const rtl_api OF_RTL = shim_api();
extern const rtl_api block_rtl __attribute__((weak, alias(STR(OF_RTL))));
}
