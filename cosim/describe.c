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

#define CAT2(a, b) a##b
#define CAT(a, b) CAT2(a, b)
#define STR2(a) #a
#define STR(a) STR2(a)
#define OF(suffix) CAT(DESC_BLOCK, suffix)
#ifndef DESC_AT
#define DESC_AT DESC_BLOCK
#endif
#define OF_GOLDEN CAT(golden_, DESC_AT)
#define FIELD(type, f) offsetof(struct OF(type), f), sizeof(((struct OF(type) *)0)->f)
#define BLOCK DESC_BLOCK
#define BLOCK_DEF DESC_DEF
#ifdef DESC_SET
#define VALUE(name) CAT(SET_, name)
#else
#define VALUE(name) CAT(OF(_), name)
#endif

#define P(name) VALUE(name)
#define COMBINATIONAL {.name = "", .kind = ITEM_COMBINATIONAL},
#define PARAM(name_, v) {.name = #name_, .kind = ITEM_PARAM, .value = VALUE(name_)},
#define IN(name_, width) {#name_, ITEM_IN, (width), 0, FIELD(_in, name_), NULL, 0},
#define OUT(name_, width) {#name_, ITEM_OUT, (width), 0, FIELD(_out, name_), NULL, 0},
#define OUTC(name_, width, depends) {#name_, ITEM_OUT, (width), 0, FIELD(_out, name_), depends, 0},
#define OUTCW(name_, width, depends) OUTC(name_, width, depends)
#define STATE(name_, width) {#name_, ITEM_STATE, (width), 0, FIELD(_state, name_), NULL, 0},
#define STATEA(name_, width, n) {#name_, ITEM_STATE, (width), (n), FIELD(_state, name_), NULL, 0},
#define REG(name_, width) {#name_, ITEM_REG, (width), 0, 0, 0, NULL, 0},
#define REGA(name_, width, n) {#name_, ITEM_REG, (width), (n), 0, 0, NULL, 0},
#define RAM(name_, width, depth, ports) {#name_, ITEM_RAM, (width), (depth), 0, 0, NULL, (ports)},
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

/* every form holds its set: a port's C type is that of the widest */
#define FITS(type, name, width)                                                                \
  _Static_assert((width) >= 1 && RT_WORDS(width) * 4u <= sizeof(((struct OF(type) *)0)->name), \
                 #name ": does not fit; 1 to 64 bits, or the W form");
#define WIDE(name, most) _Static_assert((most) > 64, #name ": up to 64 bits is not the W form");
#define P(name) VALUE(name)
#define IN(name, width) FITS(_in, name, width)
#define OUT(name, width) FITS(_out, name, width)
#define STATE(name, width) FITS(_state, name, width)
#define STATEA(name, width, n)                                                                        \
  _Static_assert((width) >= 1 && (width) <= 64 && 8u * (n) <= sizeof(((struct OF(_state) *)0)->name), \
                 #name ": does not fit");
#include "blocks/def.h"
#define P(name) CAT(CAT(OF(_), name), _most)
#define INW(name, width) WIDE(name, width)
#define OUTW(name, width) WIDE(name, width)
#define STATEW(name, width) WIDE(name, width)
#include "blocks/def.h"

#ifdef DESC_SET
#define P(name) VALUE(name)
#define PARAM(name, value) VALUE(name),
static const struct OF(_params) of_set = {
#include "blocks/def.h"
    0};
#endif

static void eval(const void *model, const void *in, void *out) { OF(_eval)(model, in, out); }
#ifndef DESC_COMBINATIONAL
static void reset(void *model) {
  OF(_reset)(model);
#ifdef DESC_SET
  OF(_size)(model, &of_set);
#endif
}
static void tick(void *model, const void *in) { OF(_tick)(model, in); }
static uint64_t idle(const void *model) { return OF(_idle)(model); }
static void skip(void *model, uint64_t n) { OF(_skip)(model, n); }
static uint64_t hold(const void *model, const void *in) { return OF(_hold)(model, in); }
#endif
#ifdef DESC_SET
static const uint64_t *sizes(const void *model) { return (const uint64_t *)&((const struct DESC_BLOCK *)model)->size; }
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
    .eval = eval,
#ifdef DESC_SET
    .set = STR(DESC_SET),
    .sizes = sizes,
#endif
#ifdef DESC_COMBINATIONAL
    .combinational = 1,
    .model_bytes = sizeof(struct OF(_state)),
#else
    .model_bytes = sizeof(struct DESC_BLOCK),
    .reset = reset,
    .tick = tick,
    .idle = idle,
    .skip = skip,
    .hold = hold,
    .control_only = offsetof(struct OF(_state), control_only),
#endif
};
