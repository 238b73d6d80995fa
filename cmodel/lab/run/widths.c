/* SPDX-License-Identifier: Apache-2.0 */
/* widths: see widths.h. */
#include "lab/run/widths.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "compiler/narrow/packing.h"
#include "base/bits.h"
#include "base/io.h"
#include "base/show.h"
#include "base/words.h"
#include "base/yaml.h"
#include "blocks/slice/vcl.h"

static const char keys[] = "format, hash, ptx, or a quality: perfect, high, ssim X or deviation X %",
                  table_keys[] = "command and narrows, or command, reached and entries";

struct reader {
  struct yaml y;
  struct widths *w;
  struct width_table *t; /* that is being read */
  unsigned seen;         /* a bit per key */
};

static const char *widths_keep_text(struct reader *r) {
  return arena_strndup(&r->w->arena, yaml_text(&r->y), strlen(yaml_text(&r->y)));
}

/* Texts as those of other files: one line, something in it. */
static bool widths_is_line(struct reader *r, const char *what) {
  struct yaml *y = &r->y;
  if (!yaml_is_text(y)) return yaml_unexpected(y, what);
  if (!yaml_text(y)[0] || strchr(yaml_text(y), '\n'))
    return yaml_bad(y, "found '%.60s', expected %s in one line", yaml_text(y), what);
  return true;
}

static bool widths_read_line(struct reader *r, const char *what, const char **out) {
  if (!widths_is_line(r, what)) return false;
  *out = widths_keep_text(r);
  return yaml_next(&r->y);
}

static bool widths_read_format(struct reader *r) {
  struct yaml *y = &r->y;
  if (!yaml_is_text(y)) return yaml_unexpected(y, "a format's number");
  if (strcmp(yaml_text(y), "2")) return yaml_bad(y, "found format '%.20s', expected 2", yaml_text(y));
  return yaml_next(y);
}

static bool widths_read_hash(struct reader *r) {
  struct yaml *y = &r->y;
  if (!yaml_is_text(y)) return yaml_unexpected(y, "a hash");
  const char *s = yaml_text(y);
  if (strlen(s) != 16 || strspn(s, "0123456789abcdef") != 16)
    return yaml_bad(y, "found hash '%.40s', expected 16 hexadecimal digits", s);
  r->w->hash = strtoull(s, NULL, 16);
  r->w->hash_line = yaml_line(y);
  r->w->hash_col = yaml_col(y);
  return yaml_next(y);
}

static bool widths_read_ptx(struct reader *r) {
  r->w->ptx_line = yaml_line(&r->y);
  r->w->ptx_col = yaml_col(&r->y);
  return widths_read_line(r, "the name of a PTX file", &r->w->ptx);
}

static bool widths_read_reached(struct reader *r) {
  struct yaml *y = &r->y;
  struct width_table *t = r->t;
  if (!yaml_is(y, YAML_SEQUENCE_START_EVENT)) return yaml_unexpected(y, "a list of inputs");
  if (!yaml_next(y)) return false;
  while (!yaml_is(y, YAML_SEQUENCE_END_EVENT)) {
    const char *input;
    if (!widths_read_line(r, "an input", &input)) return false;
    VEC_PUSH(t->reached, t->nreached, t->creached) = input;
  }
  return yaml_next(y);
}

static struct width *widths_add(struct reader *r, const char *entry, const char *web) {
  struct width_table *t = r->t;
  struct width *one = &VEC_PUSH(t->width, t->n, t->cap);
  *one = (struct width){entry, web, 8, yaml_line(&r->y), yaml_col(&r->y)};
  return one;
}

static bool widths_read_web(struct reader *r, const char *entry) { /* current event: its name */
  struct yaml *y = &r->y;
  if (!widths_is_line(r, "the name of a register")) return false;
  struct width *one = widths_add(r, entry, widths_keep_text(r));
  if (!yaml_next(y)) return false;
  if (!yaml_is_text(y)) return yaml_unexpected(y, "bits");
  int n = words_index("8|12|16|20|24|28|32", yaml_text(y));
  if (n < 0) return yaml_bad(y, "found %.20s bits, expected 8, 12, 16, 20, 24, 28 or 32", yaml_text(y));
  one->nibbles = (uint8_t)(n + 2);
  return yaml_next(y);
}

