/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Part of ccu's bench: who uses the block. Banks that hold every register of every warp, so that each S brings what its
 * bank has, and each result is written there; a scheduler, results and exits within the rules of the page. Every
 * payload is drawn whether its valid is given or not. docs/blocks/malekeh/ccu.md
 */
#ifndef RT_TB_CCU_USER_H
#define RT_TB_CCU_USER_H

#include "ccu_oracle.h"

enum { MOST_POOL = 64, WRITES = LANES + 1, ALL_LANES = -1 };

/* A phase: in percent, if nothing else is said. */
struct bias {
  unsigned warps, regs; /* so many at most */
  unsigned al, same, source,
      known;     /* a free unit gets an instruction; of its owner; a source exists; its register is in the table */
  unsigned near; /* of sources and results */
  unsigned s, mixed, take; /* in a cycle: a bank answers; not to the lowest entry; dispatch */
  unsigned d, full, none;  /* in a cycle; with all lanes; with none */
  unsigned sn;             /* a lane, in a cycle */
  unsigned own, old;       /* results: of the owner; of a register in the table */
  unsigned ex, last;       /* in 1000: a warp ends; the owner ends, when it may */
};

struct sim {
  struct tb_run *t;
  struct tb_rng *r;
  const struct bias *b;
  struct oracle o;
  struct ccu_in in;
  struct ccu_out out;
  struct deed d, before; /* of this cycle, of the last one */
  unsigned pool[MOST_POOL], pooled, warp[MOST_POOL], warps;
  unsigned writes, write_w[WRITES], write_r[WRITES]; /* that were drawn for this cycle */
  unsigned waits;                                    /* cycles since the instruction has been complete */
  bool s_before;                                     /* S came in the last cycle */
  /* the banks; rows that are not known yet are drawn when they are needed */
  bool drawn[WARPS][REGS];
  uint32_t bank[WARPS][REGS][WORDS];
};

/* ---- banks ---- */

static uint32_t *ccu_user_bank_row(struct sim *s, unsigned w, unsigned r) {
  if (!s->drawn[w][r]) tb_words(s->r, s->bank[w][r], 32 * WORDS);
  s->drawn[w][r] = true;
  return s->bank[w][r];
}

/* The writes of this cycle. A warp whose CTA ends leaves registers of any value to the next one. */
static void ccu_user_write_banks(struct sim *s) {
  const struct ccu_in *in = &s->in;
  if (in->cache_valid_i) {
    uint32_t *to = ccu_user_bank_row(s, (unsigned)in->cache_warp_i, (unsigned)in->cache_register_i);
    for (unsigned l = 0; l < WORDS; l++) {
      if (in->cache_lanes_i >> l & 1) to[l] = in->cache_data_i[l];
    }
  }
  for (unsigned l = 0; l < LANES; l++) {
    if (bit_is64(in->snoop_valid_i, l)) s->drawn[in->snoop_warp_i[l]][in->snoop_register_i[l]] = false;
  }
  for (unsigned w = 0; w < WARPS; w++) {
    if (in->exit_warps_i >> w & 1) memset(s->drawn[w], 0, sizeof s->drawn[w]);
  }
}

/* No stale value: what the unit would supply is what the bank has. */
static void ccu_user_check_values(struct sim *s) {
  const struct oracle *o = &s->o;
  for (unsigned e = 0; e < ENTRIES; e++) {
    const struct entry *x = &o->entry[e];
    if (!x->valid || ccu_oracle_is_awaited(o, e)) continue;
    tb_expect(s->t, !memcmp(x->data, ccu_user_bank_row(s, o->owner, x->r), sizeof x->data),
              "entry %u has an old value of register %u", e, x->r);
  }
}

/* ---- what is put on the ports ---- */

/* A result for this register may not come now: its copy is locked, or it comes already. */
static bool ccu_user_is_refused(const struct sim *s, unsigned w, unsigned r) {
  const struct oracle *o = &s->o;
  for (unsigned e = 0; e < ENTRIES; e++) {
    if (o->owned && o->owner == w && o->entry[e].locked && o->entry[e].r == r) return true;
  }
  for (unsigned i = 0; i < s->writes; i++) {
    if (CACHE && s->write_w[i] == w && s->write_r[i] == r) return true;
  }
  return false;
}

static void ccu_user_note_write(struct sim *s, unsigned w, unsigned r) {
  s->write_w[s->writes] = w, s->write_r[s->writes] = r;
  s->writes++;
}

static void ccu_user_put_value(struct sim *s, unsigned e) {
  s->in.operand_valid_i = 1, s->in.operand_entry_i = e;
  memcpy(s->in.operand_data_i, ccu_user_bank_row(s, s->o.owner, s->o.entry[e].r), sizeof s->in.operand_data_i);
}

static void ccu_user_put_d(struct sim *s, unsigned w, unsigned r, bool near, uint32_t lanes) {
  s->in.cache_valid_i = 1, s->in.cache_warp_i = w, s->in.cache_register_i = r, s->in.cache_near_i = near,
  s->in.cache_lanes_i = lanes;
  tb_words(s->r, s->in.cache_data_i, 32 * WORDS);
  ccu_user_note_write(s, w, r);
}

static void ccu_mask_put(uint64_t *mask, unsigned k, uint64_t bit) { *mask = (*mask & ~(UINT64_C(1) << k)) | bit << k; }

