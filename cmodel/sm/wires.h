/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wires: from a system's wires.def (sm/twin.h says what stands in it) the struct of its net and the functions by which its choice
 * uses it. No include guard: NET is its name, NET_DEF its path; with NET_TABLE defined, in one .c, also the table that
 * twins_start wants.
 *
 *   struct NET_net                          first member: struct twins t
 *   NET_BLOCK                               the kind, a number
 *   BLOCK_set(net, k), BLOCK_get(net, k)    the inputs of instance k, to write; its outputs, evaluated
 *   BLOCK_level(net, k, input, value)       writes an input if the value is another
 *   BLOCK_model(net, k)                     the golden model
 *   NET_twins                               struct twin_net
 *   NET_settle(net), NET_commit(net)        twins_settle and twins_commit (twin.h) without calls by pointer
 */
#include "sm/state.h"
#include "sm/twin.h"

#define NET_CAT2(a, b) a##b
#define NET_CAT(a, b) NET_CAT2(a, b)
#define NET_STRUCT struct NET_CAT(NET, _net)
#define NET_KIND(block) NET_CAT(NET_CAT(NET, _), block)

#define BANK(system, block, count) TWIN(system, block##_bank, 1)
#define PULSE(block, input)
#define LEVEL(block, input)
#define READ(block, output)
#define WIRE(from, output, to, input)
#define DATA_WIRE(from, output, to, input)

#define TWIN(system, block, count) NET_KIND(block),
#define TWINC(system, block, count) NET_KIND(block),
enum NET_CAT(NET, _kind) {
#include NET_DEF
  NET_CAT(NET, _kinds)
};
#undef TWIN
#undef TWINC
_Static_assert((int)NET_CAT(NET, _kinds) <= (int)TWIN_KINDS, "more kinds of blocks than TWIN_KINDS");

#define TWIN(system, block, count) \
  struct {                         \
    struct block state[count];     \
    struct block##_in in[count];   \
    struct block##_out out[count]; \
    uint64_t ticked[count];        \
  } block;
#define TWINC(system, block, count) \
  struct {                          \
    struct block##_state state[1];  \
    struct block##_in in[count];    \
    struct block##_out out[count];  \
    uint64_t ticked[1];             \
  } block;
NET_STRUCT {
  struct twins t;
#include NET_DEF
};
#undef TWIN
#undef TWINC

#ifdef NET_TABLE
#define NET_READ(block, net, k) \
  if ((net)->t.stale[NET_KIND(block)] >> (k)&1) NET_CAT(NET_KIND(block), _evaluate)(net, k)
#define TWINC(system, block, count) static inline void NET_CAT(NET_KIND(block), _evaluate)(NET_STRUCT *, unsigned);
#define TWIN(system, block, count) TWINC(system, block, count)
#include NET_DEF
#undef TWIN
#undef TWINC
#else
#define NET_READ(block, net, k) twin_read(&(net)->t, NET_KIND(block), k)
#endif

#define TWINC(system, block, count)                                                  \
  static inline struct block##_in *block##_set(NET_STRUCT *net, unsigned k) {        \
    twin_write(&net->t, NET_KIND(block), k, block##_outc);                           \
    return &net->block.in[k];                                                        \
  }                                                                                  \
  static inline const struct block##_out *block##_get(NET_STRUCT *net, unsigned k) { \
    NET_READ(block, net, k);                                                         \
    return &net->block.out[k];                                                       \
  }
#define TWIN(system, block, count) \
  TWINC(system, block, count)      \
  static inline struct block *block##_model(NET_STRUCT *net, unsigned k) { return &net->block.state[k]; }
#include NET_DEF
#undef TWIN
#undef TWINC

#define NET_LEVEL(net, block, k, input, value)                                   \
  do {                                                                           \
    const uint64_t value_ = (value);                                             \
    if ((net)->block.in[k].input != value_) block##_set(net, k)->input = value_; \
  } while (0)

#ifdef NET_TABLE

