/* SPDX-License-Identifier: Apache-2.0 */
/* about: see about.h. */
#include "compiler/ptx/about.h"

#include <stdio.h>
#include <string.h>

#include "compiler/ir/code.h"
#include "compiler/ptx/rules.h"

static const char *const unit_name[CLS_COUNT] = {
    [CLS_INT] = "int", [CLS_IMUL] = "imul",     [CLS_SP] = "sp",   [CLS_DP] = "dp",     [CLS_SFU] = "sfu",
    [CLS_DIV] = "div", [CLS_TENSOR] = "tensor", [CLS_LSU] = "lsu", [CLS_CTRL] = "ctrl", [CLS_TEX] = "tex"};

/* Classes, a bit each, of one operation of ours with these types; under .approx and .full, too, if it takes them. */
static unsigned classes_of(const struct rule *r, uint8_t op, uint8_t type, uint8_t stype) {
  static const struct {
    uint64_t group;
    uint32_t mods;
  } ways[] = {{G(APPROX), M_APPROX}, {G(FULL), M_FULL}};
  struct insn i = {.op = op, .type = type, .stype = stype, .vec = 1};
  const bool approx = r->need & G(APPROX);
  unsigned of = 0;
  if (op == OP_CPASYNC) { /* the copy, and its groups */
    of |= 1u << insn_class(&i);
    i.sub = ASYNC_WAIT;
  }
  if (!approx) of |= 1u << insn_class(&i);
  for (unsigned k = 0; k < 2; k++) {
    i.mods = ways[k].mods;
    if (r->groups & ways[k].group) of |= 1u << insn_class(&i);
  }
  return of;
}

/* 0: it becomes other instructions. */
static unsigned about_rule_classes(const struct rule *r, uint8_t type) {
  switch (r->op) {
    case OP_CVTA:
    case OP_ISSPACEP:
    case OP_ISTYPEP: return 1u << CLS_INT;
    case OP_RET: return 1u << CLS_CTRL;
    case OP_BRX: return 1u << CLS_INT | 1u << CLS_CTRL;
    default: break;
  }
  if (r->op >= OP_COUNT) return 0;
  unsigned of = 0;
  for (unsigned s = 0; s < T_COUNT; s++)
    if (r->t1 ? r->t1 >> s & 1 : s == T_NONE) of |= classes_of(r, r->op, type, (uint8_t)s);
  return of;
}

static void about_append(char *buf, size_t size, const char *between, const char *text) {
  const size_t n = strlen(buf);
  if (n < size) snprintf(buf + n, size - n, "%s%s", n ? between : "", text);
}

static void put_units(unsigned of, char *buf, size_t size) {
  buf[0] = 0;
  for (unsigned c = 0; c < CLS_COUNT; c++)
    if (of >> c & 1) about_append(buf, size, ", ", unit_name[c]);
  if (!of) about_append(buf, size, ", ", "others");
}

static void put_modifiers(const struct rule *r, char *buf, size_t size) {
  buf[0] = 0;
  for (unsigned g = 0; g < G_COUNT; g++) {
    if (!(r->groups >> g & 1)) continue;
    const bool needed = r->need >> g & 1;
    char words[512] = "", text[600];
    unsigned n = 0;
    const struct word *w;
    for (unsigned k = 0; (w = word_at(k)); k++) {
      if (w->group != g || (g == G_RND && w->value > R_RP && r->op != OP_CVT) || (g == G_SCOPE && w->value) ||
          (g == G_ATOM && r->op == OP_VABSDIFF4 && w->value != ATOM_ADD))
        continue;
      char one[48];
      snprintf(one, sizeof one, ".%s", w->text);
      about_append(words, sizeof words, ", ", one);
      n++;
    }
    snprintf(text, sizeof text, needed ? n > 1 ? "(%s)" : "%s" : "{%s}", words);
    about_append(buf, size, " ", text);
  }
}

bool ptx_row(unsigned k, struct ptx_row *out) {
  const struct rule *r;
  for (unsigned n = 0; (r = rule_at(n)); n++) {
    uint64_t left = r->t0 ? r->t0 : 1u << T_NONE; /* types that no row has yet */
    while (left) {
      unsigned t = 0;
      while (!(left >> t & 1)) t++;
      const unsigned of = about_rule_classes(r, (uint8_t)t);
      uint32_t here = 0;
      for (unsigned u = t; u < T_COUNT; u++)
        if (left >> u & 1 && about_rule_classes(r, (uint8_t)u) == of) here |= 1u << u;
      left &= ~(uint64_t)here;
      if (k--) continue;
      *out = (struct ptx_row){.name = r->name};
      list_types(r->t0 ? here : 0, out->types, sizeof out->types);
      list_types(r->t1, out->second, sizeof out->second);
      list_types(r->t2, out->third, sizeof out->third);
      put_modifiers(r, out->modifiers, sizeof out->modifiers);
      put_units(of, out->unit, sizeof out->unit);
      return true;
    }
  }
  return false;
}

bool ptx_refusal(unsigned k, const char **name, const char **what) { return refusal_at(k, name, what); }
