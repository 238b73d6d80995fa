/* SPDX-License-Identifier: Apache-2.0 */
/*
 * declare: makes a block's C structs and prototypes from its .def, the one declaration of its ports and registers. No
 * include guard: a block's header defines BLOCK (name) and BLOCK_DEF (path) and includes this once.
 *
 * In a .def, in the order of the Verilog module's ports (clk_i and rst_ni are implied unless COMBINATIONAL):
 *   COMBINATIONAL                  the block has no clock and no state
 *   PARAM(Name, value)             a parameter of the module and its value (an integer constant)
 *   SIZE(Name, value, most)        a parameter that the sets change: its default, and the largest value of the C model
 *   SET(name, "Name=value ...")    a parameter set, with its twin at these values, the others at their default; the first one
 *                                  names the defaults; no SET: there is one set without a name
 *   IN(name, width)                input
 *   OUT(name, width)               output that depends on state only: valid from the cycle's start
 *   OUTC(name, width, "a b c")     output that depends on these inputs of the same cycle as well
 *   STATE(name, width)             register that both twins have under this name
 *   ARRAY(name, n, width)          n registers; in the RTL `logic [width-1:0] name [n]`
 *   STATEA(name, width, n)         the same, uint64_t[n] in C: of blocks whose ports have no shapes yet, as are INW, OUTW, OUTCW, STATEW
 *   REG(name, width)  REGA(name, width, n)  register of the RTL that is not compared, listed for the RTL's storage figures
 *   RAM(name, width, depth, ports) memory, a wrapper of rtl/common: 1 port (ram_1rw) or 2 (ram_1r1w)
 *   PART(name)                     an instance of another block of this system, whose registers stand in its .def; at the set of
 *                                  the same name or, if it has none, at its first one
 *   ENUM(tag, NAMED(0, BLOCK_IDLE, idle) ...)    values of the port or register before it: enum tag in C; names in the table
 *                                  and in the waveform
 *   DATA("a b c")                  ports that carry data only: no other output and no STATE depends on these inputs
 *   QUIET(ZERO(a) ZERO(b) ...)     these inputs are zero while the block idles; with several such lines, one of them holds
 *   LOOSE("a b c")                 outputs that may change while the block holds (BLOCK_hold)
 * Widths and dimensions are integer expressions over P(Name), a parameter, and CLOG2(n), $clog2 of n: both twins evaluate them
 * at each set. Bits above a width are zero, always; so are the elements of the C arrays beyond a set's dimensions.
 *
 * The shape of a port or register: up to three dimensions before the width of one element, IN(issue_source_i, P(NumPorts), 6, 8).
 *   In Verilog it stays one packed vector, here of NumPorts * 6 * 8 bits. Element [p][k] has the bits from (p * 6 + k) * 8 on: element 0 is
 *   the lowest. An ARRAY of several dimensions is one of one dimension there, with the same order of elements.
 *   In C it is an array, in->issue_source_i[p][k], with the dimensions that it has at `most`. An element is the smallest of uint8_t,
 *   uint16_t, uint32_t and uint64_t that holds the width at `most`; above 64 bits it is uint32_t[RT_WORDS(width)], word 0 lowest. Small
 *   elements are promoted to int: widen one before a shift to the left.
 *   A width alone is a flat port: uint64_t; above 64 bits at `most` uint32_t[RT_WORDS(width)].
 * Streams, Verilog, waves of the RTL and netlists have the flat vector. cosim/engine/flat.h converts; the simulator never does.
 *
 * The twin functions (cmodel/blocks/SYSTEM/BLOCK.c):
 *   BLOCK_reset(s)          state after reset, of the default set
 *   BLOCK_size(s, p)        sets the parameters, after a reset and before the first cycle; of blocks with a SIZE line
 *   BLOCK_eval(s, in, out)  writes every field of *out; never state; may be called any number of times in a cycle
 *   BLOCK_tick(s, in)       one clock edge
 *   BLOCK_idle(s)           for how many cycles the block only counts under quiet inputs (0: busy; UINT64_MAX: asleep)
 *   BLOCK_skip(s, n)        what n such ticks do (n <= idle)
 * Quiet inputs are those of the last clock edge (zeros after a reset) with all inputs of one QUIET line zero; they are held.
 * For every n up to idle(s), n ticks under them leave the whole model, its private part too, as skip(s, n) does, and the
 * outputs under them are the same before, between and after these ticks. idle may return fewer cycles than possible, never more.
 * A block whose header defines BLOCK_HOLDS has one more; for the others it is 0:
 *   BLOCK_hold(s, in)       for how many cycles the block only counts while exactly these inputs are held
 * The same guarantee, for any inputs; LOOSE outputs may change. The SM calls it when the whole SM waits.
 * The engine checks this in the states that a run visits. Checks of the inputs and of the state itself: blocks/rules.h.
 * Only a block whose header defines BLOCK_COUNTS has a skip; for the others it does nothing.
 * Only a block whose header defines BLOCK_BUSY has an idle; the others are always asleep under quiet inputs.
 * A block whose control_only is set, after a reset, models no data: its DATA outputs are undefined, all other outputs and
 * the STATEs are the same. The engine runs such a model in parallel and compares.
 * A block whose header defines BLOCK_ADVANCES splits its clock edge: BLOCK_advance(s, in, out) is tick, given the outputs of eval in
 * this state under these inputs, so that nothing is computed twice; its tick is eval, then advance.
 * A combinational block has eval only; its state struct is empty but for a pad.
 */
