/* SPDX-License-Identifier: Apache-2.0 */
/*
 * all_sms: what the streams of one launch, one per SM, know of each other. At a quantum's end, when all of them have
 * made their stores and performed their atomics, the changes that one of them has made are counted by all: so a loop
 * that waits for another SM is not taken for one that cannot end (exec/watch.c), and one that no SM can end is found.
 */
#include <stdlib.h>

#include "exec/warp.h"

struct all_sms *all_sms_new(unsigned sms) {
  struct all_sms *t = xcalloc(1, sizeof *t);
  t->sms = sms;
  t->x = xcalloc(sms, sizeof(struct exec *));
  return t;
}

void all_sms_free(struct all_sms *t) {
  if (!t) return;
  free(t->x);
  free(t);
}

void all_sms_quantum(struct all_sms *t) {
  uint64_t more = 0;
  for (unsigned i = 0; i < t->sms; i++)
    if (t->x[i]) more += t->x[i]->changes - t->changes;
  t->changes += more;
  t->calm = more ? 0 : t->calm + (t->calm < 1000);
  for (unsigned i = 0; i < t->sms && more; i++)
    if (t->x[i]) t->x[i]->changes = t->changes;
  if (t->calm >= WATCH_CALM && !t->told) t->told = exec_all_spin(t);
}
