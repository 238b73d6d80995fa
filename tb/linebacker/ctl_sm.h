/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Part of ctl's bench, included once, after its bins: the SM around the block. CTAs that begin, retire instructions, become
 * quiet and end, a register file, a memory, the load monitor and the victim tag table, at rates that a phase gives; and
 * orders, the steps of a directed case.
 */
#ifndef RT_TB_CTL_SM_H
#define RT_TB_CTL_SM_H

#include <setjmp.h>
#include <string.h>

#include "base/bits.h"
#include "blocks/linebacker/ctl.h"
#include "tb.h"

enum {
  CTAS = TB_PARAM(NumCtas),
  ENTRIES = TB_PARAM(BufferEntries),
  PERIOD = TB_PARAM(Period),
  REGS = 2048,
  LANES = 32,
  MOST_RETIRED = 127,
  STATES = 14,
  NOBODY = CTAS,
  IN_MEMORY = 0x7ff /* the first register of a CTA without registers */
};

/* A phase: in percent, if nothing else is said. */
struct bias {
  unsigned ready, sticky;       /* a port is ready; it stays as it was */
  unsigned latency;             /* a register is read in so many cycles at most */
  unsigned reply, mixed;        /* the memory replies in a cycle; not to its oldest request */
  unsigned hold_done, quiet;    /* in a cycle: the VTT has done, the halted CTA becomes quiet */
  unsigned ends;                /* of 10000 cycles: so many ends of CTAs */
  unsigned answer, begins;      /* a CTA takes an offer; it begins in a cycle of the launch's begin */
  unsigned starts, keep;        /* of 10000 cycles: so many launches; those that keep the policy */
  unsigned sel, off;            /* of 10000 cycles: lm decides */
  unsigned rise, fall;          /* windows with more and with fewer instructions; the others have about as many */
  unsigned knee;                /* with so many CTAs IPC is at its highest; 0: it does not depend on them */
  unsigned cta_registers, ctas; /* most registers of a CTA, most CTAs of a launch */
  unsigned near; /* in so many cycles that are not shortly before a window's end nothing begins or ends */
};

/* A step of a directed case. Orders are obeyed in the same cycle up to one that waits. */
enum what {
  O_END,    /* the case is over */
  O_NEXT,   /* a cycles later */
  O_UNTIL,  /* the cycle in which the engine reaches state a */
  O_WINDOW, /* this window has a instructions; waits for the cycle b cycles before its end */
  O_START,  /* a launch: a registers, last register b */
  O_KEEP,   /* the same with launch_keep_i */
  O_LAUNCH, /* CTAs 0 to a - 1 begin in the ranges 0 to a - 1, one in a cycle */
  O_BEGIN,  /* CTA a begins in range b */
  O_SEL,
  O_OFF,
  O_CTA_ENDS,  /* CTA a ends */
  O_ANSWER,    /* offers are answered from now on: with CTA a; NOBODY: not at all */
  O_HOLD_DONE, /* hold_done may come from now on: a */
  O_QUIET      /* the halted CTA may become quiet from now on: a */
};
struct order {
  enum what what;
  unsigned a, b;
};

struct cta {
  bool occupied, active, saved, end_pending;
  unsigned first_register, was; /* was: the first register that it had before it was throttled */
  uint32_t backup_addr;
  bool throttled; /* at any time */
};

struct sim {
  struct tb_run *t;
  struct tb_rng *r;
  const struct bias *k;
  jmp_buf end, again; /* the episode is over; the engine begins anew */
  uint64_t now, last; /* cycle of the episode, the last one */
  unsigned cut;       /* the episode ends in this state; or STATES */
  /* this cycle */
  struct ctl_in in;
  struct ctl_out o;
  struct ctl_state st;
  unsigned state, to; /* the engine's state; where it goes after hold */
  uint64_t since;     /* the cycle in which it reached this state */
  /* as the page describes it */
  uint64_t origin; /* the cycle in which the first window began */
  uint64_t done;   /* instructions of this window, without this cycle's */
  uint64_t current, previous;
  enum ctl_policy policy;
  bool mode_pending, throttle_pending;
  unsigned cta_registers, highest, limit, target_register;
  uint32_t stack_base; /* the stack's first address */
  struct cta cta[CTAS];
  unsigned stack[CTAS], depth; /* CTAs in memory, the last one throttled on top */
  unsigned victim;
  /* the SM */
  bool ready[4], quiet, off;
  unsigned launch, launched; /* CTAs of the launch's begin, and those that have begun */
  uint8_t ids[CTAS];
  uint16_t ranges[REGS];
  uint64_t target; /* instructions of this window */
  const struct order *orders;
  uint64_t waited;
  bool no_hold_done, no_quiet, no_answer; /* what orders have said */
  unsigned answer_id;
  /* for bins: depth has fallen since the last throttle; the CTA whose end was dealt with last; the bin of what follows the
   * last kept launch, the state before hold */
  unsigned lowered, ended, after_keep, from;
  /* Register file and memory. A register's value is 32 words that a seed stands for; kept: what the CTAs of the stack had
   * when they were halted. Not cleared by ctl_sim_begin(). */
  uint64_t reg[REGS], kept[REGS];
  uint32_t memory[REGS][LANES];
};

