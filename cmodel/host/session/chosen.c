/* SPDX-License-Identifier: Apache-2.0 */
/* chosen: see chosen.h. A kernel is named as in the PTX, or by the base name of its mangled name ("vecadd" for _Z6vecaddPKfS0_Pfi). */
#include "host/session/chosen.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/ir/code.h"

static const char expected[] =
    "expected the launches to be timed: all, none, or names of kernels and numbers of launches (3, 3-7, 3-), "
    "separated by commas";

static bool chosen_wrong(const char *item, size_t n, struct err *e) {
  return err_at(e, NULL, 0, 0, "found '%.*s', %s", n < 100 ? (int)n : 100, item, expected);
}

/* Digits from *s on, up to `end`; false: none, or above 32 bits. */
static bool chosen_read_number(const char **s, const char *end, uint32_t *out) {
  uint64_t v = 0;
  const char *from = *s;
  for (; *s < end && **s >= '0' && **s <= '9' && v <= UINT32_MAX; ++*s) v = v * 10 + (uint64_t)(**s - '0');
  *out = (uint32_t)v;
  return *s > from && v <= UINT32_MAX;
}

static bool chosen_read_range(const char *s, size_t n, struct choice_item *out) {
  const char *end = s + n;
  if (!chosen_read_number(&s, end, &out->from)) return false;
  out->to = out->from;
  if (s == end) return true;
  if (*s++ != '-') return false;
  out->to = UINT32_MAX;
  return s == end || (chosen_read_number(&s, end, &out->to) && s == end && out->from <= out->to);
}

static bool chosen_add(struct chosen *c, const char *s, size_t n, struct err *e) {
  struct choice_item item = {0};
  const bool digits = n && s[0] >= '0' && s[0] <= '9';
  const bool name = n && (isalpha((unsigned char)s[0]) || strchr("_$%", s[0]));
  if ((!digits && !name) || (digits && !chosen_read_range(s, n, &item))) return chosen_wrong(s, n, e);
  if (!digits) {
    item.kernel = xmalloc(n + 1);
    memcpy(item.kernel, s, n);
    item.kernel[n] = 0;
  }
  VEC_PUSH(c->item, c->n, c->cap) = item;
  return true;
}

static bool chosen_is_word(const char *s, size_t n, const char *word) {
  return strlen(word) == n && !memcmp(s, word, n);
}

bool chosen_read(struct chosen *c, const char *text, struct err *e) {
  *c = (struct chosen){0};
  if (!text || !strcmp(text, "all")) {
    c->all = true;
    text = "all";
  }
  c->text = xmalloc(strlen(text) + 1);
  memcpy(c->text, text, strlen(text) + 1);
  if (c->all || !strcmp(text, "none")) return true;
  for (const char *s = text;; s++) {
    const size_t n = strcspn(s, ",");
    if (chosen_is_word(s, n, "all") || chosen_is_word(s, n, "none") ? !chosen_wrong(s, n, e) : !chosen_add(c, s, n, e))
      return false;
    s += n;
    if (!*s) return true;
  }
}

static bool chosen_names_kernel(const char *wanted, const char *kernel) {
  size_t n;
  const char *base = mangled_base_name(kernel, &n);
  return !strcmp(wanted, kernel) || (base && chosen_is_word(base, n, wanted));
}

bool chosen_takes(struct chosen *c, uint32_t launch, const char *kernel) {
  bool takes = c->all;
  for (unsigned i = 0; i < c->n; i++) {
    struct choice_item *x = &c->item[i];
    if (x->kernel ? !chosen_names_kernel(x->kernel, kernel) : launch < x->from || launch > x->to) continue;
    x->met = takes = true;
  }
  return takes;
}

const char *chosen_unmet(const struct chosen *c) {
  for (unsigned i = 0; i < c->n; i++)
    if (c->item[i].kernel && !c->item[i].met) return c->item[i].kernel;
  return NULL;
}

void chosen_free(struct chosen *c) {
  for (unsigned i = 0; i < c->n; i++) free(c->item[i].kernel);
  free(c->item);
  free(c->text);
  *c = (struct chosen){0};
}