#define RT_CAT2(a, b) a##b
#define RT_CAT(a, b) RT_CAT2(a, b)
#define RT_NAME(suffix) RT_CAT(BLOCK, suffix)

#include "blocks/shape.h"

/* parameters as enum constants BLOCK_Name, those of the default set, and BLOCK_Name_most */
#define PARAM(name, value) \
  RT_CAT(RT_NAME(_), name) = (value), RT_CAT(RT_CAT(RT_NAME(_), name), _most) = RT_CAT(RT_NAME(_), name),
#define SIZE(name, value, most) RT_CAT(RT_NAME(_), name) = (value), RT_CAT(RT_CAT(RT_NAME(_), name), _most) = (most),
enum RT_NAME(_param) {
#include "blocks/def.h"
  RT_CAT(RT_NAME(_), param_end) = 0
};

#define PARAM(name, value) uint64_t name;
struct RT_NAME(_params) { /* the parameters of a set */
#include "blocks/def.h"
  uint64_t end_of_params; /* always zero: no struct is empty */
};

/* Those of the default set. */
static inline struct RT_NAME(_params) RT_NAME(_defaults)(void) {
  struct RT_NAME(_params) p;
#define PARAM(name, value) p.name = (value);
#include "blocks/def.h"
  p.end_of_params = 0;
  return p;
}

/* the structs are large enough for every set */
#define P(name) RT_CAT(RT_CAT(RT_NAME(_), name), _most)
#define IN(name, ...) RT_MEMBER(name, __VA_ARGS__)
struct RT_NAME(_in) {
#include "blocks/def.h"
  uint64_t end_of_ports;
};

#define P(name) RT_CAT(RT_CAT(RT_NAME(_), name), _most)
#define OUT(name, ...) RT_MEMBER(name, __VA_ARGS__)
struct RT_NAME(_out) {
#include "blocks/def.h"
  uint64_t end_of_ports;
};

#define P(name) RT_CAT(RT_CAT(RT_NAME(_), name), _most)
#define STATE(name, ...) RT_MEMBER(name, __VA_ARGS__)
#define STATEA(name, width, n) uint64_t name[n];
struct RT_NAME(_state) { /* the compared state; the model's struct BLOCK begins with it */
#include "blocks/def.h"
  uint64_t end_of_state; /* always zero: the registers end here */
  uint64_t control_only; /* 1: data ports and stored data are not modelled */
};

#define ENUM(tag, values) enum tag { values };
#define NAMED(value, constant, shown) constant = (value),
#include "blocks/def.h"

/* For each port BLOCK_bits_PORT, all its bits; for an output BLOCK_late_PORT, 1 if it depends on inputs of the same cycle;
 * BLOCK_outc: there is such an output */
#define P(name) RT_CAT(RT_CAT(RT_NAME(_), name), _most)
#define IN(name, ...) RT_CAT(RT_NAME(_bits_), name) = RT_BITS(__VA_ARGS__),
#define OUT(name, ...) RT_CAT(RT_NAME(_bits_), name) = RT_BITS(__VA_ARGS__), RT_CAT(RT_NAME(_late_), name) = 0,
#define OUTC(name, ...) \
  RT_CAT(RT_NAME(_bits_), name) = RT_BITS(RT_BEFORE(__VA_ARGS__)), RT_CAT(RT_NAME(_late_), name) = 1,
