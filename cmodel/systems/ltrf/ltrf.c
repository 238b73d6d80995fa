/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ltrf: the storage of LTRF and LTRF+ (Sadrosadati et al., ASPLOS 2018): active warps read and write a register cache of a few
 * registers each; the others lie in a large and slow main register file (main_file.h). A PREFETCH before each register-interval
 * brings its registers in. The block pfu knows where each register is and moves them; here are its user's parts: commands of
 * the schedulers, look-ups of collector units, results, the main file's time, and the gates of warps.
 *
 * A warp's gate is shut while a command for it waits or runs, and while the PREFETCH at its head waits for pending writes
 * of registers that it brings or takes away, or for operands on their way. Of commands one is given in a cycle, schedulers in turn; of
 * one scheduler END before DEACTIVATE before PREFETCH before ACTIVATE. No command is given while operands of its warp are still to be read.
 *
 * With sim.check the rows of the cache lie in check's file behind those of the main file, and values go where the block
 * says. Registers that LTRF+ neither writes back nor fetches are lost there.
 */
#include <stdlib.h>
#include <string.h>

#include "systems/ltrf/ltrf.h"
#include "systems/ltrf/main_file.h"

#define NET ltrf
#define NET_DEF "gen/nets/ltrf.def"
#define NET_TABLE
#define NET_LAWS ltrf_laws
#include "sm/wires.h"

enum { WARPS = pfu_NumWarps, PORTS = pfu_NumPorts_most, OPS = 4, FILLS = 64 };

/* Units that wait for a look-up, in the order of issue; the first `asked` of them have been accepted. */
struct lookups {
  const struct collector_unit *unit[UNIT_MAX];
  unsigned first, n, asked;
};

struct fill { /* a register on its way from the main file */
  uint64_t at;
  uint8_t slot, warp, reg;
};

struct ltrf {
  struct ltrf_net net;
  struct pfu_params size;
  struct main_file main;
  struct subgraphs parts;
  const struct code *code; /* whose parts those are */
  uint32_t fetched[WARPS], at[WARPS],
      to[WARPS]; /* part of the warp's last fetched instruction; of its last PREFETCH that issued; of that at its head */
  uint64_t seen[WARPS][4]; /* registers of the warp's sequence of instructions that is under way (best_intervals) */
  uint8_t operands[WARPS]; /* that its units have still to read from the cache */
  uint64_t starts, told; /* warps that have begun and are to be told to the block; the one that is told in this cycle */
  uint64_t asked[OPS], runs[OPS];  /* warps with a command that waits, and with one that runs, by enum pfu_command */
  uint64_t shut;                   /* warps whose gate is shut */
  uint64_t heads, held;            /* warps with a PREFETCH at their head; of these, those that must wait */
  uint64_t watched;                /* of heads: those for which that may change */
  uint8_t done_warp, done_command; /* command that was done in the last cycle; WARPS: none */
  unsigned turn;                   /* scheduler that may give the next command */
  unsigned results;                /* write-back ports taken in this cycle */
  uint64_t written;                /* warps that those name */
  struct lookups look[PORTS];
  struct fill fill[FILLS];
  unsigned first_fill, fills;
  uint32_t cache_row; /* with sim.check: of the cache, in check's file */
};

static struct ltrf *ltrf_of(const struct sm *S) { return choice_of(S, SLOT_STORAGE); }
const struct subgraphs *ltrf_parts(const struct sm *S) { return &ltrf_of(S)->parts; }

struct pfu_params ltrf_size(const struct config *c) {
  struct pfu_params size = pfu_defaults();
  size.NumCacheBanks = (uint64_t)c->ltrf_interval;
  size.NumSlots = (uint64_t)c->sm_active_warps;
  size.NumPorts = (uint64_t)c->ltrf_ports;
  size.NumMainBanks = (uint64_t)c->rf_banks;
  size.LiveOnly = c->ltrf_live;
  return size;
}

