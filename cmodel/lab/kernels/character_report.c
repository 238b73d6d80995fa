/* SPDX-License-Identifier: Apache-2.0 */
/* character_report: see character_report.h. Plots are in character_plots.c. */
#include "lab/kernels/character_report.h"

#include <math.h>
#include <string.h>

#include "base/show.h"
#include "lab/run/result.h"
#include "lab/report/json.h"
#include "lab/report/table.h"

enum { FAR_NUM = 1, FAR_DEN = 3 }; /* ours may be a third above or below the paper's */

static double stall_mean(const struct character *c) { return fraction_of(c->stall_cycles, c->stall_n); }
static double again_mean(const struct character *c) { return fraction_of(c->again_cycles, c->again_n); }
static double character_ipc(const struct character *c) { return fraction_of(c->run.sm.warp_insns, c->run.cycles); }
static double used_of(const struct character *c) { return fraction_mean(&c->used); }
static double resident_of(const struct character *c) {
  return fraction_of(c->run.sm.warp_cycles, c->run.sm.cycles * (uint64_t)c->run.cfg.sm_warps);
}
static double above3_of(const struct character *c) {
  return fraction_of(histogram_above(&c->reuse, 3), c->reuse.count);
}
static double above3_percent(const struct character *c) { return 100 * above3_of(c); }
static double above10_of(const struct character *c) {
  return fraction_of(histogram_above(&c->reuse, 10), c->reuse.count);
}

/* ---- what papers say ---- */

/* Ends with a NULL where. */
static const struct paper_trait paper_traits[] = {
#define TRAIT(paper, trait, suite, number, where) {PAPER_##paper, TRAIT_##trait, suite, number, where},
#include "gen/systems/papers.def"
    {.where = NULL}};

const struct paper_trait *trait_next(const struct paper_trait *from, enum trait trait) {
  for (from = from ? from + 1 : paper_traits; from->where; from++)
    if (from->trait == trait) return from;
  return NULL;
}

int trait_paper(const struct paper_trait *t) { return (int)strcspn(t->where, ","); }

/* Its programs are what this kernel stands for. */
static bool trait_concerns(const struct paper_trait *t, const struct about *a) {
  return a && a->paper[t->paper].nname && strstr(a->suite, t->suite);
}

/* Cycles to the stall of one of the paper's programs; 0: it does not say. */
static unsigned stall_by(enum paper p, const struct about *a) {
  for (unsigned i = 0; a && i < a->paper[p].nname; i++) {
    const struct paper_name *n = paper_name(p, a->paper[p].name[i]);
    if (n) return n->stall;
  }
  return 0;
}

/* A paper's number for a trait, of the lines that share a paper and a place: t's; 0: none. */
static double number_by(const struct paper_trait *t, const struct about *a) {
  if (t->trait == TRAIT_stall) return stall_by(t->paper, a);
  for (const struct paper_trait *o = t; o; o = trait_next(o, t->trait))
    if (o->paper == t->paper && !strcmp(o->where, t->where) && trait_concerns(o, a)) return o->number;
  return 0;
}

/* Of the first paper that has one. */
static double paper_number(enum trait trait, const struct about *a) {
  double x = 0;
  for (const struct paper_trait *t = NULL; !(x > 0) && (t = trait_next(t, trait));) x = number_by(t, a);
  return x;
}
static unsigned paper_stall(const struct about *a) { return (unsigned)paper_number(TRAIT_stall, a); }

static bool far_off(double ours, double paper) {
  return paper > 0 && (ours * FAR_DEN > paper * (FAR_DEN + FAR_NUM) || ours * FAR_DEN < paper * (FAR_DEN - FAR_NUM));
}

static const char *character_percent(char buf[CELL], double x) { return text_decimals(buf, 100 * x, 1); }

/* ---- the table ---- */

