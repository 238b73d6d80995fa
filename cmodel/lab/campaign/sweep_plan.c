/* SPDX-License-Identifier: Apache-2.0 */
/* sweep_plan: see sweep_plan.h. */
#include "lab/campaign/sweep_plan.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/yaml.h"

static const char keys_of_a_plan[] =
    "name, kernels, size, seeds, machines, systems, set, sweep, zip, exclude, base or limits";

struct reader {
  struct yaml y;
  struct sweep_plan *p;
  struct config scratch; /* values are tried on it */
  bool limits;
};

static const char *sweep_plan_keep_text(struct reader *r) {
  return arena_strndup(&r->p->arena, yaml_text(&r->y), strlen(yaml_text(&r->y)));
}
static struct sweep_word word_here(struct reader *r) {
  return (struct sweep_word){sweep_plan_keep_text(r), yaml_line(&r->y), yaml_col(&r->y)};
}

/* ---- single values ---- */

static bool sweep_plan_read_line(struct reader *r, const char *key, const char **out) {
  struct yaml *y = &r->y;
  char expected[96];
  if (*out) return yaml_bad(y, "found key '%s' a second time, expected it once", key);
  if (!yaml_next(y)) return false;
  snprintf(expected, sizeof expected, "one line of text for '%s'", key);
  if (!yaml_is_text(y)) return yaml_unexpected(y, expected);
  if (!yaml_text(y)[0] || strpbrk(yaml_text(y), "\r\n"))
    return yaml_bad(y, "found '%.40s', expected %s", yaml_text(y), expected);
  *out = sweep_plan_keep_text(r);
  return yaml_next(y);
}

/* The plan's name names files, too. */
static bool sweep_plan_read_name(struct reader *r) {
  struct yaml *y = &r->y;
  const int line = yaml_line(y), col = yaml_col(y);
  if (!sweep_plan_read_line(r, "name", &r->p->name)) return false;
  const size_t n = strlen(r->p->name);
  for (size_t i = 0; i < n; i++)
    if (!isalnum((unsigned char)r->p->name[i]) && !strchr("-_.", r->p->name[i])) goto bad;
  if (n <= 64 && r->p->name[0] != '.' && r->p->name[0] != '-') return true;
bad:
  return err_at(y->e, y->file, line, col, "name: found '%.80s', expected at most 64 letters, digits, -, _ and .",
                r->p->name);
}

/* Digits only; false: it is no such number. */
static bool sweep_plan_read_digits(const char *s, uint64_t most, uint64_t *out) {
  *out = 0;
  if (!*s) return false;
  for (; *s >= '0' && *s <= '9' && *out <= most; s++) *out = *out * 10 + (uint64_t)(*s - '0');
  return !*s && *out <= most;
}

static bool sweep_plan_read_number(struct reader *r, const char *key, uint64_t least, uint64_t most, uint64_t *out) {
  struct yaml *y = &r->y;
  if (!yaml_next(y)) return false;
  if (!yaml_is_text(y)) return yaml_unexpected(y, "a whole number");
  if (!sweep_plan_read_digits(yaml_text(y), most, out) || *out < least)
    return yaml_bad(y, "%s: found '%.40s', expected a whole number from %llu to %llu", key, yaml_text(y),
                    (unsigned long long)least, (unsigned long long)most);
  return yaml_next(y);
}

/* ---- lists ---- */

static bool sweep_plan_read_word(struct reader *r, const char *key, struct sweep_words *out, bool numbers) {
  struct yaml *y = &r->y;
  uint64_t v;
  if (!yaml_is_text(y)) return yaml_unexpected(y, "a word, or a list of them");
  if (numbers && (!sweep_plan_read_digits(yaml_text(y), UINT64_MAX >> 1, &v) || !v))
    return yaml_bad(y, "%s: found '%.40s', expected a whole number from 1", key, yaml_text(y));
  if (!yaml_text(y)[0] || strpbrk(yaml_text(y), "\r\n"))
    return yaml_bad(y, "%s: found '%.40s', expected a word", key, yaml_text(y));
  for (unsigned i = 0; i < out->n; i++)
    if (!strcmp(out->word[i].text, yaml_text(y)))
      return yaml_bad(y, "%s: found '%.60s' a second time, expected it once", key, yaml_text(y));
  if (out->n == SWEEP_LIST) return yaml_bad(y, "%s: found more than %d entries, expected fewer", key, SWEEP_LIST);
  VEC_PUSH(out->word, out->n, out->cap) = word_here(r);
  return yaml_next(y);
}

