/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hooks: how the SM calls a slot: residency_late(S, f) asks the chosen table, and gives what slot.def says where the
 * table leaves the hook out. Included by sm/slot_api.h. (Members are in parentheses since cmocka.h has a macro skip().)
 */
#ifndef RT_SM_HOOKS_H
#define RT_SM_HOOKS_H

#define NOTHING ((void)0)
#define SLOT(slot, ID, question)
#define SLOT_END(slot)
#define HOOK(slot, name, type, left_out, phase, parameters, arguments, text)                    \
  static inline type slot##_##name parameters {                                                 \
    return sm_view(S)->slots.slot->name ? (sm_view(S)->slots.slot->name)arguments : (left_out); \
  }
#define MUST(slot, name, type, phase, parameters, arguments, text) \
  static inline type slot##_##name parameters { return (sm_view(S)->slots.slot->name)arguments; }
#include "sm/slot.def"

#endif