#define ROW(t, n, label, unit, text)     \
  do {                                   \
    table_row(t, label, unit);           \
    for (unsigned i = 0; i < (n); i++) { \
      char buf[CELL];                    \
      const struct character *x = c[i];  \
      (void)x, (void)buf;                \
      table_cell(t, i, text);            \
    }                                    \
  } while (0)

static const char *paper_cell(char buf[CELL], double ours, double paper, unsigned decimals) {
  if (paper <= 0) return "";
  snprintf(buf, CELL, "%.*f%s", (int)decimals, paper, far_off(ours, paper) ? " *" : "");
  return buf;
}

/* Whether an earlier line has the same row. */
static bool trait_repeats(const struct paper_trait *t) {
  for (const struct paper_trait *o = NULL; (o = trait_next(o, t->trait)) != t;)
    if (o->paper == t->paper && !strcmp(o->where, t->where)) return true;
  return false;
}

/* What papers say of a trait, below ours; `ours` NULL: it is not compared. */
static void paper_rows(struct table *t, const struct character *const *c, const struct about *const *about, unsigned n,
                       enum trait trait, const char *unit, double (*ours)(const struct character *)) {
  for (const struct paper_trait *k = NULL; (k = trait_next(k, trait));) {
    char label[96], buf[CELL];
    if (trait_repeats(k)) continue;
    snprintf(label, sizeof label, "  %s%s", trait == TRAIT_stall ? "" : "mean of ", k->where);
    table_row(t, label, unit);
    for (unsigned i = 0; i < n; i++)
      table_cell(t, i, paper_cell(buf, ours ? ours(c[i]) : NAN, number_by(k, about[i]), trait != TRAIT_stall));
  }
}

static void mix_rows(struct table *t, const struct character *const *c, unsigned n) {
  table_section(t, "instruction mix");
  for (unsigned k = 0; k < MIX_COUNT; k++)
    ROW(t, n, mix_names[k], "%", character_percent(buf, fraction_of(x->mix[k], x->run.sm.warp_insns)));
}

static void machine_rows(struct table *t, const struct character *const *c, unsigned n) {
  table_section(t, "on the SM");
  ROW(t, n, "warp instructions", "", text_count(buf, x->run.sm.warp_insns));
  ROW(t, n, "cycles", "", text_count(buf, x->run.cycles));
  ROW(t, n, "IPC", "", text_decimals(buf, character_ipc(x), 3));
  ROW(t, n, "CTAs that fit", "", text_count(buf, x->fit.ctas));
  ROW(t, n, "limited by", "", x->fit.limiter);
  ROW(t, n, "resident warps", "%", character_percent(buf, resident_of(x)));
}

static void register_rows(struct table *t, const struct character *const *c, const struct about *const *about,
                          unsigned n) {
  table_section(t, "registers");
  ROW(t, n, "per thread", "", text_count(buf, x->shape.regs));
  ROW(t, n, "accessed in 1000 insn of the SM", "%", character_percent(buf, used_of(x)));
  paper_rows(t, c, about, n, TRAIT_used, "%", NULL);
  ROW(t, n, "  least", "%", character_percent(buf, x->used.least));
  ROW(t, n, "  most", "%", character_percent(buf, x->used.most));
  ROW(t, n, "accessed in 1000 insn of a CTA", "%", character_percent(buf, fraction_mean(&x->used_cta)));
  ROW(t, n, "live", "%", character_percent(buf, fraction_mean(&x->live)));
  ROW(t, n, "reuses", "", text_count(buf, x->reuse.count));
  ROW(t, n, "farther than 3", "%", character_percent(buf, above3_of(x)));
  paper_rows(t, c, about, n, TRAIT_above3, "%", above3_percent);
  ROW(t, n, "farther than 10", "%", character_percent(buf, above10_of(x)));
}

