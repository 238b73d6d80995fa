/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expect: compares a cycle's outputs and registers with the bench's prediction of all of them; generated
 * from the .def as the block's structs are. A bench defines EXPECT (name) and EXPECT_DEF (path) and includes
 * this once: static void expect_all(t, out, want, state before the edge, wanted state)
 */
#include <stddef.h>
#include <string.h>

#define EXPECT_OUT struct RT_CAT(EXPECT, _out)
#define EXPECT_STATE struct RT_CAT(EXPECT, _state)

static inline void expect_words(struct tb_run *t, const char *name, const uint32_t *is, const uint32_t *want,
                                unsigned n) {
  for (unsigned i = 0; i < n; i++) {
    tb_expect(t, is[i] == want[i], "%s: word %u is %08x, expected %08x", name, i, is[i], want[i]);
  }
}

static void expect_all(struct tb_run *t, const EXPECT_OUT *out, const EXPECT_OUT *want, const EXPECT_STATE *state,
                       const EXPECT_STATE *want_state) {
  if (!memcmp(out, want, offsetof(EXPECT_OUT, end_of_ports)) &&
      !memcmp(state, want_state, offsetof(EXPECT_STATE, end_of_state))) {
    return;
  }
#define EXPECT_ONE(name, is, wanted)                                                        \
  tb_expect(t, (is) == (wanted), #name " is %llx, expected %llx", (unsigned long long)(is), \
            (unsigned long long)(wanted));
#define BLOCK EXPECT
#define BLOCK_DEF EXPECT_DEF
#define P(name) TB_PARAM(name)
#define OUT(name, width) EXPECT_ONE(name, out->name, want->name)
#define OUTW(name, width) expect_words(t, #name, out->name, want->name, RT_WORDS(width));
#define STATE(name, width) EXPECT_ONE(name, state->name, want_state->name)
#define STATEW(name, width) expect_words(t, #name, state->name, want_state->name, RT_WORDS(width));
#define STATEA(name, width, n) \
  for (unsigned i = 0; i < (n); i++) EXPECT_ONE(name, state->name[i], want_state->name[i])
#include "blocks/def.h"
#undef BLOCK
#undef BLOCK_DEF
}
