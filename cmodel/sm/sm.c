/* SPDX-License-Identifier: Apache-2.0 */
/* sm: creation, launch and end of one SM. The cycle itself is in cycle.c. */
#include "sm/sm.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sm/private.h"

void sm_fail(struct sm *S, const char *fmt, ...) {
  char text[sizeof S->err.text];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  err_at(&S->err, NULL, 0, 0, "cycle %llu: %s", (unsigned long long)S->now, text);
  sm_failing(S);
}

void sm_failing(struct sm *S) {
  if (!S->failed) S->failed_at = S->now;
  S->failed = true;
}

static unsigned sm_group_part(int64_t whole, unsigned groups) {
  unsigned n = (unsigned)whole / groups;
  return n ? n : 1;
}

static uint64_t units_first(unsigned n) { return n == 64 ? ~0ull : (1ull << n) - 1; }

/* Collector units by class, as GPGPU-Sim 3.2.2 has them: memory's first, then SFU's, then SP's. Without sets each takes any. */
static void unit_sets(struct sm *S) {
  const struct config *c = S->cfg;
  const unsigned mem = (unsigned)c->collector_mem_units, sfu = (unsigned)c->collector_sfu_units;
  const uint64_t of_mem = units_first(mem), of_sfu = units_first(mem + sfu) & ~of_mem, of_sp = ~(of_mem | of_sfu);
  for (int k = 0; k < CLS_COUNT; k++) {
    const bool sfu_set = k == CLS_IMUL || k == CLS_DP || k == CLS_SFU || k == CLS_DIV || k == CLS_TENSOR;
    S->units_of[k] = !mem ? ~0ull : k == CLS_LSU || k == CLS_TEX ? of_mem : sfu_set ? of_sfu : of_sp;
  }
}