static void stall_rows(struct table *t, const struct character *const *c, const struct about *const *about,
                       unsigned n) {
  table_section(t, "complete CTA stall");
  ROW(t, n, "first, after", "cycles", x->stall_n ? text_decimals(buf, stall_mean(x), 0) : "");
  paper_rows(t, c, about, n, TRAIT_stall, "cycles", stall_mean);
  ROW(t, n, "each, after", "cycles", x->again_n ? text_decimals(buf, again_mean(x), 0) : "");
  ROW(t, n, "stalls per CTA", "", text_decimals(buf, fraction_of(x->again_n, x->run.sm.ctas), 1));
  ROW(t, n, "CTAs that never stall", "", text_count(buf, x->ctas_never));
}

static void cache_rows(struct table *t, const struct character *const *c, unsigned n) {
  table_section(t, "L1 reads");
  ROW(t, n, "lines", "", text_count(buf, x->run.cfg.l1_bytes ? x->reads : NOT_MODELLED));
  ROW(t, n, "missed", "%", x->reads ? character_percent(buf, character_miss(x)) : "");
  ROW(t, n, "  cold", "%", x->reads ? character_percent(buf, fraction_of(x->cold, x->reads)) : "");
  ROW(t, n, "  capacity or conflict", "%", x->reads ? character_percent(buf, character_again(x)) : "");
  ROW(t, n, "joined a line under way", "%", x->reads ? character_percent(buf, fraction_of(x->merges, x->reads)) : "");
  table_section(t, "locality in windows of 50000 cycles");
  ROW(t, n, "windows", "", text_count(buf, x->locality.windows));
  ROW(t, n, "reused set of four loads", "KB", text_decimals(buf, character_reused_kb(x), 1));
  ROW(t, n, "  private to one load", "%", character_percent(buf, character_private(x)));
  ROW(t, n, "streaming data", "KB", text_decimals(buf, character_stream_kb(x), 1));
  ROW(t, n, "streaming loads", "", text_decimals(buf, fraction_of(x->locality.streaming, x->locality.windows), 1));
  ROW(t, n, "loads", "", text_decimals(buf, fraction_of(x->locality.loads, x->locality.windows), 1));
}

void character_print(const struct character *const *c, const struct about *const *about, unsigned n, FILE *f) {
  struct table *t = table_new(n);
  bool starred = false;
  for (unsigned i = 0; i < n; i++) {
    table_head(t, i, c[i]->run.kernel);
    starred |= far_off(stall_mean(c[i]), paper_number(TRAIT_stall, about[i])) ||
               far_off(above3_percent(c[i]), paper_number(TRAIT_above3, about[i]));
  }
  machine_rows(t, c, n);
  mix_rows(t, c, n);
  register_rows(t, c, about, n);
  stall_rows(t, c, about, n);
  cache_rows(t, c, n);
  fprintf(f, "regtwin %s   %s of %s, system %s%s%s\n\n", RT_VERSION,
          c[0]->run.cfg.sim_sms == 1 ? "one SM" : "the watched SM", SHOWN(c[0]->run.cfg.machine),
          SHOWN(c[0]->run.cfg.system), c[0]->run.size[0] ? ", size " : "", c[0]->run.size);
  table_print(t, f);
  if (starred) fprintf(f, "\n* ours is more than a third off the paper's\n");
  table_free(t);
}

/* ---- a page's tables ---- */

static double large_reuse(const struct character *c) { return character_reused_kb(c) > 48; }
static double large_stream(const struct character *c) { return character_stream_kb(c) > 16; }

static void size_cell(const struct run_result *r, FILE *f) {
  char buf[CELL];
  if (r->launches) fprintf(f, " %u | %s |", r->launches, text_count(buf, r->sm.warp_insns));
  else fprintf(f, " - | - |");
}

static void sizes_table(const struct character *const *c, const struct run_result *other,
                        const struct about *const *about, unsigned n, FILE *f) {
  static const char *const sizes[] = {"small", "default"};
  fprintf(f,
          "| kernel | what it is | small: launches | warp instructions | default: launches | warp instructions |\n"
          "|---|---|---|---|---|---|\n");
  for (unsigned i = 0; i < n; i++) {
    fprintf(f, "| %s | %s |", MARKDOWN(c[i]->run.kernel), about[i] ? MARKDOWN(about[i]->what) : "-");
    for (unsigned k = 0; k < 2; k++) size_cell(strcmp(c[i]->run.size, sizes[k]) ? &other[i] : &c[i]->run, f);
    fputc('\n', f);
  }
}

