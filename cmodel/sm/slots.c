/* SPDX-License-Identifier: Apache-2.0 */
/* slots: from a configuration to the five tables, and the one place that refuses combinations without a meaning. */
#include "sm/slots.h"

static const struct residency_ops *const residencies[] = {&residency_static, &residency_vt, &residency_finereg};
static const struct storage_ops *const storages[] = {&storage_flat, &storage_slices, &storage_regmutex};
static const struct collector_ops *const collectors[] = {&collector_ocu};
static const struct scheduler_ops *const schedulers[] = {&scheduler_lrr, &scheduler_gto, &scheduler_two_level};
static const struct l1_ops *const l1s[] = {&l1_plain};

/* Says all at once what is to be set. */
static bool slices_fit(const struct config *cfg, struct err *e) {
  bool units = cfg->collector_units > 16, arrivals = cfg->collector_arrivals > 1;
  if (!cfg->sm_subcores && !units && !arrivals) return true;
  return err_at(e, NULL, 0, 0,
                "slot.storage slices with %lld collector units%s, each taking %lld operands a cycle, expected at most "
                "16 of the "
                "whole SM (the source indirection table has 48 ports) and one operand part a cycle: set%s%s%s",
                (long long)cfg->collector_units, cfg->sm_subcores ? " in sub-cores" : "",
                (long long)cfg->collector_arrivals, cfg->sm_subcores ? " sm.subcores=false" : "",
                units ? " collector.units=16" : "", arrivals ? " collector.arrivals=1" : "");
}

bool slots_pick(const struct config *cfg, struct slots *s, struct err *e) {
  *s = (struct slots){residencies[cfg->slot_residency], storages[cfg->slot_storage], collectors[cfg->slot_collector],
                      schedulers[cfg->slot_scheduler], l1s[cfg->slot_l1]};
  if (cfg->slot_storage == STO_SLICES && !slices_fit(cfg, e)) return false;
  if (cfg->slot_scheduler == SCH_TWO_LEVEL && cfg->sm_active_warps < cfg->sm_schedulers)
    return err_at(e, NULL, 0, 0,
                  "slot.scheduler two_level with %lld active warps for %lld schedulers, expected at least one each "
                  "(sm.active_warps)",
                  (long long)cfg->sm_active_warps, (long long)cfg->sm_schedulers);
  if (cfg->slot_storage == STO_REGMUTEX && cfg->slot_scheduler == SCH_TWO_LEVEL)
    return err_at(e, NULL, 0, 0,
                  "slot.storage regmutex with slot.scheduler two_level: warps that wait for a section could fill the "
                  "active set while "
                  "those that hold one stay out of it");
  bool moves = cfg->slot_residency == RES_FINEREG || (cfg->slot_residency == RES_VT && cfg->residency_dram_ctas);
  if (moves && cfg->slot_storage != STO_FLAT)
    return err_at(
        e, NULL, 0, 0,
        "slot.residency %s with slot.storage %s, expected flat: what moves is a warp's register in its own row",
        cfg->slot_residency == RES_FINEREG ? "finereg" : "vt and residency.dram_ctas", s->storage->name);
  return true;
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