static void sm_set_numbers(struct sm *S) {
  const struct config *c = S->cfg;
  const int64_t lat[CLS_COUNT] = {
      [CLS_INT] = c->unit_int_latency,      [CLS_IMUL] = c->unit_imul_latency, [CLS_SP] = c->unit_sp_latency,
      [CLS_DP] = c->unit_dp_latency,        [CLS_SFU] = c->unit_sfu_latency,   [CLS_DIV] = c->unit_div_latency,
      [CLS_TENSOR] = c->unit_tensor_latency};
  const int64_t interval[CLS_COUNT] = {
      [CLS_INT] = c->unit_int_interval,      [CLS_IMUL] = c->unit_imul_interval, [CLS_SP] = c->unit_sp_interval,
      [CLS_DP] = c->unit_dp_interval,        [CLS_SFU] = c->unit_sfu_interval,   [CLS_DIV] = c->unit_div_interval,
      [CLS_TENSOR] = c->unit_tensor_interval};
  const uint8_t pipe[CLS_COUNT] = {
      [CLS_INT] = PIPE_INT, [CLS_IMUL] = PIPE_INT, [CLS_SP] = PIPE_SP,         [CLS_DP] = PIPE_DP,
      [CLS_SFU] = PIPE_SFU, [CLS_DIV] = PIPE_SFU,  [CLS_TENSOR] = PIPE_TENSOR, [CLS_CTRL] = PIPE_INT};
  const int64_t count[PIPE_COUNT] = {[PIPE_INT] = c->unit_int_count,
                                     [PIPE_SP] = c->unit_sp_count,
                                     [PIPE_DP] = c->unit_dp_count,
                                     [PIPE_SFU] = c->unit_sfu_count,
                                     [PIPE_TENSOR] = c->unit_tensor_count};
  for (int k = 0; k < CLS_COUNT; k++) {
    S->lat[k] = (uint16_t)lat[k];
    S->interval[k] = (uint16_t)interval[k];
    S->pipe_of[k] = pipe[k];
  }
  const int64_t tensor[RATE_COUNT] = {
      [RATE_F16] = c->unit_tensor_interval,       [RATE_BF16] = c->unit_tensor_bf16_interval,
      [RATE_TF32] = c->unit_tensor_tf32_interval, [RATE_INT8] = c->unit_tensor_int8_interval,
      [RATE_INT4] = c->unit_tensor_int4_interval, [RATE_B1] = c->unit_tensor_b1_interval,
      [RATE_F64] = c->unit_tensor_f64_interval};
  for (int k = 0; k < RATE_COUNT; k++) S->tensor_interval[k] = (uint16_t)tensor[k];
  S->lat_ctrl = (unsigned)c->unit_ctrl_latency;
  S->lat_shared = (unsigned)c->shared_latency;
  S->lat_l1 = (unsigned)c->l1_latency;
  S->lat_const = (unsigned)c->lsu_const_latency;
  S->lat_shfl = (unsigned)c->lsu_shfl_latency;
  S->lsu_lines = (unsigned)c->lsu_lines;
  S->lsu_bytes = (unsigned)c->lsu_bytes;
  S->shared_interval = (unsigned)c->shared_interval;
  S->lsu.room = (uint32_t)c->lsu_queue;
  S->lsu.landed = NONE32;
  S->tex.room = (uint32_t)c->tex_queue;
  S->tex_quads = (unsigned)c->tex_quads;
  S->tex_interval = (unsigned)c->tex_interval;
  S->tex_filter = (unsigned)c->tex_filter_latency;
  S->tex_data = (unsigned)(c->tex_latency - c->tex_filter_latency);
  S->wq_width = (unsigned)c->rf_results;
  S->arrivals = (unsigned)c->collector_arrivals;
  S->fetch_warps = (unsigned)c->sm_fetch_warps;
  S->fetch_width = (unsigned)c->sm_fetch_width;
  S->ibuf = (unsigned)c->sm_ibuffer;
  while (S->ring < 2 * S->ibuf - 1) S->ring = 2 * S->ring + 1; /* few cache lines of a warp are touched then */
  S->insn_bytes = (unsigned)c->icache_insn_bytes;
  S->single_port = c->rf_single_port;
  S->reserve = c->unit_reserve;
  S->nsched = (unsigned)c->sm_schedulers;
  for (unsigned k = 0; k < S->nsched; k++) S->sched[k].token = ~0ull;
  S->ngroup = c->sm_subcores ? S->nsched : 1;
  S->nbank = sm_group_part(c->rf_banks, S->ngroup);
  S->operand_late = slow_access(c->rf_latency) - slow_access(100);
  S->bank_busy = slow_busy(slow_access(c->rf_latency));
  S->bank_mask = S->nbank & (S->nbank - 1) ? 0 : S->nbank - 1;
  unit_sets(S);
  S->group = xcalloc_lines(S->ngroup, sizeof *S->group);
  for (unsigned g = 0; g < S->ngroup; g++) {
    struct group *G = &S->group[g];
    unsigned units = sm_group_part(c->collector_units, S->ngroup);
    G->all = G->free = units_first(units);
    for (unsigned u = 0; u < units; u++) {
      G->unit[u].group = (uint8_t)g;
      G->unit[u].index = (uint8_t)u;
    }
    G->lsu_room = sm_group_part(c->lsu_queue, S->ngroup);
    G->tex_room = sm_group_part(c->tex_queue, S->ngroup);
    for (int p = 0; p < PIPE_COUNT; p++) G->pipes[p] = (uint8_t)sm_group_part(count[p], S->ngroup);
  }
  if (S->bank_busy > 1) S->slow = xcalloc_lines(S->ngroup, sizeof *S->slow);
}

/* What choices see of groups, schedulers and warps. */
static void sm_set_views(struct sm *S) {
  for (unsigned g = 0; g < S->ngroup; g++) S->group_at[g] = (const struct group_view *)&S->group[g];
  for (unsigned s = 0; s < S->nsched; s++) S->scheduler_at[s] = (const struct scheduler_view *)&S->sched[s];
  for (unsigned w = 0; w < WARP_MAX; w++) S->warp_at[w] = (const struct warp_view *)&S->warp[w];
}

