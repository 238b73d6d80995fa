/* SPDX-License-Identifier: Apache-2.0 */
/* mutant_names: describes faults by what stands in the source, so that a description stays when lines move. See mutants.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/words.h"
#include "mutants.h"
#include "rtlil.h"

static const char digits[] = "0123456789";

/* ---- sources ---- */

struct source {
  const char *path;
  char **line;
  size_t n, room;
};

static const struct source *source_read(const char *path) {
  static struct dictionary sources;
  void **slot = dictionary_slot(&sources, path);
  if (*slot) return *slot;
  struct source *s = *slot = xcalloc(1, sizeof *s);
  struct textfile file;
  textfile_open(&file, s->path = path);
  for (char *line; (line = textfile_next(&file));) VEC_PUSH(s->line, s->n, s->room) = line;
  return s;
}

/* Line `number` of the source, from 1. If there is none, the list, whose current line names it, is refused. */
static const char *source_line(const struct source *s, unsigned long number, const struct textfile *list) {
  char found[32];
  snprintf(found, sizeof found, "line %lu", number);
  if (number < 1 || number > s->n) textfile_refuse(list, found, "the number of a line of the source");
  return s->line[number - 1];
}

/* Prints n bytes: blanks and tabs as one blank, none at the beginning. */
static void source_print(const char *s, size_t n) {
  size_t from = strspn(s, " \t");
  for (size_t i = from; i < n; i++) {
    bool blank = s[i] == ' ' || s[i] == '\t';
    if (!blank) putchar(s[i]);
    else if (i + 1 >= n || (s[i + 1] != ' ' && s[i + 1] != '\t')) putchar(' ');
  }
}

/* ---- faults of the RTL ---- */

/* "FILE:LINE.COLUMN to LINE.COLUMN"; the end's column is the one after the last. */
struct place {
  char *file;
  unsigned line, column, end_line, end_column;
};

static struct place place_read(const char *text, const struct textfile *list) {
  for (const char *at = text; (at = strchr(at, ':')); at++) {
    struct place p;
    if (sscanf(at, ":%u.%u-%u.%u", &p.line, &p.column, &p.end_line, &p.end_column) != 4) continue;
    p.file = text_copy(text, (size_t)(at - text));
    return p;
  }
  textfile_refuse(list, text, "a place in the source, FILE:LINE.COLUMN, a dash, LINE.COLUMN");
}

static long place_size(const struct place *p) {
  return ((long)p->end_line - (long)p->line) * 1000 + (long)p->end_column - (long)p->column;
}

/* The smallest place of the fault in the source; false: it has none. "0.0-0.0" is no place. */
static bool place_choose(const struct words *w, const struct textfile *list, struct place *best) {
  static const char none[] = ":0.0-0.0";
  bool any = false;
  for (size_t i = 1; i + 1 < w->n; i++) {
    const char *text = w->word[i + 1];
    size_t n = strlen(text);
    if (strcmp(w->word[i], "-src") || (n >= strlen(none) && !strcmp(text + n - strlen(none), none))) continue;
    struct place p = place_read(text, list);
    if (any && place_size(&p) >= place_size(best)) free(p.file);
    else *best = p, any = true;
  }
  return any;
}

/* "rtl/slice/sit.sv:7" */
static void place_print(const struct place *p) {
  const char *slash = strrchr(p->file, '/');
  printf("%s:%u", slash ? slash + 1 : p->file, p->line);
}

/* Prints what stands there; of several lines the rest of the first one, and "...". */
static void place_print_text(const struct place *p, const char *line) {
  static const char more[] = " ...";
  size_t length = strlen(line), from = p->column ? p->column - 1 : 0, to = length;
  if (p->line == p->end_line) to = p->end_column > from ? p->end_column - 1 : from;
  if (from > length) from = length;
  if (to > length) to = length;
  size_t n = to > from ? to - from : 0;
  if (p->line == p->end_line) {
    source_print(line + from, n);
    return;
  }
  char *text = xmalloc(n + sizeof more);
  memcpy(text, line + from, n);
  memcpy(text + n, more, sizeof more);
  source_print(text, strlen(text));
  free(text);
}

