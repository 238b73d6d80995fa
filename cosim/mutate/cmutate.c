/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmutate: seeded faults in a C golden model, as Yosys's mutate makes them in the RTL.
 *   cmutate list FILE        one fault per line: number, line, column, kind, "found -> put"
 *   cmutate apply FILE N     the source with fault N
 * It works on tokens, so layout and #line numbers stay. Comments, strings, preprocessor lines and checks
 * (assert, BLOCK_RULE, BLOCK_INVARIANT) are left alone, as are the sizes of declared arrays, B_idle, B_skip
 * and end_of_ports. A fault that the compiler rejects is no mutant; the caller does not count it.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/show.h"

struct token {
  size_t at, n;
  enum { WORD, NUMBER, MARK, OTHER } kind;
};
struct fault {
  size_t at, n; /* replaces these bytes */
  const char *kind;
  char put[64];
};

static char *text;
static size_t size;
static struct token *t;
static size_t n_t;
static struct fault *faults;
static size_t n_f;

static void *cmutate_checked(void *p) {
  if (!p) fprintf(stderr, "cmutate: out of memory\n"), exit(2);
  return p;
}

static void token_add(size_t at, size_t n, int kind) {
  t = cmutate_checked(realloc(t, (n_t + 1) * sizeof *t));
  t[n_t++] = (struct token){at, n, kind};
}

static void cmutate_read_file(const char *path) {
  FILE *f = fopen(path, "rb");
  if (!f) perror(SHOWN(path)), exit(2);
  size_t got, room = 1 << 16;
  text = cmutate_checked(malloc(room + 1));
  while ((got = fread(text + size, 1, room - size, f)) > 0) {
    size += got;
    if (size == room) text = cmutate_checked(realloc(text, (room *= 2) + 1));
  }
  text[size] = 0;
  fclose(f);
}

static size_t past_string(size_t i) {
  char quote = text[i++];
  while (i < size && text[i] != quote) i += text[i] == '\\' ? 2 : 1;
  return i < size ? i + 1 : size;
}

static size_t past_line(size_t i) {
  while (i < size && text[i] != '\n') i += text[i] == '\\' && text[i + 1] == '\n' ? 2 : 1;
  return i;
}

static size_t mark_length(size_t i) {
  static const char *const marks[] = {"<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=",
                                      "&&",  "||",  "+=",  "-=", "*=", "/=", "%=", "&=", "|=", "^=", NULL};
  for (unsigned k = 0; marks[k]; k++) {
    if (!strncmp(text + i, marks[k], strlen(marks[k]))) return strlen(marks[k]);
  }
  return 1;
}

static void tokens_scan(void) {
  bool fresh = true; /* nothing but blanks on this line yet */
  for (size_t i = 0; i < size;) {
    unsigned char c = (unsigned char)text[i];
    size_t from = i;
    if (c == '\n') fresh = true;
    if (isspace(c)) {
      i++;
      continue;
    }
    if (c == '#' && fresh) {
      i = past_line(i);
      continue;
    }
    fresh = false;
    if (c == '/' && text[i + 1] == '/') {
      i = past_line(i);
    } else if (c == '/' && text[i + 1] == '*') {
      const char *end = strstr(text + i + 2, "*/");
      i = end ? (size_t)(end - text) + 2 : size;
    } else if (c == '"' || c == '\'') {
      i = past_string(i);
      token_add(from, i - from, OTHER);
    } else if (isdigit(c)) {
      while (isalnum((unsigned char)text[i])) i++;
      token_add(from, i - from, NUMBER);
    } else if (isalpha(c) || c == '_') {
      while (isalnum((unsigned char)text[i]) || text[i] == '_') i++;
      token_add(from, i - from, WORD);
    } else {
      i += mark_length(i);
      token_add(from, i - from, MARK);
    }
  }
}

static bool tokens_match(size_t k, const char *s) {
  return k < n_t && t[k].n == strlen(s) && !memcmp(text + t[k].at, s, t[k].n);
}

static bool token_ends_in(size_t k, const char *s) {
  size_t n = strlen(s);
  return t[k].n >= n && !memcmp(text + t[k].at + t[k].n - n, s, n);
}

static void fault_add(size_t at, size_t n, const char *kind, const char *put) {
  faults = cmutate_checked(realloc(faults, (n_f + 1) * sizeof *faults));
  faults[n_f] = (struct fault){at, n, kind, ""};
  snprintf(faults[n_f++].put, sizeof faults->put, "%s", put);
}

/* The token past the bracket that closes the one at k. */
static size_t token_past_bracket(size_t k) {
  int depth = 0;
  for (; k < n_t; k++) {
    if (tokens_match(k, "(") || tokens_match(k, "[") || tokens_match(k, "{")) depth++;
    if (tokens_match(k, ")") || tokens_match(k, "]") || tokens_match(k, "}")) depth--;
    if (!depth) return k + 1;
  }
  return n_t;
}

