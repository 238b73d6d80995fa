/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control: a second golden model without its data (control_only, blocks/declare.h) beside the first. It is given zeros on
 * the DATA inputs; its registers and its other outputs must be the first one's in every cycle. The SM runs the blocks like
 * this where values are not modelled.
 */
#include <stdlib.h>
#include <string.h>

#include "engine.h"

void control_new(struct engine *e) {
  bool data = false;
  for (unsigned k = 0; k < e->d->items; k++) data |= e->d->item[k].kind == ITEM_DATA;
  if (!data || !e->d->reset) return;
  e->control = memory_checked(calloc(1, e->d->model_bytes));
  e->control_in = memory_checked(calloc(1, e->d->in_bytes));
  e->control_out = memory_checked(calloc(1, e->d->out_bytes));
}

void control_free(struct engine *e) { free(e->control), free(e->control_in), free(e->control_out); }

void control_reset(struct engine *e) {
  if (!e->control) return;
  e->d->reset(e->control);
  const uint64_t one = 1;
  memcpy((unsigned char *)e->control + e->d->control_only, &one, sizeof one);
}

bool control_holds(struct engine *e, const void *in, const void *out) {
  const struct block_desc *d = e->d;
  char text[160];
  if (!e->control) return true;
  memcpy(e->control_in, in, d->in_bytes);
  for (unsigned k = 0; k < d->items; k++) {
    const struct item *i = &d->item[k];
    if (i->kind == ITEM_IN && line_names(d, ITEM_DATA, i->name)) memset(e->control_in + i->offset, 0, i->bytes);
  }
  d->eval(e->control, e->control_in, e->control_out);
  if (!first_difference(d, ITEM_OUT, ITEM_DATA, out, e->control_out, text) &&
      !first_difference(d, ITEM_STATE, ITEM_END, e->c, e->control, text))
    return true;
  snprintf(e->message, sizeof e->message, "with and without data: %s", text);
  return false;
}

void control_tick(struct engine *e) {
  if (e->control) e->d->tick(e->control, e->control_in);
}