static void sm_line(const struct character *c, const struct about *about, FILE *f) {
  unsigned table3 = paper_stall(about);
  fprintf(f, "| %s | %.2f | %.0f | %u %s | %.0f | %.0f | %.0f | ", MARKDOWN(c->run.kernel), character_ipc(c),
          100 * resident_of(c), c->fit.ctas, c->fit.limiter, 100 * used_of(c), 100 * fraction_mean(&c->used_cta),
          100 * fraction_mean(&c->live));
  if (c->stall_n) fprintf(f, "%.0f", stall_mean(c));
  else fprintf(f, "-");
  if (table3) fprintf(f, " | %u%s", table3, far_off(stall_mean(c), table3) ? " *" : "");
  else fprintf(f, " | -");
  fprintf(f, " | %.0f | %.0f | %.1f | %.0f | %.1f |\n", 100 * character_miss(c), 100 * character_again(c),
          character_reused_kb(c), 100 * character_private(c), character_stream_kb(c));
}

static void sm_table(const struct character *const *c, const struct about *const *about, unsigned n, FILE *f) {
  const struct paper_trait *stall = trait_next(NULL, TRAIT_stall);
  fprintf(f,
          "| kernel | IPC | warps %% | CTAs, limited by | accessed %% (SM) | (CTA) | live %% | CTA stall | "
          "%.*s's | L1 miss %% | not cold %% | reused KB | private %% | streaming KB |\n"
          "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
          stall ? trait_paper(stall) : 5, stall ? stall->where : "paper");
  for (unsigned i = 0; i < n; i++) sm_line(c[i], about[i], f);
}

/* "-" is none at all, 0 is less than half a percent. */
static void share_cell(uint64_t num, uint64_t den, FILE *f) {
  if (num) fprintf(f, " %.0f |", 100 * fraction_of(num, den));
  else fprintf(f, " - |");
}

static void mix_table(const struct character *const *c, unsigned n, FILE *f) {
  fprintf(f, "| kernel |");
  for (unsigned k = 0; k < MIX_COUNT; k++) fprintf(f, " %s |", mix_names[k]);
  fprintf(f, "\n|---|");
  for (unsigned k = 0; k < MIX_COUNT; k++) fprintf(f, "---|");
  for (unsigned i = 0; i < n; i++) {
    fprintf(f, "\n| %s |", MARKDOWN(c[i]->run.kernel));
    for (unsigned k = 0; k < MIX_COUNT; k++) share_cell(c[i]->mix[k], c[i]->run.sm.warp_insns, f);
  }
  fputc('\n', f);
}

static void reuse_table(const struct character *const *c, unsigned n, FILE *f) {
  static const unsigned above[] = {0, 1, 2, 3, 5, 10, 20, 63};
  enum { CLASSES = sizeof above / sizeof *above };
  fprintf(f,
          "| kernel | 1 | 2 | 3 | 4, 5 | 6 to 10 | 11 to 20 | 21 to 63 | 64 and more | > 3 | > 10 |\n"
          "|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (unsigned i = 0; i < n; i++) {
    const struct histogram *h = &c[i]->reuse;
    fprintf(f, "| %s |", MARKDOWN(c[i]->run.kernel));
    for (unsigned k = 0; k < CLASSES; k++)
      share_cell(histogram_above(h, above[k]) - (k + 1 < CLASSES ? histogram_above(h, above[k + 1]) : 0), h->count, f);
    fprintf(f, " %.0f | %.0f |\n", 100 * above3_of(c[i]), 100 * above10_of(c[i]));
  }
}