/* Is the symbol at k a binary operator: does an operand end before it? "(type) *p" looks the same; the compiler
 * rejects that. */
static bool token_is_binary(size_t k) {
  if (!k) return false;
  if (t[k - 1].kind == NUMBER) return true;
  if (t[k - 1].kind == WORD) return !tokens_match(k - 1, "return") && !tokens_match(k - 1, "case");
  return tokens_match(k - 1, ")") || tokens_match(k - 1, "]");
}

static const char *const types[] = {"void",    "int",     "unsigned", "bool",    "char",     "long",     "const",
                                    "struct",  "enum",    "static",   "uint8_t", "uint16_t", "uint32_t", "uint64_t",
                                    "int32_t", "int64_t", "size_t",   "inline",  "extern",   NULL};
static bool token_is_type(size_t k) {
  for (unsigned i = 0; types[i]; i++)
    if (tokens_match(k, types[i])) return true;
  return false;
}

static void faults_of_operator(size_t k) {
  static const struct {
    const char *from, *kind, *to[3];
  } swap[] = {{"<", "relation", {"<=", ">="}}, {"<=", "relation", {"<", ">"}},
              {">", "relation", {">=", "<="}}, {">=", "relation", {">", "<"}},
              {"==", "relation", {"!="}},      {"!=", "relation", {"=="}},
              {"&&", "logic", {"||"}},         {"||", "logic", {"&&"}},
              {"+", "arithmetic", {"-"}},      {"-", "arithmetic", {"+"}},
              {"*", "arithmetic", {"+"}},      {"/", "arithmetic", {"*"}},
              {"%", "arithmetic", {"/"}},      {"&", "bits", {"|"}},
              {"|", "bits", {"&", "^"}},       {"^", "bits", {"|"}},
              {"<<", "shift", {">>"}},         {">>", "shift", {"<<"}},
              {"+=", "assign", {"-="}},        {"-=", "assign", {"+="}},
              {"|=", "assign", {"=", "&="}},   {"&=", "assign", {"=", "|="}},
              {"^=", "assign", {"|="}},        {"<<=", "assign", {">>="}},
              {">>=", "assign", {"<<="}},      {"++", "step", {"--"}},
              {"--", "step", {"++"}}};
  for (unsigned i = 0; i < sizeof swap / sizeof *swap; i++) {
    if (!tokens_match(k, swap[i].from)) continue;
    bool unary = strchr("*&-+", swap[i].from[0]) && !swap[i].from[1];
    if (unary && (!token_is_binary(k) || (k && token_is_type(k - 1)))) return;
    /* "struct vc *s" is no product */
    if (tokens_match(k, "*") && k > 1 && tokens_match(k - 2, "struct")) return;
    for (unsigned n = 0; n < 3 && swap[i].to[n]; n++) fault_add(t[k].at, t[k].n, swap[i].kind, swap[i].to[n]);
    return;
  }
}

static void faults_of_constant(size_t k) {
  char put[64];
  char *end;
  unsigned long long v = strtoull(text + t[k].at, &end, 0);
  int suffix = (int)(text + t[k].at + t[k].n - end);
  if (suffix < 0 || suffix > 4 || *end == '.') return;
  snprintf(put, sizeof put, "%llu%.*s", v + 1, suffix, end);
  fault_add(t[k].at, t[k].n, "constant", put);
  if (!v) return;
  snprintf(put, sizeof put, "%llu%.*s", v - 1, suffix, end);
  fault_add(t[k].at, t[k].n, "constant", put);
}

/* if (c) and while (c): c negated; by the bracket, so that the text grows only in place. */
static void fault_of_condition(size_t k) {
  if (tokens_match(k + 1, "(")) fault_add(t[k + 1].at, 1, "condition", "(!");
}

/* An expression statement from k: deleted. Whole statements are replaced by blanks, kept in `put` as "". */
static void fault_of_statement(size_t k) {
  if (k >= n_t || t[k].kind != WORD || token_is_type(k) || tokens_match(k + 1, ":")) return;
  static const char *const not [] = {
      "return",         "if",       "for",  "while", "do",      "switch", "case",       "default",
      "break",          "continue", "else", "goto",  "typedef", "assert", "BLOCK_RULE", "BLOCK_INVARIANT",
      "_Static_assert", NULL};
  for (unsigned i = 0; not [i]; i++)
    if (tokens_match(k, not [i])) return;
  if (t[k + 1].kind == WORD) return; /* a declaration with a type of its own */
  size_t end = k;
  while (end < n_t && !tokens_match(end, ";")) {
    if (tokens_match(end, "{") || tokens_match(end, "}") || tokens_match(end, "end_of_ports")) return;
    end = tokens_match(end, "(") || tokens_match(end, "[") ? token_past_bracket(end) : end + 1;
  }
  if (end < n_t) fault_add(t[k].at, t[end].at - t[k].at, "deletion", "");
}