static bool ctl_rarely(struct sim *s, unsigned of_10000) { return of_10000 && tb_below(s->r, 10000) < of_10000; }
static void ctl_hit(struct sim *s, unsigned bin) {
  if (bin < BIN_COUNT) tb_hit(s->t, bin); /* long windows do not count all */
}
static void ctl_hit_if(struct sim *s, bool yes, unsigned bin) {
  if (yes) ctl_hit(s, bin);
}

/* The value that a seed stands for. */
static void ctl_sm_value_of_seed(uint64_t seed, uint32_t *d) {
  for (unsigned i = 0; i < LANES; i++) {
    uint64_t x = (seed + i) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
    d[i] = (uint32_t)(x >> 32);
  }
}

/* The last register of a range; an IPC of this many instructions beside the last window. */
static unsigned ctl_sm_last_register(const struct sim *s, unsigned first_register) {
  return first_register + s->cta_registers - 1;
}
static bool ctl_sm_is_up(const struct sim *s, uint64_t now) { return 10 * now > 11 * s->current; }
static bool ctl_sm_is_down(const struct sim *s, uint64_t now) { return 10 * now < 9 * s->current; }

/* ---- windows ---- */

static uint64_t ctl_sm_cycle_of_window(const struct sim *s) { return (s->now - s->origin) % PERIOD; }
static uint64_t ctl_sm_cycles_to_window_end(const struct sim *s) { return PERIOD - 1 - ctl_sm_cycle_of_window(s); }
static bool ctl_sm_window_ends(const struct sim *s) { return ctl_sm_cycles_to_window_end(s) == 0; }

static unsigned ctl_sm_count_active(const struct sim *s) {
  unsigned n = 0;
  for (unsigned i = 0; i < CTAS; i++) n += s->cta[i].occupied && s->cta[i].active;
  return n;
}

/* IPC rises with CTAs up to the knee and falls behind it, by how many miss the L1 then. */
static uint64_t ctl_sm_target_by_ctas(struct sim *s) {
  unsigned n = ctl_sm_count_active(s), knee = s->k->knee;
  unsigned rate = n <= knee ? 8 * n : 8 * knee * knee / n;
  if (rate > MOST_RETIRED) rate = MOST_RETIRED;
  return (uint64_t)rate * PERIOD * (90 + tb_below(s->r, 21)) / 110;
}

/* How many instructions this window shall have, seen from the last one: often as many as make it just up or just not. */
static uint64_t ctl_sm_some_target(struct sim *s) {
  const uint64_t most = (uint64_t)MOST_RETIRED * PERIOD, was = s->current;
  const unsigned how = tb_below(s->r, 100);
  uint64_t n = was;
  if (s->k->knee) return ctl_sm_target_by_ctas(s);
  if (how < s->k->rise) {
    n = tb_chance(s->r, 40) ? was * 11 / 10 + tb_below(s->r, 2) : was + was / 8 + 1 + tb_below(s->r, 40);
  } else if (how < s->k->rise + s->k->fall) {
    n = tb_chance(s->r, 40) ? (was * 9 + 9) / 10 - tb_below(s->r, 2) * (was > 0) : was / 2;
  } else if (s->k->rise) {
    n = tb_chance(s->r, 50) ? was * 11 / 10 : (was * 9 + 9) / 10;
  }
  if (s->k->rise && (n > most / 2 || tb_chance(s->r, 5))) n = 10 * tb_below(s->r, (unsigned)most / 40);
  return n;
}

