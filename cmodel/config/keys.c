/* SPDX-License-Identifier: Apache-2.0 */
/* keys: look-up by name with suggestions, values from and to text. */
#include "config/keys.h"

#include <string.h>

#include "base/similar.h"

const struct key config_keys[] = {
#define INT(sec, key, def, lo, hi, unit, cite, text) \
  {#sec, #key, KEY_INT, offsetof(struct config, sec##_##key), def, lo, hi, unit, NULL, NULL, cite, text},
#define BOOL(sec, key, def, cite, text) \
  {#sec, #key, KEY_BOOL, offsetof(struct config, sec##_##key), def, 0, 1, "", NULL, NULL, cite, text},
#define KEYS_NAME(prefix, name) "|" #name
#define ENUM(sec, key, def, list, cite, text)                           \
  {#sec, #key, KEY_ENUM, offsetof(struct config, sec##_##key), 0,    0, \
   0,    "",   #def,     &("" VALUES(KEYS_NAME, , list))[1],   cite, text},
#define PATH(sec, key, cite, text) \
  {#sec, #key, KEY_PATH, offsetof(struct config, sec##_##key), 0, 0, 0, "", NULL, NULL, cite, text},
#define WORD(sec, key, cite, text) \
  {#sec, #key, KEY_WORD, offsetof(struct config, sec##_##key), 0, 0, 0, "", NULL, NULL, cite, text},
#define SLOT(slot, def, cite, text) \
  {"slot", #slot, KEY_ENUM, offsetof(struct config, slot_##slot), 0, 0, 0, "", #def, NULL, cite, text},
#include "gen/systems/keys.def"
};
#undef KEYS_NAME
const unsigned config_nkeys = sizeof config_keys / sizeof config_keys[0];

static const struct {
  const char *slot, *name;
} choices[] = {
#define CHOICE(slot, name) {#slot, #name},
#include "gen/systems/choices.def"
};

/* Sections that had another name. */
static const struct { const char *section, *now; } renamed[] = {{"residency", "finereg"}};

const struct key *key_find(const char *section, const char *name) {
  for (unsigned i = 0; i < config_nkeys; i++)
    if (!strcmp(config_keys[i].section, section) && !strcmp(config_keys[i].name, name)) return &config_keys[i];
  return NULL;
}

bool key_section(const char *section) {
  for (unsigned i = 0; i < config_nkeys; i++)
    if (!strcmp(config_keys[i].section, section)) return true;
  return false;
}

bool key_value(const struct key *k, unsigned n, int *value, char *name, size_t size) {
  if (k->list) {
    const char *p = k->list;
    for (unsigned i = 0; i < n && *p; i++) p += strcspn(p, "|"), p += *p == '|';
    *value = (int)n;
    snprintf(name, size, "%.*s", (int)strcspn(p, "|"), p);
    return *p != 0;
  }
  for (unsigned i = 0; i < sizeof choices / sizeof *choices; i++)
    if (!strcmp(choices[i].slot, k->name) && !n--) {
      *value = (int)i;
      snprintf(name, size, "%s", choices[i].name);
      return true;
    }
  return false;
}

const char *key_names(const struct key *k, char *buf, size_t size) {
  char name[64];
  int v;
  size_t at = 0;
  buf[0] = 0;
  for (unsigned n = 0; at < size && key_value(k, n, &v, name, sizeof name); n++)
    at += (size_t)snprintf(buf + at, size - at, "%s%s", n ? "|" : "", name);
  return buf;
}

/* The value that is called so. */
static bool key_value_named(const struct key *k, const char *text, int *value) {
  char name[64];
  for (unsigned n = 0; key_value(k, n, value, name, sizeof name); n++)
    if (!strcmp(name, text)) return true;
  return false;
}

enum { KEYS_NAMED = 6 }; /* a message names the keys of a section with so many at most */
static const char key_lister[] = ", expected one that 'regtwin config --explain' lists";

char *key_suggest_section(const char *section, char *buf, size_t size) {
  struct similar s;
  for (unsigned i = 0; i < sizeof renamed / sizeof *renamed; i++)
    if (!strcmp(section, renamed[i].section) && key_section(renamed[i].now)) {
      snprintf(buf, size, "; it is called '%s' now", renamed[i].now);
      return buf;
    }
  similar_begin(&s, section);
  for (unsigned i = 0; i < config_nkeys; i++) similar_offer(&s, config_keys[i].section);
  return similar_ask_or(&s, key_lister, buf, size);
}

/* The keys of a section, if they are few: ", expected usv.entries or usv.depth"; else where they are listed. */
static const char *key_list_section(const char *section, char *buf, size_t size) {
  unsigned n = 0, k = 0;
  size_t at = 0;
  for (unsigned i = 0; i < config_nkeys; i++) n += !strcmp(config_keys[i].section, section);
  if (!n || n > KEYS_NAMED) return key_lister;
  for (unsigned i = 0; i < config_nkeys && at < size; i++) {
    if (strcmp(config_keys[i].section, section)) continue;
    const char *before = !k ? ", expected " : k + 1 < n ? ", " : " or ";
    k++;
    at += (size_t)snprintf(buf + at, size - at, "%s%s.%s", before, section, config_keys[i].name);
  }
  return buf;
}

char *key_suggest(const char *section, const char *name, char *buf, size_t size) {
  struct similar s;
  char listed[KEY_NEAR];
  similar_begin(&s, name);
  for (unsigned i = 0; i < config_nkeys; i++) {
    const struct key *k = &config_keys[i];
    char whole[SIMILAR_NAME];
    snprintf(whole, sizeof whole, "%s.%s", k->section, k->name);
    /* The same word in another section is as good a guess as a misspelt one in this. */
    similar_offer_at(&s, whole, similar_distance(name, k->name) + (strcmp(section, k->section) ? 1 : 0));
  }
  return similar_ask_or(&s, key_list_section(section, listed, sizeof listed), buf, size);
}

char *key_suggest_any(const char *name, char *buf, size_t size) {
  struct similar s;
  char section[64];
  const char *dot = strchr(name, '.');
  snprintf(section, sizeof section, "%.*s", (int)(dot && dot - name < 63 ? dot - name : 63), name);
  if (dot && key_section(section)) return key_suggest(section, dot + 1, buf, size);
  if (dot) return key_suggest_section(section, buf, size);
  similar_begin(&s, name);
  for (unsigned i = 0; i < config_nkeys; i++) similar_offer(&s, config_keys[i].section);
  for (unsigned i = 0; i < config_nkeys; i++) {
    char whole[SIMILAR_NAME];
    snprintf(whole, sizeof whole, "%s.%s", config_keys[i].section, config_keys[i].name);
    similar_offer_at(&s, whole, similar_distance(name, config_keys[i].name));
  }
  return similar_ask_or(&s, key_lister, buf, size);
}

/* A whole decimal number without zeros in front; false when it is not one. *big: one, but beyond int64. */
static bool key_parse_whole(const char *s, int64_t *out, bool *big) {
  bool minus = *s == '-';
  uint64_t v = 0;
  *big = false;
  if (*s == '-' || *s == '+') s++;
  if (!*s || (*s == '0' && s[1])) return false;
  for (; *s; s++) {
    if (*s < '0' || *s > '9') return false;
    if (v > ((uint64_t)INT64_MAX - 9) / 10) *big = true;
    else v = v * 10 + (uint64_t)(*s - '0');
  }
  *out = minus ? -(int64_t)v : (int64_t)v;
  return true;
}

/* "x1.5": so many times the value that is there; *fits: that is a whole number. False: not such a text. */
static bool key_parse_times(const char *s, int64_t before, int64_t *out, bool *fits) {
  int64_t num = 0, den = 1, scale = 1;
  unsigned digits = 0;
  if (*s++ != 'x') return false;
  for (; (*s >= '0' && *s <= '9') || (*s == '.' && scale == 1 && digits); s++) {
    if (*s == '.') {
      scale = 10;
      continue;
    }
    if (++digits > 6) return false;
    num = num * 10 + (*s - '0');
    if (scale == 10) den *= 10;
  }
  if (*s || !digits || s[-1] == '.') return false;
  *fits = before < INT64_MAX / 1000000 && before * num % den == 0;
  if (*fits) *out = before * num / den;
  return true;
}

/* LTRF (ASPLOS'18), Table 2: technologies of the register file. */
static const struct {
  int64_t banks, latency; /* percent of row 1 */
} technologies[] = {{16, 100}, {16, 125}, {128, 150}, {16, 160}, {128, 280}, {128, 530}, {128, 630}};
enum { MORE_BYTES = 7 * 262144 }; /* rows 2 to 7 have eight times 256 KB */

static bool key_apply_technology(struct config *c, int64_t before, const struct place *at, struct err *e) {
  const int64_t now = c->rf_technology;
  const int64_t bytes = c->rf_bytes + MORE_BYTES * ((now > 1) - (before > 1));
  const struct key *k = key_find("rf", "bytes");
  if (bytes < k->least || bytes > k->most)
    return err_at(e, at->file, at->line, at->col,
                  "rf.technology: found %lld, which makes rf.bytes %lld, expected %lld to %lld bytes", (long long)now,
                  (long long)bytes, (long long)k->least, (long long)k->most);
  c->rf_bytes = bytes;
  if (c->rf_ideal) return true;
  c->rf_banks = technologies[now - 1].banks;
  c->rf_latency = technologies[now - 1].latency;
  return true;
}

/* A control character would break the lines that show it. */
static bool key_text(const struct key *k) { return k->type == KEY_PATH || k->type == KEY_WORD; }

static bool set_text(char field[CONFIG_PATH], const struct key *k, const char *value, const struct place *at,
                     struct err *e) {
  if (strlen(value) >= CONFIG_PATH)
    return err_at(e, at->file, at->line, at->col, "%s.%s: found a %s of %zu bytes, expected at most %d", k->section,
                  k->name, k->type == KEY_PATH ? "path" : "text", strlen(value), CONFIG_PATH - 1);
  for (const char *p = value; *p; p++)
    if ((unsigned char)*p < ' ' || *p == 127)
      return err_at(e, at->file, at->line, at->col, "%s.%s: found a %s with control character 0x%02x, expected none",
                    k->section, k->name, k->type == KEY_PATH ? "path" : "text", (unsigned)(unsigned char)*p);
  memset(field, 0, CONFIG_PATH);
  snprintf(field, CONFIG_PATH, "%s", value);
  return true;
}

/* Between quotes, as YAML has it. */
static void print_text(const char *path, char *buf, size_t size) {
  size_t n = 0;
  buf[n++] = '"';
  for (; *path && n + 3 < size; path++) {
    if (*path == '"' || *path == '\\') buf[n++] = '\\';
    buf[n++] = *path;
  }
  if (n + 1 < size) buf[n++] = '"';
  buf[n] = 0;
}

bool key_set(struct config *c, const struct key *k, const char *value, const struct place *at, struct err *e) {
  void *field = (char *)c + k->offset;
  if (k->type == KEY_INT) {
    int64_t v = 0, before = *(int64_t *)field;
    bool big = false, fits = true, product = key_parse_times(value, before, &v, &fits);
    if (!fits)
      return err_at(e, at->file, at->line, at->col, "%s.%s: found '%.60s' of %lld, expected a whole number of %s",
                    k->section, k->name, value, (long long)before, k->unit);
    if (!product && !key_parse_whole(value, &v, &big))
      return err_at(e, at->file, at->line, at->col,
                    "%s.%s: found '%.60s', expected a whole number (%s, from %lld to %lld)", k->section, k->name, value,
                    k->unit, (long long)k->least, (long long)k->most);
    if (product && (v < k->least || v > k->most))
      return err_at(e, at->file, at->line, at->col,
                    "%s.%s: found %.60s of %lld, which is %lld, expected %lld to %lld %s", k->section, k->name, value,
                    (long long)before, (long long)v, (long long)k->least, (long long)k->most, k->unit);
    if (big || v < k->least || v > k->most)
      return err_at(e, at->file, at->line, at->col, "%s.%s: found %.60s, expected %lld to %lld %s", k->section, k->name,
                    value, (long long)k->least, (long long)k->most, k->unit);
    *(int64_t *)field = v;
    if (field == &c->rf_technology && !key_apply_technology(c, before, at, e)) return false;
  } else if (k->type == KEY_BOOL) {
    bool yes = !strcmp(value, "true");
    if (!yes && strcmp(value, "false"))
      return err_at(e, at->file, at->line, at->col, "%s.%s: found '%.60s', expected true or false", k->section, k->name,
                    value);
    *(bool *)field = yes;
  } else if (key_text(k)) {
    return set_text(field, k, value, at, e);
  } else {
    char names[512];
    int v;
    if (!key_value_named(k, value, &v))
      return err_at(e, at->file, at->line, at->col, "%s.%s: found '%.60s', expected one of %s", k->section, k->name,
                    value, key_names(k, names, sizeof names));
    *(int *)field = v;
  }
  return true;
}

void key_print(const struct config *c, const struct key *k, char *buf, size_t size) {
  const void *field = (const char *)c + k->offset;
  if (k->type == KEY_INT) {
    snprintf(buf, size, "%lld", (long long)*(const int64_t *)field);
  } else if (k->type == KEY_BOOL) {
    snprintf(buf, size, "%s", *(const bool *)field ? "true" : "false");
  } else if (key_text(k)) {
    print_text(field, buf, size);
  } else {
    int v;
    for (unsigned n = 0; key_value(k, n, &v, buf, size) && v != *(const int *)field;) n++;
  }
}

static size_t key_bytes(const struct key *k) {
  return k->type == KEY_INT    ? sizeof(int64_t)
         : k->type == KEY_BOOL ? sizeof(bool)
         : key_text(k)         ? CONFIG_PATH
                               : sizeof(int);
}
bool key_same(const struct config *a, const struct config *b, const struct key *k) {
  return !memcmp((const char *)a + k->offset, (const char *)b + k->offset, key_bytes(k));
}
void key_copy(struct config *to, const struct config *from, const struct key *k) {
  memcpy((char *)to + k->offset, (const char *)from + k->offset, key_bytes(k));
}

void config_defaults(struct config *c) {
  memset(c, 0, sizeof *c);
  snprintf(c->machine, sizeof c->machine, "default");
  snprintf(c->system, sizeof c->system, "baseline");
  for (unsigned i = 0; i < config_nkeys; i++) {
    const struct key *k = &config_keys[i];
    void *field = (char *)c + k->offset;
    if (k->type == KEY_INT) *(int64_t *)field = k->def;
    else if (k->type == KEY_BOOL) *(bool *)field = k->def != 0;
    else if (k->type == KEY_ENUM && !key_value_named(k, k->enum_def, field))
      die("%s.%s: no value '%s'", k->section, k->name, k->enum_def);
  }
}
