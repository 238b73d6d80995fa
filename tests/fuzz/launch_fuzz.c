/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a launch file: parsed, or refused with a message and a line. */
#include <stdlib.h>

#include "launch/launch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  struct err e = {0};
  struct script *s = script_parse("fuzz.launch", (const char *)data, n, &e);
  if ((s != NULL) == e.set || (!s && !e.text[0])) abort();
  if (s) script_free(s);
  return 0;
}
