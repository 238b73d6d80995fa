/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expect: compares a cycle's outputs and registers with the bench's prediction of all of them; generated
 * from the .def as the block's structs are. A bench defines EXPECT (name) and EXPECT_DEF (path) and includes
 * this once: static void expect_all(t, out, want, state before the edge, wanted state)
 */
#include <stddef.h>
#include <string.h>

#include "item.h"

#define EXPECT_OUT struct RT_CAT(EXPECT, _out)
#define EXPECT_STATE struct RT_CAT(EXPECT, _state)

/* Compares the elements of a port or register with the wanted ones. */
static inline void expect_item(struct tb_run *t, const struct item *i, const void *is, const void *want) {
  char name[ITEM_NAME];
  for (unsigned n = 0; n < item_count(i); n++) {
    if (item_same(i, is, want, n)) continue;
    item_name(i, n, name);
    for (unsigned w = 0; i->width > 64 && w < RT_WORDS(i->width); w++) {
      const uint32_t a = item_words(i, is, n)[w], b = item_words(i, want, n)[w];
      tb_expect(t, a == b, "%s: word %u is %08x, expected %08x", name, w, a, b);
    }
    tb_expect(t, i->width > 64, "%s is %llx, expected %llx", name, (unsigned long long)item_number(i, is, n),
              (unsigned long long)item_number(i, want, n));
  }
}

static void expect_all(struct tb_run *t, const EXPECT_OUT *out, const EXPECT_OUT *want, const EXPECT_STATE *state,
                       const EXPECT_STATE *want_state) {
  if (!memcmp(out, want, offsetof(EXPECT_OUT, end_of_ports)) &&
      !memcmp(state, want_state, offsetof(EXPECT_STATE, end_of_state))) {
    return;
  }
#define EXPECT_ONE(name_, type, is, wanted, ...)                                            \
  {                                                                                         \
    static const struct item i = {.name = #name_,                                           \
                                  .width = RT_WIDTH(__VA_ARGS__),                           \
                                  .n = RT_RANK_OF(__VA_ARGS__) ? RT_COUNT(__VA_ARGS__) : 0, \
                                  .offset = offsetof(type, name_),                          \
                                  .shape = FLAT_SHAPE(((type *)0)->name_, __VA_ARGS__)};    \
    expect_item(t, &i, is, wanted);                                                         \
  }
#define BLOCK EXPECT
#define BLOCK_DEF EXPECT_DEF
#define P(name) TB_PARAM(name)
#define OUT(name, ...) EXPECT_ONE(name, EXPECT_OUT, out, want, __VA_ARGS__)
#define STATE(name, ...) EXPECT_ONE(name, EXPECT_STATE, state, want_state, __VA_ARGS__)
#define STATEA(name, width, n) STATE(name, n, width)
#include "blocks/def.h"
#undef BLOCK
#undef BLOCK_DEF
}
