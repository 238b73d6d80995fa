/* SPDX-License-Identifier: Apache-2.0 */
/* character_report: see character_report.h. Plots are in character_plots.c. */
#include "lab/character_report.h"

#include <string.h>

#include "lab/result.h"
#include "report/table.h"

enum { FAR_NUM = 1, FAR_DEN = 3 }; /* ours may be a third above or below the paper's */

/* Means that the papers print for a whole list. */
#define PAPER_USED 0.553 /* FineReg, Fig 5 */
static const struct {
  const char *suite;
  double above3;
} paper_reuse[] = {{"Rodinia", 0.36}, {"DeepBench", 0.502}}; /* Malekeh, Fig 1 */

static double share(uint64_t num, uint64_t den) { return den ? (double)num / (double)den : 0; }
static double mean(const struct fractions *f) { return f->n ? f->sum / (double)f->n : 0; }
static uint64_t misses(const struct character *c) { return c->cold + c->again; }
static double stall_mean(const struct character *c) { return share(c->stall_cycles, c->stall_n); }
static double again_mean(const struct character *c) { return share(c->again_cycles, c->again_n); }
static double kb(uint64_t lines, uint64_t windows) { return share(lines * 128, windows * 1024); }

/* FineReg's Table III; 0: not in it. */
static unsigned paper_stall(const struct about *a) {
  for (unsigned i = 0; a && i < a->paper[PAPER_finereg].nname; i++) {
    const struct paper_name *n = paper_name(PAPER_finereg, a->paper[PAPER_finereg].name[i]);
    if (n) return n->stall;
  }
  return 0;
}

/* Malekeh's share of reuses farther than 3; 0: not in its list. */
static double paper_above3(const struct about *a) {
  for (unsigned i = 0; a && a->paper[PAPER_malekeh].nname && i < 2; i++)
    if (strstr(a->suite, paper_reuse[i].suite)) return paper_reuse[i].above3;
  return 0;
}

static bool far_off(double ours, double paper) {
  return paper > 0 &&
         (ours * FAR_DEN > paper * (FAR_DEN + FAR_NUM) || ours * FAR_DEN < paper * (FAR_DEN - FAR_NUM));
}

static const char *number(char buf[CELL], double x, unsigned decimals) {
  snprintf(buf, CELL, "%.*f", (int)decimals, x);
  return buf;
}
static const char *percent(char buf[CELL], double x) { return number(buf, 100 * x, 1); }

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

static const char *paper_cell(char buf[CELL], double ours, double paper, double scale, unsigned decimals) {
  if (paper <= 0) return "";
  snprintf(buf, CELL, "%.*f%s", (int)decimals, paper * scale, far_off(ours, paper) ? " *" : "");
  return buf;
}

static void mix_rows(struct table *t, const struct character *const *c, unsigned n) {
  table_section(t, "instruction mix");
  for (unsigned k = 0; k < MIX_COUNT; k++)
    ROW(t, n, mix_names[k], "%", percent(buf, share(x->mix[k], x->run.sm.warp_insns)));
}

static void machine_rows(struct table *t, const struct character *const *c, unsigned n) {
  table_section(t, "on the SM");
  ROW(t, n, "warp instructions", "", text_count(buf, x->run.sm.warp_insns));
  ROW(t, n, "cycles", "", text_count(buf, x->run.sm.cycles));
  ROW(t, n, "IPC", "", number(buf, share(x->run.sm.warp_insns, x->run.sm.cycles), 3));
  ROW(t, n, "CTAs that fit", "", text_count(buf, x->fit.ctas));
  ROW(t, n, "limited by", "", x->fit.limiter);
  ROW(t, n, "resident warps", "%",
      percent(buf, share(x->run.sm.warp_cycles, x->run.sm.cycles * (uint64_t)x->run.cfg.sm_warps)));
}

static void register_rows(struct table *t, const struct character *const *c, const struct about *const *about,
                          unsigned n) {
  table_section(t, "registers");
  ROW(t, n, "per thread", "", text_count(buf, x->shape.regs));
  ROW(t, n, "accessed in 1000 insn of the SM", "%", percent(buf, mean(&x->used)));
  ROW(t, n, "  mean of FineReg, Fig 5", "%",
      about[i] && about[i]->paper[PAPER_finereg].nname ? percent(buf, PAPER_USED) : "");
  ROW(t, n, "  least", "%", percent(buf, x->used.least));
  ROW(t, n, "  most", "%", percent(buf, x->used.most));
  ROW(t, n, "accessed in 1000 insn of a CTA", "%", percent(buf, mean(&x->used_cta)));
  ROW(t, n, "live", "%", percent(buf, mean(&x->live)));
  ROW(t, n, "reuses", "", text_count(buf, x->reuse.count));
  ROW(t, n, "farther than 3", "%", percent(buf, share(histogram_above(&x->reuse, 3), x->reuse.count)));
  ROW(t, n, "  mean of Malekeh, Fig 1", "%",
      paper_cell(buf, share(histogram_above(&x->reuse, 3), x->reuse.count), paper_above3(about[i]), 100, 1));
  ROW(t, n, "farther than 10", "%", percent(buf, share(histogram_above(&x->reuse, 10), x->reuse.count)));
}