/* The value: a word, or a list of them. */
static bool sweep_plan_read_words(struct reader *r, const char *key, struct sweep_words *out, bool numbers) {
  struct yaml *y = &r->y;
  if (out->n) return yaml_bad(y, "found key '%s' a second time, expected it once", key);
  if (!yaml_next(y)) return false;
  if (!yaml_is(y, YAML_SEQUENCE_START_EVENT)) return sweep_plan_read_word(r, key, out, numbers);
  if (!yaml_next(y)) return false;
  if (yaml_is(y, YAML_SEQUENCE_END_EVENT)) return yaml_bad(y, "%s: found an empty list, expected entries", key);
  while (!yaml_is(y, YAML_SEQUENCE_END_EVENT))
    if (!sweep_plan_read_word(r, key, out, numbers)) return false;
  return yaml_next(y);
}

/* ---- keys of configurations and their values ---- */

static bool sweep_plan_split_key(const char *name, char section[64], char key[64]) {
  const char *dot = strchr(name, '.');
  if (!dot || dot == name || !dot[1] || dot - name >= 64 || strlen(dot + 1) >= 64) return false;
  snprintf(section, 64, "%.*s", (int)(dot - name), name);
  snprintf(key, 64, "%s", dot + 1);
  return true;
}

/* Current event: the name, section.key. */
static const struct key *key_here(struct reader *r) {
  struct yaml *y = &r->y;
  char section[64], name[64], near[KEY_NEAR];
  if (!yaml_is_text(y)) return yaml_unexpected(y, "a key, section.key"), NULL;
  if (!sweep_plan_split_key(yaml_text(y), section, name))
    return yaml_bad(y, "found '%.60s', expected section.key", yaml_text(y)), NULL;
  const struct key *k = key_find(section, name);
  if (k) return k;
  if (!key_section(section))
    return yaml_bad(y, "found unknown section '%s'%s", section, key_suggest_section(section, near, sizeof near)), NULL;
  return yaml_bad(y, "found unknown key '%s' in section '%s'%s", name, section,
                  key_suggest(section, name, near, sizeof near)),
         NULL;
}

/* Current event: a value of k, by itself a possible one: a factor ("x1.5") is known only on a machine. */
static bool value_here(struct reader *r, const struct key *k, struct sweep_word *out) {
  struct yaml *y = &r->y;
  char expected[160];
  snprintf(expected, sizeof expected, "a value of %s.%s", k->section, k->name);
  if (!yaml_is_text(y)) return yaml_unexpected(y, expected);
  const struct place at = {y->file, yaml_line(y), yaml_col(y)};
  const char *text = yaml_text(y);
  if (strpbrk(text, "\r\n")) return yaml_bad(y, "found several lines, expected %s", expected);
  if (!(k->type == KEY_INT && text[0] == 'x') && !key_set(&r->scratch, k, text, &at, y->e)) return false;
  *out = word_here(r);
  return yaml_next(y);
}

static struct sweep_axis *sweep_plan_new_axis(struct reader *r, struct sweep_axes *a, const struct key *k) {
  struct yaml *y = &r->y;
  for (unsigned i = 0; i < a->n; i++)
    if (a->axis[i].key == k)
      return yaml_bad(y, "found key '%s.%s' a second time, expected it once", k->section, k->name), NULL;
  if (r->p->set.n + r->p->sweep.n + r->p->zip.n >= SWEEP_SETS)
    return yaml_bad(y, "found more than %d keys, expected fewer", SWEEP_SETS), NULL;
  VEC_PUSH(a->axis, a->n, a->cap) = (struct sweep_axis){.key = k, .line = yaml_line(y), .col = yaml_col(y)};
  return &a->axis[a->n - 1];
}