/* Means over the programs of a paper, or of a suite of it. */
static const struct {
  const char *what;
  double (*of)(const struct character *);
} means[] = {[TRAIT_used] = {"registers accessed in 1000 instructions of the SM, %", used_of},
             [TRAIT_miss] = {"L1 misses, % of lines read", character_miss},
             [TRAIT_again] = {"capacity and conflict misses, %", character_again},
             [TRAIT_large_reuse] = {"programs whose reused set is above 48 KB, %", large_reuse},
             [TRAIT_large_stream] = {"programs that stream above 16 KB, %", large_stream},
             [TRAIT_above3] = {"reuses farther than 3, %", above3_of},
             [TRAIT_above10] = {"reuses farther than 10, %", above10_of}};

static void mean_line(const struct paper_trait *t, const struct character *const *c, const struct about *const *about,
                      unsigned n, FILE *f) {
  double sum = 0;
  unsigned count = 0;
  for (unsigned i = 0; i < n; i++) {
    if (!trait_concerns(t, about[i])) continue;
    sum += means[t->trait].of(c[i]);
    count++;
  }
  if (!count) return;
  double ours = 100 * sum / count;
  fprintf(f, "| %s | %u | %.1f | %.1f%s | %s%s%s |\n", means[t->trait].what, count, ours, t->number,
          far_off(ours, t->number) ? " *" : "", t->where, t->suite[0] ? ", " : "", t->suite);
}

void character_markdown(const struct character *const *c, const struct run_result *other,
                        const struct about *const *about, unsigned n, FILE *f) {
  sizes_table(c, other, about, n, f);
  fprintf(f, "\nOne SM of %s, size %s; * ours is more than a third off the paper's.\n\n", c[0]->run.cfg.machine,
          c[0]->run.size);
  sm_table(c, about, n, f);
  fprintf(f, "\n| mean over a paper's programs | of them here | ours | paper | where |\n|---|---|---|---|---|\n");
  for (const struct paper_trait *t = paper_traits; t->where; t++)
    if (t->trait != TRAIT_stall) mean_line(t, c, about, n, f);
  fprintf(f, "\nInstruction mix, %% of warp instructions (- none at all):\n\n");
  mix_table(c, n, f);
  fprintf(f, "\nReuse distance of registers, %% of reuses:\n\n");
  reuse_table(c, n, f);
}

/* ---- JSON ---- */

static json_t *histogram_json(const struct histogram *h) {
  json_t *a = json_array();
  for (unsigned k = 0; k < HIST_BINS; k++) json_array_append_new(a, json_whole(h->bin[k]));
  return a;
}

static json_t *fractions_json(const struct fractions *f) {
  json_t *o = json_object();
  json_put(o, "windows", json_whole(f->n));
  json_put(o, "mean", f->n ? json_real(fraction_mean(f)) : json_null());
  json_put(o, "least", f->n ? json_real(f->least) : json_null());
  json_put(o, "most", f->n ? json_real(f->most) : json_null());
  return o;
}

static json_t *series_json(const struct series *s) {
  json_t *o = json_object(), *a = json_array();
  json_put(o, "windows_per_point", json_whole(s->stride));
  for (uint32_t k = 0; k < s->n; k++) json_array_append_new(a, json_ratio(s->num[k], s->den[k]));
  json_put(o, "points", a);
  return o;
}

static json_t *loads_json(const struct character *c) {
  json_t *a = json_array();
  for (uint32_t k = 0; k < c->nload; k++) {
    const struct locality_load *l = &c->locality.load[k];
    json_t *o = json_object();
    json_put(o, "kernel", json_text(c->load[k].kernel));
    json_put(o, "line", json_whole(c->load[k].line));
    json_put(o, "accesses", json_whole(l->accesses));
    json_put(o, "misses_infinite_cache", json_whole(l->misses));
    json_put(o, "windows", json_whole(l->windows));
    json_put(o, "reused_bytes_mean", json_ratio(l->reused * 128, l->windows));
    json_array_append_new(a, o);
  }
  return a;
}

