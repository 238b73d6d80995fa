/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rt_sc: a SystemC simulation of blocks, driven from C. Every block is there twice, as an sc_module with the
 * same ports: its golden C model, and its Verilated RTL. docs/develop/systemc.md has an example.
 *
 * SystemC's kernel is one per process: so is the simulation. The order of calls: create, add and bind, trace,
 * then reset, write, settle, read, step as often as wanted, destroy. The first of these elaborates (and
 * resets all blocks); after it nothing can be added, bound or traced.
 *
 * Values are uint32_t words, word 0 the lowest bits, RT_SC_WORDS(width) of them; bits above the width are
 * zero. Functions that can fail return false or NULL; rt_sc_error says why.
 */
#ifndef RT_SC_H
#define RT_SC_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RT_SC_WORDS(width) (((width) + 31) / 32)

enum rt_sc_side { RT_SC_C, RT_SC_RTL };
struct rt_sc;
struct rt_sc_instance;
struct rt_sc_port {
  const char *name;
  unsigned width;
  bool input;
};

struct rt_sc *rt_sc_create(void);               /* NULL: this process has had one already */
void rt_sc_destroy(struct rt_sc *s);            /* closes the trace, ends the simulation */
const char *rt_sc_error(const struct rt_sc *s); /* of the last call that failed */

/* Names of the blocks that are linked in, "tve" ...; NULL from n on. */
const char *rt_sc_block(unsigned i);
/* An instance, owned by s. Clock and reset are the simulation's. */
struct rt_sc_instance *rt_sc_add(struct rt_sc *s, const char *block, enum rt_sc_side side, const char *name);
/* The ports in the order of the .def, without clk_i and rst_ni; NULL from n on. */
const struct rt_sc_port *rt_sc_port_of(const struct rt_sc_instance *x, unsigned i);
/* An output drives an input of the same width. An input has one source; what is not bound, C writes. */
bool rt_sc_bind(struct rt_sc_instance *from, const char *output, struct rt_sc_instance *to, const char *input);
/* All ports, clock and reset go into PATH, a VCD file whose name ends in .vcd; time in ns, 10 ns a cycle. */
bool rt_sc_trace(struct rt_sc *s, const char *path);

bool rt_sc_reset(struct rt_sc *s); /* rst_ni low, settle, high: asynchronous, no clock edge */
bool rt_sc_write(struct rt_sc_instance *x, const char *input, const uint32_t *words);
bool rt_sc_settle(struct rt_sc *s); /* delta cycles until nothing changes; no time passes */
bool rt_sc_read(const struct rt_sc_instance *x, const char *port, uint32_t *words);
bool rt_sc_step(struct rt_sc *s, uint64_t cycles); /* settle, a rising and a falling edge; per cycle */
uint64_t rt_sc_cycle(const struct rt_sc *s);

#ifdef __cplusplus
}
#endif
#endif