static bool widths_read_entry(struct reader *r) { /* current event: its name */
  struct yaml *y = &r->y;
  if (!widths_is_line(r, "the name of an .entry")) return false;
  const char *entry = widths_keep_text(r);
  widths_add(r, entry, "");
  if (!yaml_next(y)) return false;
  if (!yaml_is(y, YAML_MAPPING_START_EVENT)) return yaml_unexpected(y, "registers and their bits");
  if (!yaml_next(y)) return false;
  while (!yaml_is(y, YAML_MAPPING_END_EVENT))
    if (!widths_read_web(r, entry)) return false;
  return yaml_next(y);
}

static bool widths_read_entries(struct reader *r) {
  struct yaml *y = &r->y;
  if (!yaml_is(y, YAML_MAPPING_START_EVENT)) return yaml_unexpected(y, "a mapping of entries");
  if (!yaml_next(y)) return false;
  while (!yaml_is(y, YAML_MAPPING_END_EVENT))
    if (!widths_read_entry(r)) return false;
  return yaml_next(y);
}

static int widths_by_name(const void *a, const void *b) {
  const struct width *x = a, *y = b;
  int k = strcmp(x->entry, y->entry);
  return k ? k : strcmp(x->web, y->web);
}

static int widths_by_name_and_place(const void *a, const void *b) {
  const struct width *x = a, *y = b;
  int k = widths_by_name(a, b);
  return k ? k : x->line != y->line ? x->line - y->line : x->col - y->col;
}

static bool widths_all_once(struct reader *r) {
  const struct width_table *t = r->t;
  for (uint32_t i = 1; i < t->n; i++) {
    const struct width *a = &t->width[i];
    if (!widths_by_name(a - 1, a))
      return err_at(r->y.e, r->w->file, a->line, a->col, "found %s '%.60s' a second time, expected it once",
                    a->web[0] ? "register" : "entry", a->web[0] ? a->web : a->entry);
  }
  return true;
}

/* Marks a key as seen; false: it was already. */
static bool widths_mark_key(struct reader *r, unsigned *seen, unsigned key) {
  if (*seen >> key & 1) return yaml_bad(&r->y, "found key '%s' a second time, expected it once", yaml_text(&r->y));
  *seen |= 1u << key;
  return true;
}

enum { COMMAND, NARROWS, REACHED, ENTRIES };
static bool widths_read_table_key(struct reader *r, unsigned *seen) {
  struct yaml *y = &r->y;
  if (!yaml_is_text(y)) return yaml_unexpected(y, "the name of a key");
  const int key = words_index("command|narrows|reached|entries", yaml_text(y));
  if (key < 0) return yaml_bad(y, "found unknown key '%.40s', expected %s", yaml_text(y), table_keys);
  if (!widths_mark_key(r, seen, (unsigned)key) || !yaml_next(y)) return false;
  if (key == COMMAND) return widths_read_line(r, "a command", &r->t->command);
  if (key == REACHED) return widths_read_reached(r);
  if (key == ENTRIES) return widths_read_entries(r);
  if (!yaml_is_text(y)) return yaml_unexpected(y, "'nothing'");
  if (strcmp(yaml_text(y), "nothing")) return yaml_bad(y, "found '%.40s', expected 'nothing'", yaml_text(y));
  return yaml_next(y);
}

/* The current event is the quality. */
static bool widths_read_table(struct reader *r) {
  struct yaml *y = &r->y;
  const char *quality = widths_keep_text(r);
  unsigned seen = 0;
  for (uint32_t i = 0; i < r->w->ntable; i++)
    if (!strcmp(r->w->table[i].quality, quality))
      return yaml_bad(y, "found key '%s' a second time, expected it once", quality);
  r->t = &VEC_PUSH(r->w->table, r->w->ntable, r->w->ctable);
  *r->t = (struct width_table){.quality = quality};
  if (!yaml_next(y)) return false;
  if (!yaml_is(y, YAML_MAPPING_START_EVENT)) return yaml_unexpected(y, table_keys);
  if (!yaml_next(y)) return false;
  while (!yaml_is(y, YAML_MAPPING_END_EVENT))
    if (!widths_read_table_key(r, &seen)) return false;
  if (seen != (1u << COMMAND | 1u << NARROWS) && seen != (1u << COMMAND | 1u << REACHED | 1u << ENTRIES))
    return yaml_bad(y, "found the end of '%.40s' with other keys, expected %s", quality, table_keys);
  if (r->t->n) qsort(r->t->width, r->t->n, sizeof *r->t->width, widths_by_name_and_place);
  return widths_all_once(r) && yaml_next(y);
}

