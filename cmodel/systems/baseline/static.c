/* SPDX-License-Identifier: Apache-2.0 */
/* static residency: as many CTAs as fit are resident, all of them may issue, each until its end. */
#include "sm/slot_api.h"

static bool plan(struct sm *S, const struct kernel *kernel, struct err *e) { return ledger_plan(S, kernel, e); }

const struct residency_ops residency_static = {.name = "static", .plan = plan, .launch = cta_lowest};