static void ccu_user_put_snoop(struct sim *s, unsigned l, unsigned w, unsigned r, bool v) {
  ccu_mask_put(&s->in.snoop_valid_i, l, v);
  s->in.snoop_warp_i[l] = (uint8_t)w;
  s->in.snoop_register_i[l] = (uint8_t)r;
  if (v) ccu_user_note_write(s, w, r);
}

/* ---- random use ---- */

/* Registers and warps of an episode: numbers that differ in one bit are among them. */
static void ccu_user_choose_pool(struct sim *s) {
  s->pooled = 1 + tb_below(s->r, s->b->regs), s->warps = 1 + tb_below(s->r, s->b->warps);
  for (unsigned i = 0; i < s->pooled; i++) {
    s->pool[i] = i && tb_chance(s->r, 50) ? s->pool[i - 1] ^ 1u << tb_below(s->r, 8) : tb_below(s->r, REGS);
  }
  for (unsigned i = 0; i < s->warps; i++) {
    s->warp[i] = i && tb_chance(s->r, 50) ? s->warp[i - 1] ^ 1u << tb_below(s->r, WARP_BITS) : tb_below(s->r, WARPS);
  }
}

static unsigned ccu_user_some_register(struct sim *s, unsigned old) {
  return tb_chance(s->r, old) ? s->o.entry[tb_below(s->r, ENTRIES)].r : s->pool[tb_below(s->r, s->pooled)];
}
static unsigned ccu_user_some_warp(struct sim *s, unsigned own) {
  return tb_chance(s->r, own) ? s->o.owner : s->warp[tb_below(s->r, s->warps)];
}

static void ccu_user_drive_results(struct sim *s) {
  const unsigned w = ccu_user_some_warp(s, s->b->own), r = ccu_user_some_register(s, s->b->old);
  const uint32_t lanes = tb_chance(s->r, s->b->full)   ? UINT32_MAX
                         : tb_chance(s->r, s->b->none) ? 0
                         : tb_chance(s->r, 20)         ? ~(1u << tb_below(s->r, WORDS))
                                                       : (uint32_t)tb_bits(s->r, 32);
  s->in.cache_warp_i = w, s->in.cache_register_i = r, s->in.cache_lanes_i = lanes,
  s->in.cache_near_i = tb_chance(s->r, s->b->near);
  s->in.cache_data_i[tb_below(s->r, WORDS)] = (uint32_t)tb_bits(s->r, 32);
  if (!ccu_user_is_refused(s, w, r) && tb_chance(s->r, s->b->d)) ccu_user_put_d(s, w, r, s->in.cache_near_i, lanes);
  for (unsigned l = 0; l < LANES; l++) {
    const unsigned x = ccu_user_some_warp(s, s->b->own), y = ccu_user_some_register(s, s->b->old);
    ccu_user_put_snoop(s, l, x, y, !ccu_user_is_refused(s, x, y) && tb_chance(s->r, s->b->sn));
  }
}

static void ccu_user_drive_value(struct sim *s) {
  unsigned at[ENTRIES], n = 0;
  for (unsigned e = 0; e < ENTRIES; e++) {
    if (ccu_oracle_is_awaited(&s->o, e)) at[n++] = e;
  }
  s->in.operand_entry_i = tb_below(s->r, ENTRIES);
  s->in.operand_data_i[tb_below(s->r, WORDS)] = (uint32_t)tb_bits(s->r, 32);
  if (!n) return;
  const unsigned e = at[tb_chance(s->r, s->b->mixed) ? tb_below(s->r, n) : 0];
  s->in.operand_entry_i = e;
  if (tb_chance(s->r, s->b->s)) ccu_user_put_value(s, e);
}

static void ccu_user_drive_exits(struct sim *s) {
  const struct oracle *o = &s->o;
  if (tb_below(s->r, 1000) < s->b->ex)
    s->in.exit_warps_i = tb_chance(s->r, 10) ? tb_bits(s->r, WARPS) : 1u << tb_below(s->r, WARPS);
  if (!o->owned) return;
  ccu_mask_put(&s->in.exit_warps_i, o->owner, (!o->busy || s->in.dispatch_take_i) && tb_below(s->r, 1000) < s->b->last);
}

static void ccu_user_drive_allocation(struct sim *s) {
  s->in.allocate_warp_i = ccu_user_some_warp(s, s->b->same), s->in.allocate_meta_i = tb_bits(s->r, 16);
  s->in.allocate_source_i = tb_dense(s->r, SLOTS, s->b->source),
  s->in.allocate_near_i = tb_dense(s->r, SLOTS, s->b->near);
  for (unsigned k = 0; k < SLOTS; k++) s->in.allocate_register_i[k] = (uint8_t)(ccu_user_some_register(s, s->b->known));
  s->in.allocate_valid_i = !s->o.busy && tb_chance(s->r, s->b->al);
}

static void ccu_user_clear_valids(struct sim *s) {
  s->in.allocate_valid_i = s->in.operand_valid_i = s->in.cache_valid_i = s->in.snoop_valid_i = s->in.exit_warps_i =
      s->in.dispatch_take_i = 0;
  s->writes = 0;
}

static void ccu_user_drive_inputs(struct sim *s) {
  ccu_user_clear_valids(s);
  ccu_user_drive_results(s);
  ccu_user_drive_value(s);
  s->in.dispatch_take_i = ccu_oracle_is_complete(&s->o) && tb_chance(s->r, s->b->take);
  ccu_user_drive_exits(s);
  ccu_user_drive_allocation(s);
}

#endif
