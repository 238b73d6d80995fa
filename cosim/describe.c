/* SPDX-License-Identifier: Apache-2.0 */
/*
 * describe: the golden model of one block as data; compiled once per block with
 *   -DDESC_BLOCK=vc -DDESC_DEF='"blocks/slice/vc.def"' -DDESC_SOURCE='"blocks/slice/vc.c"' [-DDESC_COMBINATIONAL]
 * It includes the model's source, so that it knows the size of the model's own struct.
 */
#include DESC_SOURCE

#include "describe.h"

#define CAT2(a, b) a##b
#define CAT(a, b) CAT2(a, b)
#define STR2(a) #a
#define STR(a) STR2(a)
#define OF(suffix) CAT(DESC_BLOCK, suffix)
#define OF_GOLDEN CAT(golden_, DESC_BLOCK)
#define FIELD(type, f) offsetof(struct OF(type), f), sizeof(((struct OF(type) *)0)->f)

#define COMBINATIONAL {"", ITEM_COMBINATIONAL, 0, 0, 0, 0, NULL, 0},
#define ENUM(names) {names, ITEM_ENUM, 0, 0, 0, 0, NULL, 0},
#define QUIET(names) {names, ITEM_QUIET, 0, 0, 0, 0, NULL, 0},
#define PARAM(name, v) {#name, ITEM_PARAM, 0, 0, 0, 0, NULL, (v)},
#define IN(name, width) {#name, ITEM_IN, (width), 0, FIELD(_in, name), NULL, 0},
#define INW(name, width) IN(name, width)
#define OUT(name, width) {#name, ITEM_OUT, (width), 0, FIELD(_out, name), NULL, 0},
#define OUTW(name, width) OUT(name, width)
#define OUTC(name, width, depends) {#name, ITEM_OUT, (width), 0, FIELD(_out, name), depends, 0},
#define OUTCW(name, width, depends) OUTC(name, width, depends)
#define STATE(name, width) {#name, ITEM_STATE, (width), 0, FIELD(_state, name), NULL, 0},
#define STATEA(name, width, n) {#name, ITEM_STATE, (width), (n), FIELD(_state, name), NULL, 0},

static const struct item items[] = {
#include DESC_DEF
    {"", ITEM_END, 0, 0, 0, 0, NULL, 0},
};

#undef IN
#undef INW
#undef OUT
#undef OUTW
#undef OUTC
#undef OUTCW
#undef STATE
#undef STATEA
#define NARROW(name, width) _Static_assert((width) >= 1 && (width) <= 64, #name ": 1 to 64 bits, else the W form");
#define WIDE(name, width) _Static_assert((width) > 64, #name ": up to 64 bits is not the W form");
#undef COMBINATIONAL
#undef PARAM
#undef ENUM
#undef QUIET
#define COMBINATIONAL
#define ENUM(names)
#define QUIET(names)
#define PARAM(name, v)
#define IN(name, width) NARROW(name, width)
#define INW(name, width) WIDE(name, width)
#define OUT(name, width) NARROW(name, width)
#define OUTW(name, width) WIDE(name, width)
#define OUTC(name, width, depends) NARROW(name, width)
#define OUTCW(name, width, depends) WIDE(name, width)
#define STATE(name, width) NARROW(name, width)
#define STATEA(name, width, n) NARROW(name, width)
#include DESC_DEF

static void eval(const void *model, const void *in, void *out) { OF(_eval)(model, in, out); }
#ifndef DESC_COMBINATIONAL
static void reset(void *model) { OF(_reset)(model); }
static void tick(void *model, const void *in) { OF(_tick)(model, in); }
static uint64_t idle(const void *model) { return OF(_idle)(model); }
static void skip(void *model, uint64_t n) { OF(_skip)(model, n); }
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
#ifdef DESC_COMBINATIONAL
    .combinational = 1,
    .model_bytes = sizeof(struct OF(_state)),
#else
    .model_bytes = sizeof(struct DESC_BLOCK),
    .reset = reset,
    .tick = tick,
    .idle = idle,
    .skip = skip,
#endif
};
