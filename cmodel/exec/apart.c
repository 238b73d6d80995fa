/* SPDX-License-Identifier: Apache-2.0 */
/*
 * apart: several SMs execute on one memory, a quantum at a time and one after the other. Each sees global memory as it
 * was when the quantum began, and its own stores: a stream keeps what its stores replaced, takes them back when its SM's
 * part of the quantum is over, and makes them again at the quantum's end.
 */
#include "exec/warp.h"

void exec_stored(struct exec *x, uint32_t at, unsigned bytes) {
  struct stored s = {.at = at, .bytes = bytes};
  memcpy(s.data, x->launch->mem->image + at, bytes);
  VEC_PUSH(x->stored, x->nstored, x->cstored) = s;
}

static void swap(struct exec *x, struct stored *s) {
  uint8_t was[sizeof s->data], *p = x->launch->mem->image + s->at;
  memcpy(was, p, s->bytes);
  memcpy(p, s->data, s->bytes);
  memcpy(s->data, was, s->bytes);
}

void exec_set_aside(struct exec *x) {
  for (uint32_t k = x->nstored; k; k--) swap(x, &x->stored[k - 1]); /* the last first: they may overlap */
}

void exec_put_back(struct exec *x) {
  for (uint32_t k = 0; k < x->nstored; k++) swap(x, &x->stored[k]);
  x->nstored = 0;
}
