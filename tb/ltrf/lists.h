/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of bins of farb's and pfu's benches: one for each slot, bank of the main register file, and cache bank, at the bench's parameters (tb.h). */
#ifndef RT_TB_LTRF_LISTS_H
#define RT_TB_LTRF_LISTS_H

#if TB_PARAM(NumSlots) == 4
#define OF_SLOTS(B, p) TB_4(B, p)
#elif TB_PARAM(NumSlots) == 8
#define OF_SLOTS(B, p) TB_8(B, p)
#elif TB_PARAM(NumSlots) == 16
#define OF_SLOTS(B, p) TB_16(B, p)
#endif
#if TB_PARAM(NumMainBanks) == 16
#define OF_BANKS(B, p) TB_16(B, p)
#elif TB_PARAM(NumMainBanks) == 128
#define OF_BANKS(B, p) TB_128(B, p)
#endif
#if TB_PARAM(NumCacheBanks) == 8
#define OF_PLACES(B, p) TB_8(B, p)
#elif TB_PARAM(NumCacheBanks) == 16
#define OF_PLACES(B, p) TB_16(B, p)
#elif TB_PARAM(NumCacheBanks) == 32
#define OF_PLACES(B, p) TB_32(B, p)
#endif

#endif
