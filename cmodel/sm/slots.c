/* SPDX-License-Identifier: Apache-2.0 */
/* slots: from a configuration to the five tables. */
#include "sm/slots.h"

static const void *const tables[] = {
#define CHOICE(slot, name) [slot_##slot##_##name] = &slot##_##name,
#include "gen/systems/choices.def"
};

static void look_up(const struct config *cfg, struct slots *s) {
  *s = (struct slots){tables[cfg->slot_residency], tables[cfg->slot_storage], tables[cfg->slot_collector],
                      tables[cfg->slot_scheduler], tables[cfg->slot_l1]};
}

bool slots_pick(const struct config *cfg, struct slots *s, struct err *e) {
  look_up(cfg, s);
#define FITS(slot) (!s->slot->fits || s->slot->fits(cfg, s, e))
  return FITS(storage) && FITS(scheduler) && FITS(residency) && FITS(collector) && FITS(l1);
#undef FITS
}

bool slots_most(const struct config *cfg, int64_t *ctas, int64_t *warps) {
  struct slots s;
  look_up(cfg, &s);
  *ctas = cfg->sm_ctas;
  *warps = cfg->sm_warps;
  if (s.residency->most) s.residency->most(cfg, ctas, warps);
  return s.residency->most != NULL;
}

struct rf_share slots_share(struct config *cfg, double live) {
  struct slots s;
  struct rf_share share = {.fixed = cfg->rf_bytes / 2, .part = 1};
  look_up(cfg, &s);
  if (s.residency->unified) s.residency->unified(cfg, live, &share);
  return share;
}

struct near_want slots_near(const struct config *cfg) {
  struct slots s;
  struct near_want want = {.source = NEAR_NONE, .file = ""};
  look_up(cfg, &s);
  if (s.collector->near) s.collector->near(cfg, &want);
  return want;
}

bool slots_complete(const struct slots *s, struct err *e) {
#define SLOT(slot, ID, question)
#define SLOT_END(slot)
#define HOOK(slot, name, type, left_out, phase, parameters, arguments, text)
#define MUST(slot, hook, type, phase, parameters, arguments, text)                                                 \
  if (!s->slot->hook)                                                                                              \
    return err_at(e, NULL, 0, 0, "slot.%s %s has no hook '%s', which every choice must have (sm/slot.def)", #slot, \
                  s->slot->name, #hook);
#include "sm/slot.def"
  return true;
}