static json_t *registers_json(const struct character *c) {
  json_t *o = json_object(), *reuse = json_object();
  json_put(o, "per_thread", json_whole(c->shape.regs));
  json_put(o, "accessed_sm_window", fractions_json(&c->used));
  json_put(o, "accessed_cta_window", fractions_json(&c->used_cta));
  json_put(o, "live", fractions_json(&c->live));
  json_put(o, "accessed_over_time", series_json(&c->used_over));
  json_put(o, "live_over_time", series_json(&c->live_over));
  json_put(reuse, "count", json_whole(c->reuse.count));
  json_put(reuse, "above_3", json_ratio(histogram_above(&c->reuse, 3), c->reuse.count));
  json_put(reuse, "above_10", json_ratio(histogram_above(&c->reuse, 10), c->reuse.count));
  json_put(reuse, "distance", histogram_json(&c->reuse));
  json_put(o, "reuse", reuse);
  return o;
}

json_t *character_json(const struct character *c, const struct about *about) {
  json_t *o = json_object(), *mix = json_object(), *stall = json_object(), *l1 = json_object(), *loc = json_object(),
         *fit = json_object();
  json_put(o, "kernel", json_text(c->run.kernel));
  json_put(o, "size", json_text(c->run.size));
  json_put(o, "config", json_text(c->run.cfg.machine));
  json_put(o, "system", json_text(c->run.cfg.system));
  json_put(o, "warp_instructions", json_whole(c->run.sm.warp_insns));
  json_put(o, "cycles", json_whole(c->run.cycles));
  json_put(o, "ipc", json_ratio(c->run.sm.warp_insns, c->run.cycles));
  for (unsigned k = 0; k < MIX_COUNT; k++) json_put(mix, mix_names[k], json_whole(c->mix[k]));
  json_put(o, "mix", mix);
  json_put(fit, "entry", json_text(c->shape.entry));
  json_put(fit, "ctas", json_whole(c->fit.ctas));
  json_put(fit, "limiter", json_text(c->fit.limiter));
  json_put(fit, "resident_warps", json_ratio(c->run.sm.warp_cycles, c->run.sm.cycles * (uint64_t)c->run.cfg.sm_warps));
  json_put(o, "occupancy", fit);
  json_put(o, "registers", registers_json(c));
  json_put(stall, "ctas_stalled", json_whole(c->stall_n));
  json_put(stall, "ctas_never", json_whole(c->ctas_never));
  json_put(stall, "first_cycles_mean", json_ratio(c->stall_cycles, c->stall_n));
  json_put(stall, "stalls", json_whole(c->again_n));
  json_put(stall, "each_cycles_mean", json_ratio(c->again_cycles, c->again_n));
  json_put(stall, "first_cycles_by_64", histogram_json(&c->stall));
  json_put(stall, "paper_cycles", paper_stall(about) ? json_whole(paper_stall(about)) : json_null());
  json_put(o, "cta_stall", stall);
  const bool has_l1 = c->run.cfg.l1_bytes > 0;
  json_put(l1, "reads", json_whole(has_l1 ? c->reads : NOT_MODELLED));
  json_put(l1, "hits", json_whole(has_l1 ? c->hits : NOT_MODELLED));
  json_put(l1, "merges", json_whole(has_l1 ? c->merges : NOT_MODELLED));
  json_put(l1, "misses_cold", json_whole(has_l1 ? c->cold : NOT_MODELLED));
  json_put(l1, "misses_capacity_conflict", json_whole(has_l1 ? c->again : NOT_MODELLED));
  json_put(o, "l1", l1);
  json_put(loc, "windows", json_whole(c->locality.windows));
  json_put(loc, "reused_bytes_mean", json_ratio(c->locality.reused_lines * 128, c->locality.windows));
  json_put(loc, "reused_private", json_ratio(c->locality.private_lines, c->locality.reused_lines));
  json_put(loc, "streaming_bytes_mean", json_ratio(c->locality.stream_lines * 128, c->locality.windows));
  json_put(loc, "loads", loads_json(c));
  json_put(o, "locality", loc);
  return o;
}