struct sm *sm_new(const struct config *cfg, struct mem *mem, unsigned id, struct err *e) {
  struct sm *S = xcalloc_lines(1, sizeof *S);
  S->cfg = cfg;
  S->mem = mem;
  S->id = id;
  S->inflight_free = S->event_free = NONE32;
  memset(S->wheel_head, 0xff, sizeof S->wheel_head);
  sm_set_numbers(S);
  S->warp = xcalloc_lines(WARP_MAX, sizeof *S->warp);
  sm_set_views(S);
  S->cta = xcalloc_lines(CTA_MAX, sizeof *S->cta);
  S->readers = xcalloc_lines(WARP_MAX, 256);
  S->latency = xcalloc(1, sizeof *S->latency);
  S->l1 = cache_new(cfg);
  S->icache = icache_new(cfg);
  S->tex.cache = tex_cache_new(cfg);
  S->check = check_new(cfg);
  if (S->check) S->laws = laws_new();
  bool ok = (slots_pick(cfg, &S->chosen, e) || machines_advised(cfg, e)) && slots_complete(&S->chosen, e);
  if (ok) S->slots = cfg->sim_null_hooks ? slots_null : S->chosen;
  /* what backs the L1 sees as many look-ups in a cycle as those of loads */
  const bool backed = ok && (S->chosen.l1->hit || S->chosen.l1->miss) && !S->tex.cache;
  S->tex_lines = backed ? S->lsu_lines : (unsigned)cfg->tex_lines;
#define INIT(slot) ok = ok && slot##_init(S, e);
  EACH_SLOT(INIT)
  if (ok) return S;
  sm_free(S);
  return NULL;
}

void sm_free(struct sm *S) {
  if (!S) return;
#define DONE(slot) \
  if (S->slots.slot) slot##_done(S);
  EACH_SLOT(DONE)
  for (unsigned g = 0; g < S->ngroup; g++) free(S->group[g].wq);
  cache_free(S->l1);
  tex_cache_free(S->tex.cache);
  icache_free(S->icache);
  check_free(S->check);
  laws_free(S->laws);
  hashtab_free(&S->warned);
  free(S->slow), free(S->latency), free(S->group), free(S->warp), free(S->cta), free(S->readers), free(S->inflight),
      free(S->event), free(S);
}

struct stream_room sm_room(const struct sm *S) {
  int64_t ctas, warps;
  slots_most(S->cfg, &ctas, &warps);
  return (struct stream_room){
      .warp_slots = (unsigned)warps, .cta_slots = (unsigned)ctas, .values = S->cfg->sim_check || S->observer};
}

bool sm_begin(struct sm *S, struct stream *stream, struct cta_source *source, const struct kernel *k, uint64_t now,
              struct err *e) {
  S->stream = stream;
  S->source = source;
  S->op = S->stream->op;
  S->wpc = S->stream->warps_per_cta;
  S->now = now;
  S->next_cta = S->ended_ctas = 0;
  S->last_issue = S->occ_since = S->ctas_end = now;
  S->code_base = k->code_base;
  S->fetch_base = CODE_BASE + (k->code_base - CODE_BASE) * (S->insn_bytes / 8) % (GLOBAL_END - CODE_BASE);
  S->at = NULL;
  if (S->tex.cache) tex_cache_empty(S->tex.cache);
  laws_begin(S, k);
  if (!storage_plan(S, k, e) || !residency_plan(S, k, e) || !collector_plan(S, k, e) || !scheduler_plan(S, k, e) ||
      !l1_plan(S, k, e))
    return false;
  S->nwarp = S->cta_limit * S->wpc;
  S->words = S->stream->regs > 192 ? 4 : (S->stream->regs + 63) / 64;
  S->st.launches++;
  if (S->probe) S->probe->launch(S->probe->ctx, k->code, now);
  return true;
}

bool sm_running(const struct sm *S) { return S->ncta || S->source->ready; }
uint32_t sm_cta_room(const struct sm *S) { return S->cta_limit - S->ncta; }
bool sm_drained(const struct sm *S) {
  return cache_drained(S) && tex_cache_drained(S->tex.cache) && !S->red_out && !icache_pending(S->icache);
}

void sm_drain(struct sm *S, uint64_t until) {
  if (!S->cfg->gpu_drain || until <= S->ctas_end) return;
  uint64_t n = until - S->ctas_end;
  S->st.cycles += n;
  S->st.drain_cycles += n;
  S->st.slot_empty += n * S->nsched;
  S->ctas_end = until;
}

