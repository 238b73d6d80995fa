/* SPDX-License-Identifier: Apache-2.0 */
/* link: see link.h. Only the outermost level of a text is looked at: directives, variables, functions. */
#include "host/cudart/link.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/err.h"

struct token {
  const char *at;
  size_t n; /* 0: the end */
  enum { NAME, DIRECTIVE, OTHER } kind;
};
enum linkage { LOCAL, EXTERN, WEAK, VISIBLE };
struct item { /* a variable, or a function or kernel */
  const char *at;
  size_t n, head; /* bytes; of a function, those in front of its body */
  struct token name;
  unsigned text; /* number of its text */
  enum linkage linkage;
  bool function, entry, body;
};
struct head {
  struct token version, target;
  bool llvm; /* its first comment says that LLVM wrote it, which the reader of PTX must know (compiler/ptx/lex.h) */
};
struct work {
  const struct link_text *in;
  unsigned texts;
  struct head *head; /* [texts] */
  bool *used;        /* [texts] */
  bool *renames;     /* [texts]: some of its names get a suffix */
  struct item *item; /* in the order of the texts */
  unsigned items, room;
  const struct item **sorted; /* [items]: by name, then by text */
  char *out;
  size_t n, cap;
  bool failed;
};

/* ---- tokens ---- */

static const char *link_skip_space(const char *p) {
  while (*p) {
    if (isspace((unsigned char)*p)) p++;
    else if (p[0] == '/' && p[1] == '/') p += strcspn(p, "\n");
    else if (p[0] == '/' && p[1] == '*') {
      const char *end = strstr(p + 2, "*/");
      p = end ? end + 2 : p + strlen(p);
    } else break;
  }
  return p;
}

static struct token link_next_token(const char **at) {
  const char *p = link_skip_space(*at), *q = p;
  struct token t = {p, 0, OTHER};
  if (!*p) {
    *at = p;
    return t;
  }
  if (*p == '"') {
    q = strchr(p + 1, '"');
    q = q ? q + 1 : p + strlen(p);
  } else if (isdigit((unsigned char)*p)) {
    while (char_is_in_name(*q) || *q == '.') q++;
  } else {
    q++;
    if (*p == '.' || *p == '%' || char_is_in_name(*p)) {
      while (char_is_in_name(*q)) q++;
      t.kind = *p == '.' ? DIRECTIVE : NAME;
    }
  }
  t.n = (size_t)(q - p);
  *at = q;
  return t;
}

static bool link_token_is(struct token t, const char *word) {
  return t.n == strlen(word) && memcmp(t.at, word, t.n) == 0;
}

static int link_compare_names(struct token a, struct token b) {
  int c = memcmp(a.at, b.at, a.n < b.n ? a.n : b.n);
  return c ? c : (a.n > b.n) - (a.n < b.n);
}

/* ---- items ---- */

static const char *link_line_end(const char *p) { return p + strcspn(p, "\n"); }

static unsigned link_token_number(struct token t) { /* of "9.0", "sm_75": 90, 75 */
  unsigned v = 0;
  for (size_t i = 0; i < t.n; i++)
    if (isdigit((unsigned char)t.at[i]) && v < 100000) v = 10 * v + (unsigned)(t.at[i] - '0');
  return v;
}

static void link_take_higher(struct token *most, struct token t) {
  if (t.n && link_token_number(t) > link_token_number(*most)) *most = t;
}

/* To the end of an item that begins at `at`; fills what is known of it. False: the text ends within it, or it is neither. */
static bool link_read_item(struct item *it, const char **at) {
  int depth = 0;
  for (;;) {
    struct token t = link_next_token(at);
    if (!t.n) return false;
    if (!depth && t.kind == DIRECTIVE) {
      if (link_token_is(t, ".extern")) it->linkage = EXTERN;
      if (link_token_is(t, ".weak") || link_token_is(t, ".common")) it->linkage = WEAK;
      if (link_token_is(t, ".visible")) it->linkage = VISIBLE;
      if (link_token_is(t, ".func") || link_token_is(t, ".entry")) it->function = true;
      if (link_token_is(t, ".entry")) it->entry = true;
    }
    if (!depth && t.kind == NAME && !it->name.n) it->name = t;
    if (link_token_is(t, "{") || link_token_is(t, "(") || link_token_is(t, "[")) {
      if (!depth && link_token_is(t, "{")) {
        it->body = true;
        it->head = (size_t)(t.at - it->at);
      }
      depth++;
    }
    if (link_token_is(t, "}") || link_token_is(t, ")") || link_token_is(t, "]")) depth--;
    if (depth < 0) return false;
    it->n = (size_t)(*at - it->at);
    if (!depth && (link_token_is(t, ";") || (it->function && link_token_is(t, "}")))) break;
  }
  if (!it->function) it->body = it->linkage != EXTERN;
  return it->name.n > 0;
}

