// SPDX-License-Identifier: Apache-2.0
// rt_sc: see rt_sc.h. sc_blocks.def, one SC_BLOCK(name) per block that is linked in, comes from the Makefile.
#include "rt_sc.h"

#include <cerrno>
#include <cstring>

#include "scblock.h"

using namespace sc_core;

#define SC_BLOCK(name) extern const rtsc::Block scblock_##name;
#include "sc_blocks.def"
#undef SC_BLOCK

static const rtsc::Block *const blocks[] = {
#define SC_BLOCK(name) &scblock_##name,
#include "sc_blocks.def"
#undef SC_BLOCK
    nullptr};
static const unsigned n_blocks = sizeof blocks / sizeof *blocks - 1;

extern "C" {

struct rt_sc_instance : rtsc::Instance {
  rt_sc *owner;
  rtsc::Port *find(const char *port) const {
    for (auto &p : this->port)
      if (!strcmp(p->info.name, port)) return p.get();
    return nullptr;
  }
};

struct rt_sc {
  // rises 4 ns into each cycle of 10 ns: its inputs have settled by then, and no edge is at its end
  sc_clock clk{"clk_i", 10, SC_NS, 0.5, 4, SC_NS, true};
  sc_signal<bool> rst{"rst_ni", true};
  std::vector<std::unique_ptr<rt_sc_instance>> instance;
  sc_trace_file *vcd = nullptr;
  bool elaborated = false;
  uint64_t cycle = 0;
  std::string error;
};

int sc_main(int, char **) { return 0; }  // required by the library; main is the C program's
}

// SystemC reports errors by exceptions; C gets false and a text.
template <class F>
static bool rt_sc_guarded(rt_sc *s, F f) {
  try {
    f();
    return true;
  } catch (const std::exception &e) {
    s->error = e.what();
    return false;
  }
}

static bool rt_sc_fail(rt_sc *s, const std::string &text) {
  s->error = text;
  return false;
}

static void rt_sc_settle_deltas() {
  do sc_start(SC_ZERO_TIME);
  while (sc_pending_activity_at_current_time());
}

static void rt_sc_pulse_reset(rt_sc *s) {
  s->rst.write(false);
  rt_sc_settle_deltas();
  s->rst.write(true);
  rt_sc_settle_deltas();
}

static void rt_sc_elaborate(rt_sc *s) {
  if (s->elaborated) return;
  s->elaborated = true;
  for (auto &x : s->instance) {
    if (x->clk) (*x->clk)(s->clk), (*x->rst)(s->rst);
    for (auto &p : x->port) {
      p->attach();
      if (s->vcd) p->trace(s->vcd, x->name + "." + p->info.name);
    }
  }
  if (s->vcd) {
    sc_trace(s->vcd, s->clk, "clk_i");
    sc_trace(s->vcd, s->rst, "rst_ni");
  }
  rt_sc_settle_deltas();
  rt_sc_pulse_reset(s);
}

template <class F>
static bool rt_sc_guarded_running(rt_sc *s, F f) {
  return rt_sc_guarded(s, [&] { rt_sc_elaborate(s), f(); });
}

rt_sc *rt_sc_create(void) {
  static bool had = false;  // as the kernel itself: once per process
  if (had) return nullptr;
  had = true;
  sc_report_handler::set_actions(SC_INFO, SC_DO_NOTHING);
  sc_report_handler::set_actions(SC_WARNING, SC_DO_NOTHING);
  return new rt_sc;
}

void rt_sc_destroy(rt_sc *s) {
  if (!s) return;
  if (s->elaborated) rt_sc_guarded(s, [] { sc_stop(); });
  if (s->vcd) sc_close_vcd_trace_file(s->vcd);
  delete s;
}

const char *rt_sc_error(const rt_sc *s) { return s->error.c_str(); }
const char *rt_sc_block(unsigned i) { return i < n_blocks ? blocks[i]->name : nullptr; }
uint64_t rt_sc_cycle(const rt_sc *s) { return s->cycle; }