static void stall_rows(struct table *t, const struct character *const *c, const struct about *const *about,
                       unsigned n) {
  table_section(t, "complete CTA stall");
  ROW(t, n, "first, after", "cycles", x->stall_n ? number(buf, stall_mean(x), 0) : "");
  ROW(t, n, "  FineReg, Table III", "cycles", paper_cell(buf, stall_mean(x), paper_stall(about[i]), 1, 0));
  ROW(t, n, "each, after", "cycles", x->again_n ? number(buf, again_mean(x), 0) : "");
  ROW(t, n, "stalls per CTA", "", number(buf, share(x->again_n, x->run.sm.ctas), 1));
  ROW(t, n, "CTAs that never stall", "", text_count(buf, x->ctas_never));
}

static void cache_rows(struct table *t, const struct character *const *c, unsigned n) {
  table_section(t, "L1 reads");
  ROW(t, n, "lines", "", text_count(buf, x->reads));
  ROW(t, n, "missed", "%", percent(buf, share(misses(x), x->reads)));
  ROW(t, n, "  cold", "%", percent(buf, share(x->cold, x->reads)));
  ROW(t, n, "  capacity or conflict", "%", percent(buf, share(x->again, x->reads)));
  ROW(t, n, "joined a line under way", "%", percent(buf, share(x->merges, x->reads)));
  table_section(t, "locality in windows of 50000 cycles");
  ROW(t, n, "windows", "", text_count(buf, x->locality.windows));
  ROW(t, n, "reused set of four loads", "KB",
      number(buf, kb(x->locality.reused_lines, x->locality.windows), 1));
  ROW(t, n, "  private to one load", "%",
      percent(buf, share(x->locality.private_lines, x->locality.reused_lines)));
  ROW(t, n, "streaming data", "KB", number(buf, kb(x->locality.stream_lines, x->locality.windows), 1));
  ROW(t, n, "streaming loads", "", number(buf, share(x->locality.streaming, x->locality.windows), 1));
  ROW(t, n, "loads", "", number(buf, share(x->locality.loads, x->locality.windows), 1));
}

void character_print(const struct character *const *c, const struct about *const *about, unsigned n,
                     FILE *f) {
  struct table *t = table_new(n);
  bool starred = false;
  for (unsigned i = 0; i < n; i++) {
    table_head(t, i, c[i]->run.kernel);
    starred |= far_off(stall_mean(c[i]), paper_stall(about[i])) ||
               far_off(share(histogram_above(&c[i]->reuse, 3), c[i]->reuse.count), paper_above3(about[i]));
  }
  machine_rows(t, c, n);
  mix_rows(t, c, n);
  register_rows(t, c, about, n);
  stall_rows(t, c, about, n);
  cache_rows(t, c, n);
  fprintf(f, "regtwin %s   one SM of %s, system %s%s%s\n\n", RT_VERSION, c[0]->run.cfg.machine,
          c[0]->run.cfg.system, c[0]->run.size[0] ? ", size " : "", c[0]->run.size);
  table_print(t, f);
  if (starred) fprintf(f, "\n* ours is more than a third off the paper's\n");
  table_free(t);
}

/* ---- a page's tables ---- */

static double ipc_of(const struct character *c) { return share(c->run.sm.warp_insns, c->run.sm.cycles); }
static double used_of(const struct character *c) { return mean(&c->used); }
static double miss_of(const struct character *c) { return share(misses(c), c->reads); }
static double again_of(const struct character *c) { return share(c->again, c->reads); }
static double above3_of(const struct character *c) {
  return share(histogram_above(&c->reuse, 3), c->reuse.count);
}
static double above10_of(const struct character *c) {
  return share(histogram_above(&c->reuse, 10), c->reuse.count);
}
static double reused_kb(const struct character *c) {
  return kb(c->locality.reused_lines, c->locality.windows);
}
static double stream_kb(const struct character *c) {
  return kb(c->locality.stream_lines, c->locality.windows);
}
static double large_reuse(const struct character *c) { return reused_kb(c) > 48; }
static double large_stream(const struct character *c) { return stream_kb(c) > 16; }