/* A directive of the file's head, or of debug information: to the end of its line, or of its braces. */
static bool link_skip_directive(struct head *h, struct token t, const char **at) {
  const char *rest = *at;
  if (link_token_is(t, ".version")) h->version = link_next_token(&rest);
  else if (link_token_is(t, ".target")) h->target = link_next_token(&rest);
  else if (link_token_is(t, ".section")) {
    const char *end = strchr(rest, '}');
    *at = end ? end + 1 : rest + strlen(rest);
    return true;
  } else if (!link_token_is(t, ".address_size") && !link_token_is(t, ".file") && !link_token_is(t, ".pragma"))
    return false;
  *at = link_line_end(rest);
  return true;
}

static const char by_llvm[] = "// Generated by LLVM NVPTX Back-End\n", by_other[] = "// Generated by another\n";

static void link_read_text(struct work *w, unsigned text) {
  const char *at = w->in[text].text, *comment = strstr(at, by_llvm);
  w->head[text].llvm = comment && comment < link_skip_space(at);
  for (;;) {
    const char *begin = link_skip_space(at);
    at = begin;
    struct token t = link_next_token(&at);
    if (!t.n) return;
    if (t.kind == DIRECTIVE && link_skip_directive(&w->head[text], t, &at)) continue;
    struct item it = {.at = begin, .name = {"", 0, OTHER}, .text = text};
    at = begin;
    if (!link_read_item(&it, &at)) { /* what is left of the text, for an error with its place */
      it = (struct item){.at = begin,
                         .n = strlen(begin),
                         .name = {"", 0, OTHER},
                         .text = text,
                         .linkage = VISIBLE,
                         .function = true,
                         .body = true};
      at = begin + it.n;
    }
    VEC_PUSH(w->item, w->items, w->room) = it;
  }
}

static int link_by_name(const void *a, const void *b) {
  const struct item *x = *(const struct item *const *)a, *y = *(const struct item *const *)b;
  int c = link_compare_names(x->name, y->name);
  return c ? c : (x > y) - (x < y);
}

/* The items of this name: [*first, *end) of w->sorted. */
static void link_same_name(const struct work *w, struct token name, unsigned *first, unsigned *end) {
  unsigned low = 0, high = w->items;
  while (low < high) {
    unsigned middle = (low + high) / 2;
    if (link_compare_names(w->sorted[middle]->name, name) < 0) low = middle + 1;
    else high = middle;
  }
  *first = low;
  for (*end = low; *end < w->items && link_compare_names(w->sorted[*end]->name, name) == 0;) ++*end;
}

/* The definition that texts which take this name from others get; NULL: none. One that is not weak comes first. */
static const struct item *link_find_definition(const struct work *w, struct token name, bool all_texts) {
  unsigned first, end;
  const struct item *found = NULL;
  link_same_name(w, name, &first, &end);
  for (unsigned i = first; i < end; i++) {
    const struct item *it = w->sorted[i];
    if (it->body && it->linkage >= WEAK && (all_texts || w->used[it->text]) && (!found || it->linkage > found->linkage))
      found = it;
  }
  return found;
}

/* ---- which texts, which names ---- */

static void choose_wanted(struct work *w, const char *wanted) {
  unsigned first, end;
  link_same_name(w, (struct token){wanted, strlen(wanted), NAME}, &first, &end);
  for (; first < end; first++)
    if (w->sorted[first]->body) w->used[w->sorted[first]->text] = true;
}

/* Texts with errors, and those that define what the chosen ones take from others. */
static void choose_needed(struct work *w) {
  bool more = true;
  while (more) {
    more = false;
    for (unsigned i = 0; i < w->items; i++) {
      const struct item *it = &w->item[i], *d;
      if (!it->name.n && !w->used[it->text]) w->used[it->text] = more = true;
      if (it->linkage != EXTERN || !w->used[it->text] || link_find_definition(w, it->name, false)) continue;
      if ((d = link_find_definition(w, it->name, true))) w->used[d->text] = more = true;
    }
  }
}

/* A name of its text alone that an earlier text has, or that is defined for all. */
static bool has_suffix(const struct work *w, struct token name, unsigned text) {
  unsigned first, end;
  bool mine = false, clash = false;
  link_same_name(w, name, &first, &end);
  for (unsigned i = first; i < end; i++) {
    const struct item *it = w->sorted[i];
    if (it->text == text) mine |= it->linkage == LOCAL;
    else if (w->used[it->text]) clash |= it->text < text || it->linkage != LOCAL;
  }
  return mine && clash;
}

