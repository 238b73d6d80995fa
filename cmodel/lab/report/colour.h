/* SPDX-License-Identifier: Apache-2.0 */
/*
 * colour: one place and one colour per system in all pictures, distinguishable with colour blindness. Both are those of its
 * line COLOUR in systems/NAME/paper.def. A system with settings of its own ("LB:linebacker.interval=1") is a variant: it
 * stands with its system, in a lighter or darker shade of its colour.
 */
#ifndef RT_REPORT_COLOUR_H
#define RT_REPORT_COLOUR_H

enum { COLOUR_TEXT = 8 }; /* "#rrggbb" */

/* The colours of n systems, by name. One with a line COLOUR has that colour, always; where it is not in the
 * picture, the one of its variants with the fewest settings has it. Each name without such a line takes, in the order given, the first colour that is left. */
void colours_assign(const char *const *system, unsigned n, char (*rgb)[COLOUR_TEXT]);
/* The order in which n systems stand in a picture: order[0..n-1] are their numbers. Names without a line COLOUR keep their
 * places after the others, so a picture of no systems stays as it is. */
void colours_order(const char *const *system, unsigned n, unsigned *order);

#endif
