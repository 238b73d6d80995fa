/* SPDX-License-Identifier: Apache-2.0 */
/*
 * describe: the golden model of one block, at one of its sets, as data; compiled once per block and set with
 *   -DDESC_BLOCK=vc -DDESC_DEF='"blocks/slice/vc.def"' -DDESC_SOURCE='"blocks/slice/vc.c"' [-DDESC_COMBINATIONAL]
 *   [-DDESC_SET=kb64 -DDESC_AT=fsmon_kb64 -DSET_NumEntries=512 ...]
 * It includes the model's source, so that it knows the size of the model's own struct; for a set that is not the first
 * the header is enough. DESC_AT is the name that the set's struct block_desc ends in; without one it is the block's.
 */
#include DESC_SOURCE

#include <stddef.h>
#include <string.h>

#include "describe.h"
#include "block_names.h"

#define OF_GOLDEN CAT(golden_, DESC_AT)
#define FIELD(type, f) .offset = offsetof(struct OF(type), f), .bytes = sizeof(((struct OF(type) *)0)->f)
#define STIM(type, f) .stim_offset = offsetof(struct stim_##type, f), .stim_bytes = sizeof(((struct stim_##type *)0)->f)

/* A cycle's inputs and a state as they lie in a stream's file: flat, as long as the largest set needs. A register of an array has
 * 8 bytes, or words. */
#define P(name) CAT(CAT(OF(_), name), _most)
#define IN(name, ...) RT_FLAT(RT_BITS(__VA_ARGS__)) name;
struct stim_in {
#include "blocks/def.h"
  uint64_t end_of_ports;
};
#define P(name) CAT(CAT(OF(_), name), _most)
#define STATE(name, ...) RT_FLAT(RT_BITS(__VA_ARGS__)) name;
#define ARRAY(name, ...) RT_FLAT(RT_WIDTH(__VA_ARGS__)) name[RT_COUNT(__VA_ARGS__)];
#define STATEA(name, width, n) ARRAY(name, n, width)
struct stim_state {
#include "blocks/def.h"
  uint64_t end_of_state, control_only;
};

#define P(name) VALUE(name)
#define COMBINATIONAL {.name = "", .kind = ITEM_COMBINATIONAL},
#define PARAM(name_, v) {.name = #name_, .kind = ITEM_PARAM, .value = VALUE(name_)},
#define PORT(name_, kind_, type, depends_, array_, stim, ...)       \
  {.name = #name_,                                                  \
   .kind = kind_,                                                   \
   .width = RT_WIDTH(__VA_ARGS__),                                  \
   .n = RT_RANK_OF(__VA_ARGS__) ? RT_COUNT(__VA_ARGS__) : 0,        \
   FIELD(type, name_),                                              \
   .depends = depends_,                                             \
   .shape = FLAT_SHAPE(((struct OF(type) *)0)->name_, __VA_ARGS__), \
   .array = array_,                                                 \
   stim},
#define IN(name_, ...) PORT(name_, ITEM_IN, _in, NULL, 0, STIM(in, name_), __VA_ARGS__)
#define OUT(name_, ...) PORT(name_, ITEM_OUT, _out, NULL, 0, .stim_bytes = 0, __VA_ARGS__)
#define OUTC(name_, ...) \
  PORT(name_, ITEM_OUT, _out, RT_DEPENDS(__VA_ARGS__), 0, .stim_bytes = 0, RT_BEFORE(__VA_ARGS__))
