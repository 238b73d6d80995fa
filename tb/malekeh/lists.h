/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of bins of Malekeh's benches: one for each unit, bank, write-back lane and warp, at the bench's parameters (tb.h). */
#ifndef RT_TB_MALEKEH_LISTS_H
#define RT_TB_MALEKEH_LISTS_H

#define LIST_2 TB_2
#define LIST_4 TB_4
#define LIST_8 TB_8
#define LIST_16 TB_16
#define LIST_32 TB_32
#define LIST2(n, B, p) LIST_##n(B, p)
#define LIST(n, B, p) LIST2(n, B, p)
#define OF_UNITS(B, p) LIST(TB_PARAM(Nccu), B, p)
#define OF_BANKS(B, p) LIST(TB_PARAM(Nbank), B, p)
#define OF_LANES(B, p) LIST(TB_PARAM(Nwb), B, p)
#define OF_WARPS(B, p) LIST(TB_PARAM(Nw), B, p)

#endif