static bool is_kept(const struct work *w, const struct item *it) {
  if (!w->used[it->text]) return false;
  if (it->linkage == LOCAL || !it->name.n) return true;
  const struct item *d = link_find_definition(w, it->name, false);
  if (it->body) return it->linkage == VISIBLE || d == it;
  if (d) return false;
  unsigned first, end; /* of several declarations without a definition, the first */
  link_same_name(w, it->name, &first, &end);
  for (; first < end; first++)
    if (w->used[w->sorted[first]->text] && w->sorted[first]->linkage != LOCAL) return w->sorted[first] == it;
  return true;
}

/* ---- the text ---- */

static void link_put(struct work *w, const char *p, size_t n) {
  if (w->n + n + 1 > w->cap && !w->failed) {
    size_t cap = 2 * (w->n + n) + 256;
    char *more = realloc(w->out, cap);
    w->failed = !more;
    if (more) {
      w->out = more;
      w->cap = cap;
    }
  }
  if (w->failed) return;
  memcpy(w->out + w->n, p, n);
  w->n += n;
}

/* The first n bytes of an item. */
static void link_put_item(struct work *w, const struct item *it, size_t n) {
  const char *at = it->at, *end = it->at + n, *done = at;
  while (w->renames[it->text] && at < end) {
    struct token t = link_next_token(&at);
    if (!t.n || t.at >= end) break;
    if (t.kind != NAME || !has_suffix(w, t, it->text)) continue;
    char suffix[32];
    link_put(w, done, (size_t)(t.at + t.n - done));
    link_put(w, suffix, (size_t)snprintf(suffix, sizeof suffix, "$of_text_%u", it->text + 1));
    done = at;
  }
  link_put(w, done, (size_t)(end - done));
}

/* The highest version and target of the texts in it. */
static void link_put_head(struct work *w) {
  struct token version = {"6.0", 3, OTHER}, target = {"sm_30", 5, NAME};
  for (unsigned i = 0; i < w->texts; i++) {
    if (w->used[i]) link_take_higher(&version, w->head[i].version);
    if (w->used[i]) link_take_higher(&target, w->head[i].target);
  }
  char head[160];
  int n = snprintf(head, sizeof head, ".version %.*s\n.target %.*s\n.address_size 64\n",
                   version.n < 40 ? (int)version.n : 40, version.at, target.n < 40 ? (int)target.n : 40, target.at);
  link_put(w, head, (size_t)n);
}

static void link_put_all(struct work *w) {
  bool llvm = false; /* what the text so far says about what follows */
  link_put_head(w);
  for (unsigned pass = 0; pass < 3; pass++) /* declarations, variables, bodies: what is named was declared before */
    for (unsigned i = 0; i < w->items; i++) {
      const struct item *it = &w->item[i];
      if ((it->function ? pass == 1 || (pass == 2 && !it->body) : pass != 1) || !is_kept(w, it)) continue;
      bool declared = pass == 0 && it->body;
      if (declared && (it->entry || !it->name.n)) continue;
      if (pass == 2 && w->head[it->text].llvm != llvm) {
        llvm = !llvm;
        if (llvm) link_put(w, by_llvm, sizeof by_llvm - 1);
        else link_put(w, by_other, sizeof by_other - 1);
      }
      link_put_item(w, it, declared ? it->head : it->n);
      link_put(w, declared ? ";\n" : "\n", declared ? 2 : 1);
    }
  if (!w->failed) w->out[w->n] = 0;
}

char *link_ptx(const struct link_text *in, unsigned n, const char *const *wanted, unsigned wanted_n, size_t *size) {
  struct work w = {.in = in,
                   .texts = n,
                   .head = xcalloc(n + 1, sizeof *w.head),
                   .used = xcalloc(n + 1, 1),
                   .renames = xcalloc(n + 1, 1)};
  for (unsigned i = 0; i < n; i++) link_read_text(&w, i);
  w.sorted = xcalloc(w.items + 1, sizeof *w.sorted);
  for (unsigned i = 0; i < w.items; i++) w.sorted[i] = &w.item[i];
  qsort(w.sorted, w.items, sizeof *w.sorted, link_by_name);
  for (unsigned i = 0; i < wanted_n; i++) choose_wanted(&w, wanted[i]);
  choose_needed(&w);
  for (unsigned i = 0; i < w.items; i++)
    if (w.item[i].linkage == LOCAL && has_suffix(&w, w.item[i].name, w.item[i].text)) w.renames[w.item[i].text] = true;
  link_put_all(&w);
  if (w.failed) {
    free(w.out);
    w.out = NULL;
  }
  *size = w.n;
  free(w.item);
  free(w.sorted);
  free(w.head);
  free(w.used);
  free(w.renames);
  return w.out;
}
