/* SPDX-License-Identifier: Apache-2.0 */
/*
 * find: the kernel of a module that a user names, and the base name in a mangled one.
 *
 * Of the C++ ABI's mangling ("Itanium") only the part up to the last identifier of a function's name is parsed: _Z
 * [L] identifier, or _ZN identifier... E, each of them its length and its characters, with template arguments (I ...
 * E) skipped. A name of any other form has no base name, and is given in full.
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "compiler/ir/code.h"

/* ---- mangled names ---- */

/* <length> characters; NULL: none is here. */
static const char *mangled_identifier(const char *s, const char **name, size_t *n) {
  size_t length = 0;
  if (!char_is_digit(*s) || *s == '0') return NULL;
  for (; char_is_digit(*s); s++) {
    length = length * 10 + (size_t)(*s - '0');
    if (length > 4096) return NULL;
  }
  if (strnlen(s, length) < length) return NULL;
  *name = s;
  *n = length;
  return s + length;
}

/* Substitutions: S_, S0_, T_, T1_ and St, Sa... */
static const char *mangled_skip_substitution(const char *s) {
  if (*s == 'S' && s[1] && strchr("tabsiod", s[1])) return s + 2;
  for (s++; char_is_digit(*s) || (*s >= 'A' && *s <= 'Z'); s++) {
  }
  return *s == '_' ? s + 1 : NULL;
}

/* A number of an array type, to its '_', or the value of a literal, to its 'E'. */
static const char *mangled_skip_number(const char *s, char end) {
  while (char_is_digit(*s) || *s == 'n' || (*s >= 'a' && *s <= 'f')) s++;
  return *s == end ? s + 1 : NULL;
}

/* Skips from behind an I to behind its E. Each of I N X J F nests one level; a literal L is a type and a value. */
static const char *mangled_skip_template(const char *s) {
  unsigned depth = 0;
  const char *name;
  size_t n;
  do {
    bool literal = *s == 'L';
    if (literal && s[1] == '_') return NULL; /* the address of something */
    if (literal) s++;
    if (*s == 'E') depth--, s++;
    else if (!*s) return NULL;
    else if (char_is_digit(*s)) s = mangled_identifier(s, &name, &n);
    else if (*s == 'S' || *s == 'T') s = mangled_skip_substitution(s);
    else if (*s == 'A') s = mangled_skip_number(s + 1, '_');
    else if (*s == 'D' && s[1] == 'F') s = mangled_skip_number(s + 2, '_');
    else if (strchr("INXJF", *s)) depth++, s++;
    else s += *s == 'D' && s[1] ? 2 : 1;
    if (s && literal) s = depth && s[-1] == 'N' ? NULL : mangled_skip_number(s, 'E');
  } while (s && depth);
  return s;
}

const char *mangled_base_name(const char *mangled, size_t *n) {
  const char *s = mangled, *name = NULL, *part;
  size_t length;
  if (strncmp(s, "_Z", 2) != 0) return NULL;
  s += 2;
  bool nested = *s == 'N';
  if (nested) s++;
  while (nested && *s && strchr("rVKRO", *s)) s++;
  do {
    if (*s == 'L') s++;
    if (*s == 'S') s = mangled_skip_substitution(s);
    else if (*s == 'I') s = name ? mangled_skip_template(s) : NULL;
    else if ((s = mangled_identifier(s, &part, &length))) name = part, *n = length;
  } while (nested && s && *s != 'E');
  return s ? name : NULL;
}

/* ---- kernels ---- */

static bool has_base(const char *entry, const char *base) {
  size_t n;
  const char *s = mangled_base_name(entry, &n);
  return s && strlen(base) == n && !memcmp(s, base, n);
}

struct list { /* of names, as far as there is room */
  char text[320];
  size_t n;
};

static void name_list_add(struct list *l, const char *name) {
  if (l->n + strlen(name) + 8 < sizeof l->text)
    l->n += (size_t)snprintf(l->text + l->n, sizeof l->text - l->n, "%s%s", l->n ? ", " : "", name);
  else if (l->n < 4 || strcmp(l->text + l->n - 3, "...") != 0)
    l->n += (size_t)snprintf(l->text + l->n, sizeof l->text - l->n, "%s...", l->n ? ", " : "");
}

struct refusal *module_refuse(struct module *m, const char *name, const struct err *why) {
  struct refusal *r = arena_alloc(&m->arena, sizeof *r), **at = &m->refused;
  *r = (struct refusal){.name = name, .why = *why};
  while (*at) at = &(*at)->next;
  return *at = r;
}

void module_drop(struct module *m, uint32_t index, const struct err *why) {
  const struct code *c = &m->kernel[index];
  struct refusal *r = module_refuse(m, c->name, why);
  r->param = c->param;
  r->nparam = c->nparam;
  r->param_bytes = c->param_bytes;
  m->nkernel--;
  memmove(&m->kernel[index], &m->kernel[index + 1], (m->nkernel - index) * sizeof *m->kernel);
}

bool module_refused(const struct module *m, const struct refusal *r, struct err *e) {
  struct list good = {.n = 0};
  bool alone = !m->nkernel && !m->refused->next;
  for (uint32_t k = 0; k < m->nkernel; k++) name_list_add(&good, m->kernel[k].name);
  return err_at(e, r->why.file, r->why.line, r->why.col, "%.300s%s%.100s%s%s", r->why.text,
                alone ? "" : "; so kernel '", alone ? "" : r->name,
                alone        ? ""
                : m->nkernel ? "' is refused, of this file there are: "
                             : "' is refused, and so are all others of this file",
                good.text);
}

static bool module_found_none(const struct module *m, const char *name, const char *file, int line, int col,
                              struct err *e) {
  struct list all = {.n = 0};
  for (uint32_t k = 0; k < m->nkernel; k++) name_list_add(&all, m->kernel[k].name);
  for (const struct refusal *r = m->refused; r; r = r->next) {
    char text[128];
    snprintf(text, sizeof text, "%.100s (refused)", r->name);
    name_list_add(&all, text);
  }
  return err_at(e, file, line, col, "found kernel '%.80s', expected a kernel of the PTX: %s", name, all.text);
}

static bool module_found_several(const struct module *m, const char *name, const char *file, int line, int col,
                                 struct err *e) {
  struct list all = {.n = 0};
  for (uint32_t k = 0; k < m->nkernel; k++)
    if (has_base(m->kernel[k].name, name)) name_list_add(&all, m->kernel[k].name);
  for (const struct refusal *r = m->refused; r; r = r->next)
    if (has_base(r->name, name)) name_list_add(&all, r->name);
  return err_at(e, file, line, col, "found kernel '%.80s', which is the base name of several, expected one of: %s",
                name, all.text);
}

struct code *module_find(struct module *m, const char *name, const char *file, int line, int col, struct err *e) {
  struct code *c = module_kernel(m, name), *based = NULL;
  const struct refusal *refused = NULL;
  unsigned n = 0;
  if (c) return c;
  for (const struct refusal *r = m->refused; r; r = r->next)
    if (!strcmp(r->name, name)) return module_refused(m, r, e), NULL;
  for (uint32_t k = 0; k < m->nkernel; k++)
    if (has_base(m->kernel[k].name, name)) based = &m->kernel[k], n++;
  for (const struct refusal *r = m->refused; r; r = r->next)
    if (has_base(r->name, name)) refused = r, n++;
  if (n > 1) return module_found_several(m, name, file, line, col, e), NULL;
  if (refused) return module_refused(m, refused, e), NULL;
  if (!based) module_found_none(m, name, file, line, col, e);
  return based;
}
