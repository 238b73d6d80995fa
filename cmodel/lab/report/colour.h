/* SPDX-License-Identifier: Apache-2.0 */
/* colour: one colour per system in all pictures, distinguishable with colour blindness. */
#ifndef RT_REPORT_COLOUR_H
#define RT_REPORT_COLOUR_H

/* "#rrggbb" of each of n systems, by name. One with a line COLOUR in systems/NAME/paper.def has that colour, always; each
 * other one, in the order given, takes the first colour that is left. */
void colours_assign(const char *const *system, unsigned n, const char **rgb);

#endif
