/* SPDX-License-Identifier: Apache-2.0 */
/*
 * victim_port: how slot.l1 reaches rows of the register file (Linebacker, section 4.3). Accesses are granted in order,
 * at most one in a cycle. A write at the head takes what the results left of its bank, at the end of WRITE; a read
 * stands in COLLECT as one more collector unit that wants an operand, and takes its turn. l1.ported follows in the next
 * ARRIVE. It requires an SM without sub-cores, and at most 63 collector units.
 */
#include <assert.h>

#include "sm/private.h"

bool victim_port_put(struct sm *S, int what, uint32_t row, uint32_t tag) {
  struct victim_port *p = &S->victim;
  assert(S->ngroup == 1 && !(S->group->all >> VICTIM_UNIT));
  if (p->count == VICTIM_PORT) return false;
  p->queue[(p->head + p->count++) % VICTIM_PORT] =
      (struct victim_access){.row = row, .tag = tag, .bank = (uint8_t)rf_row_bank(S, row), .write = what == RF_WRITE};
  S->busy = true;
  return true;
}

unsigned victim_port_count(const struct sm *S) { return S->victim.count; }

bool victim_port_holds(const struct sm *S, uint32_t row) {
  const struct victim_port *p = &S->victim;
  bool is = false;
  for (unsigned k = 0; k < p->count; k++) is |= p->queue[(p->head + k) % VICTIM_PORT].row == row;
  return is;
}

bool victim_port_last(const struct sm *S, uint32_t *row, uint32_t *tag, bool *write) {
  const struct victim_port *p = &S->victim;
  if (!p->count) return false;
  const struct victim_access *a = &p->queue[(p->head + p->count - 1) % VICTIM_PORT];
  *row = a->row;
  *tag = a->tag;
  *write = a->write;
  return true;
}

void victim_port_arrive(struct sm *S) {
  struct victim_port *p = &S->victim;
  uint32_t tag = p->queue[p->head].tag;
  p->granted = false;
  p->head = (uint8_t)((p->head + 1) % VICTIM_PORT);
  p->count--;
  l1_ported(S, tag);
}

void victim_port_write(struct sm *S) {
  struct victim_port *p = &S->victim;
  const struct victim_access *a = &p->queue[p->head];
  if (!a->write) return;
  if (!rf_claim(S, 0, a->bank, RF_WRITE)) {
    S->st.rf_write_conflicts++;
    return;
  }
  S->st.rf_writes++;
  if (S->laws) law_access(S, 0, RF_WRITE, a->row);
  p->granted = true;
}

bool victim_port_read(struct sm *S) {
  const struct victim_port *p = &S->victim;
  const struct victim_access *a = &p->queue[p->head];
  if (a->write || p->granted) return false;
  struct collector_unit *u = &S->group->unit[VICTIM_UNIT];
  u->index = VICTIM_UNIT;
  u->hold = 1; /* never dispatched */
  u->banks = ~0ull;
  u->bank[0] = a->bank;
  u->row[0] = a->row;
  unit_want_all(S, u);
  return true;
}

void victim_port_collected(struct sm *S) { S->victim.granted = S->group->unit[VICTIM_UNIT].banks == ~0ull; }

void victim_port_settle(struct sm *S) {
  struct group *g = S->group;
  if (!S->victim.count) return;
  for (unsigned b = 0; b < S->nbank; b++) {
    g->want[b] &= ~(1ull << VICTIM_UNIT);
    if (!g->want[b]) g->banks_wanted[b / 64] &= ~(1ull << b % 64);
  }
  S->victim = (struct victim_port){0};
}