static bool init(struct sm *S, struct err *e) {
  (void)e;
  struct ltrf *l = xcalloc_lines(1, sizeof *l);
  choice_set(S, SLOT_STORAGE, l);
  l->size = ltrf_size(sm_view(S)->cfg);
  main_file_init(&l->main, sm_view(S)->cfg, true);
  plan_cache_banks(S, (unsigned)l->size.NumCacheBanks);
  if (sm_view(S)->check) l->cache_row = check_more(S, (uint32_t)(l->size.NumCacheBanks * l->size.NumSlots));
  return true;
}

static void done(struct sm *S) {
  struct ltrf *l = ltrf_of(S);
  if (!l) return;
  subgraphs_free(&l->parts);
  free(l);
}

static bool plan(struct sm *S, const struct kernel *k, struct err *e) {
  struct ltrf *l = ltrf_of(S);
  if (!storage_flat.plan(S, k, e)) return false;
  if (l->code != k->code) {
    subgraphs_free(&l->parts);
    l->code = NULL;
    if (!subgraphs_make(&l->parts, sm_view(S)->cfg, k->code, e)) return false;
    l->code = k->code;
  }
  plan_code(S, l->parts.at);
  twins_start(&l->net.t, &ltrf_twins, S, 0);
  pfu_size(pfu_model(&l->net, 0), &l->size);
  l->starts = l->shut = l->heads = l->held = l->watched = 0;
  memset(l->asked, 0, sizeof l->asked);
  memset(l->runs, 0, sizeof l->runs);
  memset(l->look, 0, sizeof l->look);
  memset(l->operands, 0, sizeof l->operands);
  main_file_reset(&l->main);
  main_file_laws(S, &l->main, l->cache_row, (unsigned)l->size.NumCacheBanks, (unsigned)l->size.NumSlots, true);
  l->fills = l->turn = 0;
  l->done_warp = WARPS;
  return true;
}

/* ---- gates ---- */

static bool ltrf_is_active(struct ltrf *l, unsigned w) { return pfu_model(&l->net, 0)->r.active_q >> w & 1; }

static uint64_t ltrf_any_command(const uint64_t of[OPS]) { return of[0] | of[1] | of[2] | of[3]; }

static void set_gate(struct sm *S, struct ltrf *l, unsigned w) {
  const uint64_t b = bit_at64(w);
  const uint64_t shut = ltrf_any_command(l->runs) | ltrf_any_command(l->asked) | l->held;
  if (!((shut ^ l->shut) & b)) return;
  l->shut ^= b;
  if (shut & b) gate_close(S, SLOT_STORAGE, w);
  else gate_open(S, SLOT_STORAGE, w);
}

static void ltrf_ask(struct sm *S, struct ltrf *l, unsigned w, enum pfu_command op) {
  l->asked[op] |= bit_at64(w);
  set_gate(S, l, w);
}

/* The PREFETCH at the warp's head must wait: a register that it brings or takes away is to be written, or an operand to be read. A warp
 * that leaves, or is not active, waits for other reasons, but is known as one that waits for memory (depfar). */
static void look_at_head(struct sm *S, struct ltrf *l, unsigned w) {
  const struct warp_view *W = warp_view(S, w);
  const uint64_t *to = l->parts.vec[l->to[w]], *from = l->at[w] == NONE32 ? NULL : l->parts.vec[l->at[w]];
  uint64_t pending = 0, far = 0, b = bit_at64(w);
  for (unsigned k = 0; k < 4; k++) {
    const uint64_t moved = to[k] ^ (from ? from[k] : 0);
    pending |= W->wr[k] & moved;
    far |= W->wrfar[k] & moved;
  }
  const bool leaves = l->asked[PFU_DEACTIVATE] & b || !ltrf_is_active(l, w);
  const bool wait = !leaves && (pending || l->operands[w]);
  l->held = wait ? l->held | b : l->held & ~b;
  warp_mark_far(S, w, far != 0);
  if (!pending && !l->operands[w]) l->watched &= ~b; /* and it stays so until the PREFETCH has issued */
  set_gate(S, l, w);
}

/* ---- FETCH, ISSUE ---- */

/* The longest sequences of a warp's instructions that name no more registers than an interval may: what intervals could be
 * without regard to control flow (LTRF, section 6.5). Of the warp so far, one more of them has begun, or the last one goes on. */