/* At about the mean rate; some are kept for the last cycle. */
static unsigned ctl_sm_some_retired(struct sim *s) {
  uint64_t left = s->target > s->done ? s->target - s->done : 0, later = ctl_sm_cycles_to_window_end(s),
           kept = s->target % 100;
  if (!later) return (unsigned)(left < MOST_RETIRED ? left : MOST_RETIRED);
  left -= left < kept ? left : kept;
  uint64_t least = left > MOST_RETIRED * later ? left - MOST_RETIRED * later : 0,
           most = left < MOST_RETIRED ? left : MOST_RETIRED;
  if (least > most) least = most;
  uint64_t mean = left / later + 1, to = tb_chance(s->r, 5) || mean > most ? most : mean;
  return (unsigned)(least + (to > least ? tb_below(s->r, to - least + 1) : 0));
}

/* ---- CTAs ---- */

static bool ctl_sm_holds_registers(const struct sim *s, unsigned i) { return s->cta[i].occupied && !s->cta[i].saved; }

static bool ctl_sm_may_end(const struct sim *s, unsigned i) {
  bool leaves = s->state == CTL_BACKUP || s->state == CTL_BACKUP_DONE || (s->state == CTL_QUIESCE && s->quiet);
  return ctl_sm_holds_registers(s, i) && !s->cta[i].end_pending && !(i == s->victim && leaves);
}

/* The engine is in it for one cycle: events are more frequent there, or they would hardly be seen. */
static bool ctl_sm_is_short_state(const struct sim *s) {
  unsigned q = s->state;
  return q == CTL_IDLE ? s->mode_pending : q != CTL_HOLD && q != CTL_QUIESCE && q != CTL_BACKUP && q != CTL_RESTORE;
}

static void ctl_sm_drive_start(struct sim *s, bool keep, unsigned cta_registers, unsigned limit) {
  s->in.launch_start_i = 1, s->in.launch_keep_i = keep;
  s->in.launch_cta_registers_i = cta_registers, s->in.launch_limit_register_i = limit;
}

/* Its CTAs begin in ranges that mostly lie side by side. */
static void ctl_sm_random_start(struct sim *s) {
  unsigned most = tb_chance(s->r, 60)       ? s->k->cta_registers
                  : s->k->cta_registers < 8 ? s->k->cta_registers
                                            : 8,
           cta_registers = 1 + tb_below(s->r, most);
  unsigned slots = REGS / cta_registers, ctas = tb_below(s->r, s->k->ctas + 1),
           slack = tb_chance(s->r, 50) ? 0 : tb_below(s->r, cta_registers);
  if (!tb_chance(s->r, 10)) slots = ctas + !ctas < slots ? ctas + !ctas : slots;
  if (ctas > slots) ctas = slots;
  unsigned limit = slots * cta_registers - 1 + slack;
  ctl_sm_drive_start(s, tb_chance(s->r, s->k->keep), cta_registers, limit < REGS ? limit : REGS - 1);
  if (tb_chance(s->r, 30)) s->in.launch_stack_addr_i = -(128u * tb_below(s->r, 64)) & UINT32_MAX;
  s->launch = ctas > 1 && tb_chance(s->r, 30) ? ctas - 1 : ctas;
  s->launched = 0;
  for (unsigned i = 0; i < CTAS; i++) {
    unsigned j = tb_below(s->r, i + 1);
    s->ids[i] = s->ids[j], s->ids[j] = (uint8_t)i;
  }
  for (unsigned i = 0; i < slots; i++) {
    unsigned j = tb_below(s->r, i + 1);
    s->ranges[i] = s->ranges[j], s->ranges[j] = (uint16_t)i;
  }
}

static void ctl_sm_drive_begin(struct sim *s, unsigned id, unsigned first_register) {
  s->in.begin_valid_i = 1, s->in.begin_cta_i = id, s->in.begin_register_i = first_register;
}

/* The launch's begin is over when the VTT has answered, so before the first throttle; an offer has its own begin. A CTA that took
 * an offer may have the next one's number. */
