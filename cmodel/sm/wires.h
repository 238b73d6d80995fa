/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wires: from the lines of a net (NET, docs/reference/lists.md) its struct, and what its choice uses it by. No
 * include guard: NET is its name, NET_DEF its path; with NET_TABLE defined, in one .c, also its table, for the functions of
 * sm/twin_run.h. NET_LAWS, if defined, names the function of its laws (sm/laws.h).
 *
 *   struct NET_net                          first member: struct twins t
 *   NET_BLOCK                               the kind, a number
 *   BLOCK_set(net, k), BLOCK_get(net, k)    the inputs of instance k, to write; its outputs, evaluated
 *   BLOCK_load(net, k)                      the inputs, to write those on which no output of the same cycle depends
 *   NET_LEVEL(net, BLOCK, k, input, value)  writes an input if the value is another
 *   BLOCK_model(net, k)                     the golden model
 *   NET_twins                               the table, struct twin_net
 *
 * Each part says what it makes of the lines that it needs, and reads the file once.
 */
#include "sm/twin_run.h"

#define NET_CAT2(a, b) a##b
#define NET_CAT(a, b) NET_CAT2(a, b)
#define NET_OF(name) NET_CAT(NET, _##name)
#define NET_STRUCT struct NET_CAT(NET, _net)
#define NET_KIND(block) NET_CAT(NET_CAT(NET, _), block)
#define NET_OWN(block, name) NET_CAT(NET_KIND(block), _##name) /* a function of this net for this block */
#define NET_COUNT(block) (sizeof((NET_STRUCT *)0)->block.in / sizeof((NET_STRUCT *)0)->block.in[0])

/* ---- the kinds' numbers ---- */
#define TWIN(system, block, count) NET_KIND(block),
#define TWINC(system, block, count) NET_KIND(block),
enum NET_OF(kind) {
#include "sm/wires_def.h"
  NET_OF(kinds)
};
_Static_assert((int)NET_OF(kinds) <= (int)TWIN_KINDS, "more kinds of blocks than TWIN_KINDS");

/* ---- all instances ---- */
#define TWIN(system, block, count) \
  struct {                         \
    struct block state[count];     \
    struct block##_in in[count];   \
    struct block##_out out[count]; \
    uint64_t ticked[count];        \
    struct block##_in told[count]; \
  } block;
#define TWINC(system, block, count) \
  struct {                          \
    struct block##_in in[count];    \
    struct block##_out out[count];  \
  } block;
NET_STRUCT {
  struct twins t;
#include "sm/wires_def.h"
};

/* ---- inputs and outputs: BLOCK_set ..., which make writes (cmodel/make/lists.awk) ---- */
#define NET_ACCESSORS
#include NET_DEF
#undef NET_ACCESSORS
#define NET_LEVEL(net, block, k, input, value)                                   \
  do {                                                                           \
    const uint64_t value_ = (value);                                             \
    if ((net)->block.in[k].input != value_) block##_set(net, k)->input = value_; \
  } while (0)