static void faults_find(void) {
  int depth = 0; /* of braces: faults are in bodies only */
  int round = 0;
  size_t body = 0;
  bool array = false;
  for (size_t k = 0; k < n_t; k++) {
    if (tokens_match(k, "assert") || tokens_match(k, "BLOCK_RULE") || tokens_match(k, "BLOCK_INVARIANT") ||
        tokens_match(k, "_Static_assert")) {
      k = token_past_bracket(k + 1) - 1;
      continue;
    }
    /* idle may return less than possible, which no run can detect; the engine checks the rest (idle.c) */
    if (!depth && t[k].kind == WORD && tokens_match(k + 1, "(") &&
        (token_ends_in(k, "_idle") || token_ends_in(k, "_skip"))) {
      k = token_past_bracket(token_past_bracket(k + 1)) - 1;
      continue;
    }
    if (depth && tokens_match(k, "->") && tokens_match(k + 1, "end_of_ports")) { /* no port */
      while (k < n_t && !tokens_match(k, ";")) k++;
      continue;
    }
    if ((tokens_match(k, "struct") || tokens_match(k, "enum")) &&
        (tokens_match(k + 2, "{") || tokens_match(k + 1, "{"))) {
      k = token_past_bracket(tokens_match(k + 1, "{") ? k + 1 : k + 2) - 1;
      continue;
    }
    if (tokens_match(k, "{")) depth++;
    if (tokens_match(k, "}")) depth--;
    if (!depth) continue;
    /* [..] after a declared name */
    if (tokens_match(k, "[") && k > 1 && (token_is_type(k - 2) || tokens_match(k - 2, "*"))) array = true;
    if (tokens_match(k, "]")) array = false;
    if (array) continue;
    if (t[k].kind == MARK) faults_of_operator(k);
    if (t[k].kind == NUMBER) faults_of_constant(k);
    if (tokens_match(k, "if") || tokens_match(k, "while")) fault_of_condition(k);
    if (tokens_match(k, "if") || tokens_match(k, "while") || tokens_match(k, "for"))
      body = token_past_bracket(k + 1); /* its statement, where that has no braces */
    if (tokens_match(k, "(")) round++;
    if (tokens_match(k, ")")) round--;
    if (!round && k &&
        (tokens_match(k - 1, ";") || tokens_match(k - 1, "{") || tokens_match(k - 1, "}") ||
         tokens_match(k - 1, "else") || k == body))
      fault_of_statement(k);
  }
}

static void fault_place(size_t at, unsigned *line, unsigned *column) {
  *line = *column = 1;
  for (size_t i = 0; i < at; i++) {
    if (text[i] == '\n') ++*line, *column = 1;
    else ++*column;
  }
}

int main(int argc, char **argv) {
  bool list = argc == 3 && !strcmp(argv[1], "list");
  if (!list && (argc != 4 || strcmp(argv[1], "apply")))
    return fprintf(stderr, "usage: cmutate list FILE | apply FILE N\n"), 2;
  cmutate_read_file(argv[2]);
  tokens_scan();
  faults_find();
  if (list) {
    for (size_t i = 0; i < n_f; i++) {
      unsigned line, column;
      fault_place(faults[i].at, &line, &column);
      size_t n = faults[i].n < 60 ? faults[i].n : 60;
      char found[64] = "";
      for (size_t k = 0; k < n; k++) found[k] = text[faults[i].at + k] < ' ' ? ' ' : text[faults[i].at + k];
      printf("%zu\t%u\t%u\t%s\t%s -> %s\n", i, line, column, faults[i].kind, found, faults[i].put);
    }
    return 0;
  }
  size_t n = strtoul(argv[3], NULL, 10);
  if (n >= n_f) return fprintf(stderr, "cmutate: %s has %zu faults\n", SHOWN(argv[2]), n_f), 2;
  struct fault *f = &faults[n];
  fwrite(text, 1, f->at, stdout);
  if (!strcmp(f->kind, "condition")) {
    size_t k = 0;
    while (t[k].at != f->at) k++;
    size_t end = t[token_past_bracket(k) - 1].at;
    printf("(!(%.*s))", (int)(end - f->at - 1), text + f->at + 1);
    fwrite(text + end + 1, 1, size - end - 1, stdout);
    return 0;
  }
  fputs(f->put, stdout);
  fwrite(text + f->at + f->n, 1, size - f->at - f->n, stdout);
  return 0;
}
