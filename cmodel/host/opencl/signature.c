/* SPDX-License-Identifier: Apache-2.0 */
/* signature: see signature.h. The texts may come from a program's binary: nothing in them is trusted. */
#define _GNU_SOURCE
#include "host/opencl/signature.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PARAMETERS = 4096 };

/* ---- lists ---- */

void signatures_free(struct signatures *s) {
  for (unsigned k = 0; k < s->n; k++) {
    for (unsigned i = 0; i < s->kernel[k].n; i++) {
      free(s->kernel[k].parameter[i].type);
      free(s->kernel[k].parameter[i].name);
    }
    free(s->kernel[k].parameter);
    free(s->kernel[k].name);
  }
  free(s->kernel);
  memset(s, 0, sizeof *s);
}

static struct signature *signature_find_name(const struct signatures *s, const char *name, size_t n) {
  for (unsigned k = 0; k < s->n; k++) {
    if (!strncmp(s->kernel[k].name, name, n) && !s->kernel[k].name[n]) return &s->kernel[k];
  }
  return NULL;
}
const struct signature *signature_find(const struct signatures *s, const char *name) {
  return signature_find_name(s, name, strlen(name));
}

/* A new kernel with `count` parameters; NULL: no memory. */
static struct signature *add_kernel(struct signatures *s, const char *name, size_t n, unsigned count) {
  if (s->n == s->cap) {
    unsigned cap = s->cap ? 2 * s->cap : 8;
    struct signature *more = realloc(s->kernel, cap * sizeof *more);
    if (!more) return NULL;
    s->kernel = more;
    s->cap = cap;
  }
  struct signature *k = &s->kernel[s->n];
  memset(k, 0, sizeof *k);
  k->name = strndup(name, n);
  k->parameter = calloc(count ? count : 1, sizeof *k->parameter);
  if (!k->name || !k->parameter) {
    free(k->name);
    free(k->parameter);
    return NULL;
  }
  k->n = count;
  s->n++;
  return k;
}

static enum arg_space of_type(enum arg_space space, const char *type) {
  if (!type) return space;
  if (!strncmp(type, "image", 5)) return ARG_IMAGE;
  if (!strcmp(type, "sampler_t")) return ARG_SAMPLER;
  return space;
}

/* ---- LLVM IR ---- */

struct ir {
  const char *text, *end;
  const char **node; /* of each number of metadata: behind "!N = " */
  unsigned nodes;
};

static const char *signature_line_end(const char *p, const char *end) {
  const char *e = memchr(p, '\n', (size_t)(end - p));
  return e ? e : end;
}

/* "!12 = !{...": the number; -1: another line. */
static long node_number(const char *p) {
  if (p[0] != '!' || !isdigit((unsigned char)p[1])) return -1;
  char *after;
  long n = strtol(p + 1, &after, 10);
  return n >= 0 && n < 1 << 24 && !strncmp(after, " = ", 3) ? n : -1;
}

static bool read_nodes(struct ir *ir) {
  for (int pass = 0; pass < 2; pass++) {
    for (const char *p = ir->text; p < ir->end; p = signature_line_end(p, ir->end) + 1) {
      long n = node_number(p);
      if (n < 0) continue;
      if (pass) ir->node[n] = strchr(p, '=') + 2;
      else if ((unsigned)n >= ir->nodes) ir->nodes = (unsigned)n + 1;
    }
    if (!pass && !(ir->node = calloc(ir->nodes + 1u, sizeof *ir->node))) return false;
  }
  return true;
}

/* The items of node "!key !N" in the line [p, end); NULL: there is none. */
static const char *node_items(const struct ir *ir, const char *p, const char *end, const char *key) {
  size_t n = strlen(key);
  for (; p + n + 2 < end && (p = memchr(p, '!', (size_t)(end - p))); p++) {
    if ((size_t)(end - p) < n + 4 || strncmp(p + 1, key, n) || strncmp(p + 1 + n, " !", 2)) continue;
    unsigned long at = strtoul(p + n + 3, NULL, 10);
    return at < ir->nodes && ir->node[at] && !strncmp(ir->node[at], "!{", 2) ? ir->node[at] + 2 : NULL;
  }
  return NULL;
}

