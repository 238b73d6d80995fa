/* SPDX-License-Identifier: Apache-2.0 */
/* malekeh: what the collector `ccu` and the scheduler `malekeh` have in common. */
#ifndef RT_SYSTEMS_MALEKEH_H
#define RT_SYSTEMS_MALEKEH_H

#include "blocks/malekeh/alloc.h"
#include "blocks/malekeh/ccu.h"
#include "blocks/malekeh/rarb.h"
#include "blocks/malekeh/sthld.h"
#include "blocks/malekeh/wfil.h"
#include "sm/slot_api.h"
#include "systems/malekeh/table.h"

/* What of the SM's sub-cores the blocks are made for. */
struct malekeh_size {
  unsigned groups, units, warps; /* sub-cores; units and warp numbers of each, powers of two */
  bool keeps, near;              /* units keep registers; near bits count */
  bool controlled;               /* sthld sets the threshold */
  struct ccu_params ccu;
  struct rarb_params rarb;
  struct wfil_params wfil;
  struct alloc_params alloc;
  struct sthld_params sthld;
};
/* False and *e: the machine has no blocks of such a size. */
bool malekeh_size(const struct config *c, struct malekeh_size *size, struct err *e);
/* Units that keep copies of registers (ccu, bow): the other slots' choices, and the banks and units of the machine. False and *e: `mine`
 * does not fit them. */
bool malekeh_copies_fit(const struct slots *slots, const char *mine, struct err *e);
bool malekeh_banks_fit(const struct config *c, const char *mine, struct err *e);

const struct malekeh_size *malekeh_size_of(const struct sm *S); /* of collector `ccu` */
void malekeh_laws(struct twins *t);                             /* of its net (laws.c) */

/* The scheduler's pick, by the block alloc of sub-core s (collector.c). */
struct pick malekeh_pick(struct sm *S, unsigned s, uint64_t ready);

#endif