/* As tune writes them: perfect, high, "ssim X" with X above 0 and at most 1, "deviation X %" with X from 0 to 100. */
static bool widths_is_quality(const char *s) {
  if (!strcmp(s, "perfect") || !strcmp(s, "high")) return true;
  const bool ssim = !strncmp(s, "ssim ", 5);
  if (!ssim && strncmp(s, "deviation ", 10)) return false;
  s += ssim ? 5 : 10;
  if (*s < '0' || *s > '9') return false;
  char *end;
  const double x = strtod(s, &end);
  return ssim ? !*end && x > 0 && x <= 1 : !strcmp(end, " %") && x <= 100;
}

static bool widths_read_key(struct reader *r) {
  enum { FORMAT, PTX, HASH };
  struct yaml *y = &r->y;
  if (!yaml_is_text(y)) return yaml_unexpected(y, "the name of a key");
  if (widths_is_quality(yaml_text(y))) return widths_is_line(r, "a quality") && widths_read_table(r);
  const int key = words_index("format|ptx|hash", yaml_text(y));
  if (key < 0) return yaml_bad(y, "found unknown key '%.40s', expected %s", yaml_text(y), keys);
  if (!widths_mark_key(r, &r->seen, (unsigned)key) || !yaml_next(y)) return false;
  return key == FORMAT ? widths_read_format(r) : key == PTX ? widths_read_ptx(r) : widths_read_hash(r);
}

static bool widths_read_document(struct reader *r) {
  struct yaml *y = &r->y;
  if (!yaml_is(y, YAML_MAPPING_START_EVENT)) return yaml_unexpected(y, "a mapping of keys to values");
  if (!yaml_next(y)) return false;
  while (!yaml_is(y, YAML_MAPPING_END_EVENT))
    if (!widths_read_key(r)) return false;
  if (r->seen != 7 || !r->w->ntable)
    return yaml_bad(y, "found the end without all keys, expected format, hash, ptx and a quality");
  return yaml_end(y);
}

/* Of the table of this quality; NULL: the first. */
static const struct width_table *widths_find_table(const struct widths *w, const char *quality) {
  for (uint32_t i = 0; i < w->ntable; i++)
    if (!quality || !strcmp(w->table[i].quality, quality)) return &w->table[i];
  return NULL;
}

bool widths_text(struct widths *w, const char *file, const char *text, size_t n, const char *quality, struct err *e) {
  memset(w, 0, sizeof *w);
  if (n > YAML_MOST) return err_at(e, file, 0, 0, "found %zu bytes, expected widths of at most 1 MiB", n);
  w->file = arena_strndup(&w->arena, file, strlen(file));
  struct reader r = {.w = w};
  bool empty, ok = yaml_open(&r.y, w->file, text, n, "'key: value' lines", e, &empty);
  if (ok && empty) ok = err_at(e, file, 1, 1, "found nothing, expected %s", keys);
  ok = ok && widths_read_document(&r);
  yaml_close(&r.y);
  w->of = ok ? widths_find_table(w, quality) : NULL;
  return ok;
}

void widths_path(char *buf, size_t size, const char *launch_file, const char *ptx) {
  const char *name = path_name(ptx), *dot = strrchr(name, '.');
  const int n = dot && dot != name ? (int)(dot - name) : (int)strlen(name);
  snprintf(buf, size, "%.*s%.*s.widths", (int)(path_name(launch_file) - launch_file), launch_file, n, name);
}

const char *widths_ptx(const struct module *m) { return path_name(m->file); }

bool widths_hash(const struct module *m, uint64_t *hash, struct err *e) {
  char part[4096], why[IO_WHY];
  FILE *f = input_open(m->file, why);
  if (!f) return err_at(e, m->file, 0, 0, "found no readable file (%s), expected PTX", why);
  *hash = FNV_START;
  for (size_t n; (n = fread(part, 1, sizeof part, f));) *hash = fnv1a(*hash, part, n);
  bool bad = ferror(f);
  fclose(f);
  return bad ? err_at(e, m->file, 0, 0, "found no readable file, expected PTX") : true;
}

