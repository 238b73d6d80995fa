/* SPDX-License-Identifier: Apache-2.0 */
/*
 * declare: from a block's .def, the one declaration of its ports and registers, come its C structs and prototypes. No
 * include guard: a block's header defines BLOCK (name) and BLOCK_DEF (path) and includes this once.
 *
 * In a .def, in the order of the Verilog module's ports (clk_i and rst_ni are implied unless COMBINATIONAL):
 *   COMBINATIONAL                  the block has no clock and no state
 *   PARAM(Name, value)             a parameter of the module and its default (an integer constant)
 *   IN(name, width)                input of up to 64 bits: uint64_t
 *   INW(name, width)               wider: uint32_t[], word 0 the lowest bits (Verilator's order)
 *   OUT(name, width)  OUTW         output that depends on state only: good from the cycle's start
 *   OUTC(name, width, "a b c")  OUTCW    output that depends on these inputs of the same cycle as well
 *   STATE(name, width)             register of up to 64 bits that both twins have under this name
 *   STATEA(name, width, n)         n of them: uint64_t[n]; in the RTL `logic [width-1:0] name [n]`
 *   ENUM("0=idle 2=busy")          names for values of the port or register before it: in the table and the waveform
 *   QUIET("a b c")                 these inputs are zero while the block idles; more such lines: or these
 * Widths and counts are integer constants: those at the PARAMs' defaults. Bits above a width are zero, always.
 *
 * The twin functions (cmodel/blocks/SYSTEM/BLOCK.c):
 *   BLOCK_reset(s)          state after reset
 *   BLOCK_eval(s, in, out)  writes every field of *out; never state; may be called any number of times in a cycle
 *   BLOCK_tick(s, in)       one clock edge
 *   BLOCK_idle(s)           for how many cycles the block only counts under quiet inputs (0: busy; UINT64_MAX: asleep)
 *   BLOCK_skip(s, n)        what n such ticks do (n <= idle)
 * Quiet inputs are those of the last clock edge (zeros after a reset) with all inputs of one QUIET line zero; they are held.
 * For every n up to idle(s), n ticks under them leave the whole model, its private part too, as skip(s, n) does, and the
 * outputs under them are the same before, between and after these ticks. idle may say less than is true, never more.
 * The engine checks this in the states that a run visits. Checks of the inputs and of the state itself: blocks/rules.h.
 * A combinational block has eval only; its state struct is empty but for a pad.
 */
#define RT_CAT2(a, b) a##b
#define RT_CAT(a, b) RT_CAT2(a, b)
#define RT_NAME(suffix) RT_CAT(BLOCK, suffix)

#include <stdint.h>

#include "blocks/words.h"

#define RT_EMPTY
#define COMBINATIONAL
#define PARAM(name, value)
#define IN(name, width)
#define INW(name, width)
#define OUT(name, width)
#define OUTW(name, width)
#define OUTC(name, width, depends)
#define OUTCW(name, width, depends)
#define STATE(name, width)
#define STATEA(name, width, n)
#define ENUM(names)
#define QUIET(names)

/* parameters as enum constants BLOCK_Name */
#undef PARAM
#define PARAM(name, value) RT_CAT(RT_NAME(_), name) = (value),
enum RT_NAME(_param) {
#include BLOCK_DEF
  RT_CAT(RT_NAME(_), param_end) = 0
};
#undef PARAM
#define PARAM(name, value)

#undef IN
#undef INW
#define IN(name, width) uint64_t name;
#define INW(name, width) uint32_t name[RT_WORDS(width)];
struct RT_NAME(_in) {
#include BLOCK_DEF
  uint64_t end_of_ports; /* zero; so that no struct is empty */
};
#undef IN
#undef INW
#define IN(name, width)
#define INW(name, width)

#undef OUT
#undef OUTW
#undef OUTC
#undef OUTCW
#define OUT(name, width) uint64_t name;
#define OUTW(name, width) uint32_t name[RT_WORDS(width)];
#define OUTC(name, width, depends) uint64_t name;
#define OUTCW(name, width, depends) uint32_t name[RT_WORDS(width)];
struct RT_NAME(_out) {
#include BLOCK_DEF
  uint64_t end_of_ports;
};
#undef OUT
#undef OUTW
#undef OUTC
#undef OUTCW
#define OUT(name, width)
#define OUTW(name, width)
#define OUTC(name, width, depends)
#define OUTCW(name, width, depends)

#undef STATE
#undef STATEA
#define STATE(name, width) uint64_t name;
#define STATEA(name, width, n) uint64_t name[n];
struct RT_NAME(_state) { /* what the comparer sees; the model's own struct BLOCK begins with it */
#include BLOCK_DEF
  uint64_t end_of_state;
};
#undef STATE
#undef STATEA
#undef COMBINATIONAL
#undef ENUM
#undef QUIET
#undef PARAM
#undef IN
#undef INW
#undef OUT
#undef OUTW
#undef OUTC
#undef OUTCW
#undef RT_EMPTY

struct BLOCK;
void RT_NAME(_reset)(struct BLOCK *s);
void RT_NAME(_eval)(const struct BLOCK *s, const struct RT_NAME(_in) * in, struct RT_NAME(_out) * out);
void RT_NAME(_tick)(struct BLOCK *s, const struct RT_NAME(_in) * in);
uint64_t RT_NAME(_idle)(const struct BLOCK *s);
void RT_NAME(_skip)(struct BLOCK *s, uint64_t n);

#undef STATE
#undef STATEA
#undef BLOCK_DEF
#undef BLOCK
