/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline: see timeline.h. Time is kept in at most COLUMNS steps: when a run outgrows them, steps become
 * twice as long. Of each step and row it is known how many cycles each state took; what took most is drawn.
 */
#include "lab/run/timeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/report/plot.h"

enum { ROWS = 256, COLUMNS = 2048, LAUNCHES = 24, WINDOWS = 512, FIRST_WINDOW = 256 };

static const struct {
  const char *name, *colour;
} states[TIMELINE_STATES] = {{"", ""},
                             {"active: its warps may issue", "#4477aa"},
                             {"active, but completely stalled", "#ddaa33"},
                             {"suspended, registers in place", "#99ccbb"},
                             {"suspended with its registers", "#cccccc"}};

/* The marks of a step. */
enum { MARK_BEGINS = 1, MARK_LEAVES = 2, MARK_COMES = 4 };

struct step {
  uint32_t cycles[TIMELINE_STATES]; /* TIMELINE_EMPTY is not counted */
  uint8_t marks;                    /* a CTA began; registers began to move away, or back */
};
struct row {
  bool here, stalled;
  enum probe_status status;
  uint64_t since; /* cycle from which the state is not yet in the steps */
  struct step step[COLUMNS];
};
/* The counters at a window's begin. */
struct sample {
  uint64_t cycle;
  struct sm_stats st;
};
struct timeline {
  struct probe probe;
  struct row *row;
  unsigned rows;        /* that were ever used */
  uint64_t length, end; /* cycles in a step; of the last event */
  uint64_t between;     /* of the simulator's clock: cycles between launches, which are no launch's and not drawn */
  struct {
    uint64_t cycle;
    char name[64];
  } launch[LAUNCHES];
  unsigned launches;
  struct sample *sample; /* [WINDOWS + 1] */
  unsigned samples;
  uint64_t window; /* its cycles */
};

static enum timeline_state row_state_of(const struct row *r) {
  if (!r->here) return TIMELINE_EMPTY;
  if (r->status == PROBE_CONTEXT) return TIMELINE_CONTEXT;
  if (r->status == PROBE_PENDING) return TIMELINE_PENDING;
  return r->stalled ? TIMELINE_STALLED : TIMELINE_ACTIVE;
}

static void timeline_halve_steps(struct timeline *t) {
  for (unsigned r = 0; r < t->rows; r++)
    for (unsigned i = 0; i < COLUMNS; i++) {
      struct step two = {0};
      for (unsigned k = 2 * i; k < 2 * i + 2 && k < COLUMNS; k++) {
        for (unsigned s = 0; s < TIMELINE_STATES; s++) two.cycles[s] += t->row[r].step[k].cycles[s];
        two.marks |= t->row[r].step[k].marks;
      }
      t->row[r].step[i] = two;
    }
  t->length *= 2;
}

/* Makes the steps long enough for this cycle. */
static void timeline_reach(struct timeline *t, uint64_t cycle) {
  while (cycle / t->length >= COLUMNS) timeline_halve_steps(t);
}

static struct step *timeline_step_at(struct timeline *t, struct row *r, uint64_t cycle) {
  timeline_reach(t, cycle);
  return &r->step[cycle / t->length];
}

/* Adds the row's state since its last change to the steps up to this cycle. */
static void timeline_settle(struct timeline *t, struct row *r, uint64_t now) {
  enum timeline_state s = row_state_of(r);
  if (now > t->end) t->end = now;
  if (s && r->since < now) timeline_reach(t, now - 1);
  while (s && r->since < now) {
    uint64_t i = r->since / t->length, next = (i + 1) * t->length, to = next < now ? next : now;
    r->step[i].cycles[s] += (uint32_t)(to - r->since);
    r->since = to;
  }
  r->since = now;
}

static void timeline_on_launch(void *ctx, const struct code *kernel, uint64_t cycle) {
  struct timeline *t = ctx;
  t->between = cycle - (t->end ? timeline_cycles(t) : 0);
  cycle -= t->between;
  if (t->launches == LAUNCHES) return;
  t->launch[t->launches].cycle = cycle;
  snprintf(t->launch[t->launches++].name, sizeof t->launch[0].name, "%s", kernel->name);
}

static void timeline_on_cta(void *ctx, uint64_t cycle, unsigned cta, enum probe_cta what, const uint16_t *slot,
                            unsigned warps) {
  struct timeline *t = ctx;
  struct row *r = &t->row[cta];
  (void)slot, (void)warps;
  cycle -= t->between;
  if (cta >= t->rows) t->rows = cta + 1;
  timeline_settle(t, r, cycle);
  switch (what) {
    case PROBE_CTA_BEGIN:
      r->here = true;
      r->stalled = false;
      r->status = PROBE_ACTIVE;
      timeline_step_at(t, r, cycle)->marks |= MARK_BEGINS;
      break;
    case PROBE_CTA_STALLED: r->stalled = true; break;
    case PROBE_CTA_READY: r->stalled = false; break;
    case PROBE_CTA_END: r->here = false; break;
  }
}

