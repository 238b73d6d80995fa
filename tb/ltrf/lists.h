/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of bins of farb's and pfu's benches: one for each slot, bank of the main register file, and cache bank, at the bench's parameters (tb.h). */
#ifndef RT_TB_LTRF_LISTS_H
#define RT_TB_LTRF_LISTS_H

#include "tb.h"

#define OF_SLOTS(B, p) TB_LIST(TB_PARAM(NumSlots), B, p)
#define OF_BANKS(B, p) TB_LIST(TB_PARAM(NumMainBanks), B, p)
#define OF_PLACES(B, p) TB_LIST(TB_PARAM(NumCacheBanks), B, p)

#endif
