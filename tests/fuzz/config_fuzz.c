/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a configuration file: accepted, or refused with a message; never applied in part. */
#include <stdlib.h>
#include <string.h>

#include "config/keys.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  struct config c;
  struct err e = {0};
  config_defaults(&c);
  bool ok = config_text(&c, "fuzz.conf", (const char *)data, n, &e);
  if (ok == e.set || (!ok && !e.text[0])) abort();
  if (ok) {
    struct err rules = {0};
    if (config_check(&c, &rules) == rules.set) abort();
  }
  return 0;
}
