/* SPDX-License-Identifier: Apache-2.0 */
/* size: the blocks' parameters for a configuration; see malekeh.h. */
#include "systems/malekeh/malekeh.h"

static bool power_of_two(int64_t n, int64_t most) { return n >= 2 && n <= most && !(n & (n - 1)); }

static bool bad(struct err *e, const char *key, int64_t found, const char *expected) {
  return err_at(e, NULL, 0, 0, "slot.collector ccu with %s %lld, expected %s", key, (long long)found, expected);
}

/* So many of the SM, of each sub-core a power of two. */
static bool parts(const char *key, int64_t all, unsigned groups, unsigned *each, struct err *e) {
  *each = (unsigned)(all / groups);
  return power_of_two(*each, 8) || bad(e, key, all, "2, 4 or 8 for each sub-core");
}

static bool machine(const struct config *c, unsigned groups, struct err *e) {
  if (!c->sm_subcores && c->sm_schedulers != 1)
    return bad(e, "sm.subcores=false and sm.schedulers", c->sm_schedulers,
               "one scheduler, or sub-cores: units of one group take one instruction a cycle");
  if (c->sm_subcores && c->sm_schedulers != 1 && !power_of_two(c->sm_schedulers, 4))
    return bad(e, "sm.schedulers", c->sm_schedulers, "1, 2 or 4 sub-cores");
  if (c->sm_warps / groups > alloc_Nw_most) return bad(e, "sm.warps", c->sm_warps, "at most 32 in each sub-core");
  if (!power_of_two(c->rf_results, 8)) return bad(e, "rf.results", c->rf_results, "2, 4 or 8 lanes");
  if (!c->rf_single_port)
    return err_at(e, NULL, 0, 0,
                  "slot.collector ccu with rf.single_port=false, expected true: a bank is read or written");
  return !(c->collector_sp_units | c->collector_sfu_units | c->collector_mem_units) ||
         err_at(e, NULL, 0, 0,
                "slot.collector ccu with sets of units (collector.sp_units and others), expected none: any unit takes "
                "any instruction");
}

bool malekeh_size(const struct config *c, struct malekeh_size *m, struct err *e) {
  const unsigned groups = c->sm_subcores ? (unsigned)c->sm_schedulers : 1;
  unsigned units, banks;
  if (!machine(c, groups, e) || !parts("collector.units", c->collector_units, groups, &units, e) ||
      !parts("rf.banks", c->rf_banks, groups, &banks, e))
    return false;
  uint64_t warps = 8;
  while (warps < (uint64_t)c->sm_warps / groups) warps *= 2;
  if (c->malekeh_private && units != warps)
    return err_at(e, NULL, 0, 0, "malekeh.private with collector.units %lld, expected %llu: a unit for each warp",
                  (long long)c->collector_units, (unsigned long long)warps * groups);
  const bool scheduled = c->slot_scheduler == slot_scheduler_malekeh, keeps = c->malekeh_cache;
  const uint64_t near = !keeps || c->malekeh_replace == malekeh_replace_near, filter = !keeps || c->malekeh_filter;
  const uint64_t lanes = (uint64_t)c->rf_results;
  *m = (struct malekeh_size){.groups = groups,
                             .units = units,
                             .warps = (unsigned)warps,
                             .keeps = keeps,
                             .near = keeps && (near || filter),
                             .controlled = scheduled && !c->malekeh_private && c->malekeh_sthld < 0,
                             .ccu = {.Ct = keeps ? (uint64_t)c->malekeh_entries : ccu_Noct,
                                     .Nw = warps,
                                     .Nwb = lanes,
                                     .Cache = keeps,
                                     .Near = near,
                                     .Filter = filter,
                                     .Noct = ccu_Noct},
                             .rarb = {.Nccu = units, .Nbank = banks, .Nwb = lanes, .Noct = rarb_Noct},
                             .wfil = {.Nccu = units, .Nwb = lanes, .Nw = warps, .Filter = filter},
                             .alloc = {.Nw = warps,
                                       .Nccu = units,
                                       .Policy = !scheduled           ? ALLOC_RANDOM
                                                 : c->malekeh_private ? ALLOC_PER_WARP
                                                                      : ALLOC_MALEKEH,
                                       .Pass = !scheduled || c->malekeh_pass},
                             .sthld = {.Moved = c->malekeh_moved}};
  return true;
}
