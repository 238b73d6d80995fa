/* SPDX-License-Identifier: Apache-2.0 */
/*
 * victim: the l1 choice of Linebacker (ISCA'19, sections 3.1 to 3.3): evicted lines lie in registers that no CTA holds. LM
 * finds the loads whose lines are used again, VTT knows which line lies in which register. A line goes into its
 * register, and comes out of it, by the victim port, in turn with operands and results.
 *
 * A read miss that no MSHR holds takes its MSHR first and is then looked up, once; a hit ends its waiters as an L1 hit would, after
 * the port's grant; a miss leaves for L2 from this MSHR. An evicted line stays in its way until the VTT has answered the insert. Stores and
 * atomics invalidate. While LM watches (mode 0 of the VTT) the look-up only counts: the request has left already.
 *
 * With the residency `linebacker` that gives windows, the moments to stand still and the registers; with another one the choice
 * counts windows itself, and uses what lies above the CTAs' places.
 *
 * With sim.check a victim row holds a signature of its line and of the stores and atomics that had passed when the line was
 * fetched; a hit must find that of the look-up's moment (docs/blocks/linebacker/overview.md, L37).
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "blocks/linebacker/lm.h"
#include "systems/linebacker/linebacker.h"

#define NET victim
#define NET_DEF "gen/nets/victim.def"
#define NET_TABLE
#define NET_LAWS linebacker_victim_laws
#include "sm/wires.h"

enum { IDS = 256, LINES = 1 << 23, RING = 8 };

/* An access in the victim port. */
struct access_there {
  uint32_t row, line, version;
  bool write;
};

struct victim {
  struct victim_net net;
  struct vtt_params size;
  const struct code *last; /* kernel of the last launch: what LM has learnt is of this PTX file; NULL: none yet */
  bool on;                 /* in this launch */
  bool alone;              /* no residency counts windows */
  bool select, checked;    /* linebacker.select; sim.check */
  uint32_t lent;           /* registers of active partitions */
  bool keeps;              /* lines: VTT's mode is that of selected loads */
  uint32_t inserting;      /* the line whose insert has no answer yet; else NONE32 */
  uint32_t line[IDS], pc[IDS], seen[IDS]; /* of each MSHR: line, PC of its load, version at its look-up */
  /* for the next cycle */
  bool hold;
  uint32_t highest;
  /* alone */
  uint64_t left; /* cycles before the last one of this window */
  bool sync;     /* the VTT has to take over the mode and the highest register */
  /* with sim.check: of each line, stores and atomics that have passed, now and when it was fetched; the port's accesses */
  uint32_t *version, *fetched;
  struct access_there there[RING];
  unsigned first, count;
};

static struct victim *victim_of(const struct sm *S) { return choice_of(S, SLOT_L1); }

struct vtt_params victim_size(const struct config *c) {
  struct vtt_params p = vtt_defaults();
  p.Ways = (uint64_t)c->linebacker_ways;
  p.SearchInterval = (uint64_t)c->linebacker_interval;
  p.Sets = (uint64_t)(c->l1_bytes / 128 / c->l1_ways);
  const uint64_t rows = (uint64_t)c->rf_bytes / 128;
  p.NumPartitions = rows > p.Offset ? (rows - p.Offset) / (p.Sets * p.Ways) : 0;
  if (p.NumPartitions > 32 / p.Ways) p.NumPartitions = 32 / p.Ways;
  p.TagW = p.Sets == 16 ? 19 : p.Sets == 48 ? 18 : p.Sets == 128 ? 16 : 17;
  return p;
}

const char *linebacker_unfit(const struct sm *S) {
  const uint32_t cta_registers = registers_of_cta(S);
  if (!cta_registers || cta_registers > 2047) return "a CTA has more than 2,047 registers, or none";
  if (sm_view(S)->cta_limit > 32) return "more than 32 CTAs are resident";
  if (sm_view(S)->cfg->rf_bytes / 128 > 2048) return "the register file has more than 2,048 registers";
  if (sm_view(S)->cfg->slot_l1 == slot_l1_victim && !victim_size(sm_view(S)->cfg).NumPartitions)
    return "the register file has too few registers above number 511 for a partition of victim lines";
  return NULL;
}

