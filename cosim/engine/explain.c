/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain: the values of what the condition of a failed check names. Known are the parameters, ports and registers of
 * the .def and, in a condition of the golden model, the members of its struct. Inner signals of the RTL are in the waveform.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "fields.h"

enum { NAME = 96 };

static bool explain_in_name(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* Copies a name with the members after it, such as s->r.fill_q, each "->" as "."; returns what follows it. */
static const char *explain_read_chain(const char *p, char name[static NAME]) {
  size_t n = 0;
  for (;;) {
    while (explain_in_name(*p) && n + 1 < NAME) name[n++] = *p++;
    const size_t skip = p[0] == '-' && p[1] == '>' ? 2 : p[0] == '.' ? 1 : 0;
    if (!skip || !explain_in_name(p[skip]) || n + 1 >= NAME) break;
    name[n++] = '.';
    p += skip;
  }
  name[n] = 0;
  while (explain_in_name(*p)) p++;
  return p;
}

/* The port or register that a chain means, or NULL: in.x and out.x are ports, s.r.x is a register, x alone either. */
static const struct item *chain_item(const struct block_desc *d, const char *name) {
  const bool port = !strncmp(name, "in.", 3) || !strncmp(name, "out.", 4), reg = !strncmp(name, "s.r.", 4);
  const char *last = port ? strchr(name, '.') + 1 : reg ? name + 4 : name;
  for (unsigned k = 0; k < d->items; k++) {
    const struct item *i = &d->item[k];
    if (i->kind <= ITEM_STATE && !strcmp(i->name, last) && (i->kind == ITEM_STATE ? !port : !reg)) return i;
  }
  return NULL;
}

static const void *side_of_item(const struct sides *at, const struct item *i) {
  return i->kind == ITEM_IN ? at->in : i->kind == ITEM_OUT ? at->out : at->state;
}

/* The parameter of this name, or NULL. */
static const struct item *chain_parameter(const struct block_desc *d, const char *name) {
  for (unsigned k = 0; k < d->items; k++)
    if (d->item[k].kind == ITEM_PARAM && !strcmp(d->item[k].name, name)) return &d->item[k];
  return NULL;
}

/* The number in the brackets at *text, which is moved past them; false: it is an expression. A name without a value is taken for the variable
 * of the generate block that `scope` ends in. */
static bool explain_read_index(const struct block_desc *d, const struct sides *at, const char **text, unsigned n,
                               unsigned *found) {
  char name[NAME];
  const char *index = *text + strspn(*text, " ");
  if (*index != '[') return false;
  index += 1 + strspn(index + 1, " ");
  const char *end =
      isalpha((unsigned char)*index) ? explain_read_chain(index, name) : index + strspn(index, "0123456789");
  if (end == index || end[strspn(end, " ")] != ']') return false;
  *text = end + strspn(end, " ") + 1;
  uint64_t v = strtoull(index, NULL, 10);
  if (isalpha((unsigned char)*index)) {
    const struct item *i = chain_item(d, name);
    const char *scope = at->scope ? strrchr(at->scope, '[') : NULL;
    if (i && !i->n && i->width <= 64 && side_of_item(at, i)) v = item_number(i, side_of_item(at, i), 0);
    else if (!i && scope && !strchr(scope, '.')) v = strtoull(scope + 1, NULL, 10);
    else return false;
  }
  *found = (unsigned)v;
  return v < n;
}

/* The element that the indexes select. An array in the RTL has one index there, whatever its dimensions in C. */
static bool explain_read_element(const struct block_desc *d, const struct sides *at, const struct item *i,
                                 const char *text, unsigned *element) {
  *element = 0;
  if (i->array && at->scope) return explain_read_index(d, at, &text, i->n, element);
  for (unsigned r = 0, index = 0; r < i->shape.rank; r++) {
    if (!explain_read_index(d, at, &text, i->shape.dim[r], &index)) return false;
    *element = *element * i->shape.dim[r] + index;
  }
  return true;
}

void explain_number(uint64_t v, char text[static NUMBER_TEXT]) {
  if (v < 10) snprintf(text, NUMBER_TEXT, "%" PRIu64, v);
  else if (v <= UINT32_MAX) snprintf(text, NUMBER_TEXT, "%" PRIu64 " (0x%" PRIx64 ")", v, v);
  else snprintf(text, NUMBER_TEXT, "0x%" PRIx64, v);
}

/* Words in hexadecimal, at most 8. */
static void words_text(const uint32_t *v, unsigned words, char value[static 80]) {
  size_t n = (size_t)snprintf(value, 80, "0x");
  unsigned w = words;
  if (w) w--, n += (size_t)snprintf(value + n, 80 - n, "%" PRIx32, v[w]);
  while (w--) n += (size_t)snprintf(value + n, 80 - n, "%08" PRIx32, v[w]);
}

static void explain_add(char *text, size_t room, const char *name, const char *value) {
  char both[ITEM_NAME + 96];
  const size_t n = strlen(text);
  snprintf(both, sizeof both, "%s = ", name);
  for (const char *p = text; (p = strstr(p, both)); p++)
    if (p > text && p[-1] == ' ') return; /* said before */
  snprintf(text + n, room - n, "%s%s%s", strstr(text, " = ") ? ", " : ": ", both, value);
}

static void explain_item(const struct block_desc *d, const struct sides *at, const struct item *i, const char *index,
                         char *text, size_t room) {
  char name[ITEM_NAME], number[NUMBER_TEXT], value[96], shown[ENUM_NAME];
  uint32_t flat[8];
  unsigned element = 0;
  if (!side_of_item(at, i)) return;
  /* a shaped port is flat in the RTL: all of it, for an index there counts bits */
  const bool whole = i->n && !i->array && at->scope;
  if ((!whole && !explain_read_element(d, at, i, index, &element)) || (whole ? item_bits(i) : i->width) > 256) return;
  item_name(i, element, name);
  if (whole) {
    item_pack(i, side_of_item(at, i), flat);
    snprintf(name, sizeof name, "%.64s", i->name);
    words_text(flat, RT_WORDS(item_bits(i)), value);
  } else if (i->width > 64) {
    words_text(item_words(i, side_of_item(at, i), element), RT_WORDS(i->width), value);
  } else {
    const uint64_t v = item_number(i, side_of_item(at, i), element);
    const char *is = enum_name(i, v, shown);
    explain_number(v, number);
    snprintf(value, sizeof value, "%s%s%.40s", number, is ? " " : "", is ? is : "");
  }
  explain_add(text, room, name, value);
}

static void explain_member(const struct block_desc *d, const struct sides *at, const char *path, const char *rest,
                           char *text, size_t room) {
  char value[NUMBER_TEXT];
  size_t offset, bytes;
  uint64_t v = 0;
  if (!at->model || *rest == '[' || *rest == '(' || !field_named(d->name, d->model_bytes, path, &offset, &bytes))
    return;
  memcpy(&v, (const unsigned char *)at->model + offset, bytes);
  explain_number(v, value);
  explain_add(text, room, path, value);
}

void explain_values(const struct block_desc *d, const struct sides *at, const char *condition, char *text,
                    size_t room) {
  char name[NAME], number[NUMBER_TEXT], values[512] = "";
  for (const char *p = condition; *p;) {
    if (!isalpha((unsigned char)*p) && *p != '_') {
      /* a number, such as 33'h1f, has no names in it */
      if (isdigit((unsigned char)*p) || *p == '\'') p += 1 + strspn(p + 1, "0123456789abcdefxXlLuU'hdbo");
      else p++;
      continue;
    }
    const char *rest = explain_read_chain(p, name);
    const struct item *i = chain_item(d, name), *parameter = chain_parameter(d, name);
    if (parameter) explain_number((uint64_t)parameter->value, number), explain_add(values, sizeof values, name, number);
    else if (i) explain_item(d, at, i, rest, values, sizeof values);
    else if (!strncmp(name, "s.", 2)) explain_member(d, at, name + 2, rest, values, sizeof values);
    p = rest;
  }
  const size_t n = strlen(text);
  snprintf(text + n, room - n, "%s", values);
}
