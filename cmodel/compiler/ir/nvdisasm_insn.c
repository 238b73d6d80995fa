/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nvdisasm_insn: what an instruction of machine code does to the control flow, and which registers it names. A register is a word
 * R0 to R254 anywhere in the operands: R4.CC, -R2.reuse, |R3|, [R6+0x10], c[0x3][R26]. RZ, predicates, uniform registers
 * (UR4), constants, special registers and what stands in parentheses (labels) are none.
 */
#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "base/bits.h"
#include "base/words.h"
#include "compiler/ir/nvdisasm.h"

enum { MOST_REG = 254 };

struct scan {
  const char *s;
  size_t n, at;
  struct sass_insn *i;
  struct sass_wrong *wrong;
  bool far, one;  /* its results come late; only the first register is one */
  bool front;     /* those in front of the bracket are */
  bool address;   /* behind the first [ */
  bool condition; /* a predicate or the condition code among the operands */
};

static bool sass_insn_error(struct scan *c, size_t at, const char *expected) {
  *c->wrong = (struct sass_wrong){at, expected};
  return false;
}

static size_t word_end(const struct scan *c, size_t at) {
  while (at < c->n && char_is_in_name(c->s[at])) at++;
  return at;
}

static void sass_skip_blanks(struct scan *c) {
  while (c->at < c->n && (c->s[c->at] == ' ' || c->s[c->at] == '\t')) c->at++;
}

/* "P0", "UP3" (not PT): letters, then digits. */
static bool sass_is_numbered(const struct scan *c, size_t at, size_t end, const char *letters) {
  const size_t k = strlen(letters);
  if (end - at <= k || memcmp(c->s + at, letters, k) != 0) return false;
  for (at += k; at < end; at++)
    if (!isdigit((unsigned char)c->s[at])) return false;
  return true;
}

static bool is_predicate(const struct scan *c, size_t at, size_t end) {
  return sass_is_numbered(c, at, end, "P") || sass_is_numbered(c, at, end, "UP");
}

static bool is_word(const struct scan *c, size_t at, size_t end, const char *word) {
  return end - at == strlen(word) && !memcmp(c->s + at, word, end - at);
}

/* @P0, @!P0, @PT: whether it may not be executed. */
static bool sass_take_guard(struct scan *c, bool *guarded) {
  *guarded = false;
  if (c->at == c->n || c->s[c->at] != '@') return true;
  const bool not = ++c->at < c->n && c->s[c->at] == '!';
  c->at += not ;
  const size_t end = word_end(c, c->at);
  const bool always = is_word(c, c->at, end, "PT") || is_word(c, c->at, end, "UPT");
  if (!always && !is_predicate(c, c->at, end)) return sass_insn_error(c, c->at, "a predicate");
  *guarded = !always || not ;
  c->at = end;
  sass_skip_blanks(c);
  return true;
}

/* Which of a list "BRA|EXIT" the text is; -1: none. */
static int sass_name_index(const char *list, const char *s, size_t n) {
  char word[32];
  if (n >= sizeof word) return -1;
  memcpy(word, s, n);
  word[n] = 0;
  return words_index(list, word);
}

/* The name, with its modifiers. */
static bool sass_take_mnemonic(struct scan *c, bool guarded) {
  const size_t from = c->at, end = word_end(c, from), n = end - from;
  const char *name = c->s + from;
  if (end == from || !isalpha((unsigned char)*name)) return sass_insn_error(c, from, "an instruction");
  c->i->call = sass_name_index("CAL|JCAL|CALL", name, n) >= 0;
  c->i->closes = !guarded && sass_name_index("BRA|EXIT|RET|BRK", name, n) >= 0;
  c->one = sass_name_index("TEX|TLD|TLD4|TXD|TXQ|SULD|SUATOM", name, n) >= 0;
  c->front = c->one && memchr(c->s + end, '[', c->n - end); /* TEX.F32 R4, R5, [R2, R3], as sass_write writes it */
  c->one = c->one && !c->front;
  c->far = c->one || c->front || sass_name_index("LD|LDG|LDL|ATOM|ATOMG", name, n) >= 0;
  for (c->at = end; c->at < c->n && c->s[c->at] == '.';) {
    const size_t mod = c->at + 1;
    c->at = word_end(c, mod);
    if (is_word(c, mod, c->at, "DIV") || is_word(c, mod, c->at, "CONV")) c->condition = true; /* BRA.DIV: if diverged */
  }
  return true;
}

static bool sass_take_word(struct scan *c) {
  const size_t from = c->at, end = c->at = word_end(c, from);
  if (is_predicate(c, from, end) || is_word(c, from, end, "CC")) c->condition = true;
  if (!sass_is_numbered(c, from, end, "R")) return true;
  uint32_t r = 0;
  for (size_t k = from + 1; k < end && r <= MOST_REG; k++) r = 10 * r + (uint32_t)(c->s[k] - '0');
  if (r > MOST_REG) return sass_insn_error(c, from, "a register from R0 to R254");
  set_add(c->i->regs, r);
  if (c->far && !c->address) set_add(c->i->far, r);
  if (c->one) c->far = false;
  return true;
}

/* (...), nested: labels, and comments (* ... *). */
static bool sass_take_parentheses(struct scan *c) {
  const size_t from = c->at;
  uint32_t depth = 0;
  for (; c->at < c->n; c->at++) {
    if (c->s[c->at] == '(') depth++;
    else if (c->s[c->at] == ')' && !--depth) {
      c->at++;
      return true;
    }
  }
  return sass_insn_error(c, from, "parentheses that are closed");
}

static bool sass_take_operands(struct scan *c) {
  while (c->at < c->n) {
    const char x = c->s[c->at];
    bool ok = true;
    if (x == '(') ok = sass_take_parentheses(c);
    else if (x == '.') c->at = word_end(c, c->at + 1); /* a modifier, or a label */
    else if (isdigit((unsigned char)x)) c->at = word_end(c, c->at);
    else if (char_is_in_name(x)) ok = sass_take_word(c);
    else {
      c->address |= x == '[';
      if (x == '[' && c->front) c->far = false;
      c->at++;
    }
    if (!ok) return false;
  }
  return true;
}

bool sass_insn_parse(const char *s, size_t n, struct sass_insn *i, struct sass_wrong *wrong) {
  struct scan c = {.s = s, .n = n, .i = i, .wrong = wrong};
  bool guarded;
  *i = (struct sass_insn){0};
  sass_skip_blanks(&c);
  if (!sass_take_guard(&c, &guarded) || !sass_take_mnemonic(&c, guarded) || !sass_take_operands(&c)) return false;
  if (c.condition) i->closes = false; /* BRA P0, BRA.DIV, BRA CC.LT */
  return true;
}
