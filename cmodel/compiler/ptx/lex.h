/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lex: PTX text to tokens, one at a time, with places. Tokens point into the text, which need not end in 0.
 * A struct lexer is a plain value: copying it saves the position.
 */
#ifndef RT_PTX_LEX_H
#define RT_PTX_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum tok {
  TK_END,
  TK_ID,    /* name, %register, $label, _ */
  TK_DOT,   /* .word or .word::word; text without the first dot */
  TK_INT,   /* value; uns: written with U, or does not fit in a signed 64-bit number */
  TK_F32,   /* 0fXXXXXXXX: value = bits */
  TK_F64,   /* 0dXXXXXXXXXXXXXXXX or 1.5e3: value = bits */
  TK_STR,   /* text without the quotes, escapes as written */
  TK_PUNCT, /* punct: one character, or two as (first << 8 | second) */
};

struct token {
  uint8_t kind;
  bool uns;
  uint16_t punct;
  int line, col;
  const char *s;
  size_t n;
  uint64_t value;
};

struct lexer {
  const char *file, *p, *end, *line_start;
  int line;
  bool llvm;   /* a comment before this place says that LLVM wrote what follows */
  bool in_asm; /* comments of LLVM place it within inline assembly, which the program's author wrote */
};

#define PUNCT2(a, b) ((a) << 8 | (b))

void lex_init(struct lexer *l, const char *file, const char *text, size_t n);
bool lex_next(struct lexer *l, struct token *t, struct err *e);
void lex_skip_line(struct lexer *l);                    /* to the end of the current line */
bool token_is(const struct token *t, const char *word); /* a name or dotted word of exactly this text */
/* What was found, for messages: "'foo'", "number 12", "end of file". buf is returned. */
const char *token_show(const struct token *t, char *buf, size_t size);

#endif
