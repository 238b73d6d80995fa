/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dispatch: which SM begins the grid's next CTA. CTAs are given out in the order of the grid, one per SM in turn, and only between quanta: as many as an SM has room for and one spare,
 * so that a CTA that ends within a quantum has a successor. An SM owns the CTAs that it may begin, so SMs are
 * independent within a quantum. With a single SM the spare is replaced at once.
 */
#ifndef RT_GPU_DISPATCH_H
#define RT_GPU_DISPATCH_H

#include "sm/sm.h"

struct dispatch;
struct dispatch *dispatch_new(unsigned sms);
void dispatch_free(struct dispatch *d);
void dispatch_begin(struct dispatch *d, uint32_t ctas); /* a launch of so many CTAs */
/* Before the first quantum and between quanta: the SMs in turn, beginning with `first`. room[sm]: CTAs that could
 * begin there now (sm_cta_room). */
void dispatch_give(struct dispatch *d, unsigned first, const uint32_t *room);
uint32_t dispatch_left(const struct dispatch *d);                    /* CTAs that no SM was given yet */
struct cta_source *dispatch_source(struct dispatch *d, unsigned sm); /* for sm_begin */

#endif
