/* SPDX-License-Identifier: Apache-2.0 */
/* result_slots: the use of the schedulers' issue slots, for the table and the JSON; they sum to cycles x schedulers. */
#ifndef RT_RUN_RESULT_SLOTS_H
#define RT_RUN_RESULT_SLOTS_H

#include "lab/report/table.h"
#include "lab/run/run.h"

enum { RESULT_SLOTS = 10 };
struct result_slot {
  const char *key, *label;
  bool modelled; /* by this configuration; else slots is 0 */
  uint64_t slots;
  uint32_t hundredths; /* of a percent of all */
};
void result_slots(const struct run_result *r, struct result_slot out[RESULT_SLOTS]);

#endif
