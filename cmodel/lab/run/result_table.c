/* SPDX-License-Identifier: Apache-2.0 */
/* result_table: results as a table for reading. Its rows are lab/run/rows.def's and the systems'. */
#include <inttypes.h>
#include <string.h>

#include "base/show.h"
#include "lab/report/table.h"
#include "lab/run/result.h"
#include "lab/run/result_slots.h"

/* For the rows' units and words. */
static const char *text_percent_of(char buf[CELL], int64_t n) { return snprintf(buf, CELL, "%% of %" PRId64, n), buf; }
static const char *text_hex(char buf[CELL], uint64_t n) { return snprintf(buf, CELL, "%016" PRIx64, n), buf; }
static const char *text_decimal(char buf[CELL], uint64_t n) { return snprintf(buf, CELL, "%" PRIu64, n), buf; }

static const char *text_latency(char buf[CELL], const struct load_latency *l) {
  char mean[CELL], p50[CELL], p95[CELL];
  if (!l->loads) return "-";
  snprintf(buf, CELL, "%.11s  %.11s  %.11s", text_ratio(mean, l->cycles, l->loads, 1), text_count(p50, l->p50),
           text_count(p95, l->p95));
  return buf;
}

enum section {
#define SECTION(section, title, when) SECTION_##section,
#include "gen/systems/rows.def"
  SECTIONS
};

/* A row's expressions as functions. */
/* clang-format off */
#define WHEN(key, when) static bool when_##key(const struct run_result *r) { const struct config *c = &r->cfg; return (void)c, (when); }
#define UNIT(key, unit) static const char *unit_##key(const struct run_result *r, char buf[CELL]) { const struct config *c = &r->cfg; return (void)c, (void)buf, (unit); }
#define CELL_OF(key, cell) static const char *cell_##key(const struct run_result *r, char buf[CELL]) { const struct config *c = &r->cfg; return (void)c, (void)buf, (cell); }
#define SECTION(section, title, when) WHEN(of_##section, when)
#define COUNT(key, section, label, unit, when, number) WHEN(key, when) UNIT(key, unit) CELL_OF(key, text_count(buf, number))
#define RATIO(key, section, label, unit, decimals, when, number, of) \
  WHEN(key, when) UNIT(key, unit) CELL_OF(key, text_ratio(buf, number, of, decimals))
#define TEXT(key, section, label, unit, when, text) WHEN(key, when) UNIT(key, unit) CELL_OF(key, text)
#include "gen/systems/rows.def"
/* clang-format on */

static const struct {
  const char *title;
  bool (*when)(const struct run_result *);
} sections[SECTIONS] = {
#define SECTION(section, title, when) {title, when_of_##section},
#include "gen/systems/rows.def"
};

static const struct {
  enum section section;
  const char *label;
  bool (*when)(const struct run_result *);
  const char *(*unit)(const struct run_result *, char buf[CELL]);
  const char *(*cell)(const struct run_result *, char buf[CELL]);
} rows[] = {
#define COUNT(key, section, label, unit, when, number) {SECTION_##section, label, when_##key, unit_##key, cell_##key},
#define RATIO(key, section, label, unit, decimals, when, number, of) \
  {SECTION_##section, label, when_##key, unit_##key, cell_##key},
#define TEXT(key, section, label, unit, when, text) {SECTION_##section, label, when_##key, unit_##key, cell_##key},
#include "gen/systems/rows.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

/* Each row's place in `rows`. */
enum row {
#define COUNT(key, section, label, unit, when, number) ROW_##key,
#define RATIO(key, section, label, unit, decimals, when, number, of) ROW_##key,
#define TEXT(key, section, label, unit, when, text) ROW_##key,
#include "gen/systems/rows.def"
};
/* The rows of the short form. */
static const enum row brief[] = {ROW_launches, ROW_warp_insns, ROW_cycles,     ROW_ipc,          ROW_regs,
                                 ROW_fit,      ROW_limiter,    ROW_warps_part, ROW_l1_read_hits, ROW_l1_read_merges};
enum { BRIEFS = sizeof brief / sizeof *brief };

static void slot_rows(struct table *t, const struct run_result *r, unsigned n) {
  struct result_slot s[RESULT_SLOTS];
  char buf[CELL];
  result_slots(r, s);
  for (unsigned i = 0; i < RESULT_SLOTS; i++) {
    table_row(t, s[i].label, "%");
    for (unsigned c = 0; c < n; c++) {
      result_slots(&r[c], s);
      table_cell(t, c, s[i].modelled ? text_hundredths(buf, s[i].hundredths) : "-");
    }
  }
}

static void result_add_row(struct table *t, const struct run_result *r, unsigned n, unsigned row) {
  char buf[CELL];
  table_row(t, rows[row].label, rows[row].unit(r, buf));
  for (unsigned c = 0; c < n; c++) table_cell(t, c, rows[row].cell(&r[c], buf));
}

static void section_rows(struct table *t, const struct run_result *r, unsigned n, enum section section) {
  table_section(t, sections[section].title);
  if (section == SECTION_slots) slot_rows(t, r, n);
  for (unsigned i = 0; i < ROWS; i++)
    if (rows[i].section == section && rows[i].when(r)) result_add_row(t, r, n, i);
}

static void result_add_brief_rows(struct table *t, const struct run_result *r, unsigned n) {
  for (unsigned i = 0; i < BRIEFS; i++) {
    const unsigned row = brief[i];
    if (sections[rows[row].section].when(r) && rows[row].when(r)) result_add_row(t, r, n, row);
  }
}

static void result_print_title(const struct run_result *r, const char *settings, FILE *f) {
  if (r->functional) fprintf(f, "regtwin %s   functional, without timing\n\n", RT_VERSION);
  else
    fprintf(f, "regtwin %s   %s of %s, system %s%s\n\n", RT_VERSION, RUN_SMS(&r->cfg), SHOWN(r->cfg.machine),
            SHOWN(r->cfg.system), SHOWN(settings));
}

void result_print(const struct run_result *r, unsigned n, bool short_form, const char *settings, FILE *f) {
  struct table *t = table_new(n);
  for (unsigned c = 0; c < n; c++) {
    char head[sizeof r->kernel + 2];
    snprintf(head, sizeof head, "%s%s", r[c].kernel, r[c].partial ? " *" : "");
    table_head(t, c, head);
  }
  if (short_form) result_add_brief_rows(t, r, n);
  for (unsigned s = 0; s < SECTIONS && !short_form; s++)
    if (sections[s].when(r)) section_rows(t, r, n, (enum section)s);
  result_print_title(r, settings, f);
  table_print(t, f);
  table_free(t);
  for (unsigned c = 0; c < n; c++)
    if (r[c].partial) fprintf(f, "\n* %s: of a part of the run: %s\n", SHOWN(r[c].kernel), SHOWN(r[c].part));
}
