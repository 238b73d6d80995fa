/* SPDX-License-Identifier: Apache-2.0 */
/* colour: one colour for a system in all pictures; told apart by those who see no red or no green, too. */
#ifndef RT_REPORT_COLOUR_H
#define RT_REPORT_COLOUR_H

/* "#rrggbb" of each of n systems, by name. A name of the table always has its own colour; each other one, in the
 * order given, takes the first colour that is left. */
void colours(const char *const *system, unsigned n, const char **rgb);

#endif