enum RT_NAME(_ports) {
#include "blocks/def.h"
  RT_CAT(RT_NAME(_bits_), end) = 0
};
#define OUTC(name, ...) || 1
enum {
  RT_NAME(_outc) = 0
#include "blocks/def.h"
};

/* ---- no number of the .def is too small or too large, at the default set and at `most` ---- */
#define SIZE(name, value, most) static_assert((value) <= (most), "SIZE(" #name "): its default is above its most");
#define IN(name, ...) static_assert(RT_LEGAL(__VA_ARGS__), #name ": a width or dimension of 0 at the default set");
#define OUT(name, ...) IN(name, __VA_ARGS__)
#define STATE(name, ...) IN(name, __VA_ARGS__)
#include "blocks/def.h"
#define P(name) RT_CAT(RT_CAT(RT_NAME(_), name), _most)
#define IN(name, ...) static_assert(RT_LEGAL(__VA_ARGS__), #name ": a width or dimension of 0 at most");
#define OUT(name, ...) IN(name, __VA_ARGS__)
#define STATE(name, ...) IN(name, __VA_ARGS__)
#include "blocks/def.h"

/* TAG_width is the width of the line before the ENUM: an enumerator without a value is one more than that before it. */
#define IN(name, ...) RT_CAT(RT_NAME(_before_), name) = RT_WIDTH(__VA_ARGS__) - 1,
#define OUT(name, ...) IN(name, __VA_ARGS__)
#define STATE(name, ...) IN(name, __VA_ARGS__)
#define REG(name, width) IN(name, width)
#define REGA(name, width, n) IN(name, width)
#define ENUM(tag, values) RT_CAT(tag, _width),
enum {
#include "blocks/def.h"
  RT_NAME(_before_end)
};
#define NAMED(value, constant, shown) | (value)
#define ENUM(tag, values) \
  static_assert((0 values) >> RT_CAT(tag, _width) == 0, #tag ": a value that its width does not hold");
#include "blocks/def.h"

/* The inputs that outputs of the same cycle depend on. */
#define OUTC(name, ...) RT_DEPENDS(__VA_ARGS__) " "
static const char RT_NAME(_depends)[] = ""
#include "blocks/def.h"
    ;

/* All inputs of one QUIET line are zero. */
static inline int RT_NAME(_quiet)(const struct RT_NAME(_in) * in) {
  (void)in;
#define QUIET(zeros) \
  if (!(0 zeros)) return 1;
#define ZERO(port) | rt_any(&in->port, sizeof in->port)
#include "blocks/def.h"
  return 0;
}

struct BLOCK;
void RT_NAME(_reset)(struct BLOCK *s);
void RT_NAME(_size)(struct BLOCK *s, const struct RT_NAME(_params) * p);
void RT_NAME(_eval)(const struct BLOCK *s, const struct RT_NAME(_in) * in, struct RT_NAME(_out) * out);
void RT_NAME(_tick)(struct BLOCK *s, const struct RT_NAME(_in) * in);
#ifdef BLOCK_BUSY
uint64_t RT_NAME(_idle)(const struct BLOCK *s);
#else
static inline uint64_t RT_NAME(_idle)(const struct BLOCK *s) { return (void)s, UINT64_MAX; }
#endif
#ifdef BLOCK_COUNTS
enum { RT_NAME(_counts) = 1 };
void RT_NAME(_skip)(struct BLOCK *s, uint64_t n);
#else
enum { RT_NAME(_counts) = 0 };
static inline void RT_NAME(_skip)(struct BLOCK *s, uint64_t n) { (void)s, (void)n; }
#endif

#ifdef BLOCK_HOLDS
uint64_t RT_NAME(_hold)(const struct BLOCK *s, const struct RT_NAME(_in) * in);
#else
static inline uint64_t RT_NAME(_hold)(const struct BLOCK *s, const struct RT_NAME(_in) * in) {
  return (void)s, (void)in, 0;
}
#endif

#ifdef BLOCK_ADVANCES
void RT_NAME(_advance)(struct BLOCK *s, const struct RT_NAME(_in) * in, const struct RT_NAME(_out) * out);
#else
static inline void RT_NAME(_advance)(struct BLOCK *s, const struct RT_NAME(_in) * in,
                                     const struct RT_NAME(_out) * out) {
  (void)out, RT_NAME(_tick)(s, in);
}
#endif

#undef BLOCK_ADVANCES
#undef BLOCK_BUSY
#undef BLOCK_COUNTS
#undef BLOCK_HOLDS
#undef BLOCK_DEF
#undef BLOCK