bool linebacker_rows_fit(const struct config *c, const struct slots *slots, const char *mine, const char *residencies,
                         struct err *e) {
  if (!slot_needs(
          e, mine, "residency", slots->residency->name, residencies,
          "other residencies keep registers of their own in the rows that no CTA holds, where lines would lie") ||
      !slot_needs(e, mine, "storage", slots->storage->name, "flat",
                  "lines lie in rows of the flat file, beside registers that are whole rows") ||
      !slot_needs(e, mine, "collector", slots->collector->name, "ocu",
                  "the port that reads and writes lines is one of its units"))
    return false;
  if (c->sm_subcores)
    return err_at(e, NULL, 0, 0, "%s with sm.subcores true, expected sm.subcores=false: lines lie in all banks", mine);
  if (c->collector_units >= UNIT_MAX)
    return err_at(e, NULL, 0, 0,
                  "%s with collector.units %lld, expected collector.units=%d or less: its port is one more unit", mine,
                  (long long)c->collector_units, UNIT_MAX - 1);
  if (c->l1_write != l1_write_evict)
    return err_at(e, NULL, 0, 0, "%s with l1.write back, expected l1.write=evict: lines in registers are never dirty",
                  mine);
  return !c->l1_sector ||
         err_at(e, NULL, 0, 0, "%s with l1.sector %lld, expected l1.sector=0: a register holds a whole line", mine,
                (long long)c->l1_sector);
}

static bool fits(const struct config *c, const struct slots *slots, struct err *e) {
  if (!linebacker_rows_fit(c, slots, "slot.l1 victim", "static vt linebacker pcal", e)) return false;
  if (c->lsu_lines != 1)
    return err_at(e, NULL, 0, 0, "slot.l1 victim with lsu.lines %lld, expected lsu.lines=1: there is one look-up port",
                  (long long)c->lsu_lines);
  return c->l1_mshrs <= IDS ||
         err_at(e, NULL, 0, 0,
                "slot.l1 victim with l1.mshrs %lld, expected l1.mshrs=%d or less: so many look-ups have numbers",
                (long long)c->l1_mshrs, IDS);
}

static bool init(struct sm *S, struct err *e) {
  (void)e;
  struct victim *v = xcalloc_lines(1, sizeof *v);
  choice_set(S, SLOT_L1, v);
  v->size = victim_size(sm_view(S)->cfg);
  v->alone = sm_view(S)->cfg->slot_residency != slot_residency_linebacker;
  v->select = sm_view(S)->cfg->linebacker_select;
  v->checked = sm_view(S)->cfg->sim_check;
  if (v->checked) {
    v->version = xcalloc(LINES, sizeof *v->version);
    v->fetched = xcalloc(LINES, sizeof *v->fetched);
  }
  return true;
}

static void done(struct sm *S) {
  struct victim *v = victim_of(S);
  if (!v) return;
  free(v->version), free(v->fetched), free(v);
}

static void victim_begin(struct sm *S, struct victim *v, const struct code *code) {
  const bool first = !v->last, keep = !first && sm_view(S)->cfg->linebacker_across == linebacker_across_loads &&
                                      !strcmp(v->last->file, code->file);
  if (first) {
    twins_start(&v->net.t, &victim_twins, S, 0);
    vtt_size(vtt_model(&v->net, 0), &v->size);
  } else {
    twins_resume(&v->net.t, &victim_twins);
  }
  v->last = code;
  vtt_set(&v->net, 0)->launch_start_i = 1;
  if (!keep) lm_set(&v->net, 0)->launch_start_i = 1;
  v->lent = 0;
  v->keeps = false;
  v->inserting = NONE32;
  v->hold = false;
  v->count = 0;
  if (!v->alone) return;
  if (!keep) v->left = (uint64_t)sm_view(S)->cfg->linebacker_period - 1;
  v->highest = sm_view(S)->cta_limit * registers_of_cta(S) - 1;
  v->sync = !v->select || keep;
}

static bool plan(struct sm *S, const struct kernel *k, struct err *e) {
  (void)e;
  struct victim *v = victim_of(S);
  const char *why = linebacker_unfit(S);
  v->on = !why;
  if (why && v->alone) plan_warn_without(S, SLOT_L1, k, "victim lines", why);
  if (v->on) victim_begin(S, v, k->code);
  return true;
}