/* The next item of a node: a number or a string, which is left as it is written. False: the last was read. */
static bool next_item(const char **at, const char **text, size_t *n) {
  const char *p = *at;
  if (!p) return false;
  while (*p == ',' || *p == ' ') p++;
  if (!strncmp(p, "i32 ", 4)) {
    *text = p + 4;
    p += 4 + (*n = strspn(p + 4, "-0123456789"));
  } else if (p[0] == '!' && p[1] == '"') {
    *text = p + 2;
    p += 2 + (*n = strcspn(p + 2, "\"\n"));
    if (*p == '"') p++;
  } else {
    return false;
  }
  *at = p;
  return true;
}

static unsigned count_items(const char *at) {
  const char *text;
  size_t n;
  unsigned count = 0;
  while (count < MOST_PARAMETERS && next_item(&at, &text, &n)) count++;
  return count;
}

static void node_read_three(const char *at, uint32_t out[3]) {
  const char *text;
  size_t n;
  for (int i = 0; i < 3 && next_item(&at, &text, &n); i++) out[i] = (uint32_t)strtoul(text, NULL, 10);
}

static bool signature_is_word(const char *text, size_t n, const char *word) {
  return n == strlen(word) && !strncmp(text, word, n);
}

static unsigned qualifiers_of(const char *text, size_t n) {
  unsigned q = 0;
  for (size_t at = 0; at < n;) {
    size_t len = 0;
    while (at + len < n && text[at + len] != ' ') len++;
    if (signature_is_word(text + at, len, "const")) q |= QUALIFIER_CONST;
    if (signature_is_word(text + at, len, "restrict")) q |= QUALIFIER_RESTRICT;
    if (signature_is_word(text + at, len, "volatile")) q |= QUALIFIER_VOLATILE;
    at += len + 1;
  }
  return q;
}

static enum access signature_access_of(const char *text, size_t n) {
  if (signature_is_word(text, n, "read_only")) return ACCESS_READ;
  if (signature_is_word(text, n, "write_only")) return ACCESS_WRITE;
  return signature_is_word(text, n, "read_write") ? ACCESS_BOTH : ACCESS_NONE;
}

static bool ir_kernel(struct signatures *out, const struct ir *ir, const char *p, const char *end) {
  const char *name = memchr(p, '@', (size_t)(end - p));
  if (!name) return true;
  size_t n = strcspn(++name, "( \n");
  const char *space = node_items(ir, name, end, "kernel_arg_addr_space"),
             *type = node_items(ir, name, end, "kernel_arg_type"),
             *access = node_items(ir, name, end, "kernel_arg_access_qual"),
             *qualifier = node_items(ir, name, end, "kernel_arg_type_qual"),
             *names = node_items(ir, name, end, "kernel_arg_name");
  struct signature *k = add_kernel(out, name, n, count_items(space));
  if (!k) return false;
  node_read_three(node_items(ir, name, end, "reqd_work_group_size"), k->required);
  node_read_three(node_items(ir, name, end, "work_group_size_hint"), k->hint);
  for (unsigned i = 0; i < k->n; i++) {
    struct parameter *a = &k->parameter[i];
    const char *text;
    static const enum arg_space spaces[] = {ARG_VALUE, ARG_GLOBAL, ARG_CONSTANT, ARG_LOCAL};
    if (next_item(&space, &text, &n)) a->space = spaces[strtoul(text, NULL, 10) & 3];
    if (next_item(&access, &text, &n)) a->access = signature_access_of(text, n);
    if (next_item(&qualifier, &text, &n)) a->qualifiers = qualifiers_of(text, n);
    if (next_item(&type, &text, &n) && !(a->type = strndup(text, n))) return false;
    if (next_item(&names, &text, &n) && !(a->name = strndup(text, n))) return false;
    a->space = of_type(a->space, a->type);
  }
  return true;
}

