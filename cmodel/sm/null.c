/* SPDX-License-Identifier: Apache-2.0 */
/*
 * null: tables that implement every hook of every slot (sim.null_hooks). A hook passes the call on to the chosen
 * table; if that leaves the hook out, it returns slot.def's default. So every statistic must be that of the chosen
 * tables alone, which shows that a hook by itself costs nothing.
 */
#include "sm/private.h"

#define SLOT(slot, ID, question)
#define SLOT_END(slot)
#define HOOK(slot, name, type, left_out, phase, parameters, arguments, text)    \
  static type null_##slot##_##name parameters {                                 \
    return S->chosen.slot->name ? (S->chosen.slot->name)arguments : (left_out); \
  }
#define MUST(slot, name, type, phase, parameters, arguments, text) \
  static type null_##slot##_##name parameters { return (S->chosen.slot->name)arguments; }
#include "sm/slot.def"

/* clang-format off */
#define SLOT(slot, ID, question) static const struct slot##_ops null_##slot = {.name = "null",
#define SLOT_END(slot) };
/* clang-format on */
#define HOOK(slot, hook, type, left_out, phase, parameters, arguments, text) .hook = null_##slot##_##hook,
#define MUST(slot, hook, type, phase, parameters, arguments, text) .hook = null_##slot##_##hook,
#include "sm/slot.def"

const struct slots slots_null = {&null_residency, &null_storage, &null_collector, &null_scheduler, &null_l1};