static bool widths_entries_known(const struct widths *w, const struct width_table *t, const struct module *m,
                                 struct err *e) {
  for (uint32_t i = 0; i < t->n; i++) {
    const struct width *a = &t->width[i];
    bool known = a->web[0];
    for (uint32_t k = 0; !known && k < m->nkernel; k++) known = !strcmp(m->kernel[k].name, a->entry);
    if (!known)
      return err_at(e, w->file, a->line, a->col, "found entry '%.100s', expected one of %.200s", a->entry, m->file);
  }
  return true;
}

static bool widths_of_module(const struct widths *w, const struct module *m, struct err *e) {
  uint64_t hash = 0;
  if (strcmp(w->ptx, widths_ptx(m)))
    return err_at(e, w->file, w->ptx_line, w->ptx_col, "found widths of '%.100s', expected those of '%.200s'", w->ptx,
                  m->file);
  if (!widths_hash(m, &hash, e)) return false;
  if (hash != w->hash)
    return err_at(e, w->file, w->hash_line, w->hash_col,
                  "found widths of another version of %.200s (hash %016" PRIx64 "), expected hash %016" PRIx64
                  "; '%.200s' makes them anew",
                  m->file, w->hash, hash, (w->of ? w->of : w->table)->command);
  for (uint32_t i = 0; i < w->ntable; i++)
    if (!widths_entries_known(w, &w->table[i], m, e)) return false;
  return true;
}

bool widths_read(struct widths *w, const char *path, const struct module *m, const char *quality, struct err *e) {
  size_t n = 0;
  memset(w, 0, sizeof *w);
  char *text = yaml_slurp(path, &n, "the widths of a kernel's floats, as 'regtwin tune' makes them", e);
  bool ok = text && widths_text(w, path, text, n, quality, e) && widths_of_module(w, m, e);
  free(text);
  return ok;
}

static const struct web *packing_find_web(const struct packing *p, const char *name) {
  for (uint32_t k = 0; k < p->nweb; k++)
    if (!strcmp(p->web[k].name, name)) return &p->web[k];
  return NULL;
}

static bool widths_table_fits(const struct widths *w, const struct width_table *t, const struct code *c,
                              struct err *e) {
  for (uint32_t i = 0; i < t->n; i++) {
    const struct width *a = &t->width[i];
    if (strcmp(a->entry, c->name) || !a->web[0]) continue;
    const struct web *web = packing_find_web(c->packing, a->web);
    if (!web || !web->fp)
      return err_at(e, w->file, a->line, a->col, "found %s '%.60s', expected a float of entry '%.100s' (%.200s)",
                    web ? "the register" : "unknown register", a->web, c->name, c->file);
  }
  return true;
}

bool widths_fit(const struct widths *w, const struct code *c, struct err *e) {
  for (uint32_t i = 0; i < w->ntable; i++)
    if (!widths_table_fits(w, &w->table[i], c, e)) return false;
  return true;
}

unsigned widths_of(const struct widths *w, const char *kernel, const char *web) {
  const struct width key = {.entry = kernel, .web = web};
  const struct width_table *t = w->of;
  const struct width *a = t && t->n ? bsearch(&key, t->width, t->n, sizeof key, widths_by_name) : NULL;
  return a ? a->nibbles : 8;
}

/* As it is where YAML cannot take it for anything else, in quotes otherwise. */
static void widths_put_text(FILE *f, const char *s) {
  size_t n = strlen(s);
  bool plain = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./%=+- ") == n &&
               !strchr("%-=+. ", s[0]) && s[n - 1] != ' ';
  if (!plain) putc('"', f);
  for (; *s; s++) {
    if (!plain && ((unsigned char)*s < ' ' || *s == 127)) fprintf(f, "\\x%02x", (unsigned)*s);
    else fprintf(f, *s == '"' || *s == '\\' ? "\\%c" : "%c", *s);
  }
  if (!plain) putc('"', f);
}

/* "KEY: VALUE" */
static void widths_put_pair(FILE *f, const char *key, const char *value) {
  widths_put_text(f, key);
  fputs(": ", f);
  widths_put_text(f, value);
}

static bool widths_table_narrows(const struct width_table *t) {
  for (uint32_t i = 0; i < t->n; i++)
    if (t->width[i].web[0] && t->width[i].nibbles < 8) return true;
  return false;
}

