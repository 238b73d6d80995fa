/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/ptx/rules.h"

#include <stdio.h>
#include <string.h>

#define INT_32_64 (TY(U32) | TY(S32) | TY(U64) | TY(S64))
#define INT (INT_32_64 | TY(U16) | TY(S16))
#define SINT (TY(S16) | TY(S32) | TY(S64))
#define BITS (TY(B16) | TY(B32) | TY(B64))
#define FLT (TY(F32) | TY(F64))
#define HALF (TY(F16) | TY(F16X2) | TY(BF16) | TY(BF16X2))
#define CONVERT (INT | TY(U8) | TY(S8) | FLT | HALF)
#define CONVERT_FROM (INT | TY(U8) | TY(S8) | FLT | TY(F16) | TY(BF16))
#define MEMORY (INT | BITS | FLT | TY(U8) | TY(S8) | TY(B8))
#define REDUCTION (TY(B32) | TY(B64) | INT_32_64 | FLT | HALF)
#define ATOMIC (BITS | INT_32_64 | FLT | HALF)
#define MATRIX_OUT (TY(F16) | TY(F32) | TY(S32) | TY(F64))
#define MATRIX_INT (TY(U8) | TY(S8) | TY(U4) | TY(S4) | TY(B1))
#define MATRIX_IN (TY(F16) | TY(BF16) | TY(TF32) | TY(F64) | MATRIX_INT)
#define LOAD (G(SEM) | G(SCOPE) | G(SPACE) | G(CACHE) | G(EVICT) | G(VEC))

static const struct rule rules[] = {
#define RULE3(name, op, form, t0, t1, t2, groups, need, sig) \
  {name, OP_##op, FORM_##form, t0, t1, groups, need, sig, t2},
#define RULE(name, op, form, t0, t1, groups, need, sig) RULE3(name, op, form, t0, t1, 0, groups, need, sig)
#include "compiler/ptx/rules.def"
#undef RULE
#undef RULE3
};

static const struct word words[] = {
#define WORD(text, group, value) {text, G_##group, value},
#include "compiler/ptx/rules.def"
#undef WORD
};

static const char *const refusals[][2] = {
#define REFUSED(name, what) {name, what},
#include "compiler/ptx/rules.def"
#undef REFUSED
};

static bool rule_text_is(const char *a, const char *s, size_t n) { return strlen(a) == n && !memcmp(a, s, n); }

const struct rule *rule_named(const char *s, size_t n, const char **refused) {
  *refused = NULL;
  for (size_t k = 0; k < sizeof rules / sizeof rules[0]; k++)
    if (rule_text_is(rules[k].name, s, n)) return &rules[k];
  for (size_t k = 0; k < sizeof refusals / sizeof refusals[0]; k++)
    if (rule_text_is(refusals[k][0], s, n)) *refused = refusals[k][1];
  return NULL;
}

const struct rule *rule_longer(const struct rule *r, const char *modifier, size_t n) {
  const struct rule *next = r + 1;
  const size_t at = strlen(r->name);
  if (next == rules + sizeof rules / sizeof rules[0] || strncmp(next->name, r->name, at) || next->name[at] != '.')
    return NULL;
  return rule_text_is(next->name + at + 1, modifier, n) ? next : NULL;
}

const struct rule *rule_of_type(const struct rule *r, uint8_t type, uint32_t *all) {
  const char *name = r->name;
  *all = 0;
  for (; r != rules + sizeof rules / sizeof rules[0] && !strcmp(r->name, name); r++) {
    *all |= r->t0;
    if (r->t0 >> type & 1) return r;
  }
  return NULL;
}

const struct rule *rule_at(unsigned k) { return k < sizeof rules / sizeof rules[0] ? &rules[k] : NULL; }
const struct word *word_at(unsigned k) { return k < sizeof words / sizeof words[0] ? &words[k] : NULL; }
bool refusal_at(unsigned k, const char **name, const char **what) {
  if (k >= sizeof refusals / sizeof refusals[0]) return false;
  *name = refusals[k][0];
  *what = refusals[k][1];
  return true;
}

const struct word *word_named(const char *s, size_t n, uint64_t groups) {
  for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
    if ((groups >> words[k].group & 1) && rule_text_is(words[k].text, s, n)) return &words[k];
  return NULL;
}

static void rules_append(char *buf, size_t size, const char *dot, const char *text) {
  size_t n = strlen(buf);
  if (n < size) snprintf(buf + n, size - n, "%s%s%s", n ? ", " : "", dot, text);
}

const char *list_words(uint64_t groups, char *buf, size_t size) {
  buf[0] = 0;
  for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
    if ((groups >> words[k].group & 1) && !(words[k].group == G_RND && words[k].value > R_RP))
      rules_append(buf, size, ".", words[k].text);
  return buf;
}

const char *list_types(uint32_t types, char *buf, size_t size) {
  buf[0] = 0;
  for (int t = 0; t < T_COUNT; t++)
    if (types >> t & 1) rules_append(buf, size, "", type_text((enum dtype)t));
  return buf;
}
