/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dispatch: which SM begins the grid's next CTA. CTAs are given out in the order of the grid and only between quanta: first one
 * for each free slot, the SMs in turn, so that a small grid is spread over all of them; then spares, again in turn, up to as many
 * as an SM holds CTAs, so that each CTA that ends within the quantum has a successor. What an SM has not begun at the quantum's end
 * goes back and is given out again, but for those that it has decided to begin (cta_source.kept). An SM owns the CTAs that it may begin, so SMs are independent within a quantum. With
 * a single SM one spare is enough, since it is replaced at once.
 */
#ifndef RT_GPU_DISPATCH_H
#define RT_GPU_DISPATCH_H

#include "sm/sm.h"

struct dispatch;
struct dispatch *dispatch_new(unsigned sms);
void dispatch_free(struct dispatch *d);
void dispatch_begin(struct dispatch *d, uint32_t ctas); /* a launch of so many CTAs */
struct dispatch_room {
  uint32_t free, held; /* CTAs that could begin now (sm_cta_room); that are resident */
};
/* Before the first quantum and between quanta: the SMs in turn, beginning with `first`; room: by SM. */
void dispatch_give(struct dispatch *d, unsigned first, const struct dispatch_room *room);
uint32_t dispatch_left(const struct dispatch *d);                    /* CTAs that no SM was given yet */
struct cta_source *dispatch_source(struct dispatch *d, unsigned sm); /* for sm_begin */

#endif
