/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pages: where the global addresses of a trace, of 64 bits, lie in our memory, which ends at LOCAL_BASE. Addresses that are
 * below it already stay. Else the parts of memory that a trace touches move together, in their order: parts of 2 MB, of
 * 64 KB or of 4 KB, the largest that fit; so banks and channels see the same pattern of addresses within a part.
 */
#ifndef RT_ACCELSIM_PAGES_H
#define RT_ACCELSIM_PAGES_H

#include <stdbool.h>
#include <stdint.h>

struct pages;
struct pages *pages_new(void);
void pages_free(struct pages *p); /* NULL is fine */
/* Before pages_place: an access touches this address. False: too many parts of 4 KB, more than our memory has. */
bool pages_touch(struct pages *p, uint64_t addr);
void pages_place(struct pages *p);
/* Behind pages_place, of an address that was touched, or that is in the same 4 KB. */
uint32_t pages_map(struct pages *p, uint64_t addr);
uint32_t pages_part(const struct pages *p);  /* bytes of a part; 0: addresses stay */
uint32_t pages_parts(const struct pages *p); /* how many there are */

#endif
