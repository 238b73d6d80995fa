/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline: see timeline.h. Time is kept in at most COLUMNS steps: when a run outgrows them, steps become
 * twice as long. Of each step and row it is known how many cycles each state took; what took most is drawn.
 */
#include "lab/run/timeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/report/chart.h"
#include "lab/report/frame.h"

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

/* Pixels. */
enum { WIDE = PLOT_WIDE, LEFT = 76, RIGHT = 24, LEAST_HIGH = 120, MOST_PANELS = 8, PANEL_HIGH = 74, LAUNCH_MOST = 200 };

static enum timeline_state step_main_state(const struct step *s) {
  enum timeline_state best = TIMELINE_EMPTY;
  for (unsigned k = 1; k < TIMELINE_STATES; k++)
    if (s->cycles[k] > s->cycles[best]) best = (enum timeline_state)k;
  return best;
}

/* "from to row" of each piece that is in one state; returns how many there are. */
static unsigned timeline_put_pieces(const struct timeline *t, enum timeline_state s, FILE *f) {
  unsigned found = 0;
  fprintf(f, "$s%u << EOD\n", (unsigned)s);
  for (unsigned n = 0; n < t->rows; n++) {
    const struct step *step = t->row[n].step;
    for (unsigned i = 0, next; i < COLUMNS; i = next) {
      for (next = i + 1; next < COLUMNS && step_main_state(&step[next]) == step_main_state(&step[i]) &&
                         !(step[next].marks & MARK_BEGINS);)
        next++;
      uint64_t from = i * t->length, to = next * t->length < t->end ? next * t->length : t->end;
      if (step_main_state(&step[i]) != s) continue;
      fprintf(f, "%llu %llu %u\n", (unsigned long long)from, (unsigned long long)to, n);
      found++;
    }
  }
  fprintf(f, "-1 -1 -1\nEOD\n"); /* never empty, never seen */
  return found;
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

/* A dashed line at each launch, and its kernel's name above where there is room. */
static void timeline_put_launches(const struct timeline *t, struct plot *p, const struct frame_area *a) {
  double free_from = 0;
  for (unsigned i = 0; i < t->launches; i++) {
    const double x = a->x0 + (double)t->launch[i].cycle / (double)timeline_cycles(t) * (a->x1 - a->x0);
    char name[256];
    plot_put_line(p, x, a->y0, x, a->y1, 1, 2, "#888888");
    plot_shorten(name, sizeof name, t->launch[i].name, LAUNCH_MOST, PLOT_NORMAL);
    const double end = x + 4 + plot_text_width(name, PLOT_NORMAL, false);
    if (x < free_from || end > WIDE) continue;
    plot_put(p, x + 3, a->y0 - 10, PLOT_LEFT, (struct plot_font){PLOT_NORMAL, false, 0, NULL}, "%s", name);
    free_from = end + 8;
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

static struct frame_area timeline_area(double y, double high) {
  return (struct frame_area){LEFT, y, WIDE - RIGHT, y + high};
}

/* One panel: a step for each window. Returns the first pixel below it. */
static double timeline_put_panel(const struct timeline *t, const struct run_result *r, const struct timeline_panel *p,
                                 const double *v, double y, struct plot *plot) {
  FILE *f = plot_script(plot);
  double most = 0;
  for (unsigned i = 0; i < t->samples; i++) most = v[i] > most ? v[i] : most;
  struct frame_scale s = {.most = chart_end(most)};
  s.tics = chart_place_ticks(0, s.most, 3, s.tic, &s.decimals);
  plot_put(plot, LEFT, y + 10, PLOT_LEFT, (struct plot_font){PLOT_NORMAL, true, 0, NULL}, "%s%s%s", p->label,
           p->unit[0] ? ", " : "", p->unit);
  const struct frame_area a = timeline_area(y + 24, PANEL_HIGH);
  frame_put_axes(plot, &a, NULL, 0, (double)timeline_cycles(t), &s);
  fprintf(f, "$w << EOD\n");
  for (unsigned i = 0; i < t->samples; i++) {
    uint64_t from, to;
    timeline_window_of(t, r, i, &from, &to);
    if (isnan(v[i])) fprintf(f, "\n");
    else fprintf(f, "%llu %.6g\n%llu %.6g\n", (unsigned long long)from, v[i], (unsigned long long)to, v[i]);
  }
  fprintf(f,
          "EOD\nplot $w using 1:2 with filledcurves y1=0 fs solid 0.25 lc rgb '#4477aa', $w using 1:2 with lines lw "
          "1.5 lc rgb '#4477aa'\n");
  plot_clear(plot);
  return a.y1 + 10;
}

/* Numbers of slots, beside rows of a height that leaves room for some of them. */
static void timeline_put_slots(const struct timeline *t, struct plot *p, const struct frame_area *a) {
  const struct plot_font font = {PLOT_NORMAL, false, 0, NULL}, turned = {PLOT_NORMAL, false, 90, NULL};
  const unsigned step = t->rows > 64 ? 16 : t->rows > 16 ? 4 : t->rows > 6 ? 2 : 1;
  for (unsigned r = 0; r < t->rows; r += step)
    plot_put(p, a->x0 - 6, a->y0 + (r + 0.5) / t->rows * (a->y1 - a->y0), PLOT_RIGHT, font, "%u", r);
  plot_put(p, FRAME_EDGE + 8, (a->y0 + a->y1) / 2, PLOT_MIDDLE, turned, "CTA slot");
}

/* What each CTA slot does, and its key above. Returns the first pixel below it. */
static double timeline_put_rows(const struct timeline *t, double y, struct plot *p) {
  const unsigned row_high = t->rows > 64 ? 8 : t->rows > 32 ? 12 : 16;
  const double high = t->rows * row_high > LEAST_HIGH ? t->rows * row_high : LEAST_HIGH;
  FILE *f = plot_script(p);
  struct frame_key key[TIMELINE_STATES + 4];
  char text[TIMELINE_STATES][96];
  unsigned keys = 0, drawn[TIMELINE_STATES] = {0};
  for (unsigned s = 1; s < TIMELINE_STATES; s++) {
    drawn[s] = timeline_put_pieces(t, (enum timeline_state)s, f);
    snprintf(text[s], sizeof text[s], "%s (%.1f %%)", states[s].name, timeline_percent(t, (enum timeline_state)s));
    if (drawn[s]) key[keys++] = (struct frame_key){text[s], states[s].colour, FRAME_BOX, 0};
  }
  const unsigned leaves = timeline_put_marks(t, "leaves", MARK_LEAVES, f),
                 comes = timeline_put_marks(t, "comes", MARK_COMES, f),
                 begins = timeline_put_marks(t, "begins", MARK_BEGINS, f);
  if (leaves) key[keys++] = (struct frame_key){"registers leave", "#cc3311", FRAME_POINT, 11};
  if (comes) key[keys++] = (struct frame_key){"registers come back", "#117733", FRAME_POINT, 9};
  if (begins) key[keys++] = (struct frame_key){"a CTA begins", "#000000", FRAME_LINE, 0};
  if (t->launches) key[keys++] = (struct frame_key){"a launch begins", "#888888", FRAME_DASHES, 0};
  y = frame_put_key(p, FRAME_EDGE, y, WIDE - 2 * FRAME_EDGE, key, keys) + 22;
  const struct frame_area a = timeline_area(y, high);
  struct frame_scale x = {.most = (double)timeline_cycles(t)};
  x.tics = chart_place_ticks(0, x.most, 7, x.tic, &x.decimals);
  frame_put_axes(p, &a, &x, 0, 0, NULL);
  timeline_put_launches(t, p, &a);
  timeline_put_slots(t, p, &a);
  plot_put(p, (a.x0 + a.x1) / 2, a.y1 + 29, PLOT_MIDDLE, (struct plot_font){PLOT_NORMAL, false, 0, NULL}, "cycles");
  fprintf(f,
          "set yrange [%u-0.5:-0.5]\nunset logscale y\nunset ytics\nunset grid\nset style fill solid 1 noborder\nplot ",
          t->rows ? t->rows : 1);
  for (unsigned s = 1; s < TIMELINE_STATES; s++)
    if (drawn[s])
      fprintf(f, "$s%u using 1:3:1:2:($3-0.42):($3+0.42) with boxxyerror lc rgb '%s', ", s, states[s].colour);
  if (leaves) fprintf(f, "$leaves using 1:($2+0.2) with points pt 11 ps 0.5 lc rgb '#cc3311', ");
  if (comes) fprintf(f, "$comes using 1:($2-0.2) with points pt 9 ps 0.5 lc rgb '#117733', ");
  fprintf(f, "$begins using 1:($2-0.5):(0):(1) with vectors nohead lw 1 lc rgb '#000000'\n");
  plot_clear(p);
  return a.y1 + 44;
}

bool timeline_draw(const struct timeline *t, const struct run_result *r, const struct timeline_panel *panels,
                   unsigned npanel, const char *path, struct err *e) {
  double v[MOST_PANELS][WINDOWS + 1];
  unsigned shown = 0, which[MOST_PANELS];
  char title[256], about[512], sm[40] = "one SM";
  FILE *f;
  for (unsigned i = 0; i < npanel && shown < MOST_PANELS; i++) {
    const unsigned n = timeline_windows(t, r, &panels[i], v[shown], WINDOWS + 1);
    if (shows_something(v[shown], n)) which[shown++] = i;
  }
  struct plot *p = plot_open(path, WIDE, WIDE, &f, e);
  if (!p) return false;
  if (r->cfg.sim_sms > 1) snprintf(sm, sizeof sm, "SM %d of %d", (int)r->cfg.sim_watch_sm, (int)r->cfg.sim_sms);
  snprintf(title, sizeof title, "CTAs of %.200s over time", r->kernel);
  snprintf(about, sizeof about, "%.120s%s%.30s on %s of %.60s, system %.100s: %llu cycles, drawn in steps of %llu",
           r->kernel, r->size[0] ? ", size " : "", r->size, sm, r->cfg.machine, r->cfg.system,
           (unsigned long long)timeline_cycles(t), (unsigned long long)t->length);
  fprintf(f, "set multiplot\n");
  double y = timeline_put_rows(t, frame_put_head(p, title, about) + 2, p);
  for (unsigned i = 0; i < shown; i++) y = timeline_put_panel(t, r, &panels[which[i]], v[i], y, p);
  fprintf(f, "unset multiplot\n");
  plot_resize(p, WIDE, (unsigned)ceil(y) + 4);
  return plot_close(p, e);
}