bool signatures_of_ir(struct signatures *out, const char *text, size_t n) {
  memset(out, 0, sizeof *out);
  struct ir ir = {.text = text, .end = text + n};
  bool good = read_nodes(&ir);
  for (const char *p = text; good && p < ir.end; p = signature_line_end(p, ir.end) + 1) {
    const char *end = signature_line_end(p, ir.end), *word;
    if (strncmp(p, "define ", 7) || !(word = memmem(p, (size_t)(end - p), " spir_kernel ", 13))) continue;
    good = ir_kernel(out, &ir, word, end);
  }
  free(ir.node);
  return good;
}

/* ---- PTX ---- */

/* Skips blanks and comments. */
static const char *signature_skip_blanks(const char *p, const char *end) {
  while (p < end) {
    if (isspace((unsigned char)*p)) p++;
    else if (p[0] == '/' && p[1] == '/') p = signature_line_end(p, end);
    else if (p[0] == '/' && p[1] == '*') {
      const char *e = memmem(p + 2, (size_t)(end - p > 2 ? end - p - 2 : 0), "*/", 2);
      p = e ? e + 2 : end;
    } else {
      break;
    }
  }
  return p;
}

/* A word ([.%$_a-zA-Z0-9]+), a string, or one other character, from *at on, which is set behind it; 0: the end. */
static size_t signature_next_token(const char **at, const char *end, const char **text) {
  const char *p = signature_skip_blanks(*at, end);
  *text = p;
  if (p >= end) return *at = end, 0;
  if (*p == '"') {
    do p++;
    while (p < end && *p != '"' && *p != '\n');
    if (p < end) p++;
  } else if (isalnum((unsigned char)*p) || strchr(".%$_", *p)) {
    while (p < end && *p && (isalnum((unsigned char)*p) || strchr(".%$_", *p))) p++;
  } else {
    p++;
  }
  *at = p;
  return (size_t)(p - *text);
}

/* One parameter, up to its comma or the closing bracket, whose character is returned; 0: the end of the text. */
static char ptx_parameter(const char **at, const char *end, struct parameter *a, bool *any) {
  const char *text;
  bool pointer = false, wide = false, array = false;
  size_t n;
  *any = false;
  memset(a, 0, sizeof *a);
  while ((n = signature_next_token(at, end, &text)) > 0 && !signature_is_word(text, n, ",") &&
         !signature_is_word(text, n, ")")) {
    *any = true;
    if (signature_is_word(text, n, ".ptr")) pointer = true, a->space = ARG_GLOBAL;
    else if (signature_is_word(text, n, ".u64") || signature_is_word(text, n, ".b64") ||
             signature_is_word(text, n, ".s64"))
      wide = true;
    else if (pointer && signature_is_word(text, n, ".const")) a->space = ARG_CONSTANT;
    else if (pointer && signature_is_word(text, n, ".shared")) a->space = ARG_LOCAL;
    else if (signature_is_word(text, n, ".texref") || signature_is_word(text, n, ".surfref")) a->space = ARG_IMAGE;
    else if (signature_is_word(text, n, ".samplerref")) a->space = ARG_SAMPLER;
    else if (signature_is_word(text, n, "[")) array = true;
  }
  if (wide && !pointer && !array) a->space = ARG_ANY;
  return n ? *text : 0;
}

static bool ptx_kernel(struct signatures *out, const char **at, const char *end) {
  const char *name, *text;
  size_t n = signature_next_token(at, end, &name);
  if (!n || !(isalnum((unsigned char)*name) || strchr("%$_", *name)) || signature_find_name(out, name, n)) return true;
  struct signature *k = add_kernel(out, name, n, 0);
  if (!k) return false;
  const char *p = *at;
  if (signature_next_token(&p, end, &text) != 1 || *text != '(') return true;
  struct parameter a;
  bool any;
  for (char c = ','; c == ',' && k->n < MOST_PARAMETERS;) {
    c = ptx_parameter(&p, end, &a, &any);
    if (!any) continue;
    struct parameter *more = realloc(k->parameter, (k->n + 1u) * sizeof *more);
    if (!more) return false;
    k->parameter = more;
    k->parameter[k->n++] = a;
  }
  *at = p;
  return true;
}