static void timeline_on_status(void *ctx, uint64_t cycle, unsigned cta, enum probe_status what) {
  struct timeline *t = ctx;
  struct row *r = &t->row[cta];
  cycle -= t->between;
  timeline_settle(t, r, cycle);
  switch (what) {
    case PROBE_ACTIVE:
    case PROBE_CONTEXT:
    case PROBE_PENDING: r->status = what; break;
    case PROBE_LEAVES: timeline_step_at(t, r, cycle)->marks |= MARK_LEAVES; break;
    case PROBE_COMES: timeline_step_at(t, r, cycle)->marks |= MARK_COMES; break;
    case PROBE_STAYS: break; /* nothing moved */
  }
}

static void timeline_on_issue(void *ctx, uint64_t cycle, unsigned cta, const struct warp_inst *inst,
                              const struct op *op) {
  (void)ctx, (void)cycle, (void)cta, (void)inst, (void)op;
}
static void timeline_on_read(void *ctx, uint64_t cycle, uint32_t op, uint32_t line, uint8_t sectors,
                             enum probe_read what) {
  (void)ctx, (void)cycle, (void)op, (void)line, (void)sectors, (void)what;
}

/* Windows outgrow their room: two become one. */
static void timeline_halve_windows(struct timeline *t) {
  for (unsigned i = 0; 2 * i < t->samples; i++) t->sample[i] = t->sample[2 * i];
  t->samples = (t->samples + 1) / 2;
  t->window *= 2;
}

static uint64_t timeline_on_sample(void *ctx, uint64_t cycle, const struct sm_stats *st) {
  struct timeline *t = ctx;
  const uint64_t now = cycle - t->between;
  const bool begins = !t->samples || now / t->window > t->sample[t->samples - 1].cycle / t->window;
  if (begins) {
    if (t->samples > WINDOWS) timeline_halve_windows(t);
    t->sample[t->samples++] = (struct sample){now, *st};
  }
  return cycle + t->window - now % t->window;
}

struct timeline *timeline_new(uint64_t window) {
  struct timeline *t = xcalloc(1, sizeof *t);
  t->sample = xcalloc(WINDOWS + 1, sizeof *t->sample);
  t->window = window ? window : FIRST_WINDOW;
  t->row = xcalloc(ROWS, sizeof *t->row);
  t->length = 1;
  t->probe = (struct probe){.launch = timeline_on_launch,
                            .cta = timeline_on_cta,
                            .issue = timeline_on_issue,
                            .read = timeline_on_read,
                            .status = timeline_on_status,
                            .sample = timeline_on_sample,
                            .ctx = t};
  return t;
}

void timeline_free(struct timeline *t) {
  free(t->row);
  free(t->sample);
  free(t);
}

uint64_t timeline_cycles(const struct timeline *t) { return t->end + 1; }
const struct probe *timeline_probe(const struct timeline *t) { return &t->probe; }

/* ---- the picture ---- */

enum { WIDE = 1300, AROUND = 175, LEAST_HIGH = 120, MOST_PANELS = 8, PANEL_HIGH = 110 };

static enum timeline_state step_main_state(const struct step *s) {
  enum timeline_state best = TIMELINE_EMPTY;
  for (unsigned k = 1; k < TIMELINE_STATES; k++)
    if (s->cycles[k] > s->cycles[best]) best = (enum timeline_state)k;
  return best;
}

/* "from to row" of each piece that is in one state. */
static void timeline_put_pieces(const struct timeline *t, enum timeline_state s, FILE *f) {
  fprintf(f, "$s%u << EOD\n", (unsigned)s);
  for (unsigned n = 0; n < t->rows; n++) {
    const struct step *step = t->row[n].step;
    for (unsigned i = 0, next; i < COLUMNS; i = next) {
      for (next = i + 1; next < COLUMNS && step_main_state(&step[next]) == step_main_state(&step[i]) &&
                         !(step[next].marks & MARK_BEGINS);)
        next++;
      uint64_t from = i * t->length, to = next * t->length < t->end ? next * t->length : t->end;
      if (step_main_state(&step[i]) == s)
        fprintf(f, "%llu %llu %u\n", (unsigned long long)from, (unsigned long long)to, n);
    }
  }
  fprintf(f, "-1 -1 -1\nEOD\n"); /* never empty, never seen */
}