/* ---- sim.check ---- */
static uint32_t victim_line_number(uint32_t line) { return line >> 7 & (LINES - 1); }

static void victim_note_fetched(struct victim *v, uint32_t line) {
  if (v->checked) v->fetched[victim_line_number(line)] = v->version[victim_line_number(line)];
}

/* A store or an atomic passes. What is on its way from L2 counts as read after it. */
static void victim_note_written(struct sm *S, struct victim *v, uint32_t line) {
  if (!v->checked) return;
  v->version[victim_line_number(line)]++;
  if (cache_fetching(S, line)) victim_note_fetched(v, line);
}

static void victim_note_access(struct victim *v, bool write, uint32_t row, uint32_t line, uint32_t version) {
  assert(v->count < RING);
  v->there[(v->first + v->count++) % RING] =
      (struct access_there){.row = row, .line = line, .version = version, .write = write};
}

static void check_line(struct sm *S, struct victim *v) {
  const struct access_there *a = &v->there[v->first];
  v->first = (v->first + 1) % RING;
  v->count--;
  uint32_t *row = check_file(S, a->row);
  for (uint32_t k = 0; k < 32; k++) {
    const uint32_t want = linebacker_word(a->line, a->version, k);
    if (a->write) {
      row[k] = want;
    } else if (row[k] != want) {
      sm_fail(S, "victim line 0x%x: word %u of R%u was read as 0x%08x, expected 0x%08x, its signature after %u stores",
              a->line, k, a->row, row[k], want, a->version);
      return;
    }
  }
  sm_counters(S)->victim_checked += !a->write;
}

/* ---- the hooks of the L1 ---- */
static bool victim_watches(struct victim *v) { return lm_get(&v->net, 0)->mode_o == LM_MONITOR; }

static enum l1_answer hit(struct sm *S, const struct txn_view *t, uint32_t way) {
  (void)way;
  struct victim *v = victim_of(S);
  if (!v->on || !v->select || !victim_watches(v)) return L1_GO;
  struct lm_in *in = lm_set(&v->net, 0);
  in->hit_valid_i = 1;
  in->hit_pc_i = load_address(S, t);
  return L1_GO;
}

static void victim_look_up(struct victim *v, uint32_t line, uint32_t id) {
  struct vtt_in *in = vtt_set(&v->net, 0);
  in->lookup_valid_i = 1;
  in->lookup_line_i = victim_line_number(line);
  in->lookup_id_i = id;
}

static enum l1_answer miss(struct sm *S, const struct txn_view *t, uint32_t mshr) {
  struct victim *v = victim_of(S);
  if (!v->on || vtt_get(&v->net, 0)->effective_mode_o == VTT_OFF) return L1_GO;
  const struct vtt_out *o = vtt_get(&v->net, 0);
  if (!o->lookup_ready_o) return L1_BUSY;
  if (o->effective_mode_o == VTT_MONITOR) return L1_GO;
  v->line[mshr] = t->line;
  if (v->checked) v->seen[mshr] = v->version[victim_line_number(t->line)];
  victim_look_up(v, t->line, mshr);
  sm_counters(S)->victim_lookups++;
  return L1_HELD;
}

static void missed(struct sm *S, const struct txn_view *t, uint32_t mshr) {
  struct victim *v = victim_of(S);
  victim_note_fetched(v, t->line);
  if (!v->on || vtt_get(&v->net, 0)->effective_mode_o != VTT_MONITOR) return;
  v->pc[mshr] = load_address(S, t);
  victim_look_up(v, t->line, mshr);
  sm_counters(S)->victim_probes++;
}

static bool victim_is_selected(struct victim *v, unsigned owner) {
  if (!v->select) return true;
  NET_LEVEL(&v->net, lm, 0, query_hash_i, owner);
  return lm_get(&v->net, 0)->query_selected_o;
}