/* ---- comments in the PTX ---- */

static const char kernel_word[] = "//regtwin kernel ", parameter_word[] = "//regtwin parameter ";

/* Fills parameter i of k from "SPACE ACCESS QUALIFIERS TYPE|NAME". */
static bool comment_parameter(struct signature *k, unsigned i, const char *p, const char *end) {
  if (i >= k->n) return true;
  struct parameter *a = &k->parameter[i];
  char *after;
  unsigned long space = strtoul(p, &after, 10), access = strtoul(after, &after, 10), q = strtoul(after, &after, 10);
  if (space >= ARG_SPACES || access >= ACCESSES || q > 7 || *after != ' ') return true;
  a->space = (enum arg_space)space;
  a->access = (enum access)access;
  a->qualifiers = (unsigned)q;
  const char *type = after + 1, *bar = type <= end ? memchr(type, '|', (size_t)(end - type)) : NULL;
  if (!bar) return true;
  free(a->type);
  free(a->name);
  a->type = strndup(type, (size_t)(bar - type));
  a->name = strndup(bar + 1, (size_t)(end - bar - 1));
  return a->type && a->name;
}

static bool comments_read(struct signatures *out, const char *text, const char *end) {
  struct signature *k = NULL;
  unsigned i = 0;
  for (const char *p = text; p < end; p = signature_line_end(p, end) + 1) {
    const char *e = signature_line_end(p, end);
    if (!strncmp(p, kernel_word, sizeof kernel_word - 1)) {
      const char *name = p + sizeof kernel_word - 1;
      size_t n = strcspn(name, " \n");
      char *after = (char *)name + n;
      k = signature_find_name(out, name, n);
      i = 0;
      if (k && strtoul(after, &after, 10) != k->n) k = NULL; /* not about this kernel */
      for (int d = 0; k && d < 6; d++)
        *(d < 3 ? &k->required[d] : &k->hint[d - 3]) = (uint32_t)strtoul(after, &after, 10);
    } else if (k && !strncmp(p, parameter_word, sizeof parameter_word - 1)) {
      if (!comment_parameter(k, i++, p + sizeof parameter_word - 1, e)) return false;
    }
  }
  return true;
}

bool signatures_of_ptx(struct signatures *out, const char *text, size_t n) {
  memset(out, 0, sizeof *out);
  const char *p = text, *end = text + n, *word;
  size_t len;
  while ((len = signature_next_token(&p, end, &word)) > 0) {
    if (signature_is_word(word, len, ".entry") && !ptx_kernel(out, &p, end)) return false;
  }
  return comments_read(out, text, end);
}

char *signatures_comments(const struct signatures *s) {
  char *text = NULL;
  size_t n = 0;
  FILE *f = open_memstream(&text, &n);
  if (!f) return NULL;
  putc('\n', f);
  for (unsigned k = 0; k < s->n; k++) {
    const struct signature *g = &s->kernel[k];
    fprintf(f, "%s%s %u %u %u %u %u %u %u\n", kernel_word, g->name, g->n, g->required[0], g->required[1],
            g->required[2], g->hint[0], g->hint[1], g->hint[2]);
    for (unsigned i = 0; i < g->n; i++) {
      const struct parameter *a = &g->parameter[i];
      fprintf(f, "%s%d %d %u %s|%s\n", parameter_word, (int)a->space, (int)a->access, a->qualifiers,
              a->type ? a->type : "", a->name ? a->name : "");
    }
  }
  if (!fclose(f)) return text;
  free(text);
  return NULL;
}
