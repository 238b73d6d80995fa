/* SPDX-License-Identifier: Apache-2.0 */
/* open: a session begins and ends. */
#include <stdlib.h>
#include <string.h>

#include "base/show.h"
#include "host/session/session.h"
#include "sm/slots.h"

static void to_stdout(void *ctx, const char *text, size_t n) {
  (void)ctx;
  show_lines(stdout, text, n);
  fflush(stdout);
}

static bool device_configure(struct config *c, const struct device_settings *s, struct err *e) {
  if (!config_load(c, s->machine, s->system ? s->system : "baseline", e)) return false;
  for (unsigned i = 0; i < s->sets; i++)
    if (!config_set(c, s->set[i], 0, e)) return false;
  return config_fits(c, e) || machines_advised(c, e);
}

/* What needs a run before the timed one cannot be had of a host program. */
static bool device_check_possible(const struct config *c, struct err *e) {
  const struct near_want near = slots_near(c);
  if (c->sim_roi[0])
    return err_at(e, NULL, 0, 0, "sim.roi: found '%.60s' for a host program, expected the launches in REGTWIN_TIME",
                  c->sim_roi);
  if (near.source == NEAR_EXACT)
    return err_at(e, NULL, 0, 0,
                  "found exact near bits (malekeh.near=exact) for a host program, expected malekeh.near=profile: they "
                  "need a run of all launches beforehand");
  if (near.source == NEAR_PROFILE && near.file[0])
    return err_at(e, near.file, 0, 0,
                  "found a file of near bits for a host program, expected none: they are made of each kernel's first "
                  "launch that is timed");
  return true;
}

struct device *device_open(const struct device_settings *s, struct err *e) {
  struct device *d = xcalloc(1, sizeof *d);
  d->lenient = s->lenient;
  d->print = s->print ? s->print : to_stdout;
  d->ctx = s->ctx;
  d->history.keeps = s->launches;
  bool ok = device_configure(&d->cfg, s, e) && device_check_possible(&d->cfg, e) && chosen_read(&d->chosen, s->time, e);
  if (ok && (d->chosen.all || d->chosen.n)) ok = (d->gpu = gpu_new(&d->cfg, (unsigned)d->cfg.sim_sms, e)) != NULL;
  const struct memory_options memory = {.mapped = s->mapped, .lenient = s->lenient};
  if (ok) {
    d->mem = memory_open(&memory);
    return d;
  }
  device_close(d);
  return NULL;
}

void device_warn_unmet(const struct device *d) {
  const char *unmet = d->history.n ? chosen_unmet(&d->chosen) : NULL;
  if (unmet) warn("of kernel '%.160s', which was to be timed, there was no launch", unmet);
}

void device_close(struct device *d) {
  if (!d) return;
  device_warn_unmet(d);
  while (d->module) device_unload(d->module);
  texture_set_free(&d->textures);
  gpu_free(d->gpu);
  memory_free(d->mem);
  chosen_free(&d->chosen);
  history_free(&d->history);
  free(d);
}

const struct config *device_config(const struct device *d) { return &d->cfg; }

uint64_t device_ns(const struct device *d) {
  const uint64_t mhz = (uint64_t)d->cfg.gpu_clock_mhz, cycles = d->gpu ? gpu_cycles(d->gpu) : 0;
  return cycles / mhz * 1000 + cycles % mhz * 1000 / mhz;
}

void device_forget_launches(struct device *d) {
  const bool keeps = d->history.keeps;
  history_free(&d->history);
  d->history.keeps = keeps;
}