static void count_best(struct sm *S, struct ltrf *l, unsigned w, const struct op *op) {
  uint64_t own[4] = {0}, all[4];
  unsigned n = 0, before = 0;
  for (unsigned k = 0; k < op->nsrc; k++) own[op->src[k] / 64] |= 1ull << op->src[k] % 64;
  for (unsigned k = 0; k < op->ndst; k++) own[op->dst[k] / 64] |= 1ull << op->dst[k] % 64;
  for (unsigned k = 0; k < 4; k++) {
    all[k] = l->seen[w][k] | own[k];
    n += (unsigned)bit_count64(all[k]);
    before += (unsigned)bit_count64(l->seen[w][k]);
  }
  if (n == before) return;
  const bool fits = before && n <= l->size.NumCacheBanks;
  sm_counters(S)->best_intervals += !fits;
  memcpy(l->seen[w], fits ? all : own, sizeof all);
}

static bool fetch(struct sm *S, unsigned w, const struct warp_inst *inst, struct warp_inst *pseudo) {
  struct ltrf *l = ltrf_of(S);
  const uint32_t part = l->parts.of[inst->op];
  count_best(S, l, w, &sm_view(S)->op[inst->op]);
  if (part == l->fetched[w]) return false;
  l->fetched[w] = part;
  pseudo->mem = part;
  sm_counters(S)->prefetch_resumed += inst->op != l->parts.header[part];
  return true;
}

static void head(struct sm *S, unsigned w, const struct warp_inst *pseudo) {
  struct ltrf *l = ltrf_of(S);
  l->to[w] = pseudo->mem;
  l->heads |= bit_at64(w);
  l->watched |= bit_at64(w);
  look_at_head(S, l, w);
}

static void issue(struct sm *S, unsigned w, const struct warp_inst *inst) {
  struct ltrf *l = ltrf_of(S);
  if (inst->flags & W_PSEUDO) {
    l->heads &= ~bit_at64(w), l->watched &= ~bit_at64(w);
    l->at[w] = inst->mem;
    sm_counters(S)->prefetches++;
    ltrf_ask(S, l, w, PFU_PREFETCH);
    return;
  }
  const struct op *op = &sm_view(S)->op[inst->op];
  if (!op->nsrc && !op->ndst) return;
  struct pfu_in *in = pfu_load(&l->net, 0);
  const unsigned p = w % (unsigned)l->size.NumPorts;
  in->issue_valid_i |= 1ull << p;
  in->issue_warp_i[p] = (uint8_t)w;
  in->issue_source_valid_i[p] = (uint8_t)((1u << op->nsrc) - 1);
  in->issue_dead_i[p] = op->dead & in->issue_source_valid_i[p];
  in->issue_destination_valid_i[p] = (uint8_t)((1u << op->ndst) - 1);
  memcpy(in->issue_source_i[p], op->src, op->nsrc);
  memcpy(in->issue_destination_i[p], op->dst, op->ndst);
}

/* ---- operands ---- */

static void locate(struct sm *S, const struct collector_unit *u) {
  struct ltrf *l = ltrf_of(S);
  const struct op *op = u->op;
  if (!op->nsrc) return;
  struct lookups *q = &l->look[u->warp % l->size.NumPorts];
  unit_hold(S, u);
  l->operands[u->warp] = (uint8_t)(l->operands[u->warp] + op->nsrc);
  q->unit[(q->first + q->n++) % UNIT_MAX] = u;
}

/* The first look-up of the port has its result: the banks are asked in this cycle. */
static void ltrf_answer(struct sm *S, struct ltrf *l, unsigned p, const struct pfu_out *o) {
  struct lookups *q = &l->look[p];
  const struct collector_unit *u = q->unit[q->first];
  const struct op *op = u->op;
  const uint32_t slot = o->response_slot_o[p];
  q->first = (q->first + 1) % UNIT_MAX;
  q->n--, q->asked--;
  uint64_t banks = ~0ull;
  for (unsigned k = 0; k < op->nsrc; k++) {
    const uint32_t bank = o->response_bank_o[p][k];
    if (!(o->response_hit_o[p] >> k & 1))
      sm_fail(S, "pc 0x%x line %u warp %u: R%u is not in the register cache", op->pc, op->line, u->warp, op->src[k]);
    banks ^= (uint64_t)(bank ^ BANK_DONE) << 8 * k;
    unit_set_row(S, u, k, l->cache_row + slot * (uint32_t)l->size.NumCacheBanks + bank);
  }
  unit_set_banks(S, u, banks);
  unit_release(S, u);
  unit_want_all(S, u);
}