static void markdown_line(const struct character *c, const struct about *about, FILE *f) {
  unsigned table3 = paper_stall(about);
  fprintf(f, "| %s | %.2f | %u %s | %.0f | %.0f | %.0f | %.0f | %.0f | ", c->run.kernel, ipc_of(c),
          c->fit.ctas, c->fit.limiter, 100 * used_of(c), 100 * mean(&c->used_cta), 100 * mean(&c->live),
          100 * above3_of(c), 100 * above10_of(c));
  if (c->stall_n) fprintf(f, "%.0f", stall_mean(c));
  else fprintf(f, "-");
  if (table3) fprintf(f, " | %u%s", table3, far_off(stall_mean(c), table3) ? " *" : "");
  else fprintf(f, " | -");
  fprintf(f, " | %.0f | %.0f | %.1f | %.1f |\n", 100 * miss_of(c), 100 * again_of(c), reused_kb(c),
          stream_kb(c));
}

/* A number that a paper gives for all of its programs, or one suite of them. */
struct whole_list {
  const char *what, *where, *suite; /* suite NULL: all */
  enum paper paper;
  double number;
  double (*of)(const struct character *);
};
static const struct whole_list whole_lists[] = {
    {"registers accessed in 1000 instructions of the SM, %", "FineReg, Fig 5", NULL, PAPER_finereg, 55.3,
     used_of},
    {"L1 misses, % of lines read", "Linebacker, Fig 1", NULL, PAPER_linebacker, 66.6, miss_of},
    {"capacity and conflict misses, %", "Linebacker, Fig 1", NULL, PAPER_linebacker, 44.6, again_of},
    {"programs whose reused set is above 48 KB, %", "Linebacker, Fig 2 (13 of 20)", NULL, PAPER_linebacker,
     65, large_reuse},
    {"programs that stream above 16 KB, %", "Linebacker, Fig 3 (9 of 20)", NULL, PAPER_linebacker, 45,
     large_stream},
    {"reuses farther than 3, %", "Malekeh, Fig 1, Rodinia", "Rodinia", PAPER_malekeh, 36, above3_of},
    {"reuses farther than 3, %", "Malekeh, Fig 1, DeepBench", "DeepBench", PAPER_malekeh, 50.2, above3_of},
    {"reuses farther than 10, %", "Malekeh, Fig 1, DeepBench: above 40", "DeepBench", PAPER_malekeh, 40,
     above10_of}};

static void whole_line(const struct whole_list *l, const struct character *const *c,
                       const struct about *const *about, unsigned n, FILE *f) {
  double sum = 0;
  unsigned count = 0;
  for (unsigned i = 0; i < n; i++) {
    if (!about[i] || !about[i]->paper[l->paper].nname || (l->suite && !strstr(about[i]->suite, l->suite)))
      continue;
    sum += l->of(c[i]);
    count++;
  }
  if (!count) return;
  double ours = 100 * sum / count;
  fprintf(f, "| %s | %u | %.1f | %.1f%s | %s |\n", l->what, count, ours, l->number,
          far_off(ours, l->number) ? " *" : "", l->where);
}