static void ctl_sm_launch_more(struct sim *s) {
  if (s->in.launch_start_i) return;
  if (s->state > CTL_HOLD && s->state != CTL_OFFER) s->launched = s->launch;
  if (s->launched == s->launch || s->state == CTL_OFFER || s->in.hold_done_i) return;
  unsigned id = s->ids[s->launched];
  if (!s->cta[id].occupied && tb_chance(s->r, s->k->begins))
    ctl_sm_drive_begin(s, id, s->ranges[s->launched] * s->cta_registers);
  s->launched += s->cta[id].occupied || s->in.begin_valid_i;
}

static void ctl_sm_answer_offer(struct sim *s) {
  unsigned id = s->answer_id < NOBODY                      ? s->answer_id
                : tb_chance(s->r, 30) && s->ended < NOBODY ? s->ended
                                                           : tb_below(s->r, CTAS);
  if (s->state != CTL_OFFER || s->no_answer || !tb_chance(s->r, s->k->answer)) return;
  for (unsigned n = 0; n < CTAS && s->cta[id].occupied; n++) id = (id + 1) % CTAS;
  ctl_hit_if(s, s->cta[id].occupied, BIN_offer_no_slot);
  if (!s->cta[id].occupied) ctl_sm_drive_begin(s, id, s->target_register);
}

/* Events are mostly put off until shortly before a window's end. */
static bool ctl_sm_puts_off(struct sim *s) {
  return ctl_sm_cycles_to_window_end(s) >= 12 && tb_chance(s->r, s->k->near);
}

static void ctl_sm_drive_end(struct sim *s, unsigned id) { s->in.end_valid_i = 1, s->in.end_cta_i = id; }

static void ctl_sm_some_end(struct sim *s) {
  unsigned i = tb_chance(s->r, 20) && s->victim < NOBODY ? s->victim : tb_below(s->r, CTAS), rate = s->k->ends;
  if (ctl_sm_is_short_state(s)) rate *= 5;
  if (s->k->near && ctl_sm_cycles_to_window_end(s) < 12) rate *= 50;
  if (s->in.launch_start_i && s->k->ends && tb_chance(s->r, 10)) rate = 10000;
  if (ctl_sm_may_end(s, i) && !ctl_sm_puts_off(s) && ctl_rarely(s, rate)) ctl_sm_drive_end(s, i);
}

/* A halted CTA stays quiet; of the others the block must not care. */
static void ctl_sm_drive_quiet(struct sim *s) {
  bool halted = s->state == CTL_HALT || s->state == CTL_QUIESCE || s->state == CTL_BACKUP;
  s->in.quiet_i = tb_chance(s->r, 10) ? tb_bits(s->r, CTAS) : tb_chance(s->r, 20) ? UINT32_MAX : 0;
  s->quiet = halted && (s->quiet || (!s->no_quiet && !ctl_sm_puts_off(s) && tb_chance(s->r, s->k->quiet)));
  if (!halted) return;
  s->in.quiet_i &= ~(UINT64_C(1) << s->victim);
  s->in.quiet_i |= (uint64_t)s->quiet << s->victim;
}

/* CTAs that run write their registers, and victim lines come into those of nobody. */
static void ctl_sm_write_register(struct sim *s) {
  unsigned r = tb_below(s->r, s->limit + 1);
  bool saved = s->state == CTL_BACKUP || s->state == CTL_BACKUP_DONE || (s->state == CTL_QUIESCE && s->quiet);
  bool back = s->state == CTL_RESTORE || s->state == CTL_RESTORE_DONE;
  if (saved && r - s->cta[s->victim].first_register < s->cta_registers) return;
  if (back && r - s->target_register < s->cta_registers) return;
  s->reg[r] = tb_rand(s->r);
}

/* ---- orders ---- */

static bool ctl_sm_order_waits(struct sim *s, const struct order *o) {
  switch (o->what) {
    case O_NEXT: return s->waited < o->a;
    case O_UNTIL: return s->state != o->a;
    case O_WINDOW: s->target = o->a; return ctl_sm_cycles_to_window_end(s) != o->b;
    case O_LAUNCH:
      if (!s->waited) s->launch = o->a, s->launched = 0;
      for (unsigned i = 0; i < CTAS; i++) s->ids[i] = (uint8_t)i, s->ranges[i] = (uint16_t)i;
      ctl_sm_launch_more(s);
      return s->launched < s->launch;
    default: return false;
  }
}