static void look(struct sm *S) {
  struct ltrf *l = ltrf_of(S);
  for (unsigned p = 0; p < l->size.NumPorts; p++) {
    struct lookups *q = &l->look[p];
    if (!q->n) continue;
    const struct pfu_out *o = pfu_get(&l->net, 0);
    const bool ready = o->lookup_ready_o >> p & 1;
    if (o->response_valid_o >> p & 1) ltrf_answer(S, l, p, o);
    if (!ready || q->asked == q->n) continue;
    const struct collector_unit *u = q->unit[(q->first + q->asked++) % UNIT_MAX];
    const struct op *op = u->op;
    struct pfu_in *in = pfu_load(&l->net, 0);
    in->lookup_valid_i |= 1ull << p;
    in->lookup_warp_i[p] = u->warp;
    in->lookup_count_i[p] = op->nsrc;
    memcpy(in->lookup_source_i[p], op->src, op->nsrc);
    sm_keep_awake(S);
  }
}

static void read(struct sm *S, const struct collector_unit *u, unsigned i) {
  ltrf_of(S)->operands[u->warp]--;
  if (sm_view(S)->check) check_operand(S, u, i);
}

/* ---- WRITE ---- */

static uint32_t *cache_values(const struct sm *S, const struct ltrf *l, uint64_t slot, uint64_t bank) {
  return check_file(S, l->cache_row + (uint32_t)(slot * l->size.NumCacheBanks + bank));
}

/* A register from the main file goes into the cache; it has the first claim to its bank's write port. */
static void arrive(struct sm *S) {
  struct ltrf *l = ltrf_of(S);
  l->results = 0;
  l->written = 0;
  if (!l->fills || l->fill[l->first_fill].at != sm_view(S)->now) return;
  const struct fill f = l->fill[l->first_fill];
  l->first_fill = (l->first_fill + 1) % FILLS;
  l->fills--;
  struct pfu_in *in = pfu_set(&l->net, 0);
  in->fill_valid_i = 1;
  in->fill_slot_i = f.slot;
  in->fill_register_i = f.reg;
  const struct pfu_out *o = pfu_get(&l->net, 0);
  rf_claim(S, 0, (unsigned)o->cache_write_bank_o, RF_WRITE);
  sm_counters(S)->cache_fills++;
  sm_keep_awake(S);
  if (sm_view(S)->check)
    memcpy(cache_values(S, l, o->cache_write_slot_o, o->cache_write_bank_o), check_row(S, f.warp, f.reg), 128);
}

static enum result_answer result(struct sm *S, const struct inflight_view *f, unsigned k, uint32_t *bank,
                                 uint32_t *row) {
  struct ltrf *l = ltrf_of(S);
  const unsigned w = f->inst.warp, r = f->op->dst[k], n = l->results;
  if (n == l->size.NumResults) return RESULT_BUSY;
  l->results++;
  l->written |= bit_at64(w);
  struct pfu_in *in = pfu_set(&l->net, 0);
  in->result_valid_i |= 1ull << n;
  in->result_warp_i[n] = (uint8_t)w;
  in->result_register_i[n] = (uint8_t)r;
  const struct pfu_out *o = pfu_get(&l->net, 0);
  if (o->result_hit_o >> n & 1) {
    *bank = o->result_bank_o[n];
    *row = l->cache_row + o->result_slot_o[n] * (uint32_t)l->size.NumCacheBanks + *bank;
    return RESULT_TO_BANK;
  }
  return main_file_only(S, &l->main, f, k);
}

/* ---- ENGINE: commands, and the main file ---- */