/* The report of waiting warps when nothing has issued for sim.deadlock cycles. */
static void sm_report_deadlock(struct sm *S) {
  if (S->stream->ops->deadlock &&
      S->stream->ops->deadlock(S->stream, &S->err)) /* barriers: who is missing, and where */
    return sm_failing(S);
  char text[512] = "";
  size_t n = 0;
  static const char *const why[] = {"its registers",         "a branch", "a barrier", "an atomic", "an atomic",
                                    "the instruction cache", "its end"};
  for (unsigned w = 0, shown = 0; w < S->nwarp && shown < 4; w++) {
    const struct warp *W = &S->warp[w];
    if (!(S->sched[W->scheduler].live >> W->bit & 1) || !S->cta[W->cta].used) continue;
    const struct op *op = &S->op[W->icount ? W->ibuf[W->ihead].op : W->next ? W->next - 1 : 0];
    n += (size_t)snprintf(text + n, sizeof text - n, "; warp %u (CTA %u) near line %u waits for %s", w,
                          S->cta[W->cta].index * S->stream->stride, op->line, why[W->icount ? 0 : W->stop]);
    if (n >= sizeof text) break;
    shown++;
  }
  sm_fail(S, "no instruction issued for %lld cycles%s", (long long)S->cfg->sim_deadlock, text);
}

/* Nothing has issued for long: is the memory still active? Very slow memory is no deadlock. */
static bool memory_moves(struct sm *S) {
  const struct mem_stats *m = mem_stats(S->mem);
  uint64_t now = m->replies + m->dram_read_sectors + m->dram_write_sectors, before = S->memory_seen;
  S->memory_seen = now;
  if (now != before) S->last_issue = S->now;
  return now != before;
}

static void sm_runaway(struct sm *S, const char *limit) {
  if (!S->stream->ops->runaway)
    return sm_fail(S, "%s", limit ? limit : "more warp instructions than the launch may execute");
  S->stream->ops->runaway(S->stream, limit);
  S->err = S->stream->err;
  sm_failing(S);
}

static void too_long(struct sm *S) {
  char limit[80];
  snprintf(limit, sizeof limit, "more than %lld cycles (sim.max_cycles)", (long long)S->cfg->sim_max_cycles);
  sm_runaway(S, limit);
}

void sm_quantum(struct sm *S, bool too_many) {
  for (unsigned s = 0; s < S->nsched; s++)
    for (uint64_t m = S->sched[s].atomic; m; m &= m - 1) {
      unsigned w = warp_of(S, s, (unsigned)bit_low64(m));
      enum stop why = S->warp[w].stop;
      if (why == STOP_ATOMIC || why == STOP_STREAM) fetch_resume(S, w, why);
    }
  cache_flush(S);
#define QUANTUM(slot) slot##_quantum(S);
  EACH_SLOT(QUANTUM)
  S->lsu.blocked = S->tex.blocked = 0;
  if (S->failed || !sm_running(S)) return;
  if (S->now - S->last_issue > (uint64_t)S->cfg->sim_deadlock && !memory_moves(S)) sm_report_deadlock(S);
  else if (too_many) sm_runaway(S, NULL);
  else if (S->st.cycles > (uint64_t)S->cfg->sim_max_cycles) too_long(S);
}

uint64_t sm_failed_at(const struct sm *S) { return S->failed ? S->failed_at : UINT64_MAX; }
const struct err *sm_error(const struct sm *S) { return &S->err; }

static void leave_stream(struct sm *S) {
  S->hash += S->stream->hash * (2 * S->st.launches + 1); /* launches are told apart by their order */
  S->stream = NULL;
}

bool sm_end(struct sm *S, struct err *e) {
  cache_settle(S);
  victim_port_settle(S);
  bool ok = check_launch_end(S, e);
  leave_stream(S);
  return ok;
}

void sm_give_up(struct sm *S) {
  occupancy_note(S);
  S->ctas_end = S->now;
  leave_stream(S);
}

void sm_probe(struct sm *S, const struct probe *p) {
  S->probe = p;
  S->sample_at = p && p->sample ? 0 : NEVER;
}
void sm_observe(struct sm *S, const struct observer *o) { S->observer = o; }
const struct sm_stats *sm_stats(const struct sm *S) { return &S->st; }
const struct latency *sm_latency(const struct sm *S) { return S->latency; }
uint64_t sm_ended(const struct sm *S) { return S->ctas_end; }
uint64_t sm_hash(const struct sm *S) { return S->hash; }
uint32_t sm_ctas_done(const struct sm *S) { return S->ended_ctas; }
uint32_t sm_warps_fit(const struct sm *S) { return S->room * S->wpc; }
uint32_t sm_occupancy(const struct sm *S, const char **limiter) {
  if (limiter) *limiter = S->limiter;
  return S->cta_limit;
}
