/* SPDX-License-Identifier: Apache-2.0 */
/* fields: the members of a golden model's struct, from the debug information of this program (DWARF 4 and 5, little-endian ELF64). */
#ifndef RT_COSIM_FIELDS_H
#define RT_COSIM_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

enum { FIELD_NAME = 120 };
/* Writes the member of `struct NAME` of `size` bytes that covers a byte, such as "buf_q[2][5]". False if the program has no such
 * information. */
bool field_at(const char *name, size_t size, size_t byte, char text[static FIELD_NAME]);
/* Finds a member by its path, such as "pipe.nt_q": its offset and its size. False if there is no such member, or it is no number of up to
 * 8 bytes. */
bool field_named(const char *name, size_t size, const char *path, size_t *offset, size_t *bytes);

#endif