static enum l1_answer evict(struct sm *S, uint32_t line, unsigned owner) {
  struct victim *v = victim_of(S);
  if (!v->on) return L1_GO;
  const struct vtt_out *o = vtt_get(&v->net, 0);
  if (o->effective_mode_o == VTT_OFF || !o->active_partitions_o) return L1_GO;
  if (o->effective_mode_o == VTT_SELECTED && !victim_is_selected(v, owner)) {
    sm_counters(S)->victim_not_selected++;
    return L1_GO;
  }
  if (v->net.vtt.in[0].insert_valid_i || !o->insert_ready_o) return L1_BUSY;
  struct vtt_in *in = vtt_set(&v->net, 0);
  in->insert_valid_i = 1;
  in->insert_line_i = victim_line_number(line);
  if (o->effective_mode_o == VTT_MONITOR) return L1_GO;
  v->inserting = line;
  return L1_HELD;
}

static bool store(struct sm *S, uint32_t line) {
  struct victim *v = victim_of(S);
  if (v->on && vtt_get(&v->net, 0)->effective_mode_o != VTT_OFF) {
    if (v->net.vtt.in[0].insert_valid_i || !vtt_get(&v->net, 0)->invalidate_ready_o) return false;
    struct vtt_in *in = vtt_set(&v->net, 0);
    in->invalidate_valid_i = 1;
    in->invalidate_line_i = victim_line_number(line);
  }
  victim_note_written(S, v, line);
  return true;
}

static void ported(struct sm *S, uint32_t tag) {
  struct victim *v = victim_of(S);
  const bool write = tag == NONE32;
  if (v->checked) check_line(S, v);
  if (!write) cache_held_done(S, tag);
}

/* ENGINE: the response at the head of the VTT's queue; true: it is taken. */
static bool victim_respond(struct sm *S, struct victim *v, const struct vtt_out *o) {
  const uint32_t id = (uint32_t)o->response_id_o, row = (uint32_t)o->response_register_o;
  if (o->response_kind_o == VTT_PROBE) {
    sm_counters(S)->victim_probe_hits += o->response_hit_o;
    if (!victim_watches(v)) return true;
    struct lm_in *in = lm_set(&v->net, 0);
    in->miss_valid_i = 1;
    in->miss_pc_i = v->pc[id];
    in->miss_tag_hit_i = o->response_hit_o;
    return true;
  }
  if (o->response_kind_o == VTT_INSERT) {
    if (!victim_port_put(S, RF_WRITE, row, NONE32)) return false;
    if (v->checked) victim_note_access(v, true, row, v->inserting, v->fetched[victim_line_number(v->inserting)]);
    sm_counters(S)->victim_inserts++;
    v->inserting = NONE32;
    cache_install(S);
    return true;
  }
  if (!o->response_hit_o) {
    if (!cache_held_go(S, id)) return false;
    victim_note_fetched(v, v->line[id]);
    return true;
  }
  if (!victim_port_put(S, RF_READ, row, id)) return false;
  if (v->checked) victim_note_access(v, false, row, v->line[id], v->seen[id]);
  sm_counters(S)->victim_hits++;
  return true;
}

static void engine(struct sm *S) {
  struct victim *v = victim_of(S);
  if (!v->on) return;
  const struct vtt_out *o = vtt_get(&v->net, 0);
  if (o->response_valid_o && victim_respond(S, v, o)) vtt_set(&v->net, 0)->response_ready_i = 1;
}

/* ---- COMMIT ---- */
static void victim_end_window(struct sm *S, struct victim *v) {
  lm_set(&v->net, 0)->window_end_i = 1;
  sm_counters(S)->monitor_windows++;
}

static void window(struct sm *S) {
  struct victim *v = victim_of(S);
  if (v->on) victim_end_window(S, v);
}

static bool lease(struct sm *S, bool hold, uint32_t first) {
  struct victim *v = victim_of(S);
  v->hold = hold;
  v->highest = first - 1;
  return !v->on || vtt_get(&v->net, 0)->hold_done_o;
}

static int mode(struct sm *S) {
  struct victim *v = victim_of(S);
  if (!v->on) return 0;
  const struct lm_out *l = lm_get(&v->net, 0);
  return (int)l->mode_o | (l->selected_o ? VICTIM_SELECTED : 0) | (vtt_get(&v->net, 0)->hold_done_o ? VICTIM_STILL : 0);
}

/* Alone: LM has given up, and the VTT does not know yet. */
static bool gives_up(struct victim *v) {
  return v->select && lm_get(&v->net, 0)->mode_o == LM_OFF && vtt_get(&v->net, 0)->effective_mode_o == VTT_MONITOR;
}