/* Multiplexers and registers of the netlist: which net a cell drives, which cell uses a net. */
struct paths {
  struct dictionary to, used;
};

static void paths_read(struct paths *p, const char *netlist) {
  struct rtlil r;
  rtlil_open(&r, netlist);
  while (rtlil_next(&r)) {
    if (r.kind != RTLIL_CONNECT || !r.cell || words_index("$mux|$pmux|$dff|$adff|$dffe|$adffe", r.type) < 0) continue;
    if (rtlil_is_output(&r)) {
      *dictionary_slot(&p->to, r.cell) = r.words.word[2];
      continue;
    }
    for (size_t i = 2; i < r.words.n; i++)
      if (r.words.word[i][0] == '$') *dictionary_slot(&p->used, r.words.word[i]) = (void *)r.cell;
  }
}

/* In "$0\rdata_q[31:0]", "$2\mem_q" and "\v_q" what the source calls it, after the backslash; NULL: Yosys's name. */
static const char *net_source_name(const char *net) {
  if (*net == '\\') return net + 1;
  for (const char *at = net; (at = strchr(at, '$')); at++) {
    size_t n = strspn(at + 1, digits);
    if (n && at[1 + n] == '\\') return at + n + 2;
  }
  return NULL;
}

/* Prints the name without its range: "rdata_q[31:0]" and "rdata_q[31:0]$4" are "rdata_q". */
static void net_print(const char *name) {
  size_t n = strlen(name);
  for (const char *at = name; (at = strchr(at, '[')); at++) {
    size_t a = strspn(at + 1, digits), b = at[1 + a] == ':' ? strspn(at + a + 2, digits) : 0;
    if (!a || !b || at[a + b + 2] != ']') continue;
    const char *end = at + a + b + 3;
    if (*end == '$' && strspn(end + 1, digits)) end += 1 + strspn(end + 1, digits);
    if (*end) continue;
    n = (size_t)(at - name);
    break;
  }
  printf("%.*s", (int)n, name);
}

/* "$2$memwr$\mem_q$ram_1rw.sv:25$421_EN[31:0]$431": prints "EN" */
static void net_print_write_port(const char *net) {
  static const char *const ports[] = {"_EN[", "_DATA[", "_ADDR["};
  for (const char *at = net; (at = strchr(at, '_')); at++) {
    for (unsigned k = 0; k < 3; k++) {
      int n = (int)strlen(ports[k]);
      if (strncmp(at, ports[k], (size_t)n)) continue;
      printf("%.*s", n - 2, at + 1);
      return;
    }
  }
}

/* Prints where the cell leads to: along multiplexers to a net with a name of the source. */
static void paths_print_end(const struct paths *p, const char *cell) {
  for (unsigned hops = 0; cell && hops < 20; hops++) {
    const char *net = dictionary_find(&p->to, cell);
    if (!net) return;
    if (strstr(net, "$memwr$")) {
      fputs(" to ", stdout);
      net_print_write_port(net);
      fputs(" of a write", stdout);
      return;
    }
    const char *name = net_source_name(net);
    if (name) {
      fputs(" to ", stdout);
      net_print(name);
      return;
    }
    cell = dictionary_find(&p->used, net);
  }
}

static void text_cut(char *from, const char *to) { memmove(from, to, strlen(to) + 1); }

/* "$flatten\gen_bank[6].u_ram.$eq$ram_1rw.sv:24$18": prints "gen_bank[6].u_ram.eq" */
static void cell_print_kind(const char *cell) {
  static const char flatten[] = "$flatten\\";
  if (!strncmp(cell, flatten, strlen(flatten))) cell += strlen(flatten);
  if (*cell == '$') cell++;
  char *s = text_copy(cell, strlen(cell)), *at = strstr(s, ".$");
  if (at) text_cut(at + 1, at + 2);
  /* "$FILE:LINE$NUMBER" */
  for (at = s; (at = strchr(at, '$')); at++) {
    const char *end = strchr(at + 1, '$'), *colon = end;
    while (colon && colon > at + 1 && strchr(digits, colon[-1])) colon--;
    if (!end || colon == end || colon == at + 1 || colon[-1] != ':' || !strspn(end + 1, digits)) continue;
    text_cut(at, end + 1 + strspn(end + 1, digits));
    break;
  }
  for (at = s; (at = strchr(at, '$')); at++) {
    if (!strspn(at + 1, digits)) continue;
    text_cut(at, at + 1 + strspn(at + 1, digits));
    break;
  }
  fputs(*s == '\\' ? s + 1 : s, stdout);
  free(s);
}

