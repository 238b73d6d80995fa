/* SPDX-License-Identifier: Apache-2.0 */
/* slots: from a configuration to the five tables. */
#include "sm/slots.h"

#include <stdlib.h>
#include <string.h>

#include "config/keys.h"

static const void *const tables[] = {
#define CHOICE(slot, name) [slot_##slot##_##name] = &slot##_##name,
#include "gen/systems/choices.def"
};

static void slots_look_up(const struct config *cfg, struct slots *s) {
  *s = (struct slots){tables[cfg->slot_residency], tables[cfg->slot_storage], tables[cfg->slot_collector],
                      tables[cfg->slot_scheduler], tables[cfg->slot_l1]};
}

static bool is_choice(const char *slot, const char *name) {
  const struct key *k = key_find("slot", slot);
  char text[64];
  int v;
  for (unsigned n = 0; key_value(k, n, &v, text, sizeof text); n++)
    if (!strcmp(text, name)) return true;
  return false;
}

/* "static, vt or pcal", without those whose folder is not built. True: `found` is one of them. */
static bool slots_one_of(const char *slot, const char *found, const char *names, char *text, size_t size) {
  char copy[128], *rest = copy, *last = NULL;
  size_t n = 0;
  bool is = false;
  text[0] = 0;
  snprintf(copy, sizeof copy, "%s", names);
  for (char *name; (name = strsep(&rest, " "));) {
    is |= !strcmp(name, found);
    if (!is_choice(slot, name)) continue;
    if (last) n += (size_t)snprintf(text + n, size - n, "%s%s", n ? ", " : "", last);
    last = name;
  }
  if (last) snprintf(text + n, size - n, "%s%s", n ? " or " : "", last);
  return is;
}

bool slot_needs(struct err *e, const char *mine, const char *slot, const char *found, const char *names,
                const char *why) {
  char text[160];
  return slots_one_of(slot, found, names, text, sizeof text) ||
         err_at(e, NULL, 0, 0, "%s with slot.%s %s, expected slot.%s=%s: %s", mine, slot, found, slot, text, why);
}

/* Times and masks of banks that the choices other than the baseline's and those without an engine do not know. */
static bool banks_fit(const struct config *c, const struct slots *s, struct err *e) {
  const bool slow = c->rf_latency != 100, many = c->rf_banks > 64;
  const char *slot = s->residency->engine                        ? "residency"
                     : strcmp(s->l1->name, "plain")              ? "l1"
                     : slow && strcmp(s->collector->name, "ocu") ? "collector"
                                                                 : NULL;
  const char *name = slot && !strcmp(slot, "residency") ? s->residency->name
                     : slot && !strcmp(slot, "l1")      ? s->l1->name
                                                        : s->collector->name;
  if (slot && slow)
    return err_at(
        e, NULL, 0, 0,
        "slot.%s %s with rf.latency %lld, expected rf.latency=100: it uses the banks' ports as if an access took one "
        "cycle",
        slot, name, (long long)c->rf_latency);
  return !slot || !many ||
         err_at(e, NULL, 0, 0,
                "slot.%s %s with rf.banks %lld, expected rf.banks=64 or less: its masks of banks have 64 bits", slot,
                name, (long long)c->rf_banks);
}

bool slots_pick(const struct config *cfg, struct slots *s, struct err *e) {
  slots_look_up(cfg, s);
#define FITS(slot) (!s->slot->fits || s->slot->fits(cfg, s, e))
  return FITS(storage) && FITS(scheduler) && FITS(residency) && FITS(collector) && FITS(l1) && banks_fit(cfg, s, e);
#undef FITS
}

bool config_fits(const struct config *c, struct err *e) {
  struct slots s;
  return config_check(c, e) && slots_pick(c, &s, e);
}

/* True if what has been set beyond the machine and the system fits another machine. */
static bool config_fits_machine(const struct config *c, const struct config *base, const char *machine) {
  struct config other;
  struct err e = {0};
  if (!config_load(&other, machine, c->system, &e)) return false;
  for (unsigned i = 0; i < config_nkeys; i++)
    if (!key_same(c, base, &config_keys[i])) key_copy(&other, c, &config_keys[i]);
  return config_fits(&other, &e);
}

bool machines_advised(const struct config *c, struct err *e) {
  struct config base;
  struct err none = {0};
  char names[128] = "";
  if (!e->set || !config_load(&base, c->machine, c->system, &none)) return false;
  for (const struct config_name *m = config_machines(); m->name; m++) {
    const size_t n = strlen(names);
    if (strcmp(m->name, c->machine) && config_fits_machine(c, &base, m->name))
      snprintf(names + n, sizeof names - n, "%s%s", n ? "|" : "", m->name);
  }
  const size_t n = strlen(e->text);
  if (names[0]) snprintf(e->text + n, sizeof e->text - n, "; so configured it fits --config %s", names);
  return false;
}

bool slots_most(const struct config *cfg, int64_t *ctas, int64_t *warps) {
  struct slots s;
  slots_look_up(cfg, &s);
  *ctas = cfg->sm_ctas;
  *warps = cfg->sm_warps;
  if (s.residency->most) s.residency->most(cfg, ctas, warps);
  return s.residency->most != NULL;
}

struct rf_share slots_share(struct config *cfg, double live) {
  struct slots s;
  struct rf_share share = {.fixed = cfg->rf_bytes / 2, .part = 1};
  slots_look_up(cfg, &s);
  if (s.residency->unified) s.residency->unified(cfg, live, &share);
  return share;
}

void slots_main_file(const struct config *cfg, const struct sm_stats *s, uint64_t *reads, uint64_t *writes) {
  struct slots slots;
  slots_look_up(cfg, &slots);
  if (slots.storage->main_file) slots.storage->main_file(s, reads, writes);
}

struct near_want slots_near(const struct config *cfg) {
  struct slots s;
  struct near_want want = {.source = NEAR_NONE, .file = ""};
  slots_look_up(cfg, &s);
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