static bool sweep_plan_add_value(struct reader *r, struct sweep_axis *a) {
  struct sweep_word w = {0};
  if (a->value.n == SWEEP_LIST) return yaml_bad(&r->y, "found more than %d values, expected fewer", SWEEP_LIST);
  if (!value_here(r, a->key, &w) || !w.text) return false;
  for (unsigned i = 0; i < a->value.n; i++)
    if (!strcmp(a->value.word[i].text, w.text))
      return err_at(r->y.e, r->y.file, w.line, w.col, "found value '%.60s' a second time, expected it once", w.text);
  VEC_PUSH(a->value.word, a->value.n, a->value.cap) = w;
  return true;
}

/* A mapping of keys to what `each` reads, after the word `what`. */
static bool sweep_plan_read_mapping(struct reader *r, const char *what,
                                    bool (*each)(struct reader *r, const struct key *k)) {
  struct yaml *y = &r->y;
  if (!yaml_next(y)) return false;
  if (!yaml_is(y, YAML_MAPPING_START_EVENT)) return yaml_unexpected(y, what);
  if (!yaml_next(y)) return false;
  while (!yaml_is(y, YAML_MAPPING_END_EVENT)) {
    const struct key *k = key_here(r);
    if (!k || !each(r, k)) return false;
  }
  return yaml_next(y);
}

static bool each_set(struct reader *r, const struct key *k) {
  struct sweep_axis *a = sweep_plan_new_axis(r, &r->p->set, k);
  return a && yaml_next(&r->y) && sweep_plan_add_value(r, a);
}

/* {from: 16, to: 64, step: 16}; current event: its first key. */
static bool sweep_plan_read_range(struct reader *r, struct sweep_axis *a) {
  static const char *const part[] = {"from", "to", "step"};
  struct yaml *y = &r->y;
  const int line = yaml_line(y), col = yaml_col(y);
  uint64_t v[3] = {0};
  bool has[3] = {false};
  if (a->key->type != KEY_INT)
    return yaml_bad(y, "found from, to or step, expected a list: %s.%s is no number", a->key->section, a->key->name);
  while (!yaml_is(y, YAML_MAPPING_END_EVENT)) {
    unsigned i = 0;
    while (yaml_is_text(y) && i < 3 && strcmp(part[i], yaml_text(y)) != 0) i++;
    if (!yaml_is_text(y) || i == 3 || has[i])
      return yaml_bad(y, "found %s '%.40s', expected from, to and step, each once", yaml_is_text(y) ? "key" : "no key",
                      yaml_is_text(y) ? yaml_text(y) : "");
    has[i] = true;
    if (!sweep_plan_read_number(r, part[i], i == 2, INT64_MAX / 4, &v[i])) return false;
  }
  if (!has[0] || !has[1] || !has[2] || v[1] < v[0])
    return err_at(y->e, y->file, line, col,
                  "found an incomplete range or one that goes down, expected {from: A, to: B, step: C}, A at most B");
  if ((v[1] - v[0]) / v[2] >= SWEEP_LIST)
    return err_at(y->e, y->file, line, col, "found more than %d values, expected fewer", SWEEP_LIST);
  for (uint64_t x = v[0]; x <= v[1]; x += v[2]) {
    char text[32];
    const struct place at = {y->file, line, col};
    const int n = snprintf(text, sizeof text, "%llu", (unsigned long long)x);
    if (!key_set(&r->scratch, a->key, text, &at, y->e)) return false;
    VEC_PUSH(a->value.word, a->value.n, a->value.cap) =
        (struct sweep_word){arena_strndup(&r->p->arena, text, (size_t)n), line, col};
  }
  return yaml_next(y);
}