/* Alone: windows, and the moment to take over the mode. */
static void victim_run_alone(struct sm *S, struct victim *v) {
  if (!v->left) {
    victim_end_window(S, v);
    v->left = (uint64_t)sm_view(S)->cfg->linebacker_period;
  }
  v->left--;
  const int m = mode(S);
  if (m & VICTIM_STILL && v->hold) v->sync = false;
  v->sync |= (m & VICTIM_SELECTED) || gives_up(v);
  v->hold = v->sync;
}

/* Inputs of the next cycle that follow from states, and what has changed. */
static void victim_set_levels(struct sm *S, struct victim *v) {
  const struct lm_out *l = lm_get(&v->net, 0);
  const struct vtt_out *o = vtt_get(&v->net, 0);
  if (l->selected_o) sm_counters(S)->monitor_selected_at = sm_counters(S)->monitor_windows;
  NET_LEVEL(&v->net, vtt, 0, mode_i, v->select ? l->mode_o : VTT_SELECTED);
  NET_LEVEL(&v->net, vtt, 0, hold_i, v->hold);
  NET_LEVEL(&v->net, vtt, 0, highest_register_i, v->highest);
  v->keeps = o->effective_mode_o == VTT_SELECTED;
  v->lent = v->keeps ? (uint32_t)((uint64_t)bit_count64(o->active_partitions_o) * v->size.Sets * v->size.Ways) : 0;
}

/* For so many cycles: registers lent, and those that could be. */
static void victim_count_registers(struct sm *S, const struct victim *v, uint64_t n) {
  sm_counters(S)->victim_registers += v->lent * n;
  if (v->keeps)
    sm_counters(S)->victim_idle +=
        ((uint64_t)sm_view(S)->cfg->rf_bytes / 128 -
         (uint64_t)(v->alone ? sm_view(S)->ncta : sm_view(S)->nactive) * registers_of_cta(S)) *
        n;
}

static void commit(struct sm *S) {
  struct victim *v = victim_of(S);
  if (!v->on) return;
  victim_count_registers(S, v, 1);
  if (v->alone) victim_run_alone(S, v);
  NET_LEVEL(&v->net, vtt, 0, access_pending_i, victim_port_count(S) != 0);
  if (twins_awake(&v->net.t) || v->net.t.observed) twins_commit(&v->net.t, &victim_twins);
  else twins_asleep(&v->net.t);
  victim_set_levels(S, v);
}

static uint64_t idle(struct sm *S) {
  struct victim *v = victim_of(S);
  if (!v->on) return NEVER;
  uint64_t n = twins_idle(&v->net.t, &victim_twins);
  const struct vtt_out *o = vtt_get(&v->net, 0);
  if (o->response_valid_o)
    n = o->response_kind_o == VTT_LOOKUP && !o->response_hit_o ? u64_min(n, linebacker_post_in(S)) : 0;
  if (!v->alone) return n;
  if (v->hold ? o->hold_done_o : gives_up(v)) return 0; /* victim_run_alone() acts on that */
  return u64_min(n, v->left);
}

static void skip(struct sm *S, uint64_t n) {
  struct victim *v = victim_of(S);
  if (!v->on) return;
  victim_count_registers(S, v, n);
  if (v->alone) v->left -= n;
  twins_skip(&v->net.t, &victim_twins, n);
}

static bool end(struct sm *S, struct err *e) {
  const struct sm_stats *t = sm_counters(S);
  return t->victim_hits == t->l1_held ||
         err_at(e, NULL, 0, 0,
                "conservation law broken: reads held = hits in registers (%llu, %llu); this is a bug of the simulator",
                (unsigned long long)t->l1_held, (unsigned long long)t->victim_hits);
}

const struct l1_ops l1_victim = {.name = "victim",
                                 .fits = fits,
                                 .init = init,
                                 .done = done,
                                 .plan = plan,
                                 .hit = hit,
                                 .miss = miss,
                                 .missed = missed,
                                 .evict = evict,
                                 .store = store,
                                 .ported = ported,
                                 .engine = engine,
                                 .window = window,
                                 .lease = lease,
                                 .mode = mode,
                                 .commit = commit,
                                 .idle = idle,
                                 .skip = skip,
                                 .end = end};
