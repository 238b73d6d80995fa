/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sizes: which sizes FineReg's blocks have in the experiments whose systems are configured for each kernel (lab/campaign/plan.h), on the
 * paper's machine, at both sizes of inputs. A line each: "KEY=VALUE SYSTEM KERNEL INPUTS". Systems with one configuration are left out.
 */
#include <stdio.h>
#include <string.h>

#include "lab/campaign/experiment.h"
#include "lab/campaign/matrix.h"
#include "config/config.h"
#include "lab/kernels/suite/about.h"

static const struct {
  const char *id, *system;
} line[] = {
#define SYSTEM(id, name, label, base) {id, name},
#include "gen/systems/experiments.def"
};

static bool wrong(const struct err *e, const char *what) {
  fprintf(stderr, "sizes: %s: %s\n", what, e->text);
  return false;
}

static bool points(const struct plan *p, const char *kernel, const char *size) {
  struct err e = {0};
  static struct plan_kernel k;
  static struct plan_point point[PLAN_POINTS];
  if (!plan_kernel(kernel, size, &p->cfg, &k, &e)) return wrong(&e, kernel);
  const unsigned n = plan_points(p, &k, NULL, point, &e);
  if (!n) return wrong(&e, kernel);
  for (unsigned i = 0; i < n; i++) {
    const struct config *c = &point[i].cfg;
    if (c->slot_residency != slot_residency_finereg) continue;
    printf("finereg.pcrf_bytes=%lld %s %s %s\n", (long long)c->finereg_pcrf_bytes, p->label, kernel, size);
    printf("finereg.lrvc_entries=%lld %s %s %s\n", (long long)c->finereg_lrvc_entries, p->label, kernel, size);
  }
  return true;
}

static bool experiment(const struct experiment *x) {
  struct err e = {0};
  const struct settings s = {.machine = papers[x->paper].machine};
  struct matrix m = {0};
  bool ok = true;
  for (unsigned i = 0; ok && i < sizeof line / sizeof *line; i++) {
    struct plan p;
    if (strcmp(line[i].id, x->id)) continue;
    if (!plan_find(&p, line[i].system, &s, &e)) return wrong(&e, line[i].system);
    if (!p.info) continue;
    if (!m.nkernel && !experiment_suite(x, &m, &e)) return wrong(&e, x->kernels);
    for (unsigned k = 0; ok && k < m.nkernel; k++)
      ok = points(&p, m.kernel[k].name, "small") && points(&p, m.kernel[k].name, "default");
  }
  matrix_free(&m);
  return ok;
}

int main(void) {
  bool ok = true;
  for (unsigned i = 0; i < nexperiments; i++)
    if (experiments[i].kernels[0]) ok = experiment(&experiments[i]) && ok;
  return ok ? 0 : 2;
}