void mutants_name_rtl(const char *netlist, const char *list) {
  struct paths paths = {{NULL}, {NULL}};
  struct textfile t;
  struct words w = {NULL, 0, 0};
  paths_read(&paths, netlist);
  textfile_open(&t, list);
  for (char *line; (line = textfile_next(&t));) {
    words_split(&w, line, false);
    const char *mode = words_need_option(&w, "-mode", &t), *cell = words_need_option(&w, "-cell", &t);
    const char *port = words_need_option(&w, "-port", &t), *bit = words_need_option(&w, "-portbit", &t);
    const char *wire = words_option(&w, "-wire"), *by = words_option(&w, "-ctrlbit");
    struct place place;
    bool placed = place_choose(&w, &t, &place);
    printf("%u\t", t.line);
    if (placed) place_print(&place);
    else putchar('?');
    printf("\trtl %s ", mode);
    if (wire) {
      printf("%s[%s]", *wire == '\\' ? wire + 1 : wire, words_need_option(&w, "-wirebit", &t));
    } else {
      cell_print_kind(cell);
      printf(".%s[%s]", port, bit);
      paths_print_end(&paths, cell);
    }
    if (by) printf(" by [%s]", by);
    if (placed) {
      const char *whole = source_line(source_read(place.file), place.line, &t);
      fputs(" @ ", stdout);
      place_print_text(&place, whole);
      putchar('\t');
      source_print(whole, strlen(whole));
      putchar('\n');
    } else {
      puts("\t");
    }
  }
}

/* ---- faults of the C model ---- */

/* The function that a line at the left margin declares or defines, "static int pipe_tick(": its name; NULL: none. */
static char *function_read(const char *line) {
  if (*line < 'a' || *line > 'z') return NULL;
  size_t n = strcspn(line + 1, "(;=") + 1, from = n;
  if (line[n] != '(') return NULL;
  while (from && line[from - 1] != ' ' && line[from - 1] != '*') from--;
  return text_copy(line + from, n - from);
}

/* The function that each line of the source stands in, "" outside of one. */
static const char **functions_find(const struct source *s) {
  const char **in = xcalloc(s->n + 1, sizeof *in), *now = "";
  for (size_t i = 0; i < s->n; i++) {
    const char *line = s->line[i], *name = function_read(line);
    size_t n = strlen(line);
    if (name) now = name;
    if (*line == '}') now = "";
    in[i] = now;
    if (*line >= 'a' && *line <= 'z' && n > 1 && line[n - 1] == '}') now = "";
  }
  return in;
}

void mutants_name_c(const char *source, const char *list) {
  const struct source *s = source_read(source);
  const char **in = functions_find(s), *slash = strrchr(source, '/'), *name = slash ? slash + 1 : source;
  struct textfile t;
  struct words w = {NULL, 0, 0};
  textfile_open(&t, list);
  for (char *line; (line = textfile_next(&t));) {
    words_split(&w, line, true);
    if (w.n < 5) textfile_refuse(&t, line, "number, line, column, kind and change of a fault, with tabs in between");
    unsigned long number = strtoul(w.word[1], NULL, 10), column = strtoul(w.word[2], NULL, 10);
    const char *text = source_line(s, number, &t), *arrow = strstr(w.word[4], " -> ");
    char *found = text_copy(w.word[4], arrow ? (size_t)(arrow - w.word[4]) : strlen(w.word[4]));
    unsigned count = 0, times = 0;
    for (const char *at = text; *found && (at = strstr(at, found)); at++) {
      times++;
      if ((unsigned long)(at - text) + 1 <= column) count++;
    }
    printf("%s\t%s:%lu\tc %s %s", w.word[0], name, number, w.word[3], w.word[4]);
    if (times > 1) printf(" #%u", count);
    printf(" @ %s: ", in[number - 1]);
    source_print(text, strlen(text));
    putchar('\n');
    free(found);
  }
}