#define TWINC(system, block, count) \
  static void NET_CAT(NET_KIND(block), _eval)(const void *s, const void *in, void *out) { block##_eval(s, in, out); }
#define TWIN(system, block, count)                                                                         \
  TWINC(system, block, count)                                                                              \
  static void NET_CAT(NET_KIND(block), _reset)(void *s) { block##_reset(s); }                              \
  static uint64_t NET_CAT(NET_KIND(block), _wait)(const void *s, const void *in, bool changed) {           \
    const uint64_t idle = !changed && block##_quiet(in) ? block##_idle(s) : 0, hold = block##_hold(s, in); \
    return idle > hold ? idle : hold;                                                                      \
  }                                                                                                        \
  static void NET_CAT(NET_KIND(block), _skip)(void *s, uint64_t n) { block##_skip(s, n); }
#include NET_DEF
#undef TWIN
#undef TWINC
#define TWIN(system, block, count)
#define TWINC(system, block, count)

/* The PULSEs of a kind. Only one kind's lines are left in each function: `kind` is a constant. */
#undef PULSE
#define PULSE(block, input) \
  if (kind == NET_KIND(block)) ((struct block##_in *)in)->input = 0;
static inline __attribute__((always_inline)) void NET_CAT(NET, _clear)(void *in, enum NET_CAT(NET, _kind) kind) {
#include NET_DEF
  (void)in, (void)kind;
}
#undef PULSE
#define PULSE(block, input)
/* Instance k's outputs to the inputs on their wires. */
#undef WIRE
#undef DATA_WIRE
#define WIRE(from, output, to, input)                                                                                 \
  if (kind == NET_KIND(from) && memcmp(&net->to.in[k].input, &net->from.out[k].output, sizeof net->to.in[0].input)) { \
    memcpy(&net->to.in[k].input, &net->from.out[k].output, sizeof net->to.in[0].input);                               \
    twin_write(t, NET_KIND(to), k, to##_matters(#input));                                                             \
  }
#define DATA_WIRE(from, output, to, input) \
  if (kind == NET_KIND(from) && t->values) \
    memcpy(&net->to.in[k].input, &net->from.out[k].output, sizeof net->to.in[0].input);
static inline __attribute__((always_inline)) void NET_CAT(NET, _wires)(struct twins *t, unsigned kind, unsigned k) {
  NET_STRUCT *net = (NET_STRUCT *)t;
#include NET_DEF
}
static void NET_CAT(NET, _drive)(struct twins *t, unsigned kind, unsigned k) { NET_CAT(NET, _wires)(t, kind, k); }

/* Both ends of a wire are as wide; the kinds whose outputs are on one. */
#undef WIRE
#undef DATA_WIRE
#define NET_N(block) (sizeof((NET_STRUCT *)0)->block.in / sizeof((NET_STRUCT *)0)->block.in[0])
#define WIRE(from, output, to, input)                                                          \
  _Static_assert(NET_N(from) == NET_N(to), #from " and " #to ": another number of instances"); \
  _Static_assert((int)from##_bits_##output == (int)to##_bits_##input, #output " is not as wide as " #input);
#define DATA_WIRE(from, output, to, input) WIRE(from, output, to, input)
#include NET_DEF
#undef WIRE
#undef DATA_WIRE
#define WIRE(from, output, to, input) | 1u << NET_KIND(from)
#define DATA_WIRE(from, output, to, input) | 1u << NET_KIND(from)
enum {
  NET_CAT(NET, _wired) = 0
#include NET_DEF
};
#undef WIRE
#undef DATA_WIRE
#define WIRE(from, output, to, input) | (unsigned)from##_late_##output << NET_KIND(from)
#define DATA_WIRE(from, output, to, input)
enum {
  NET_CAT(NET, _late) = 0
#include NET_DEF
};

#undef WIRE
#define WIRE(from, output, to, input)

#undef TWIN
#define TWIN(system, block, count)                                                                                  \
  static void NET_CAT(NET_KIND(block), _edge)(struct twins * t, uint64_t which, uint64_t now) {                     \
    NET_STRUCT *net = (NET_STRUCT *)t;                                                                              \
    for (; which; which = NET_N(block) == 1 ? 0 : which & (which - 1)) {                                            \
      const unsigned k = NET_N(block) == 1 ? 0 : (unsigned)__builtin_ctzll(which);                                  \
      if (block##_counts && net->block.ticked[k] < now)                                                             \
        block##_skip(&net->block.state[k], now - net->block.ticked[k]);                                             \
      if (t->observed || t->stale[NET_KIND(block)] >> k & 1) block##_tick(&net->block.state[k], &net->block.in[k]); \
      else block##_advance(&net->block.state[k], &net->block.in[k], &net->block.out[k]);                            \
      if (block##_counts) net->block.ticked[k] = now + 1;                                                           \
    }                                                                                                               \
  }                                                                                                                 \
  static void NET_CAT(NET_KIND(block), _next)(struct twins * t, uint64_t which, bool evaluate) {                    \
    NET_STRUCT *net = (NET_STRUCT *)t;                                                                              \
    const bool wired = NET_CAT(NET, _wired) >> NET_KIND(block) & 1;                                                 \
    t->stale[NET_KIND(block)] |= which;                                                                             \
    for (uint64_t m = which; m; m = NET_N(block) == 1 ? 0 : m & (m - 1)) {                                          \
      const unsigned k = NET_N(block) == 1 ? 0 : (unsigned)__builtin_ctzll(m);                                      \
      NET_CAT(NET, _clear)(&net->block.in[k], NET_KIND(block));                                                     \
      if (wired && evaluate) {                                                                                      \
        twin_evaluate(t, NET_KIND(block), k);                                                                       \
      } else if (wired) {                                                                                           \
        block##_eval(&net->block.state[k], &net->block.in[k], &net->block.out[k]);                                  \
        NET_CAT(NET, _wires)(t, NET_KIND(block), k);                                                                \
      }                                                                                                             \
      if (!block##_quiet(&net->block.in[k]) || block##_idle(&net->block.state[k]) != UINT64_MAX)                    \
        t->awake[NET_KIND(block)] |= 1ull << k, t->active |= 1u << NET_KIND(block);                                 \
    }                                                                                                               \
    if (wired) t->stale[NET_KIND(block)] &= ~which;                                                                 \
  }
#include NET_DEF
#undef TWIN
#undef TWINC

/* Without an observer: the calls of twin.c, made directly. A block without a clock has one (empty) state: at is 0. */
#define NET_EVALUATE(block, at, awaken)                                                            \
  static inline void NET_CAT(NET_KIND(block), _evaluate)(NET_STRUCT * net, unsigned k) {           \
    struct twins *t = &net->t;                                                                     \
    if (t->observed) {                                                                             \
      twin_evaluate(t, NET_KIND(block), k);                                                        \
      return;                                                                                      \
    }                                                                                              \
    awaken;                                                                                        \
    NET_CAT(NET_KIND(block), _eval)(&net->block.state[at], &net->block.in[k], &net->block.out[k]); \
    t->stale[NET_KIND(block)] &= ~(1ull << k);                                                     \
    NET_CAT(NET, _wires)(t, NET_KIND(block), k);                                                   \
  }
#define TWINC(system, block, count) NET_EVALUATE(block, 0, )
#define TWIN(system, block, count)                                             \
  NET_EVALUATE(                                                                \
      block, k, if (block##_counts && net->block.ticked[k] < t->sm->now) {     \
        block##_skip(&net->block.state[k], t->sm->now - net->block.ticked[k]); \
        net->block.ticked[k] = t->sm->now;                                     \
      })
#include NET_DEF
#undef TWIN
#undef TWINC
#define TWINC(system, block, count)                                                                   \
  if (NET_CAT(NET, _late) >> NET_KIND(block) & 1)                                                     \
    for (uint64_t m = net->t.stale[NET_KIND(block)]; m; m = NET_N(block) == 1 ? 0 : m & (m - 1)) {    \
      NET_CAT(NET_KIND(block), _evaluate)(net, NET_N(block) == 1 ? 0 : (unsigned)__builtin_ctzll(m)); \
      more = true;                                                                                    \
    }
#define TWIN(system, block, count) TWINC(system, block, count)
static inline void NET_CAT(NET, _settle)(NET_STRUCT *net) {
  bool more = true;
  if (net->t.observed || !net->t.begun) {
    twins_settle(&net->t);
    return;
  }
  for (unsigned round = 0; more; round++) {
    assert(round < TWIN_ROUNDS);
    more = false;
#include NET_DEF
  }
}
#undef TWIN
#undef TWINC
static inline void NET_CAT(NET, _commit)(NET_STRUCT *net) {
  struct twins *t = &net->t;
  unsigned active;
  uint64_t ticks[NET_CAT(NET, _kinds)];
  if (t->observed || !t->begun) {
    twins_commit(t);
    return;
  }
  NET_CAT(NET, _settle)(net);
  active = t->active;
  t->active = 0;
#define TWINC(system, block, count) t->awake[NET_KIND(block)] = t->changed[NET_KIND(block)] = 0;
#define TWIN(system, block, count)                                          \
  if (active >> NET_KIND(block) & 1) {                                      \
    ticks[NET_KIND(block)] = t->awake[NET_KIND(block)];                     \
    t->awake[NET_KIND(block)] = t->changed[NET_KIND(block)] = 0;            \
    NET_CAT(NET_KIND(block), _edge)(t, ticks[NET_KIND(block)], t->sm->now); \
  }
#include NET_DEF
#undef TWIN
#undef TWINC
#define TWINC(system, block, count)
#define TWIN(system, block, count) \
  if (active >> NET_KIND(block) & 1) NET_CAT(NET_KIND(block), _next)(t, ticks[NET_KIND(block)], false);
#include NET_DEF
#undef TWIN
#undef TWINC
}
#define TWIN(system, block, count)
#define TWINC(system, block, count)
#undef BANK
#define BANK(system, block, count)                                                                                  \
  static bool NET_CAT(NET_KIND(block), _show)(struct twins * t, unsigned k) {                                       \
    const NET_STRUCT *net = (NET_STRUCT *)t;                                                                        \
    const struct observer *o = t->sm->observer;                                                                     \
    struct block s;                                                                                                 \
    struct block##_in in;                                                                                           \
    struct block##_out out;                                                                                         \
    block##_bank_unit(&net->block##_bank.state[0], &net->block##_bank.in[0], &net->block##_bank.out[0], k, &s, &in, \
                      &out);                                                                                        \
    return o->cycle(o->ctx, #system "/" #block, k, t->sm->now, &s, &in, &out);                                      \
  }                                                                                                                 \
  static void NET_CAT(NET_KIND(block), _replace)(struct twins * t, unsigned k) {                                    \
    NET_STRUCT *net = (NET_STRUCT *)t;                                                                              \
    const struct observer *o = t->sm->observer;                                                                     \
    struct block s;                                                                                                 \
    struct block##_in in;                                                                                           \
    struct block##_out out;                                                                                         \
    block##_bank_unit(&net->block##_bank.state[0], &net->block##_bank.in[0], &net->block##_bank.out[0], k, &s, &in, \
                      &out);                                                                                        \
    o->outputs(o->ctx, #system "/" #block, k, &in, &out);                                                           \
    block##_bank_put(&net->block##_bank.out[0], k, &out);                                                           \
  }
#include NET_DEF
#undef TWIN
#undef TWINC
#undef BANK
#define NET_FIELDS(block)                                                                              \
  .n = NET_N(block), .state = offsetof(NET_STRUCT, block.state), .in = offsetof(NET_STRUCT, block.in), \
  .out = offsetof(NET_STRUCT, block.out), .ticked = offsetof(NET_STRUCT, block.ticked),                \
  .in_bytes = sizeof(struct block##_in), .out_bytes = sizeof(struct block##_out),                      \
  .eval = NET_CAT(NET_KIND(block), _eval)
#define NET_CLOCKED(block)                                                                               \
  NET_FIELDS(block), .state_bytes = sizeof(struct block),                                                \
                     .control_only = offsetof(struct block##_state, control_only),                       \
                     .reset = NET_CAT(NET_KIND(block), _reset), .wait = NET_CAT(NET_KIND(block), _wait), \
                     .skip = NET_CAT(NET_KIND(block), _skip), .edge = NET_CAT(NET_KIND(block), _edge),   \
                     .next = NET_CAT(NET_KIND(block), _next)
#define TWINC(system, block, count) {.name = #system "/" #block, NET_FIELDS(block)},
#define TWIN(system, block, count) {.name = #system "/" #block, NET_CLOCKED(block)},
#define BANK(system, block, count)          \
  {.name = #system "/" #block,              \
   NET_CLOCKED(block##_bank),               \
   .units = count,                          \
   .show = NET_CAT(NET_KIND(block), _show), \
   .replace = NET_CAT(NET_KIND(block), _replace)},
static const struct twin_kind NET_CAT(NET, _kind_table)[] = {
#include NET_DEF
};
static const struct twin_net NET_CAT(NET, _twins) = {.kinds = NET_CAT(NET, _kinds),
                                                     .wired = NET_CAT(NET, _wired),
                                                     .late = NET_CAT(NET, _late),
                                                     .kind = NET_CAT(NET, _kind_table),
                                                     .drive = NET_CAT(NET, _drive)};
#undef NET_EVALUATE
#undef NET_N
#undef NET_FIELDS
#undef NET_CLOCKED
#endif

#undef PULSE
#undef LEVEL
#undef READ
#undef WIRE
#undef DATA_WIRE
#undef TWIN
#undef TWINC
#undef BANK
#undef NET_READ
#undef NET_STRUCT
#undef NET_CAT
#undef NET_CAT2
#undef NET_TABLE
#undef NET_DEF
#undef NET
