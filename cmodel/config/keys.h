/* SPDX-License-Identifier: Apache-2.0 */
/* keys: schema.def and the systems' keys as a table, for what reads, prints and explains keys by name: config/ itself, and reports.
 */
#ifndef RT_CONFIG_KEYS_H
#define RT_CONFIG_KEYS_H

#include <stddef.h>

#include "config/config.h"

enum key_type { KEY_INT, KEY_BOOL, KEY_ENUM, KEY_PATH, KEY_WORD };
enum { KEY_TEXT = 3 * CONFIG_PATH }; /* bytes of any value that key_print makes, NUL included */

struct key {
  const char *section, *name;
  enum key_type type;
  size_t offset;            /* in struct config */
  int64_t def, least, most; /* KEY_INT; def of KEY_BOOL too */
  const char *unit;
  const char *enum_def, *list; /* KEY_ENUM: default by name; "a|b|c", or NULL: the choices of slot `name` */
  const char *cite, *text;
};

extern const struct key config_keys[];
extern const unsigned config_nkeys;

/* Where a value was written, for messages: a place in a file, or (file NULL) an argument of the command line.
 */
struct place {
  const char *file;
  int line, col;
};

const struct key *key_find(const char *section, const char *name); /* NULL: none */
bool key_section(const char *section);                             /* a section of that name exists */
/* The n-th value of a KEY_ENUM, from 0, and its name; false: there are fewer. */
bool key_value(const struct key *k, unsigned n, int *value, char *name, size_t size);
/* All names of a KEY_ENUM, "a|b|c". */
const char *key_names(const struct key *k, char *buf, size_t size);
/* What a message says after an unknown section or key, of KEY_NEAR bytes at most: its name if it was renamed, the names that
 * are similar (base/similar.h), or where all are listed. Each returns buf. */
enum { KEY_NEAR = 400 };
char *key_suggest_section(const char *section, char *buf, size_t size);
char *key_suggest(const char *section, const char *name, char *buf, size_t size);
char *key_suggest_any(const char *name, char *buf,
                      size_t size); /* of a section, of section.key or of a key's name alone */
/* Stores a value given as text; false and *e with what was expected. */
bool key_set(struct config *c, const struct key *k, const char *value, const struct place *at, struct err *e);
/* The value as a file would say it; of KEY_TEXT bytes it needs no more. */
void key_print(const struct config *c, const struct key *k, char *buf, size_t size);

/* Have both the same value of it? Gives `to` the value that `from` has. */
bool key_same(const struct config *a, const struct config *b, const struct key *k);
void key_copy(struct config *to, const struct config *from, const struct key *k);

/* For config_trace: what `text`, the whole file, says of its line; text NULL: no file (config/origin.c). */
void key_origin(const struct key *k, const char *where, const char *text, int line);
/* Reads a whole YAML text into *c (config/file.c); *keys: how many keys it sets. */
bool config_file(struct config *c, const char *file, const char *text, size_t n, unsigned *keys, struct err *e);
bool config_text(struct config *c, const char *file, const char *text, size_t n, struct err *e);

#endif