/* "cycle row" of each step with that mark; returns how many there are. */
static unsigned timeline_put_marks(const struct timeline *t, const char *name, uint8_t mark, FILE *f) {
  unsigned found = 0;
  fprintf(f, "$%s << EOD\n", name);
  for (unsigned n = 0; n < t->rows; n++)
    for (unsigned i = 0; i < COLUMNS; i++) {
      if (!(t->row[n].step[i].marks & mark)) continue;
      fprintf(f, "%llu %u\n", (unsigned long long)i * t->length, n);
      found++;
    }
  fprintf(f, "-1 -1\nEOD\n");
  return found;
}

uint64_t timeline_sum(const struct timeline *t, unsigned row, enum timeline_state s) {
  uint64_t n = 0;
  for (unsigned i = 0; i < COLUMNS; i++) n += t->row[row].step[i].cycles[s];
  return n;
}

/* % of the CTA slots' cycles that have a CTA. */
static double timeline_percent(const struct timeline *t, enum timeline_state s) {
  uint64_t part = 0, all = 0;
  for (unsigned r = 0; r < t->rows; r++)
    for (unsigned k = 1; k < TIMELINE_STATES; k++) {
      uint64_t n = timeline_sum(t, r, (enum timeline_state)k);
      all += n;
      part += k == s ? n : 0;
    }
  return all ? 100.0 * (double)part / (double)all : 0;
}

static void timeline_put_launches(const struct timeline *t, struct plot *p) {
  FILE *f = plot_script(p);
  double last = -1;
  for (unsigned i = 0; i < t->launches; i++) {
    double x = t->end ? (double)t->launch[i].cycle / (double)t->end : 0;
    fprintf(f, "set arrow from first %llu, graph 0 to first %llu, graph 1 nohead dt 2 lc rgb '#888888' front\n",
            (unsigned long long)t->launch[i].cycle, (unsigned long long)t->launch[i].cycle);
    if (last >= 0 && x - last < 0.08) continue; /* labels would overlap */
    fprintf(f, "set label %s at first %llu, graph 1 offset 0.3, 0.6\n", plot_text(p, "%s", t->launch[i].name),
            (unsigned long long)t->launch[i].cycle);
    last = x;
  }
}

/* ---- windows ---- */
/* What the counters grew by in window i; the last one ends with the run. */
static struct run_result timeline_window_of(const struct timeline *t, const struct run_result *r, unsigned i,
                                            uint64_t *from, uint64_t *to) {
  struct run_result w = {.cfg = r->cfg};
  const struct sample *a = &t->sample[i], *b = i + 1 < t->samples ? &t->sample[i + 1] : NULL;
  const struct sm_stats *end = b ? &b->st : &r->sm;
#define STAT(name, unit, text) w.sm.name = end->name - a->st.name;
#include "gen/systems/stats.def"
  *from = a->cycle;
  *to = b ? b->cycle : timeline_cycles(t) > a->cycle ? timeline_cycles(t) : a->cycle + 1;
  w.cycles = w.sm.cycles = *to - *from;
  return w;
}

unsigned timeline_windows(const struct timeline *t, const struct run_result *r, const struct timeline_panel *p,
                          double *out, unsigned most) {
  if (!t->sample) return 0;
  for (unsigned i = 0; i < t->samples && i < most; i++) {
    uint64_t from, to;
    const struct run_result w = timeline_window_of(t, r, i, &from, &to);
    const double den = p->den(&w);
    out[i] = den > 0 ? p->num(&w) / den : NAN;
  }
  return t->samples;
}

static bool shows_something(const double *v, unsigned n) {
  for (unsigned i = 0; i < n; i++)
    if (v[i] > 0) return true;
  return false;
}

/* Of the steps 1, 2, 5, 10... the one that gives about three of them up to the most. */
static double timeline_tic_step(const double *v, unsigned n) {
  double most = 0, step = 1e-9;
  for (unsigned i = 0; i < n; i++) most = v[i] > most ? v[i] : most;
  for (unsigned k = 0; step < most / 3; k++) step *= k % 3 == 1 ? 2.5 : 2;
  return step;
}

/* One panel: a step for each window. The space between `bottom` and `top` is in parts of the picture's height. */
static void timeline_put_panel(const struct timeline *t, const struct run_result *r, const struct timeline_panel *p,
                               const double *v, double bottom, double top, struct plot *plot) {
  FILE *f = plot_script(plot);
  fprintf(f, "$w << EOD\n");
  for (unsigned i = 0; i < t->samples; i++) {
    uint64_t from, to;
    timeline_window_of(t, r, i, &from, &to);
    if (isnan(v[i])) fprintf(f, "\n");
    else fprintf(f, "%llu %.6g\n%llu %.6g\n", (unsigned long long)from, v[i], (unsigned long long)to, v[i]);
  }
  fprintf(f,
          "EOD\nset tmargin at screen %.4f\nset bmargin at screen %.4f\nset yrange [0:*]\nset ytics %.3g\n"
          "set title %s\nplot $w using 1:2 with filledcurves y1=0 fs solid 0.25 lc rgb '#4477aa' notitle, "
          "$w using 1:2 with lines lw 1.5 lc rgb '#4477aa' notitle\n",
          top, bottom, timeline_tic_step(v, t->samples),
          plot_text(plot, "%s%s%s", p->label, p->unit[0] ? ", " : "", p->unit));
}