void character_markdown(const struct character *const *c, const struct about *const *about, unsigned n,
                        FILE *f) {
  fprintf(f, "One SM of %s, size %s; * ours is more than a third off the paper's.\n\n", c[0]->run.cfg.machine,
          c[0]->run.size);
  fprintf(
      f,
      "| kernel | IPC | CTAs, limited by | accessed %% (SM) | (CTA) | live %% | reuses > 3 %% | > 10 %% | "
      "CTA stall | FineReg's | L1 miss %% | not cold %% | reused KB | streaming KB |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (unsigned i = 0; i < n; i++) markdown_line(c[i], about[i], f);
  fprintf(
      f, "\n| mean over a paper's programs | of them here | ours | paper | where |\n|---|---|---|---|---|\n");
  for (unsigned k = 0; k < sizeof whole_lists / sizeof *whole_lists; k++)
    whole_line(&whole_lists[k], c, about, n, f);
}

/* ---- JSON ---- */

static void put(json_t *o, const char *key, json_t *v) { json_object_set_new(o, key, v); }
static json_t *whole(uint64_t n) { return json_integer((json_int_t)n); }
static json_t *ratio(uint64_t num, uint64_t den) { return den ? json_real(share(num, den)) : json_null(); }

static json_t *bins(const struct histogram *h) {
  json_t *a = json_array();
  for (unsigned k = 0; k < HIST_BINS; k++) json_array_append_new(a, whole(h->bin[k]));
  return a;
}

static json_t *fractions_json(const struct fractions *f) {
  json_t *o = json_object();
  put(o, "windows", whole(f->n));
  put(o, "mean", f->n ? json_real(mean(f)) : json_null());
  put(o, "least", f->n ? json_real(f->least) : json_null());
  put(o, "most", f->n ? json_real(f->most) : json_null());
  return o;
}

static json_t *series_json(const struct series *s) {
  json_t *o = json_object(), *a = json_array();
  put(o, "windows_per_point", whole(s->stride));
  for (uint32_t k = 0; k < s->n; k++) json_array_append_new(a, ratio(s->num[k], s->den[k]));
  put(o, "points", a);
  return o;
}

static json_t *loads_json(const struct character *c) {
  json_t *a = json_array();
  for (uint32_t k = 0; k < c->nload; k++) {
    const struct locality_load *l = &c->locality.load[k];
    json_t *o = json_object();
    put(o, "kernel", json_string(c->load[k].kernel));
    put(o, "line", whole(c->load[k].line));
    put(o, "accesses", whole(l->accesses));
    put(o, "misses_infinite_cache", whole(l->misses));
    put(o, "windows", whole(l->windows));
    put(o, "reused_bytes_mean", ratio(l->reused * 128, l->windows));
    json_array_append_new(a, o);
  }
  return a;
}

static json_t *registers_json(const struct character *c) {
  json_t *o = json_object(), *reuse = json_object();
  put(o, "per_thread", whole(c->shape.regs));
  put(o, "accessed_sm_window", fractions_json(&c->used));
  put(o, "accessed_cta_window", fractions_json(&c->used_cta));
  put(o, "live", fractions_json(&c->live));
  put(o, "accessed_over_time", series_json(&c->used_over));
  put(o, "live_over_time", series_json(&c->live_over));
  put(reuse, "count", whole(c->reuse.count));
  put(reuse, "above_3", ratio(histogram_above(&c->reuse, 3), c->reuse.count));
  put(reuse, "above_10", ratio(histogram_above(&c->reuse, 10), c->reuse.count));
  put(reuse, "distance", bins(&c->reuse));
  put(o, "reuse", reuse);
  return o;
}

json_t *character_json(const struct character *c, const struct about *about) {
  json_t *o = json_object(), *mix = json_object(), *stall = json_object(), *l1 = json_object(),
         *loc = json_object(), *fit = json_object();
  put(o, "kernel", json_string(c->run.kernel));
  put(o, "size", json_string(c->run.size));
  put(o, "config", json_string(c->run.cfg.machine));
  put(o, "system", json_string(c->run.cfg.system));
  put(o, "warp_instructions", whole(c->run.sm.warp_insns));
  put(o, "cycles", whole(c->run.sm.cycles));
  put(o, "ipc", ratio(c->run.sm.warp_insns, c->run.sm.cycles));
  for (unsigned k = 0; k < MIX_COUNT; k++) put(mix, mix_names[k], whole(c->mix[k]));
  put(o, "mix", mix);
  put(fit, "entry", json_string(c->shape.entry));
  put(fit, "ctas", whole(c->fit.ctas));
  put(fit, "limiter", json_string(c->fit.limiter));
  put(fit, "resident_warps", ratio(c->run.sm.warp_cycles, c->run.sm.cycles * (uint64_t)c->run.cfg.sm_warps));
  put(o, "occupancy", fit);
  put(o, "registers", registers_json(c));
  put(stall, "ctas_stalled", whole(c->stall_n));
  put(stall, "ctas_never", whole(c->ctas_never));
  put(stall, "first_cycles_mean", ratio(c->stall_cycles, c->stall_n));
  put(stall, "stalls", whole(c->again_n));
  put(stall, "each_cycles_mean", ratio(c->again_cycles, c->again_n));
  put(stall, "first_cycles_by_64", bins(&c->stall));
  put(stall, "paper_cycles", paper_stall(about) ? whole(paper_stall(about)) : json_null());
  put(o, "cta_stall", stall);
  put(l1, "reads", whole(c->reads));
  put(l1, "hits", whole(c->hits));
  put(l1, "merges", whole(c->merges));
  put(l1, "misses_cold", whole(c->cold));
  put(l1, "misses_capacity_conflict", whole(c->again));
  put(o, "l1", l1);
  put(loc, "windows", whole(c->locality.windows));
  put(loc, "reused_bytes_mean", ratio(c->locality.reused_lines * 128, c->locality.windows));
  put(loc, "reused_private", ratio(c->locality.private_lines, c->locality.reused_lines));
  put(loc, "streaming_bytes_mean", ratio(c->locality.stream_lines * 128, c->locality.windows));
  put(loc, "loads", loads_json(c));
  put(o, "locality", loc);
  return o;
}
