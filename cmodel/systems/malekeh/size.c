/* SPDX-License-Identifier: Apache-2.0 */
/* size: the blocks' parameters for a configuration; see malekeh.h. */
#include "systems/malekeh/malekeh.h"

static bool power_of_two(int64_t n, int64_t most) { return n >= 2 && n <= most && !(n & (n - 1)); }

static bool malekeh_size_wrong(struct err *e, const char *key, int64_t found, const char *expected) {
  return err_at(e, NULL, 0, 0, "slot.collector ccu with %s %lld, expected %s", key, (long long)found, expected);
}

bool malekeh_copies_fit(const struct slots *slots, const char *mine, struct err *e) {
  return slot_needs(
             e, mine, "residency", slots->residency->name, "static pcal",
             "registers that move would leave copies in its units, and its tables have rows for sm.warps warps") &&
         slot_needs(e, mine, "storage", slots->storage->name, "flat",
                    "its units ask the banks for rows of the flat file, and keep copies by register number") &&
         slot_needs(e, mine, "l1", slots->l1->name, "plain",
                    "victim and cerf read lines by a port that is a unit of ocu");
}

bool malekeh_banks_fit(const struct config *c, const char *mine, struct err *e) {
  if (!c->rf_single_port)
    return err_at(e, NULL, 0, 0,
                  "%s with rf.single_port false, expected rf.single_port=true: a bank is read or written", mine);
  return !(c->collector_sp_units | c->collector_sfu_units | c->collector_mem_units) ||
         err_at(e, NULL, 0, 0,
                "%s with sets of units, expected collector.sp_units=0, collector.sfu_units=0 and "
                "collector.mem_units=0: any "
                "unit takes any instruction",
                mine);
}

/* So many of the SM, of each sub-core a power of two. */
static bool malekeh_check_parts(const char *key, int64_t all, unsigned groups, unsigned *each, struct err *e) {
  char expected[96];
  *each = (unsigned)(all / groups);
  snprintf(expected, sizeof expected, "%s=%u, %u or %u: 2, 4 or 8 for each of %u sub-core%s", key, 8 * groups,
           4 * groups, 2 * groups, groups, groups == 1 ? "" : "s");
  return power_of_two(*each, 8) || malekeh_size_wrong(e, key, all, expected);
}

static bool malekeh_check_machine(const struct config *c, unsigned groups, struct err *e) {
  char expected[128];
  if (!c->sm_subcores && c->sm_schedulers != 1)
    return malekeh_size_wrong(
        e, "sm.subcores false and sm.schedulers", c->sm_schedulers,
        "sm.subcores=true or sm.schedulers=1: the units of a sub-core take one instruction a cycle");
  if (c->sm_subcores && c->sm_schedulers != 1 && !power_of_two(c->sm_schedulers, 4))
    return malekeh_size_wrong(e, "sm.schedulers", c->sm_schedulers, "sm.schedulers=4, 2 or 1 sub-cores");
  snprintf(expected, sizeof expected, "sm.warps=%u or less: 32 warps of each sub-core have numbers",
           (unsigned)alloc_NumWarps_most * groups);
  if (c->sm_warps / groups > alloc_NumWarps_most) return malekeh_size_wrong(e, "sm.warps", c->sm_warps, expected);
  if (!power_of_two(c->rf_results, 8))
    return malekeh_size_wrong(e, "rf.results", c->rf_results, "rf.results=2, 4 or 8 lanes");
  return malekeh_banks_fit(c, "slot.collector ccu", e);
}

/* malekeh.private: a unit for each warp number. */
static bool malekeh_check_private(const struct config *c, unsigned groups, unsigned units, uint64_t warps,
                                  struct err *e) {
  if (warps > 8)
    return err_at(
        e, NULL, 0, 0,
        "malekeh.private with sm.warps %lld, expected sm.warps=%u or less: a unit for each warp, at most 8 in each "
        "sub-core",
        (long long)c->sm_warps, 8 * groups);
  return units == warps ||
         err_at(e, NULL, 0, 0,
                "malekeh.private with collector.units %lld, expected collector.units=%u: a unit for each warp",
                (long long)c->collector_units, (unsigned)warps * groups);
}

bool malekeh_size(const struct config *c, struct malekeh_size *m, struct err *e) {
  const unsigned groups = c->sm_subcores ? (unsigned)c->sm_schedulers : 1;
  unsigned units, banks;
  if (!malekeh_check_machine(c, groups, e) ||
      !malekeh_check_parts("collector.units", c->collector_units, groups, &units, e) ||
      !malekeh_check_parts("rf.banks", c->rf_banks, groups, &banks, e))
    return false;
  uint64_t warps = 8;
  while (warps < (uint64_t)c->sm_warps / groups) warps *= 2;
  if (c->malekeh_private && !malekeh_check_private(c, groups, units, warps, e)) return false;
  const bool scheduled = c->slot_scheduler == slot_scheduler_malekeh, keeps = c->malekeh_cache;
  const uint64_t near = !keeps || c->malekeh_replace == malekeh_replace_near, filter = !keeps || c->malekeh_filter;
  const uint64_t results = (uint64_t)c->rf_results;
  *m = (struct malekeh_size){.groups = groups,
                             .units = units,
                             .warps = (unsigned)warps,
                             .keeps = keeps,
                             .near = keeps && (near || filter),
                             .controlled = scheduled && !c->malekeh_private && c->malekeh_sthld < 0,
                             .ccu = ccu_defaults(),
                             .rarb = rarb_defaults(),
                             .wfil = wfil_defaults(),
                             .alloc = alloc_defaults(),
                             .sthld = sthld_defaults()};
  m->ccu.NumEntries = keeps ? (uint64_t)c->malekeh_entries : ccu_NumSlots;
  m->ccu.NumWarps = m->wfil.NumWarps = m->alloc.NumWarps = warps;
  m->ccu.NumResults = m->rarb.NumResults = m->wfil.NumResults = results;
  m->ccu.Cache = keeps;
  m->ccu.Near = near;
  m->ccu.Filter = m->wfil.Filter = filter;
  m->rarb.NumCollectors = m->wfil.NumCollectors = m->alloc.NumCollectors = units;
  m->rarb.NumBanks = banks;
  m->alloc.Policy = !scheduled ? ALLOC_RANDOM : c->malekeh_private ? ALLOC_PER_WARP : ALLOC_MALEKEH;
  m->alloc.Pass = !scheduled || c->malekeh_pass;
  m->sthld.Moved = c->malekeh_moved;
  return true;
}