static void widths_put_table(FILE *f, const struct width_table *t) {
  widths_put_text(f, t->quality);
  if (!widths_table_narrows(t)) {
    fputs(": {narrows: nothing, ", f);
    widths_put_pair(f, "command", t->command);
    fputs("}\n", f);
    return;
  }
  fputs(":\n  ", f);
  widths_put_pair(f, "command", t->command);
  fputs(t->nreached ? "\n  reached:\n" : "\n  reached: []\n", f);
  for (uint32_t i = 0; i < t->nreached; i++) {
    fputs("    - ", f);
    widths_put_text(f, t->reached[i]);
    putc('\n', f);
  }
  fputs("  entries:\n", f);
  for (uint32_t i = 0; i < t->n; i++) {
    const struct width *a = &t->width[i];
    bool empty = !a->web[0] && (i + 1 == t->n || !t->width[i + 1].web[0]);
    fputs(a->web[0] ? "      " : "    ", f);
    widths_put_text(f, a->web[0] ? a->web : a->entry);
    if (a->web[0]) fprintf(f, ": %u\n", 4u * a->nibbles);
    else fputs(empty ? ": {}\n" : ":\n", f);
  }
}

void widths_write(const struct widths *w, FILE *f) {
  static const char *const first[] = {"perfect", "high"};
  fprintf(f, "format: 2\nhash: %016" PRIx64 "\n", w->hash);
  widths_put_pair(f, "ptx", w->ptx);
  putc('\n', f);
  for (unsigned k = 0; k < 2; k++)
    if (widths_find_table(w, first[k])) widths_put_table(f, widths_find_table(w, first[k]));
  for (uint32_t i = 0; i < w->ntable; i++)
    if (strcmp(w->table[i].quality, first[0]) && strcmp(w->table[i].quality, first[1]))
      widths_put_table(f, &w->table[i]);
}

/* How many of a kernel's floats have each format. */
static void widths_print_counts(const struct packing *p, FILE *f) {
  unsigned count[9] = {0}, all = 0;
  for (uint32_t k = 0; k < p->nweb; k++) {
    count[p->web[k].n] += p->web[k].fp;
    all += p->web[k].fp;
  }
  fprintf(f, "  floats        %u", all);
  for (unsigned n = 2, any = 0; n <= 8; n++)
    if (count[n]) fprintf(f, "%s %u of %u bits", any++ ? "," : ":", count[n], 4 * n);
  putc('\n', f);
}

void widths_print(const struct widths *w, const struct code *c, FILE *f) {
  fprintf(f, "kernel %s (%s:%" PRIu32 ")\n  widths        %s: quality %s, by %s\n", c->name, SHOWN(c->file), c->line,
          w->file, w->of->quality, w->of->command);
  if (!w->of->n) fprintf(f, "  %-12s  nothing\n", "narrows");
  for (uint32_t i = 0; i < w->of->nreached; i++) fprintf(f, "  %-12s  %s\n", i ? "" : "reached", w->of->reached[i]);
  widths_print_counts(c->packing, f);
  fprintf(f, "  registers     %" PRIu32 " of 32 bits per thread, integers left whole\n", c->packing->rows);
  fprintf(f, "  format        what is written is rounded to: bits, of them exponent and fraction\n\n");
  for (uint32_t i = 0; i < c->n; i++) {
    const struct narrow *x = &c->packing->insn[i];
    char text[256];
    insn_print(c, i, text, sizeof text);
    fprintf(f, x->fp ? "%6" PRIu32 "  %-60s" : "%6" PRIu32 "  %s", i, text);
    for (unsigned d = 0; d < 4; d++) {
      if (!(x->fp >> d & 1)) continue;
      const struct vcl_format format = vcl_format(x->n[d]);
      fprintf(f, "  %s %u (%u, %u)", c->packing->web[x->dst[d]].name, 4u * x->n[d], format.exp, format.man);
    }
    putc('\n', f);
  }
}

void widths_free(struct widths *w) {
  for (uint32_t i = 0; i < w->ntable; i++) {
    free(w->table[i].width);
    free(w->table[i].reached);
  }
  free(w->table);
  arena_free(&w->arena);
  memset(w, 0, sizeof *w);
}