static bool each_sweep(struct reader *r, const struct key *k) {
  struct yaml *y = &r->y;
  struct sweep_axis *a = sweep_plan_new_axis(r, &r->p->sweep, k);
  if (!a || !yaml_next(y)) return false;
  if (yaml_is(y, YAML_MAPPING_START_EVENT)) return yaml_next(y) && sweep_plan_read_range(r, a);
  if (!yaml_is(y, YAML_SEQUENCE_START_EVENT))
    return yaml_unexpected(y, "a list of values, or {from: A, to: B, step: C}");
  if (!yaml_next(y)) return false;
  if (yaml_is(y, YAML_SEQUENCE_END_EVENT)) return yaml_bad(y, "found an empty list, expected values");
  while (!yaml_is(y, YAML_SEQUENCE_END_EVENT))
    if (!sweep_plan_add_value(r, a)) return false;
  return yaml_next(y);
}

/* ---- rows: zip and exclude ---- */

/* A list of mappings; `row` is called at the first key of each. */
static bool sweep_plan_read_rows(struct reader *r, const char *what, bool (*row)(struct reader *r)) {
  struct yaml *y = &r->y;
  char expected[96];
  snprintf(expected, sizeof expected, "a list of %s", what);
  if (!yaml_next(y)) return false;
  if (!yaml_is(y, YAML_SEQUENCE_START_EVENT)) return yaml_unexpected(y, expected);
  if (!yaml_next(y)) return false;
  for (unsigned n = 0; !yaml_is(y, YAML_SEQUENCE_END_EVENT); n++) {
    if (!yaml_is(y, YAML_MAPPING_START_EVENT)) return yaml_unexpected(y, what);
    if (n == SWEEP_LIST) return yaml_bad(y, "found more than %d rows, expected fewer", SWEEP_LIST);
    if (!yaml_next(y)) return false;
    if (yaml_is(y, YAML_MAPPING_END_EVENT)) return yaml_bad(y, "found an empty row, expected %s", what);
    if (!row(r) || !yaml_next(y)) return false;
  }
  return yaml_next(y);
}

static bool zip_row(struct reader *r) {
  struct yaml *y = &r->y;
  struct sweep_axes *z = &r->p->zip;
  const unsigned before = z->n ? z->axis[0].value.n : 0;
  while (!yaml_is(y, YAML_MAPPING_END_EVENT)) {
    const struct key *k = key_here(r);
    struct sweep_axis *a = NULL;
    if (!k) return false;
    for (unsigned i = 0; before && i < z->n; i++)
      if (z->axis[i].key == k) a = &z->axis[i];
    if (before && !a)
      return yaml_bad(y, "found key '%s.%s', which the first row has not, expected the same keys in each", k->section,
                      k->name);
    if (a && a->value.n != before)
      return yaml_bad(y, "found key '%s.%s' a second time, expected it once", k->section, k->name);
    if (!a && !(a = sweep_plan_new_axis(r, z, k))) return false;
    if (!yaml_next(y)) return false;
    struct sweep_word w = {0};
    if (!value_here(r, k, &w)) return false;
    VEC_PUSH(a->value.word, a->value.n, a->value.cap) = w;
  }
  for (unsigned i = 0; i < z->n; i++)
    if (z->axis[i].value.n != before + 1)
      return yaml_bad(y, "found a row without key '%s.%s', expected the same keys in each", z->axis[i].key->section,
                      z->axis[i].key->name);
  return true;
}

static bool exclude_row(struct reader *r) {
  static const char *const fields[] = {"kernel", "machine", "system", "seed"};
  struct yaml *y = &r->y;
  VEC_PUSH(r->p->exclude, r->p->nexclude, r->p->exclude_cap) =
      (struct sweep_rules){.line = yaml_line(y), .col = yaml_col(y)};
  struct sweep_rules *rules = &r->p->exclude[r->p->nexclude - 1];
  while (!yaml_is(y, YAML_MAPPING_END_EVENT)) {
    struct sweep_rule rule = {.field = ""};
    for (unsigned i = 0; yaml_is_text(y) && i < 4; i++)
      if (!strcmp(yaml_text(y), fields[i])) rule.field = fields[i];
    if (!rule.field[0] && !(rule.key = key_here(r))) return false;
    if (rules->n == SWEEP_SETS) return yaml_bad(y, "found more than %d conditions, expected fewer", SWEEP_SETS);
    if (!yaml_next(y)) return false;
    if (rule.key) {
      if (rule.key->type == KEY_INT && yaml_is_text(y) && yaml_text(y)[0] == 'x')
        return yaml_bad(y, "found factor '%.40s' in exclude, expected a value", yaml_text(y));
      if (!value_here(r, rule.key, &rule.value)) return false;
    } else {
      if (!yaml_is_text(y)) return yaml_unexpected(y, "a word");
      rule.value = word_here(r);
      if (!yaml_next(y)) return false;
    }
    VEC_PUSH(rules->rule, rules->n, rules->cap) = rule;
  }
  return true;
}

