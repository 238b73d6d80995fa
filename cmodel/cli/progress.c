/* SPDX-License-Identifier: Apache-2.0 */
/* progress: one line on a terminal, rewritten in place; nothing in a pipe or a file. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/show.h"
#include "cli/cli.h"
#include "lab/report/table.h"

struct progress {
  bool shown, on;
  unsigned items, item;
  char name[128], kernel[64];
  unsigned index;       /* of the launch */
  uint64_t start, last; /* of this launch; of the last line, ns */
  uint64_t insns_before, last_insns;
  uint64_t cycles_before, last_cycle;
  bool to_stderr; /* what kernels print */
  bool open_line; /* whose last line has no end yet */
};

struct progress *progress_new(unsigned items) {
  struct progress *p = xcalloc(1, sizeof *p);
  p->on = isatty(STDERR_FILENO);
  p->items = items;
  return p;
}

/* The line is rewritten, so it bypasses the filter of stderr (base/show.h), which blocks control characters.
 */
static void progress_rewrite(struct progress *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void progress_rewrite(struct progress *p, const char *fmt, ...) {
  char text[512];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  dprintf(STDERR_FILENO, "\r\033[K%s", SHOWN(text));
  p->shown = text[0];
}

static void progress_wipe(struct progress *p) {
  if (p->shown) progress_rewrite(p, "%s", "");
}

static FILE *progress_output(const struct progress *p) { return p->to_stderr ? stderr : stdout; }

/* What we print ourselves begins a line. */
static void progress_end_line(struct progress *p) {
  if (p->open_line) fputc('\n', progress_output(p));
  p->open_line = false;
}

void progress_item(struct progress *p, const char *name) {
  progress_wipe(p);
  progress_end_line(p);
  p->item++;
  snprintf(p->name, sizeof p->name, "%s", name);
  p->insns_before = p->last_insns = p->cycles_before = p->last_cycle = 0;
}

static void progress_on_launch(void *ctx, const char *kernel, unsigned index, const struct launch *l) {
  struct progress *p = ctx;
  (void)l;
  snprintf(p->kernel, sizeof p->kernel, "%.60s", kernel);
  p->index = index;
  p->start = clock_wall_ns();
  p->insns_before = p->last_insns;
  p->cycles_before = p->last_cycle;
}

static void progress_on_tick(void *ctx, uint64_t cycle, uint32_t done, uint32_t ctas, uint64_t insns) {
  struct progress *p = ctx;
  uint64_t t = clock_wall_ns();
  p->last_insns = insns;
  p->last_cycle = cycle;
  if (clock_span(p->last, t) < 200000000ull) return;
  p->last = t;
  uint64_t ns = clock_span(p->start, t) + 1, made = insns > p->insns_before ? insns - p->insns_before : 0;
  char cycles[CELL], rate[CELL], left[CELL] = "?";
  text_count(cycles, cycle);
  text_ratio(rate, made * 1000, ns, 2);
  if (done) text_ratio(left, (uint64_t)((unsigned __int128)ns * (ctas - done) / done) / 1000000, 1000, 1);
  progress_rewrite(p, "%u/%u %.30s: launch %u %.30s  cycle %s  CTAs %u/%u  %s M warp insn/s  %s s left", p->item,
                   p->items, p->name, p->index, p->kernel, cycles, done, ctas, rate, left);
}

struct run_progress progress_hooks(struct progress *p) {
  if (!p->on) return (struct run_progress){0};
  return (struct run_progress){.launch = progress_on_launch, .tick = progress_on_tick, .ctx = p};
}

static void progress_on_print(void *ctx, const char *text, size_t n) {
  struct progress *p = ctx;
  progress_wipe(p);
  show_lines(progress_output(p), text, n);
  fflush(progress_output(p));
  if (n) p->open_line = text[n - 1] != '\n';
}

void progress_print_to(struct progress *p, bool to_stderr, struct run_progress *hooks) {
  p->to_stderr = to_stderr;
  hooks->ctx = p;
  hooks->print = progress_on_print;
}

void progress_count(void *progress, unsigned done, unsigned all, const char *kernel, const char *system) {
  struct progress *p = progress;
  if (done == all) progress_wipe(p);
  if (!p->on || done == all) return;
  progress_rewrite(p, "%u/%u  %.40s  %.40s", done, all, kernel, system);
}

void progress_text(struct progress *p, const char *text) {
  if (p->on) progress_rewrite(p, "%s", text);
}

void progress_free(struct progress *p) {
  progress_wipe(p);
  progress_end_line(p);
  free(p);
}