/* May this command be given now? The block has its own say (command_ready_o). */
static bool ltrf_may(const struct sm *S, struct ltrf *l, unsigned w, enum pfu_command op) {
  const struct pfu *model = pfu_model(&l->net, 0);
  if (ltrf_any_command(l->runs) >> w & 1) return false;
  switch (op) {
    case PFU_ACTIVATE:
      return !((l->starts | l->told) >> w & 1) && !ltrf_is_active(l, w) &&
             (unsigned)bit_count64(model->r.active_q) < l->size.NumSlots;
    case PFU_END: return !warp_view(S, w)->inflight_count && !l->operands[w] && !(l->written >> w & 1);
    case PFU_DEACTIVATE: /* a PREFETCH that has issued comes before */
      return ltrf_is_active(l, w) && !l->operands[w] && !(l->asked[PFU_PREFETCH] >> w & 1);
    default: return ltrf_is_active(l, w) && !l->operands[w];
  }
}

static bool ltrf_choose(const struct sm *S, struct ltrf *l, unsigned s, unsigned *w, enum pfu_command *op) {
  static const enum pfu_command order[] = {PFU_END, PFU_DEACTIVATE, PFU_PREFETCH, PFU_ACTIVATE};
  const uint64_t each = sm_view(S)->cfg->sm_schedulers == 1 ? ~0ull : 0x1111111111111111ull << s;
  for (unsigned i = 0; i < OPS; i++)
    for (uint64_t m = l->asked[order[i]] & each; m; m &= m - 1) {
      *w = (unsigned)bit_low64(m);
      *op = order[i];
      if (ltrf_may(S, l, *w, *op)) return true;
    }
  return false;
}

static void give_command(struct sm *S, struct ltrf *l) {
  const unsigned schedulers = (unsigned)sm_view(S)->cfg->sm_schedulers;
  for (unsigned n = 0; n < schedulers; n++) {
    const unsigned s = (l->turn + n) % schedulers;
    unsigned w;
    enum pfu_command op;
    if (!ltrf_choose(S, l, s, &w, &op)) continue;
    struct pfu_in *in = pfu_set(&l->net, 0);
    in->command_valid_i = 1;
    in->command_i = op;
    in->command_warp_i = w;
    if (op == PFU_PREFETCH) memcpy(in->command_registers_i, l->parts.vec[l->at[w]], sizeof in->command_registers_i);
    l->turn = (s + 1) % schedulers;
    if (!pfu_get(&l->net, 0)->command_ready_o) die("ltrf: pfu takes no command %d of warp %u", op, w);
    l->asked[op] &= ~bit_at64(w);
    l->runs[op] |= bit_at64(w);
    sm_counters(S)->activations += op == PFU_ACTIVATE;
    sm_counters(S)->deactivations += op == PFU_DEACTIVATE;
    return;
  }
}

static void ltrf_begin_warp(struct sm *S, struct ltrf *l) {
  for (uint64_t m = l->starts; m; m &= m - 1) {
    const unsigned w = (unsigned)bit_low64(m);
    if (ltrf_is_active(l, w)) continue; /* the END of the warp that was here is still to come */
    struct pfu_in *in = pfu_set(&l->net, 0);
    in->start_valid_i = 1;
    in->start_warp_i = w;
    memset(in->start_live_i, 0, sizeof in->start_live_i); /* PTX: a register is written before it is read */
    l->starts &= ~bit_at64(w);
    l->told = bit_at64(w);
    sm_keep_awake(S);
    return;
  }
}

/* Some slot asks for the main file in this cycle. */
static bool ltrf_is_moving(struct ltrf *l) { return pfu_model(&l->net, 0)->asks != 0; }

static void offer_banks(struct sm *S, struct ltrf *l) {
  struct pfu_in *in = pfu_set(&l->net, 0);
  main_file_now(&l->main, sm_view(S)->now);
  memcpy(in->main_ready_i, l->main.free[RF_READ], (l->main.banks + 31) / 32 * 4);
  const struct group_view *g = group_view(S, 0);
  in->cache_ready_i = ~(sm_view(S)->single_port ? g->rd_used[0] | g->wr_used[0] : g->rd_used[0]) &
                      (uint64_t)((1ull << l->size.NumCacheBanks) - 1);
}