static void ctl_sm_obey_order(struct sim *s, const struct order *o) {
  switch (o->what) {
    case O_END: longjmp(s->end, 1);
    case O_START:
    case O_KEEP: ctl_sm_drive_start(s, o->what == O_KEEP, o->a, o->b); break;
    case O_BEGIN: ctl_sm_drive_begin(s, o->a, o->b * s->cta_registers); break;
    case O_SEL: s->in.monitor_selected_i = 1; break;
    case O_OFF:
      s->in.monitor_off_i = 1;
      s->off = true;
      break;
    case O_CTA_ENDS: ctl_sm_drive_end(s, o->a); break;
    case O_ANSWER: s->no_answer = o->a == NOBODY, s->answer_id = o->a; break;
    case O_HOLD_DONE: s->no_hold_done = !o->a; break;
    case O_QUIET: s->no_quiet = !o->a; break;
    default: break;
  }
}

static void ctl_sm_obey_orders(struct sim *s) {
  while (s->orders) {
    if (ctl_sm_order_waits(s, s->orders)) {
      s->waited++;
      tb_expect(s->t, s->waited < 3 * (uint64_t)PERIOD + 40000, "an order of the case waits too long");
      return;
    }
    ctl_sm_obey_order(s, s->orders++);
    s->waited = 0;
  }
}

/* ---- a cycle's inputs; valids of the data ports come from the oracle, which knows what is under way ---- */

static bool ctl_sm_port_is_ready(struct sim *s, unsigned i) {
  if (!tb_chance(s->r, s->k->sticky)) s->ready[i] = tb_chance(s->r, s->k->ready);
  return s->ready[i];
}

/* Inputs without their valid are junk. */
static void ctl_sm_drive_junk(struct sim *s) {
  struct ctl_in *in = &s->in;
  memset(in, 0, sizeof *in);
  if (tb_chance(s->r, 10))
    tb_words(s->r, in->file_response_data_i, 1024), tb_words(s->r, in->memory_response_data_i, 1024);
  in->launch_keep_i = tb_below(s->r, 2), in->launch_cta_registers_i = tb_bits(s->r, 11),
  in->launch_stack_addr_i = tb_bits(s->r, 32);
  in->launch_limit_register_i = tb_bits(s->r, 11);
  in->end_cta_i = tb_below(s->r, CTAS), in->begin_cta_i = tb_below(s->r, CTAS),
  in->begin_register_i = tb_bits(s->r, 11);
  in->memory_response_entry_i = tb_below(s->r, 8);
}

static void ctl_sm_drive_inputs(struct sim *s) {
  struct ctl_in *in = &s->in;
  ctl_sm_drive_junk(s);
  in->file_read_ready_i = ctl_sm_port_is_ready(s, 0), in->memory_write_ready_i = ctl_sm_port_is_ready(s, 1),
  in->memory_read_ready_i = ctl_sm_port_is_ready(s, 2), in->file_write_ready_i = ctl_sm_port_is_ready(s, 3);
  if (ctl_sm_cycle_of_window(s) == 0) s->target = ctl_sm_some_target(s);
  bool busy = s->state == CTL_BACKUP || s->state == CTL_RESTORE, later = ctl_sm_puts_off(s);
  bool first = !s->cta_registers && s->k->starts && tb_chance(s->r, 20);
  unsigned rate = s->k->starts * (ctl_sm_is_short_state(s) ? 40 : s->state == CTL_IDLE ? 1 : 8);
  if (!busy && (first || (!later && ctl_rarely(s, rate)))) ctl_sm_random_start(s);
  if (s->cta_registers) {
    in->monitor_selected_i =
        (!later && ctl_rarely(s, s->k->sel)) || (in->launch_start_i && s->k->sel && tb_chance(s->r, 50));
    s->off = s->off || ctl_rarely(s, s->k->off);
    in->monitor_off_i = s->off || (in->monitor_selected_i && tb_chance(s->r, 10));
    ctl_sm_write_register(s);
  }
  in->hold_done_i = s->state == CTL_HOLD && !s->no_hold_done && !later && tb_chance(s->r, s->k->hold_done);
  ctl_sm_drive_quiet(s);
  ctl_sm_some_end(s);
  if (in->hold_done_i && !in->launch_start_i) s->launched = s->launch;
  if (!s->orders) ctl_sm_launch_more(s);
  ctl_sm_obey_orders(s);
  if (!in->begin_valid_i) ctl_sm_answer_offer(s);
  in->retired_count_i = ctl_sm_some_retired(s);
}

#endif