bool timeline_draw(const struct timeline *t, const struct run_result *r, const struct timeline_panel *panels,
                   unsigned npanel, const char *path, struct err *e) {
  const unsigned row_high = t->rows > 64 ? 8 : t->rows > 32 ? 12 : 16;
  const unsigned rows_high = AROUND + (t->rows * row_high > LEAST_HIGH ? t->rows * row_high : LEAST_HIGH);
  double v[MOST_PANELS][WINDOWS + 1];
  unsigned shown = 0, which[MOST_PANELS];
  for (unsigned i = 0; i < npanel && shown < MOST_PANELS; i++) {
    const unsigned n = timeline_windows(t, r, &panels[i], v[shown], WINDOWS + 1);
    if (shows_something(v[shown], n)) which[shown++] = i;
  }
  const unsigned high = rows_high + shown * PANEL_HIGH;
  FILE *f;
  struct plot *p = plot_open(path, WIDE, high, &f, e);
  if (!p) return false;
  for (unsigned s = 1; s < TIMELINE_STATES; s++) timeline_put_pieces(t, (enum timeline_state)s, f);
  timeline_put_marks(t, "begins", MARK_BEGINS, f);
  bool leaves = timeline_put_marks(t, "leaves", MARK_LEAVES, f), comes = timeline_put_marks(t, "comes", MARK_COMES, f);
  timeline_put_launches(t, p);
  char sm[40] = "one SM";
  if (r->cfg.sim_sms > 1) snprintf(sm, sizeof sm, "SM %d of %d", (int)r->cfg.sim_watch_sm, (int)r->cfg.sim_sms);
  fprintf(f,
          "set title %s offset 0, 1\n"
          "set xrange [0:%llu]\nset yrange [%u-0.5:-0.5]\nset xlabel 'cycles'\nset ylabel 'CTA slot'\n"
          "set format x '%%.0f'\nset xtics out nomirror\nset ytics out nomirror\nset style fill solid 1 "
          "noborder\n"
          "set lmargin at screen 0.07\nset rmargin at screen 0.97\nset multiplot\n"
          "set tmargin at screen %.4f\nset bmargin at screen %.4f\n"
          "set key at screen 0.5, screen %.4f center bottom horizontal maxrows 2 reverse Left samplen 1.5 "
          "noenhanced\n"
          "plot ",
          plot_text(p, "%s%s%s on %s of %s, system %s: %llu cycles, drawn in steps of %llu", r->kernel,
                    r->size[0] ? ", size " : "", r->size, sm, r->cfg.machine, r->cfg.system,
                    (unsigned long long)timeline_cycles(t), (unsigned long long)t->length),
          (unsigned long long)timeline_cycles(t), t->rows, 1 - 45.0 / high, (shown * PANEL_HIGH + 115.0) / high,
          (shown * PANEL_HIGH + 4.0) / high);
  for (unsigned s = 1; s < TIMELINE_STATES; s++)
    if (s <= TIMELINE_STALLED || timeline_percent(t, (enum timeline_state)s) > 0)
      fprintf(f, "$s%u using 1:3:1:2:($3-0.42):($3+0.42) with boxxyerror lc rgb '%s' title '%s (%.1f %%)', \\\n", s,
              states[s].colour, states[s].name, timeline_percent(t, (enum timeline_state)s));
  if (leaves)
    fprintf(f, "$leaves using 1:($2+0.2) with points pt 11 ps 0.5 lc rgb '#cc3311' title 'registers leave', \\\n");
  if (comes)
    fprintf(f, "$comes using 1:($2-0.2) with points pt 9 ps 0.5 lc rgb '#117733' title 'registers come back', \\\n");
  fprintf(f, "$begins using 1:($2-0.5):(0):(1) with vectors nohead lw 1 lc rgb '#000000' title 'a CTA begins'\n");
  fprintf(f, "unset label\nunset xlabel\nset ylabel ' '\nset format x ''\nset title offset 0, -0.5\n");
  for (unsigned i = 0; i < shown; i++)
    timeline_put_panel(t, r, &panels[which[i]], v[i], ((shown - 1 - i) * PANEL_HIGH + 12.0) / high,
                       ((shown - i) * PANEL_HIGH - 22.0) / high, p);
  fprintf(f, "unset multiplot\n");
  return plot_close(p, e);
}