static void move_registers(struct sm *S, struct ltrf *l, const struct pfu_out *o) {
  if (o->main_read_valid_o) {
    main_file_take(&l->main, sm_view(S)->now,
                   main_file_bank(&l->main, (unsigned)o->main_read_warp_o, (unsigned)o->main_read_register_o), RF_READ);
    if (l->fills == FILLS) die("ltrf: more than %d registers on their way", FILLS);
    l->fill[(l->first_fill + l->fills++) % FILLS] = (struct fill){.at = sm_view(S)->now + l->main.access,
                                                                  .slot = (uint8_t)o->main_read_slot_o,
                                                                  .warp = (uint8_t)o->main_read_warp_o,
                                                                  .reg = (uint8_t)o->main_read_register_o};
    sm_counters(S)->main_reads++;
  }
  if (o->main_write_valid_o) {
    const unsigned w = (unsigned)o->main_write_warp_o, r = (unsigned)o->main_write_register_o;
    main_file_take(&l->main, sm_view(S)->now, main_file_bank(&l->main, w, r), RF_WRITE);
    rf_claim(S, 0, (unsigned)o->cache_read_bank_o, RF_READ);
    sm_counters(S)->main_writes++;
    sm_counters(S)->cache_spills++;
    if (sm_view(S)->check)
      memcpy(check_row(S, w, r), cache_values(S, l, o->cache_read_slot_o, o->cache_read_bank_o), 128);
  }
}

/* Commands of which the block told in the last cycle that they are done: their slots are idle from this cycle on. */
static void ltrf_finish(struct sm *S, struct ltrf *l) {
  const unsigned w = l->done_warp;
  if (w == WARPS) return;
  l->done_warp = WARPS;
  l->runs[l->done_command] &= ~bit_at64(w);
  if (l->done_command == PFU_END) l->held &= ~bit_at64(w);
  set_gate(S, l, w);
}

static void count_cycles(struct sm *S, const struct ltrf *l, uint64_t n) {
  sm_counters(S)->prefetch_held += n * (unsigned)bit_count64(l->held);
  sm_counters(S)->prefetch_cycles += n * (unsigned)bit_count64(l->asked[PFU_PREFETCH] | l->runs[PFU_PREFETCH]);
  sm_counters(S)->switch_cycles += n * (unsigned)bit_count64(l->asked[PFU_ACTIVATE] | l->asked[PFU_DEACTIVATE] |
                                                             l->runs[PFU_ACTIVATE] | l->runs[PFU_DEACTIVATE]);
}

static void engine(struct sm *S) {
  struct ltrf *l = ltrf_of(S);
  ltrf_finish(S, l);
  for (uint64_t m = l->watched; m; m &= m - 1) look_at_head(S, l, (unsigned)bit_low64(m));
  l->told = 0;
  if (l->starts) ltrf_begin_warp(S, l);
  if (ltrf_any_command(l->asked)) give_command(S, l);
  count_cycles(S, l, 1);
  if (!ltrf_any_command(l->runs)) return;
  if (ltrf_is_moving(l)) offer_banks(S, l);
  const struct pfu_out *o = pfu_get(&l->net, 0);
  move_registers(S, l, o);
  if (o->done_valid_o) l->done_warp = (uint8_t)o->done_warp_o, l->done_command = (uint8_t)o->done_command_o;
  if (o->main_read_valid_o | o->main_write_valid_o | o->done_valid_o) sm_keep_awake(S);
}

/* ---- CONTROL ---- */

static enum move warp(struct sm *S, unsigned w, enum warp_move what) {
  struct ltrf *l = ltrf_of(S);
  switch (what) {
    case WARP_BEGIN:
      l->starts |= bit_at64(w);
      l->fetched[w] = l->at[w] = NONE32;
      memset(l->seen[w], 0, sizeof l->seen[w]);
      l->heads &= ~bit_at64(w), l->held &= ~bit_at64(w), l->watched &= ~bit_at64(w);
      return MOVE_DONE;
    case WARP_END: return MOVE_DONE; /* it has gone OUT before: END is on its way */
    case WARP_IN: ltrf_ask(S, l, w, PFU_ACTIVATE); return MOVE_PENDING;
    case WARP_OUT:
      l->held &= ~bit_at64(w);
      ltrf_ask(S, l, w, warp_lives(S, w) ? PFU_DEACTIVATE : PFU_END);
      return MOVE_PENDING;
  }
  return MOVE_DONE;
}