/* ---- the file ---- */

static bool sweep_plan_read_limits(struct reader *r) {
  struct yaml *y = &r->y;
  struct sweep_plan *p = r->p;
  bool has[3] = {false};
  if (r->limits) return yaml_bad(y, "found key 'limits' a second time, expected it once");
  r->limits = true;
  if (!yaml_next(y)) return false;
  if (!yaml_is(y, YAML_MAPPING_START_EVENT)) return yaml_unexpected(y, "a mapping with seconds, memory_mb or tries");
  if (!yaml_next(y)) return false;
  while (!yaml_is(y, YAML_MAPPING_END_EVENT)) {
    const char *text = yaml_is_text(y) ? yaml_text(y) : "";
    const int i = !strcmp(text, "seconds") ? 0 : !strcmp(text, "memory_mb") ? 1 : !strcmp(text, "tries") ? 2 : -1;
    if (i < 0 || has[i]) return yaml_bad(y, "found '%.40s', expected seconds, memory_mb or tries, each once", text);
    uint64_t v = 0;
    has[i] = true;
    if (i == 0 && !sweep_plan_read_number(r, "seconds", 1, SWEEP_SECONDS, &v)) return false;
    if (i == 1 && !sweep_plan_read_number(r, "memory_mb", 1, 1 << 20, &v)) return false;
    if (i == 2 && !sweep_plan_read_number(r, "tries", 0, 100, &v)) return false;
    if (i == 0) p->seconds = (double)v;
    if (i == 1) p->memory_mb = v;
    if (i == 2) p->tries = (unsigned)v;
  }
  return yaml_next(y);
}

static bool sweep_plan_key_once(struct reader *r, const char *key, bool there) {
  return !there || yaml_bad(&r->y, "found key '%s' a second time, expected it once", key);
}

static bool sweep_plan_read_key(struct reader *r) { /* current event: the key */
  struct yaml *y = &r->y;
  struct sweep_plan *p = r->p;
  if (!yaml_is_text(y)) return yaml_unexpected(y, keys_of_a_plan);
  const char *key = yaml_text(y);
  if (!strcmp(key, "name")) return sweep_plan_key_once(r, "name", p->name) && sweep_plan_read_name(r);
  if (!strcmp(key, "size")) return sweep_plan_read_line(r, "size", &p->size);
  if (!strcmp(key, "base")) {
    if (!p->base) p->base_line = yaml_line(y), p->base_col = yaml_col(y);
    return sweep_plan_read_line(r, "base", &p->base);
  }
  if (!strcmp(key, "kernels")) return sweep_plan_read_words(r, "kernels", &p->kernels, false);
  if (!strcmp(key, "seeds")) return sweep_plan_read_words(r, "seeds", &p->seeds, true);
  if (!strcmp(key, "machines")) return sweep_plan_read_words(r, "machines", &p->machines, false);
  if (!strcmp(key, "systems")) return sweep_plan_read_words(r, "systems", &p->systems, false);
  if (!strcmp(key, "set"))
    return sweep_plan_key_once(r, "set", p->set.n) &&
           sweep_plan_read_mapping(r, "a mapping of keys to values", each_set);
  if (!strcmp(key, "sweep"))
    return sweep_plan_key_once(r, "sweep", p->sweep.n) &&
           sweep_plan_read_mapping(r, "a mapping of keys to lists of values", each_sweep);
  if (!strcmp(key, "zip"))
    return sweep_plan_key_once(r, "zip", p->zip.n) && sweep_plan_read_rows(r, "rows of keys and values", zip_row);
  if (!strcmp(key, "exclude"))
    return sweep_plan_key_once(r, "exclude", p->nexclude) && sweep_plan_read_rows(r, "rows of conditions", exclude_row);
  if (!strcmp(key, "limits")) return sweep_plan_read_limits(r);
  return yaml_bad(y, "found key '%.40s', expected %s", key, keys_of_a_plan);
}

