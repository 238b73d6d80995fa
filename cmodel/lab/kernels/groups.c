/* SPDX-License-Identifier: Apache-2.0 */
/* groups: see groups.h. */
#include "lab/kernels/groups.h"

#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "lab/run/compile.h"
#include "lab/run/shape.h"
#include "lab/kernels/suite/metric.h"

static const double faster = 1.3; /* Linebacker, section 2.1 */

static bool limited_by(const struct cta_fit *f, const char *list) { return words_index(list, f->limiter) >= 0; }

/* What limits the CTAs, and what would if the launch file did not ask for more registers than the code needs. */
static void say_fit(const struct kernel_shape *s, const struct cta_fit *f, const struct config *c, struct group *out) {
  int n = snprintf(out->why, sizeof out->why, "%u CTAs by %s", f->ctas, f->limiter);
  if (s->regs == s->regs_need) return;
  struct kernel_shape needs = *s;
  needs.regs = s->regs_need;
  struct cta_fit own = shape_fit(&needs, c);
  snprintf(out->why + n, sizeof out->why - (size_t)n, "; %u by %s with the %u registers that it needs", own.ctas,
           own.limiter, s->regs_need);
}

static bool by_fit(const char *name, const char *size, const struct about *a, enum paper_rule rule,
                   const struct config *c, unsigned *index, struct group *out, struct err *e) {
  struct workload w;
  struct kernel_shape s;
  if (!workload_compile(name, size, c, 0, &w, e)) return false;
  bool ok = shape_of_workload(&w, a->entry, &s, e);
  workload_close(&w);
  if (!ok) return false;
  struct cta_fit f = shape_fit(&s, c);
  *index = limited_by(&f, rule == PAPER_RULE_scheduler ? "warps|threads|CTAs" : "registers") ? 0 : 1;
  say_fit(&s, &f, c, out);
  return true;
}

static bool group_measure_cycles(const char *name, const char *size, const struct config *c,
                                 const struct run_progress *p, uint64_t *cycles, struct err *e) {
  struct workload w;
  struct run_result r;
  if (!workload_compile(name, size, c, 0, &w, e)) return false;
  bool ok = run_workload(&w, c, 0, false, p, &r, e);
  if (ok) *cycles = r.cycles;
  workload_close(&w);
  return ok;
}

static bool by_cache(const char *name, const char *size, const struct config *c, const struct run_progress *p,
                     unsigned *index, struct group *out, struct err *e) {
  struct config large = *c;
  uint64_t before, after;
  large.l1_bytes = GROUP_L1_BYTES;
  /* a hash is one of a number of sets: they get more ways */
  if (c->l1_hash != l1_hash_none && c->l1_bytes) large.l1_ways = c->l1_ways * GROUP_L1_BYTES / c->l1_bytes;
  if (!config_check(&large, e) || !group_measure_cycles(name, size, c, p, &before, e) ||
      !group_measure_cycles(name, size, &large, p, &after, e))
    return false;
  double ratio = after ? (double)before / (double)after : 1;
  *index = ratio > faster ? 0 : 1;
  snprintf(out->why, sizeof out->why, "%.2f times as fast with %d KB of L1", ratio, GROUP_L1_BYTES / 1024);
  return true;
}

static unsigned by_metric(const struct about *a, struct group *out) {
  enum quality_metric m = QUALITY_EXACT;
  quality_metric(a->metric, &m);
  snprintf(out->why, sizeof out->why, "metric %s", a->metric);
  return m == QUALITY_SSIM ? 0 : m == QUALITY_DEVIATION ? 1 : 2;
}

bool group_of_kernel(const char *name, const char *size, const struct about *a, enum paper paper,
                     const struct config *c, const struct run_progress *p, struct group *out, struct err *e) {
  enum paper_rule rule = papers[paper].rule;
  unsigned index = 0;
  memset(out, 0, sizeof *out);
  if (rule == PAPER_RULE_metric) index = by_metric(a, out);
  else if (rule == PAPER_RULE_cache ? !by_cache(name, size, c, p, &index, out, e)
                                    : !by_fit(name, size, a, rule, c, &index, out, e))
    return false;
  const char *at = papers[paper].groups;
  for (; index; index--) at += strcspn(at, "|") + 1;
  snprintf(out->ours, sizeof out->ours, "%.*s", (int)strcspn(at, "|"), at);
  out->as_paper = !strcmp(out->ours, a->paper[paper].group);
  return true;
}