rt_sc_instance *rt_sc_add(rt_sc *s, const char *block, rt_sc_side side, const char *name) {
  const rtsc::Block *b = nullptr;
  std::string there;
  for (unsigned i = 0; i < n_blocks; i++) {
    if (!strcmp(blocks[i]->name, block)) b = blocks[i];
    there += std::string(" ") + blocks[i]->name;
  }
  if (!b) return rt_sc_fail(s, std::string("found block ") + block + ", expected one of:" + there), nullptr;
  if (s->elaborated) return rt_sc_fail(s, "an instance cannot be added to a simulation that runs"), nullptr;
  for (auto &x : s->instance)
    if (x->name == name) return rt_sc_fail(s, std::string("there is an instance ") + name + " already"), nullptr;
  std::unique_ptr<rt_sc_instance> x(new rt_sc_instance);
  x->owner = s;
  x->name = name;
  if (!rt_sc_guarded(s, [&] { b->make(*x, side == RT_SC_RTL); })) return nullptr;
  s->instance.push_back(std::move(x));
  return s->instance.back().get();
}

const rt_sc_port *rt_sc_port_of(const rt_sc_instance *x, unsigned i) {
  return i < x->port.size() ? &x->port[i]->info : nullptr;
}

static rtsc::Port *rt_sc_find_port(const rt_sc_instance *x, const char *name, int input) {  // 0, 1; 2: either
  static const char *const kind[] = {"output", "input", "input or output"};
  rtsc::Port *p = x->find(name);
  if (p && (input == 2 || p->info.input == bool(input))) return p;
  std::string there;
  for (auto &q : x->port)
    if (input == 2 || q->info.input == bool(input)) there += std::string(" ") + q->info.name;
  rt_sc_fail(x->owner, x->name + ": found " + name + ", expected an " + kind[input] + ":" + there);
  return nullptr;
}

bool rt_sc_bind(rt_sc_instance *from, const char *output, rt_sc_instance *to, const char *input) {
  rt_sc *s = to->owner;
  rtsc::Port *o = rt_sc_find_port(from, output, 0), *i = rt_sc_find_port(to, input, 1);
  if (!o || !i) return false;
  if (s->elaborated) return rt_sc_fail(s, "a port cannot be bound in a simulation that runs");
  if (i->bound) return rt_sc_fail(s, to->name + "." + input + ": bound already");
  if (!i->join(*o))
    return rt_sc_fail(s, from->name + "." + output + " has " + std::to_string(o->info.width) + " bits, " + to->name +
                             "." + input + " " + std::to_string(i->info.width));
  return i->bound = true;
}

bool rt_sc_trace(rt_sc *s, const char *path) {
  std::string p = path;
  if (s->elaborated || s->vcd) return rt_sc_fail(s, "one trace, before the simulation runs");
  if (p.size() < 5 || p.compare(p.size() - 4, 4, ".vcd"))
    return rt_sc_fail(s, "found " + p + ", expected a name that ends in .vcd");
  FILE *f = fopen(path, "w");  // SystemC would stop the program
  if (!f) return rt_sc_fail(s, p + ": " + strerror(errno));
  fclose(f);
  return rt_sc_guarded(s, [&] {
    s->vcd = sc_create_vcd_trace_file(p.substr(0, p.size() - 4).c_str());
    s->vcd->set_time_unit(1, SC_NS);
  });
}

bool rt_sc_reset(rt_sc *s) {
  return rt_sc_guarded_running(s, [&] { rt_sc_pulse_reset(s); });
}

bool rt_sc_write(rt_sc_instance *x, const char *input, const uint32_t *words) {
  rt_sc *s = x->owner;
  rtsc::Port *p = rt_sc_find_port(x, input, 1);
  if (!p) return false;
  if (p->bound) return rt_sc_fail(s, x->name + "." + input + ": an output drives it");
  unsigned w = p->info.width;
  if (w % 32 && words[w / 32] >> w % 32)
    return rt_sc_fail(s, x->name + "." + input + ": more than " + std::to_string(w) + " bits");
  return rt_sc_guarded_running(s, [&] { p->put(words); });
}

bool rt_sc_read(const rt_sc_instance *x, const char *port, uint32_t *words) {
  rtsc::Port *p = rt_sc_find_port(x, port, 2);
  if (!p) return false;
  return rt_sc_guarded_running(x->owner, [&] { p->get(words); });
}

bool rt_sc_settle(rt_sc *s) { return rt_sc_guarded_running(s, rt_sc_settle_deltas); }

bool rt_sc_step(rt_sc *s, uint64_t cycles) {
  return rt_sc_guarded_running(s, [&] {
    rt_sc_settle_deltas();
    for (uint64_t i = 0; i < cycles; i++, s->cycle++) sc_start(10, SC_NS);
  });
}
