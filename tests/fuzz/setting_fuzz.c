/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as what --set takes, and as the name of a system with settings of its own ("FineReg:rf.banks=8"): taken, and then the same
 * again, or refused with a message. */
#include <stdlib.h>
#include <string.h>

#include "config/keys.h"
#include "lab/campaign/plan.h"

static void set(const char *text) {
  struct config c, again;
  struct err e = {0}, other = {0};
  config_defaults(&c);
  config_defaults(&again);
  bool ok = config_set(&c, text, 3, &e);
  if (ok == e.set || (!ok && !e.text[0])) abort();
  if (!ok && memcmp(&c, &again, sizeof c)) abort(); /* changed by halves */
  if (config_set(&again, text, 3, &other) != ok || memcmp(&c, &again, sizeof c)) abort();
}

static void name(const char *text) {
  static struct plan p;
  const struct settings machine = {.machine = "gtx980"};
  struct err e = {0};
  bool ok = plan_find(&p, text, &machine, &e);
  if (ok == e.set || (!ok && !e.text[0])) abort();
  struct err rules = {0};
  if (ok && !config_check(&p.cfg, &rules)) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  char *text = malloc(n + 1);
  if (!text) abort();
  memcpy(text, data, n);
  text[n] = 0;
  set(text);
  if (!strchr(text, '/') && !strstr(text, ".conf")) name(text); /* no file of that name is opened */
  free(text);
  return 0;
}