#define STATE(name_, ...) PORT(name_, ITEM_STATE, _state, NULL, 0, STIM(state, name_), __VA_ARGS__)
#define ARRAY(name_, ...) PORT(name_, ITEM_STATE, _state, NULL, 1, STIM(state, name_), __VA_ARGS__)
#define STATEA(name_, width, n) ARRAY(name_, n, width)
#define REG(name_, width_) {.name = #name_, .kind = ITEM_REG, .width = (width_)},
#define REGA(name_, width_, n_) {.name = #name_, .kind = ITEM_REG, .width = (width_), .n = (n_)},
#define RAM(name_, width_, depth, ports) \
  {.name = #name_, .kind = ITEM_RAM, .width = (width_), .n = (depth), .value = (ports)},
#define PART(name_) {.name = #name_, .kind = ITEM_PART},
#define NAMED(value, constant, shown) #value "=" #shown " "
#define ENUM(tag, values) {.name = values, .kind = ITEM_ENUM},
#define DATA(names) {.name = names, .kind = ITEM_DATA},
#define ZERO(port) #port " "
#define QUIET(zeros) {.name = zeros, .kind = ITEM_QUIET},
#define LOOSE(names) {.name = names, .kind = ITEM_LOOSE},

static const struct item items[] = {
#include "blocks/def.h"
    {.name = "", .kind = ITEM_END},
};

/* each member holds this set's shape */
#define FITS(type, name, ...) \
  static_assert(FLAT_FITS(((struct OF(type) *)0)->name, __VA_ARGS__), #name ": does not fit its C type at this set");
#define P(name) VALUE(name)
#define SIZE(name, value, most) static_assert(VALUE(name) <= (most), "SIZE(" #name "): above its most at this set");
#define IN(name, ...) FITS(_in, name, __VA_ARGS__)
#define OUT(name, ...) FITS(_out, name, __VA_ARGS__)
#define STATE(name, ...) FITS(_state, name, __VA_ARGS__)
#define STATEA(name, width, n) FITS(_state, name, n, width)
#include "blocks/def.h"

#ifdef DESC_SET
#define P(name) VALUE(name)
#define PARAM(name, value) VALUE(name),
static const struct OF(_params) of_set = {
#include "blocks/def.h"
    0};
#endif

static void desc_eval(const void *model, const void *in, void *out) { OF(_eval)(model, in, out); }
#ifndef DESC_COMBINATIONAL
static void desc_reset(void *model) {
  OF(_reset)(model);
#ifdef DESC_SET
  OF(_size)(model, &of_set);
#endif
}
static void desc_tick(void *model, const void *in) { OF(_tick)(model, in); }
static uint64_t desc_idle(const void *model) { return OF(_idle)(model); }
static void desc_skip(void *model, uint64_t n) { OF(_skip)(model, n); }
static uint64_t desc_hold(const void *model, const void *in) { return OF(_hold)(model, in); }
#endif
#ifdef DESC_SET
static const uint64_t *desc_sizes(const void *model) {
  return (const uint64_t *)&((const struct DESC_BLOCK *)model)->size;
}

static void item_at_sizes(struct item *i, unsigned width, unsigned rank, const unsigned *dim) {
  i->width = width;
  i->n = rank ? 1 : 0;
  for (unsigned r = 0; r < rank; r++) i->n *= i->shape.dim[r] = dim[r];
}

/* The lines of the .def in their order, as in the table of items. */
static void items_at(const uint64_t *sizes, struct item *to) {
  const struct OF(_params) *p = (const void *)sizes;
#define AT_SIZES(...)                                                           \
  item_at_sizes(to++, (unsigned)RT_WIDTH(__VA_ARGS__), RT_RANK_OF(__VA_ARGS__), \
                (const unsigned[RT_RANK + 1]){RT_LIST(__VA_ARGS__)});
#define P(name) (unsigned)p->name
#define COMBINATIONAL to++;
#define PARAM(name, v) to++->value = (long long)p->name;
#define IN(name, ...) AT_SIZES(__VA_ARGS__)
#define OUT(name, ...) AT_SIZES(__VA_ARGS__)
#define STATE(name, ...) AT_SIZES(__VA_ARGS__)
#define STATEA(name, width, n) AT_SIZES(n, width)
#define REG(name, width) to++;
#define REGA(name, width, n) to++;
#define RAM(name, width, depth, ports) to++;
#define PART(name) to++;
#define ENUM(tag, values) to++;
#define DATA(names) to++;
#define QUIET(zeros) to++;
#define LOOSE(names) to++;
#include "blocks/def.h"
  (void)p, (void)to;
}
#endif

/* golden_vc; and under the name that a runner, which has one block only, knows */
extern const struct block_desc OF_GOLDEN;
extern const struct block_desc block_golden __attribute__((weak, alias(STR(OF_GOLDEN))));
const struct block_desc OF_GOLDEN = {
    .name = STR(DESC_BLOCK),
    .item = items,
    .items = sizeof items / sizeof items[0] - 1,
    .in_bytes = sizeof(struct OF(_in)),
    .out_bytes = sizeof(struct OF(_out)),
    .state_bytes = sizeof(struct OF(_state)),
    .stim_in_bytes = sizeof(struct stim_in),
    .stim_state_bytes = sizeof(struct stim_state),
    .eval = desc_eval,
#ifdef DESC_SET
    .set = STR(DESC_SET),
    .sizes = desc_sizes,
    .items_at = items_at,
#endif
#ifdef DESC_COMBINATIONAL
    .combinational = 1,
    .model_bytes = sizeof(struct OF(_state)),
#else
    .model_bytes = sizeof(struct DESC_BLOCK),
    .reset = desc_reset,
    .tick = desc_tick,
    .idle = desc_idle,
    .skip = desc_skip,
    .hold = desc_hold,
    .control_only = offsetof(struct OF(_state), control_only),
#endif
};