/* ---- COMMIT ---- */

/* With sim.check: registers that came or left without an access to the main file hold nothing from here on. */
static void ltrf_lose(struct sm *S, struct ltrf *l, const struct pfu_state *was, const struct pfu_in *in,
                      const struct pfu_out *o) {
  const struct pfu *model = pfu_model(&l->net, 0);
  for (unsigned k = 0; k < PFU_WORDS * l->size.NumSlots; k++) {
    const unsigned slot = k / PFU_WORDS, word = k % PFU_WORDS, w = was->warp_q[slot];
    if (was->state_q[slot] != PFU_EVICT && was->state_q[slot] != PFU_ALLOCATE) continue;
    for (uint64_t m = was->present_q[slot][word] ^ model->r.present_q[slot][word]; m; m &= m - 1) {
      const unsigned r = 64 * word + (unsigned)bit_low64(m);
      const bool came = model->r.present_q[slot][word] & (m & -m);
      if (came && in->fill_valid_i && in->fill_slot_i == slot && in->fill_register_i == r) continue;
      if (!came && o->main_write_valid_o && o->main_write_warp_o == w && o->main_write_register_o == r) continue;
      check_lost(S,
                 came ? l->cache_row + slot * (uint32_t)l->size.NumCacheBanks + model->bank[slot][r]
                      : warp_view(S, w)->row + r,
                 1);
    }
  }
}

static void commit(struct sm *S) {
  struct ltrf *l = ltrf_of(S);
  if (!twins_awake(&l->net.t) && !l->net.t.observed) {
    twins_asleep(&l->net.t);
    return;
  }
  if (!sm_view(S)->check) {
    twins_commit(&l->net.t, &ltrf_twins);
    return;
  }
  const struct pfu_in in = l->net.pfu.in[0];
  const struct pfu_out o = *pfu_get(&l->net, 0);
  const struct pfu_state was = pfu_model(&l->net, 0)->r;
  twins_commit(&l->net.t, &ltrf_twins);
  ltrf_lose(S, l, &was, &in, &o);
}

static uint64_t idle(struct sm *S) {
  struct ltrf *l = ltrf_of(S);
  if (l->starts | ltrf_any_command(l->asked) || l->done_warp != WARPS) return 0;
  for (unsigned p = 0; p < l->size.NumPorts; p++)
    if (l->look[p].n) return 0;
  if (ltrf_is_moving(l)) return 0;
  uint64_t n = twins_idle(&l->net.t, &ltrf_twins);
  if (l->fills) {
    const uint64_t left = l->fill[l->first_fill].at - sm_view(S)->now;
    if (left < n) n = left;
  }
  return n;
}

static void skip(struct sm *S, uint64_t n) {
  struct ltrf *l = ltrf_of(S);
  count_cycles(S, l, n);
  twins_skip(&l->net.t, &ltrf_twins, n);
}

static bool end(struct sm *S, struct err *e) {
  const struct ltrf *l = ltrf_of(S);
  uint64_t left = l->asked[PFU_ACTIVATE] | l->asked[PFU_DEACTIVATE] | l->asked[PFU_PREFETCH] | l->heads;
  for (unsigned p = 0; p < l->size.NumPorts; p++) left |= l->look[p].n;
  for (unsigned w = 0; w < WARPS; w++) left |= l->operands[w];
  return (!left && !l->fills) ||
         err_at(e, NULL, 0, 0,
                "conservation law broken: ltrf has commands, operands or registers under way at the end of a launch "
                "(%llx, %u); this is a bug of the simulator",
                (unsigned long long)left, l->fills);
}

const struct storage_ops storage_ltrf = {.name = "ltrf",
                                         .main_file = main_file_accesses,
                                         .fits = main_file_fits,
                                         .init = init,
                                         .done = done,
                                         .plan = plan,
                                         .fetch = fetch,
                                         .head = head,
                                         .issue = issue,
                                         .locate = locate,
                                         .look = look,
                                         .read = read,
                                         .arrive = arrive,
                                         .result = result,
                                         .warp = warp,
                                         .engine = engine,
                                         .commit = commit,
                                         .idle = idle,
                                         .skip = skip,
                                         .end = end};