/* ---- what is named is there (a PULSE: by its table); both ends of a wire have as many instances and bits ---- */
#define LEVEL(block, input) _Static_assert(sizeof((struct block##_in *)0)->input, #input);
#define READ(block, output) _Static_assert(sizeof((struct block##_out *)0)->output, #output);
#define WIRE(from, output, to, input)                                                                        \
  _Static_assert(NET_COUNT(from) == NET_COUNT(to), #from " and " #to ": another number of instances");       \
  _Static_assert((int)from##_bits_##output == (int)to##_bits_##input, #output " is not as wide as " #input); \
  _Static_assert(__builtin_types_compatible_p(__typeof__(((struct from##_out *)0)->output),                  \
                                              __typeof__(((struct to##_in *)0)->input)),                     \
                 #output " has another shape than " #input ": a wire copies the C value");
#include "sm/wires_def.h"

#ifdef NET_TABLE
static const struct twin_net NET_OF(twins);

/* ---- a block's functions, without its types ---- */
#define TWINC(system, block, count)                                                                        \
  static void NET_OWN(block, eval)(const void *s, const void *in, void *out) { block##_eval(s, in, out); } \
  static void NET_OWN(block, evaluate)(struct twins * t, unsigned k) {                                     \
    twin_evaluate(t, &NET_OF(twins), NET_KIND(block), k);                                                  \
  }
#define TWIN(system, block, count)                                                                               \
  TWINC(system, block, count)                                                                                    \
  static void NET_OWN(block, reset)(void *s) { block##_reset(s); }                                               \
  static void NET_OWN(block, tick)(void *s, const void *in) { block##_tick(s, in); }                             \
  static void NET_OWN(block, advance)(void *s, const void *in, const void *out) { block##_advance(s, in, out); } \
  static bool NET_OWN(block, quiet)(const void *in) { return block##_quiet(in); }                                \
  static uint64_t NET_OWN(block, idle)(const void *s) { return block##_idle(s); }                                \
  static uint64_t NET_OWN(block, hold)(const void *s, const void *in) { return block##_hold(s, in); }            \
  static void NET_OWN(block, skip)(void *s, uint64_t n) { block##_skip(s, n); }
#include "sm/wires_def.h"

/* ---- a unit of a bank, as an instance of its block ---- */
#define BANK(system, block, count)                                                                             \
  static bool NET_OWN(block, unit)(struct twins * t, unsigned u, bool replace) {                               \
    NET_STRUCT *net = (NET_STRUCT *)t;                                                                         \
    struct block s;                                                                                            \
    struct block##_in in;                                                                                      \
    struct block##_out out;                                                                                    \
    block##_bank_unit(net->block##_bank.state, net->block##_bank.in, net->block##_bank.out, u, &s, &in, &out); \
    if (!replace) return twin_show_unit(t, #system "/" #block, u, &s, &in, &out);                              \
    twin_replace_unit(t, #system "/" #block, u, &in, &out);                                                    \
    block##_bank_put(net->block##_bank.out, u, &out);                                                          \
    return true;                                                                                               \
  }
#include "sm/wires_def.h"

/* ---- the table: kinds, wires, pulses ---- */
#define NET_FIELDS(block)                                                                                     \
  .n = NET_COUNT(block), .in = offsetof(NET_STRUCT, block.in), .out = offsetof(NET_STRUCT, block.out),        \
  .in_bytes = sizeof(struct block##_in), .out_bytes = sizeof(struct block##_out), .depends = block##_depends, \
  .eval = NET_OWN(block, eval), .evaluate = NET_OWN(block, evaluate)
#define NET_CLOCKED(block)                                                                                             \
  NET_FIELDS(block), .clocked = true, .counts = block##_counts, .state = offsetof(NET_STRUCT, block.state),            \
                     .ticked = offsetof(NET_STRUCT, block.ticked), .told = offsetof(NET_STRUCT, block.told),           \
                     .state_bytes = sizeof(struct block),                                                              \
                     .control_only = offsetof(struct block##_state, control_only), .reset = NET_OWN(block, reset),     \
                     .tick = NET_OWN(block, tick), .advance = NET_OWN(block, advance), .quiet = NET_OWN(block, quiet), \
                     .idle = NET_OWN(block, idle), .hold = NET_OWN(block, hold), .skip = NET_OWN(block, skip)
#define TWINC(system, block, count) {.name = #system "/" #block, NET_FIELDS(block)},
#define TWIN(system, block, count) {.name = #system "/" #block, NET_CLOCKED(block)},
#define BANK(system, block, count) \
  {.name = #system "/" #block, NET_CLOCKED(block##_bank), .units = count, .unit = NET_OWN(block, unit)},
static const struct twin_kind NET_OF(kind_table)[] = {
#include "sm/wires_def.h"
};

#define NET_WIRE(a, a_port, b, b_port, is_data) \
  {.from = NET_KIND(a),                         \
   .to = NET_KIND(b),                           \
   .data = is_data,                             \
   .late = !is_data && a##_late_##a_port,       \
   .input = #b_port,                            \
   .out = offsetof(struct a##_out, a_port),     \
   .in = offsetof(struct b##_in, b_port),       \
   .bytes = sizeof((struct b##_in *)0)->b_port},
#define WIRE(from, output, to, input) NET_WIRE(from, output, to, input, false)
#define DATA_WIRE(from, output, to, input) NET_WIRE(from, output, to, input, true)
static const struct twin_wire NET_OF(wire_table)[] = {
#include "sm/wires_def.h"
};

#define PULSE(block, port) {NET_KIND(block), offsetof(struct block##_in, port), sizeof((struct block##_in *)0)->port},
static const struct twin_pulse NET_OF(pulse_table)[] = {
#include "sm/wires_def.h"
};

#define PAIR(block, pulse_, level_)                       \
  {.kind = NET_KIND(block),                               \
   .name = {#pulse_, #level_},                            \
   .pulse = offsetof(struct block##_in, pulse_),          \
   .pulse_bytes = sizeof((struct block##_in *)0)->pulse_, \
   .level = offsetof(struct block##_in, level_),          \
   .level_bytes = sizeof((struct block##_in *)0)->level_},
static const struct twin_pair NET_OF(pair_table)[] = {
#include "sm/wires_def.h"
};

#define NET_LENGTH(table) (sizeof(table) / sizeof((table)[0]))
static const struct twin_net NET_OF(twins) = {.kinds = NET_OF(kinds),
                                              .wires = NET_LENGTH(NET_OF(wire_table)),
                                              .pulses = NET_LENGTH(NET_OF(pulse_table)),
                                              .pairs = NET_LENGTH(NET_OF(pair_table)),
                                              .kind = NET_OF(kind_table),
                                              .wire = NET_OF(wire_table),
                                              .pulse = NET_OF(pulse_table),
                                              .pair = NET_OF(pair_table),
#ifdef NET_LAWS
                                              .laws = NET_LAWS
#endif
};
#endif

#undef NET_LENGTH
#undef NET_WIRE
#undef NET_CLOCKED
#undef NET_FIELDS
#undef NET_COUNT
#undef NET_OWN
#undef NET_KIND
#undef NET_STRUCT
#undef NET_OF
#undef NET_CAT
#undef NET_CAT2
#undef NET_TABLE
#undef NET_LAWS
#undef NET_DEF
#undef NET
