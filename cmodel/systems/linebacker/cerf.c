/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cerf: the l1 choice CERF (Jing et al., MICRO 2016, as Linebacker, ISCA'19, sections 2.4 and 5, compares with it): register file and L1
 * are one pool of rows, and a row that keeps no register may hold a line of the L1. What is modelled and what is our own reading:
 * docs/reference/comparators.md.
 *
 * The first rows of the pool are the register file's, the last ones the L1's own. Each linebacker.period/10 cycles the pool is divided
 * anew: rows whose registers are kept (cerf.lend) belong to them, the L1 has as many ways as the others give to each of its
 * sets. Of a set that loses ways the lines used least recently leave; a line stays in its row, whatever the number of its way. Within a window an
 * instruction that names a register without a row takes the row back at once, and a line in it leaves.
 *
 * A hit reads its row, and a line that comes is written into its row, by the victim port, in turn with operands and results. The hit's data
 * come as late after that read as a plain L1's after its look-up. A result waits for accesses to its row that are in the port.
 *
 * Invariants: a row has one owner: a register, a way, or nobody; no row is a register's that is kept and a line's (checked at the end of each launch,
 * and with sim.check at each division). With sim.check a line's row holds a signature, which each hit must find, and a register that gave its row away is lost.
 */
#include <stdlib.h>
#include <string.h>

#include "systems/linebacker/linebacker.h"

enum { NOBODY = NONE32, REGISTER = 0xfffffffe }; /* owners of a row that are not a way */

struct port_access {
  uint32_t row, inflight, serial; /* serial: of the line, with sim.check; 0: not compared */
  bool write;
  uint64_t least; /* of a read: lsu_hit_end */
};

struct cerf {
  uint32_t rows, file, sets, most; /* of the pool; of those the register file's; of the L1; ways at most */
  uint32_t *owner;                 /* [rows] */
  uint32_t *row;                   /* [sets * most] of each way; NOBODY: it is shut */
  uint32_t *touched;               /* [file]: window in which the register was last named */
  bool *keep;                      /* [file]: scratch of a division */
  uint32_t *count;                 /* [sets]: the same: open ways */
  uint32_t window, begun;          /* number of this window, of all launches; CTAs begun, of this one */
  uint32_t ways, open;             /* of each set, as divided last; of all sets together now */
  bool dead;                       /* cerf.lend */
  uint64_t end;                    /* last cycle of this window */
  const struct code *code;
  struct port_access there[VICTIM_PORT]; /* what is in the victim port */
  unsigned first, there_n;
  /* with sim.check */
  uint32_t serial, *of_way,
      *in_row; /* last given; [sets * most] of the line; [rows] whose signature is written there, 0: none's */
  bool *wipe;  /* [file]: lost, once the port has no access to it */
};

static struct cerf *cerf_of(const struct sm *S) { return choice_of(S, SLOT_L1); }

static bool fits(const struct config *c, const struct slots *slots, struct err *e) {
  if (!linebacker_rows_fit(c, slots, "slot.l1 cerf", "static vt pcal", e)) return false;
  return c->l1_bytes ||
         err_at(e, NULL, 0, 0,
                "slot.l1 cerf with l1.bytes 0, expected l1.bytes=%lld or another multiple of l1.ways x 128: "
                "registers add ways to an L1",
                (long long)c->l1_ways * 128 * 16);
}

static bool init(struct sm *S, struct err *e) {
  (void)e;
  struct cerf *v = xcalloc_lines(1, sizeof *v);
  choice_set(S, SLOT_L1, v);
  v->file = (uint32_t)(sm_view(S)->cfg->rf_bytes / 128);
  v->rows = v->file + (uint32_t)(sm_view(S)->cfg->l1_bytes / 128);
  v->sets = cache_sets(S);
  v->most = v->rows / v->sets;
  v->dead = sm_view(S)->cfg->cerf_lend == cerf_lend_dead;
  const uint32_t ways = v->sets * v->most;
  v->owner = xmalloc(v->rows * sizeof *v->owner);
  v->row = xmalloc(ways * sizeof *v->row);
  memset(v->owner, 0xff, v->rows * sizeof *v->owner);
  memset(v->row, 0xff, ways * sizeof *v->row);
  v->touched = xcalloc(v->file, sizeof *v->touched);
  v->keep = xcalloc(v->file, sizeof *v->keep);
  v->count = xcalloc(v->sets, sizeof *v->count);
  cache_more_ways(S, v->most);
  if (!sm_view(S)->cfg->sim_check) return true;
  v->of_way = xcalloc(ways, sizeof *v->of_way);
  v->in_row = xcalloc(v->rows, sizeof *v->in_row);
  v->wipe = xcalloc(v->file, sizeof *v->wipe);
  return true;
}

static void done(struct sm *S) {
  struct cerf *v = cerf_of(S);
  if (!v) return;
  free(v->owner), free(v->row), free(v->touched), free(v->keep), free(v->count), free(v->of_way), free(v->in_row);
  free(v->wipe), free(v);
}

/* ---- sim.check: what the rows hold ---- */
static void cerf_sign(struct sm *S, struct cerf *v, uint32_t row, uint32_t serial) {
  uint32_t *to = check_file(S, row);
  for (uint32_t k = 0; k < 32; k++) to[k] = linebacker_word(0, serial, k);
  v->in_row[row] = serial;
}

/* The row is a register's now. */
static void cerf_lose(struct sm *S, struct cerf *v, uint32_t row) {
  v->in_row[row] = 0;
  v->wipe[row] = victim_port_holds(S, row);
  if (!v->wipe[row]) check_lost(S, row, 1);
}

/* The same, of a CTA that begins: its registers are zero. */
static void cerf_zero(struct sm *S, struct cerf *v, uint32_t row) {
  v->in_row[row] = 0;
  v->wipe[row] = false;
  memset(check_file(S, row), 0, 128);
  for (unsigned k = 0; k < v->there_n; k++) {
    struct port_access *a = &v->there[(v->first + k) % VICTIM_PORT];
    if (a->row == row) a->serial = 0;
  }
}

static void check_access(struct sm *S, struct cerf *v, const struct port_access *a) {
  if (a->write && a->serial) cerf_sign(S, v, a->row, a->serial);
  if (!a->write && a->serial) {
    const uint32_t *row = check_file(S, a->row);
    for (uint32_t k = 0; k < 32; k++)
      if (row[k] != linebacker_word(0, a->serial, k)) {
        sm_fail(S, "line number %u in row %u of the pool: word %u was read as 0x%08x, expected 0x%08x", a->serial,
                a->row, k, row[k], linebacker_word(0, a->serial, k));
        return;
      }
    sm_counters(S)->cerf_checked++;
  }
  if (a->row < v->file && v->wipe[a->row]) cerf_lose(S, v, a->row);
}

/* ---- rows and their owners ---- */
static void shut_way(struct sm *S, struct cerf *v, uint32_t way, uint32_t owner, uint64_t *left) {
  *left += cache_way_shut(S, way);
  v->owner[v->row[way]] = owner;
  v->row[way] = NOBODY;
  v->open--;
}

static void open_way(struct sm *S, struct cerf *v, uint32_t way, uint32_t row) {
  cache_way_open(S, way);
  v->owner[row] = way;
  v->row[way] = row;
  v->open++;
}

/* A register needs its row; true: it had none. */
static bool cerf_take(struct sm *S, struct cerf *v, uint32_t row, uint64_t *left) {
  if (v->owner[row] == REGISTER) return false;
  if (v->owner[row] != NOBODY) shut_way(S, v, v->owner[row], REGISTER, left);
  v->owner[row] = REGISTER;
  return true;
}

static void cerf_touch(struct sm *S, struct cerf *v, uint32_t row) {
  v->touched[row] = v->window;
  if (cerf_take(S, v, row, &sm_counters(S)->cerf_taken) && sm_view(S)->check) cerf_lose(S, v, row);
}

static void issue(struct sm *S, unsigned w, const struct warp_inst *inst) {
  struct cerf *v = cerf_of(S);
  const struct op *op = &sm_view(S)->op[inst->op];
  const uint32_t row = warp_view(S, w)->row;
  for (unsigned k = 0; k < op->nsrc; k++) cerf_touch(S, v, row + op->src[k]);
  for (unsigned k = 0; k < op->ndst; k++) cerf_touch(S, v, row + op->dst[k]);
}

/* ---- which registers are kept ---- */

/* Live, or about to be read or written by what has issued. */
static void cerf_find_needed(const struct sm *S, const struct cerf *v, unsigned w, uint64_t *set) {
  const struct warp_view *W = warp_view(S, w);
  memcpy(set, W->wr, sizeof W->wr);
  if (warp_lives(S, w)) {
    const uint64_t *live = v->code->warp_live[warp_stands_at(S, w)];
    for (unsigned k = 0; k < 4; k++) set[k] |= live[k];
  }
  for (unsigned r = 0; r < v->code->nreg; r++)
    if (warp_reads(S, w, r)) set_add(set, r);
}

/* cerf.lend, of the registers of a warp. */
static void keep_warp(const struct sm *S, struct cerf *v, unsigned w) {
  const uint32_t row = warp_view(S, w)->row;
  uint64_t set[4];
  if (!v->dead) {
    memset(v->keep + row, true, sm_view(S)->warp_regs);
    return;
  }
  cerf_find_needed(S, v, w, set);
  for (uint32_t r = 0; r < v->code->nreg; r++) v->keep[row + r] = set_has(set, r) || v->touched[row + r] == v->window;
}

static void keep_resident(const struct sm *S, struct cerf *v) {
  memset(v->keep, 0, v->file * sizeof *v->keep);
  for (unsigned c = 0; c < sm_view(S)->cta_limit; c++)
    for (unsigned i = 0; cta_view(S, c)->used && i < sm_view(S)->wpc; i++) keep_warp(S, v, cta_view(S, c)->slot[i]);
}

/* ---- the pool is divided ---- */

/* Rows for registers; returns how many. */
static uint32_t give_registers(struct sm *S, struct cerf *v) {
  uint32_t n = 0;
  for (uint32_t row = 0; row < v->file; row++) {
    n += v->keep[row];
    if (!v->keep[row] && v->owner[row] == REGISTER) v->owner[row] = NOBODY;
    if (v->keep[row] && cerf_take(S, v, row, &sm_counters(S)->cerf_left) && sm_view(S)->check) cerf_lose(S, v, row);
  }
  return n;
}

/* The open way of the set that was used least recently, an empty one first; of empty ones the lowest row's. */
static uint32_t cerf_oldest_way(const struct sm *S, const struct cerf *v, uint32_t set) {
  uint32_t best = NOBODY;
  uint64_t least = NEVER;
  for (uint32_t k = set * v->most; k < (set + 1) * v->most; k++) {
    const uint64_t used = cache_way_used(S, k);
    if (v->row[k] == NOBODY || used > least || (used == least && v->row[k] > v->row[best])) continue;
    best = k;
    least = used;
  }
  return best;
}

static void cerf_shrink(struct sm *S, struct cerf *v) {
  for (uint32_t set = 0; set < v->sets; set++) {
    v->count[set] = 0;
    for (uint32_t k = set * v->most; k < (set + 1) * v->most; k++) v->count[set] += v->row[k] != NOBODY;
    for (; v->count[set] > v->ways; v->count[set]--)
      shut_way(S, v, cerf_oldest_way(S, v, set), NOBODY, &sm_counters(S)->cerf_left);
  }
}

/* Way after way of all sets, rows from the top of the pool down. */
static void cerf_grow(struct sm *S, struct cerf *v) {
  uint32_t row = v->rows;
  for (uint32_t n = 0; n < v->most; n++)
    for (uint32_t set = 0; set < v->sets; set++) {
      const uint32_t way = set * v->most + n;
      if (v->row[way] != NOBODY || v->count[set] == v->ways) continue;
      do row--;
      while (v->owner[row] != NOBODY);
      open_way(S, v, way, row);
      v->count[set]++;
    }
}

static void cerf_divide(struct sm *S, struct cerf *v) {
  const uint32_t before = v->ways;
  v->ways = (v->rows - give_registers(S, v)) / v->sets;
  cerf_shrink(S, v);
  cerf_grow(S, v);
  v->window++;
  v->end = sm_view(S)->now + (uint64_t)sm_view(S)->cfg->linebacker_period / 10;
  sm_counters(S)->cerf_shrinks += v->ways < before;
}

/* ---- launch, CTAs, windows ---- */

/* Nothing is known yet of what the CTAs will touch: all of their registers are kept until the first window has ended. */
static bool plan(struct sm *S, const struct kernel *k, struct err *e) {
  (void)e;
  struct cerf *v = cerf_of(S);
  const uint32_t n = sm_view(S)->cta_limit * registers_of_cta(S);
  v->code = k->code;
  v->begun = 0;
  v->first = v->there_n = 0;
  memset(v->keep, true, n * sizeof *v->keep);
  memset(v->keep + n, false, (v->file - n) * sizeof *v->keep);
  cerf_divide(S, v);
  v->end--; /* this cycle is the first */
  return true;
}

static void cerf_begin_warp(struct sm *S, struct cerf *v, unsigned w) {
  const uint32_t row = warp_view(S, w)->row;
  const uint64_t *live = v->code->warp_live[0];
  for (uint32_t r = 0; r < sm_view(S)->warp_regs; r++) {
    const bool now =
        (!v->dead || (r < v->code->nreg && set_has(live, r))) && cerf_take(S, v, row + r, &sm_counters(S)->cerf_taken);
    if (!sm_view(S)->check) continue;
    if (now) cerf_zero(S, v, row + r);
    else if (v->in_row[row + r])
      cerf_sign(S, v, row + r, v->in_row[row + r]); /* the line is still there: check_cta has overwritten it */
  }
}

static void cerf_begin_ctas(struct sm *S, struct cerf *v) {
  for (unsigned c = 0; c < sm_view(S)->cta_limit; c++)
    for (unsigned i = 0; cta_view(S, c)->used && cta_view(S, c)->order >= v->begun && i < sm_view(S)->wpc; i++)
      cerf_begin_warp(S, v, cta_view(S, c)->slot[i]);
  v->begun = sm_view(S)->next_cta;
}

static const char *cerf_find_broken(const struct sm *S, const struct cerf *v, bool kept) {
  uint32_t ways = 0;
  for (uint32_t row = 0; row < v->rows; row++) {
    const uint32_t owner = v->owner[row];
    if (owner == NOBODY) continue;
    if (owner == REGISTER && row >= v->file) return "a row of the L1 is a register's";
    if (owner == REGISTER) continue;
    if (v->row[owner] != row) return "a row belongs to the way that says so";
    if (kept && row < v->file && v->keep[row]) return "no row is a kept register's and a line's";
    ways++;
  }
  for (uint32_t k = 0; k < v->sets * v->most; k++)
    if (v->row[k] == NOBODY && cache_way_used(S, k) != NEVER) return "a way without a row is shut";
  return ways == v->open ? NULL : "the rows of lines are those of open ways";
}

static void commit(struct sm *S) {
  struct cerf *v = cerf_of(S);
  sm_counters(S)->cerf_rows += v->open;
  if (v->begun != sm_view(S)->next_cta) cerf_begin_ctas(S, v);
  if (sm_view(S)->now != v->end) return;
  keep_resident(S, v);
  cerf_divide(S, v);
  sm_counters(S)->cerf_windows++;
  const char *law = sm_view(S)->check ? cerf_find_broken(S, v, true) : NULL;
  if (law) sm_fail(S, "slot.l1 cerf: law broken: %s", law);
}

static uint64_t idle(struct sm *S) { return cerf_of(S)->end - sm_view(S)->now - 1; }

static void skip(struct sm *S, uint64_t n) { sm_counters(S)->cerf_rows += n * cerf_of(S)->open; }

/* ---- lines ---- */
static bool cerf_put(struct sm *S, struct cerf *v, int what, uint32_t way, uint32_t inflight, uint64_t least) {
  const uint32_t row = v->row[way];
  if (!victim_port_put(S, what, row, inflight)) return false;
  v->there[(v->first + v->there_n++) % VICTIM_PORT] =
      (struct port_access){.row = row,
                           .inflight = inflight,
                           .serial = sm_view(S)->check ? v->of_way[way] : 0,
                           .write = what == RF_WRITE,
                           .least = least};
  return true;
}

static enum l1_answer hit(struct sm *S, const struct txn_view *t, uint32_t way) {
  struct cerf *v = cerf_of(S);
  if (!cerf_put(S, v, RF_READ, way, t->inflight, lsu_hit_end(S, t))) return L1_BUSY;
  sm_counters(S)->cerf_reads++;
  sm_counters(S)->cerf_register_hits += v->row[way] < v->file;
  return L1_HELD;
}

static enum l1_answer fill(struct sm *S, uint32_t line, uint32_t way) {
  (void)line;
  struct cerf *v = cerf_of(S);
  if (victim_port_count(S) == VICTIM_PORT) return L1_BUSY;
  if (sm_view(S)->check) v->of_way[way] = ++v->serial ? v->serial : ++v->serial;
  cerf_put(S, v, RF_WRITE, way, NONE32, 0);
  sm_counters(S)->cerf_writes++;
  return L1_GO;
}

static void ported(struct sm *S, uint32_t tag) {
  (void)tag;
  struct cerf *v = cerf_of(S);
  const struct port_access a = v->there[v->first];
  v->first = (v->first + 1) % VICTIM_PORT;
  v->there_n--;
  if (sm_view(S)->check) check_access(S, v, &a);
  if (!a.write) lsu_hit_done(S, a.inflight, sm_view(S)->now - 1, a.least);
}

static bool end(struct sm *S, struct err *e) {
  struct cerf *v = cerf_of(S);
  uint32_t reads = 0;
  for (; v->there_n;
       v->there_n--, v->first = (v->first + 1) % VICTIM_PORT) { /* the port is empty: writes that it dropped */
    const struct port_access *a = &v->there[v->first];
    reads += !a->write;
    if (sm_view(S)->check) check_access(S, v, a);
  }
  const char *law = reads ? "every hit is read" : cerf_find_broken(S, v, false);
  return !law ||
         err_at(e, NULL, 0, 0, "conservation law broken: slot.l1 cerf: %s; this is a bug of the simulator", law);
}

const struct l1_ops l1_cerf = {.name = "cerf",
                               .fits = fits,
                               .init = init,
                               .done = done,
                               .plan = plan,
                               .issue = issue,
                               .hit = hit,
                               .fill = fill,
                               .ported = ported,
                               .commit = commit,
                               .idle = idle,
                               .skip = skip,
                               .end = end};
