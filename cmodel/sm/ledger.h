/* SPDX-License-Identifier: Apache-2.0 */
/* ledger: the resources that one CTA takes of an SM, and how many fit; used by the SM and by lists of kernels. */
#ifndef RT_SM_LEDGER_H
#define RT_SM_LEDGER_H

#include <stdint.h>

#include "config/config.h"

struct cta_need {
  uint32_t warps, warp_regs; /* of the CTA; registers of one warp, as the file allocates them */
  uint32_t shared;           /* bytes, as the kernel asks for them */
  uint32_t pool_regs;        /* registers of the SM that no CTA may take */
};
struct cta_fit {
  uint32_t ctas;       /* 0: not one; UINT32_MAX: nothing limits them */
  const char *limiter; /* "warps", "threads", "CTAs", "registers", "shared memory": the first that is least */
  uint64_t need, have; /* of the limiter; registers are a warp's, shared memory is in bytes */
};

/* Registers that a warp takes for so many per thread. */
static inline uint32_t warp_registers(const struct config *c, uint32_t regs) {
  uint32_t unit = (uint32_t)c->rf_alloc_warp;
  return (regs + unit - 1) / unit * unit;
}

struct cta_fit cta_fit(const struct config *c, const struct cta_need *need);

#endif
