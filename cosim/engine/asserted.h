/* SPDX-License-Identifier: Apache-2.0 */
/* asserted: the first assertion of the RTL that failed since line was 0. */
#ifndef RT_COSIM_ASSERTED_H
#define RT_COSIM_ASSERTED_H

struct asserted {
  int line;                   /* 0: none */
  char file[200], scope[200]; /* in it: "sit.gen_f_bank[3]" */
};

#ifdef __cplusplus
extern thread_local asserted rtl_asserted;
#else
#include <stdbool.h>
#include <stddef.h>
/* Copies the assertion's statement from its file, on one line. False: there is none to be read. */
bool assertion_text(const struct asserted *a, char *text, size_t room);
#endif
#endif