/* A key may have its values in one way only. */
static bool one_way(const struct sweep_plan *p, const struct sweep_axes *a, const struct sweep_axes *b, struct err *e) {
  for (unsigned i = 0; i < a->n; i++)
    for (unsigned k = 0; k < b->n; k++)
      if (a->axis[i].key == b->axis[k].key)
        return err_at(e, p->file, b->axis[k].line, b->axis[k].col,
                      "found key '%s.%s' in two of set, sweep and zip, expected it in one", a->axis[i].key->section,
                      a->axis[i].key->name);
  return true;
}

static bool sweep_plan_complete(struct sweep_plan *p, struct err *e) {
  const char *const missing = !p->name ? "name" : !p->kernels.n ? "kernels" : !p->systems.n ? "systems" : NULL;
  if (missing) return err_at(e, p->file, 0, 0, "found no key '%s', expected it", missing);
  bool base = !p->base;
  for (unsigned i = 0; i < p->systems.n; i++) base |= p->base && !strcmp(p->base, p->systems.word[i].text);
  if (!base)
    return err_at(e, p->file, p->base_line, p->base_col, "base: found '%.60s', expected one of the plan's systems",
                  p->base);
  if (!p->base) p->base = p->systems.word[0].text;
  if (!p->size) p->size = "default";
  if (strlen(p->size) > 31)
    return err_at(e, p->file, 0, 0, "size: found '%.40s', expected the name of a size", p->size);
  return one_way(p, &p->set, &p->sweep, e) && one_way(p, &p->set, &p->zip, e) && one_way(p, &p->sweep, &p->zip, e);
}

bool sweep_plan_text(struct sweep_plan *p, const char *file, const char *text, size_t n, struct err *e) {
  struct reader *r = xcalloc(1, sizeof *r);
  bool empty;
  memset(p, 0, sizeof *p);
  p->file = arena_strndup(&p->arena, file, strlen(file));
  p->tries = SWEEP_AGAIN;
  r->p = p;
  config_defaults(&r->scratch);
  bool ok = yaml_open(&r->y, p->file, text, n, "a plan: 'key: value' lines", e, &empty);
  if (ok && empty) ok = err_at(e, p->file, 0, 0, "found an empty file, expected a plan with %s", keys_of_a_plan);
  if (ok && !yaml_is(&r->y, YAML_MAPPING_START_EVENT)) ok = yaml_unexpected(&r->y, "a plan: 'key: value' lines");
  ok = ok && yaml_next(&r->y);
  while (ok && !yaml_is(&r->y, YAML_MAPPING_END_EVENT)) ok = sweep_plan_read_key(r);
  ok = ok && yaml_end(&r->y) && sweep_plan_complete(p, e);
  yaml_close(&r->y);
  free(r);
  return ok;
}

static void axes_free(struct sweep_axes *a) {
  for (unsigned i = 0; i < a->n; i++) free(a->axis[i].value.word);
  free(a->axis);
}

void sweep_plan_free(struct sweep_plan *p) {
  free(p->kernels.word), free(p->seeds.word), free(p->machines.word), free(p->systems.word);
  axes_free(&p->set), axes_free(&p->sweep), axes_free(&p->zip);
  for (unsigned i = 0; i < p->nexclude; i++) free(p->exclude[i].rule);
  free(p->exclude);
  arena_free(&p->arena);
  memset(p, 0, sizeof *p);
}
