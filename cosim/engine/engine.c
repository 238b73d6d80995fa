/* SPDX-License-Identifier: Apache-2.0 */
/* engine: the lockstep loop; see engine.h. */
#include "base/bits.h"
#include "base/show.h"
#include "engine.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "blocks/rules.h"

void die(const char *format, ...) {
  char text[2048], shown[2048];
  va_list a;
  va_start(a, format);
  vsnprintf(text, sizeof text, format, a);
  va_end(a);
  fflush(stdout);
  fprintf(stderr, "cosim: %s\n", show_text(shown, sizeof shown, text));
  exit(2);
}

/* ---- random numbers: xorshift128+, seeded through rng_next ---- */
static struct tb_rng tb_rng_seeded(uint64_t seed, uint64_t stream) {
  uint64_t x = seed ^ stream * 0xd1342543de82ef95u;
  struct tb_rng r;
  r.s[0] = rng_next(&x);
  r.s[1] = rng_next(&x) | 1;
  return r;
}

uint64_t tb_rand(struct tb_rng *r) {
  uint64_t a = r->s[0], b = r->s[1];
  r->s[0] = b;
  a ^= a << 23;
  r->s[1] = a ^ b ^ a >> 18 ^ b >> 5;
  return r->s[1] + b;
}

unsigned tb_below(struct tb_rng *r, unsigned n) { return (unsigned)((unsigned __int128)tb_rand(r) * n >> 64); }
uint64_t tb_bits(struct tb_rng *r, unsigned width) { return width ? tb_rand(r) >> (64 - width) : 0; }
bool tb_chance(struct tb_rng *r, unsigned percent) { return tb_below(r, 100) < percent; }

void tb_words(struct tb_rng *r, uint32_t *w, unsigned width) {
  unsigned n = (width + 31) / 32;
  for (unsigned i = 0; i < n; i++) w[i] = (uint32_t)tb_bits(r, 32);
  if (width % 32) w[n - 1] &= (1u << width % 32) - 1;
}

uint64_t tb_dense(struct tb_rng *r, unsigned width, unsigned percent) {
  uint64_t v = 0;
  for (unsigned i = 0; i < width; i++) v |= (uint64_t)tb_chance(r, percent) << i;
  return v;
}

static struct engine *running; /* where a check of the golden model is reported */

/* ---- models ---- */
/* Writes the mask of the bits that check_widths refuses. */
static void beyond_widths(const struct block_desc *d, unsigned char *beyond) {
  for (unsigned k = 0; k < d->items; k++) {
    const struct item *i = &d->item[k];
    if (i->kind != ITEM_IN) continue;
    memset(beyond + i->offset, 0xff, i->bytes);
    for (unsigned n = 0; n < item_count(i); n++)
      for (unsigned bit = 0; bit < i->width; bit++) item_flip(i, beyond, n, bit);
  }
}

static size_t engine_aligned(size_t n) { return (n + 15) & ~(size_t)15; }

struct engine *engine_new(const struct block_desc *d, const struct rtl_api *rtl, const struct tb *tb, unsigned seed) {
  struct engine *e = memory_checked(calloc(1, sizeof *e));
  e->d = d;
  e->rtl = rtl;
  e->tb = tb;
  e->seed = seed;
  e->at_in = engine_aligned(sizeof(struct frame));
  e->at_out = e->at_in + engine_aligned(d->in_bytes);
  e->at_state = e->at_out + engine_aligned(d->out_bytes);
  e->at_rout = e->at_state + engine_aligned(d->state_bytes);
  e->at_rstate = e->at_rout + engine_aligned(d->out_bytes);
  e->slot = e->at_rstate + engine_aligned(d->state_bytes);
  e->ring = memory_checked(calloc(RING, e->slot));
  e->peek_in = memory_checked(calloc(1, d->in_bytes));
  e->scratch_out = memory_checked(calloc(1, d->out_bytes));
  e->beyond = memory_checked(calloc(1, d->in_bytes));
  beyond_widths(d, e->beyond);
  e->start = memory_checked(calloc(1, d->state_bytes));
  e->quiet = memory_checked(calloc(1, d->in_bytes));
  e->quiet_out = memory_checked(calloc(1, d->out_bytes));
  e->c = memory_checked(calloc(1, d->model_bytes));
  e->ticked = memory_checked(calloc(1, d->model_bytes));
  e->skipped = memory_checked(calloc(1, d->model_bytes));
  control_new(e);
  e->idle_every = 1;
  while (tb && tb->bins && tb->bins[e->bins]) e->bins++;
  e->hits = memory_checked(calloc(e->bins + 1, sizeof *e->hits));
  engine_restart(e);
  return e;
}

static void engine_reset(struct engine *e) {
  if (e->d->reset) {
    e->d->reset(e->c);
    control_reset(e);
    e->rtl->hold(e->r, 1);
    /* with and without a clock edge: the reset is asynchronous */
    if (e->edge_in_reset) e->rtl->tick(e->r);
    e->rtl->hold(e->r, 0);
    e->edge_in_reset = !e->edge_in_reset;
  }
  e->after_reset = true;
  e->peeked = e->from_state = false;
  e->first = e->cycle;
}

/* Copies the registers of a state to a golden model. */
static void copy_registers(const struct block_desc *d, void *model, const void *state) {
  for (unsigned k = 0; k < d->items; k++) {
    const struct item *i = &d->item[k];
    if (i->kind == ITEM_STATE)
      memcpy((unsigned char *)model + i->offset, (const unsigned char *)state + i->offset, i->bytes);
  }
}

/* After a reset: both twins start from these registers. */
static void start_from(struct engine *e, const void *state) {
  unsigned char *out = e->quiet_out, *is = memory_checked(calloc(1, e->d->state_bytes));
  char text[160];
  copy_registers(e->d, e->c, state);
  if (e->control) copy_registers(e->d, e->control, state);
  if (e->tb->adapt) e->tb->adapt(e->c);
  if (e->tb->adapt && e->control) e->tb->adapt(e->control);
  e->rtl->set(e->r, e->c);
  e->rtl->sample(e->r, out, is);
  if (first_difference(e->d, ITEM_STATE, ITEM_END, e->c, is, text))
    die("%s: a state that the registers cannot hold: %s in the RTL", e->d->name, text);
  if (state != e->start) memcpy(e->start, state, e->d->state_bytes);
  e->from_state = true;
  e->peeked = false;
  free(is);
}

void engine_restart(struct engine *e) {
  if (e->r) e->rtl->destroy(e->r);
  e->r = e->rtl->create(e->seed ^ 0x5eed);
  memset(e->c, 0, e->d->model_bytes);
  memset(e->ring, 0, RING * e->slot);
  e->cycle = e->kept = 0;
  e->edge_in_reset = e->stopping = e->observing = e->compared = e->idling = e->judging = e->peeking = e->in_case =
      false;
  e->also[0] = 0;
  e->outcome = RUN_AGREE;
  engine_reset(e);
}

void engine_free(struct engine *e) {
  e->rtl->destroy(e->r);
  free(e->c);
  free(e->ring);
  free(e->peek_in);
  free(e->scratch_out);
  free(e->beyond);
  free(e->start);
  free(e->quiet);
  free(e->quiet_out);
  free(e->ticked);
  free(e->skipped);
  control_free(e);
  free(e->hits);
  free(e);
}

struct frame *engine_frame(const struct engine *e, uint64_t cycle) {
  if (cycle > e->cycle || cycle + e->kept < e->cycle) return NULL;
  struct frame *f = (struct frame *)(e->ring + cycle % RING * e->slot);
  return f->cycle == cycle ? f : NULL;
}

/* ---- the cycle ---- */
static void __attribute__((noreturn)) engine_stop(struct engine *e) {
  e->stopping = false;
  running = NULL;
  longjmp(e->stop, 1);
}

static void went_wrong(struct engine *e, enum outcome o) {
  e->outcome = o;
  e->bad_cycle = e->cycle;
  e->bad_first = e->first;
  e->needs = e->cycle + 1;
  e->stopping = true;
}

static bool any_beyond(const unsigned char *beyond, const unsigned char *in, size_t bytes) {
  uint64_t any = 0, mask, v;
  size_t k = 0;
  for (; k + sizeof v <= bytes; k += sizeof v) {
    memcpy(&mask, beyond + k, sizeof mask);
    memcpy(&v, in + k, sizeof v);
    any |= v & mask;
  }
  for (; k < bytes; k++) any |= in[k] & beyond[k];
  return any;
}

/* Refuses inputs that the Verilog's ports cannot hold. */
static void check_widths(const struct engine *e, const void *in) {
  if (!any_beyond(e->beyond, in, e->d->in_bytes)) return;
  for (unsigned k = 0; k < e->d->items; k++) {
    const struct item *i = &e->d->item[k];
    if (i->kind != ITEM_IN) continue;
    char name[ITEM_NAME];
    for (unsigned n = 0; n < item_count(i); n++)
      if (!item_fits(i, in, n))
        die("%s: the bench drives bits above the width of %s [%u] in cycle %" PRIu64, e->d->name, item_name(i, n, name),
            i->width, e->cycle);
    if (any_beyond(e->beyond + i->offset, (const unsigned char *)in + i->offset, i->bytes))
      die("%s: the bench drives an element of %s that this set does not have in cycle %" PRIu64, e->d->name, i->name,
          e->cycle);
  }
}

static inline void engine_compare(struct engine *e, struct frame *f) {
  const unsigned char *out = frame_at(f, e->at_out);
  bool same = e->rtl->ports_only ? e->rtl->same_out(e->r, out) : e->rtl->same(e->r, out, frame_at(f, e->at_state));
  f->sampled = f->unknown = f->ended = false;
  if (!same && !e->stopping) went_wrong(e, RUN_DIVERGE);
  if (e->stopping) {
    f->sampled = true;
    e->rtl->sample(e->r, frame_at(f, e->at_rout), frame_at(f, e->at_rstate));
  }
  e->compared = true;
}

/* The frame of the present cycle. */
static struct frame *present_frame(const struct engine *e) {
  return (struct frame *)(e->ring + e->cycle % RING * e->slot);
}

/* Fills the present cycle's frame with both sides, before its comparison. out: the golden model's outputs under these inputs, NULL if
 * they are unknown; the frame then has the RTL's. True if a register differs or an output; `late`: also an output that depends on inputs
 * of the same cycle. */
static bool sides_differ(struct engine *e, const void *in, const void *out, bool late) {
  struct frame *f = present_frame(e);
  unsigned char *c = frame_at(f, e->at_out), *r = frame_at(f, e->at_rout), *registers = frame_at(f, e->at_rstate);
  if (in != frame_at(f, e->at_in)) memcpy(frame_at(f, e->at_in), in, e->d->in_bytes);
  e->rtl->eval(e->r, in);
  e->rtl->sample(e->r, r, registers);
  if (e->rtl->ports_only) memcpy(registers, e->c, e->d->state_bytes);
  if (out != c) memcpy(c, out ? out : r, e->d->out_bytes);
  memcpy(frame_at(f, e->at_state), e->c, e->d->state_bytes);
  f->cycle = e->cycle;
  f->reset = e->after_reset;
  f->sampled = true;
  f->unknown = !out;
  f->ended = false;
  if (!e->d->combinational && memcmp(registers, e->c, e->d->state_bytes)) return true;
  for (unsigned k = 0; k < e->d->items; k++) {
    const struct item *i = &e->d->item[k];
    if (i->kind == ITEM_OUT && (late || !i->depends) && memcmp(c + i->offset, r + i->offset, i->bytes)) return true;
  }
  return false;
}

/* The golden model's outputs in the present cycle, into its frame; NULL: a rule is broken in that. */
static const void *try_eval(struct engine *e, const void *in) {
  unsigned char *out = frame_at(present_frame(e), e->at_out);
  e->judging = true;
  const bool done = !setjmp(e->judged);
  if (done) e->d->eval(e->c, in, out);
  e->judging = false;
  return done ? out : NULL;
}

/* Whether the twins differ before this cycle's comparison: the last edge made a register differ, or an output that was looked at by
 * tb_peek does. With `evaluate` the outputs under `in` that depend on registers only are compared, too, if the golden model has any. */
static bool differ_already(struct engine *e, const void *in, bool evaluate) {
  if (e->compared) return false;
  unsigned char *mine = frame_at(present_frame(e), e->at_in);
  memcpy(e->quiet, in, e->d->in_bytes);
  if (e->peeked && sides_differ(e, e->peek_in, e->scratch_out, true)) return true;
  memcpy(mine, e->quiet, e->d->in_bytes);
  return sides_differ(e, mine, evaluate ? try_eval(e, mine) : NULL, false);
}

/* The failure is a difference in the present cycle, though something else was seen first: `what` saw it, and says `text`. */
static void __attribute__((noreturn)) diverge_now(struct engine *e, const char *what, const char *text) {
  went_wrong(e, RUN_DIVERGE);
  snprintf(e->also, sizeof e->also, "%s: %s", what, text);
  if (e->wave && e->cycle >= e->wave_from && e->cycle <= e->wave_to) wave_cycle(e->wave, present_frame(e));
  engine_stop(e);
}

/* Whether an assertion of the RTL failed at the last edge, with its text and values. After a tb_state none counts. */
static bool assertion_fails(struct engine *e, char *text, size_t room) {
  const struct asserted *a = e->rtl->asserted();
  char statement[400];
  if (!a || e->from_state) return false;
  snprintf(text, room, "%s:%d: assertion of %s failed", a->file, a->line, a->scope);
  if (!assertion_text(a, statement, sizeof statement)) return true;
  size_t n = strlen(text);
  snprintf(text + n, room - n, ": %s", statement);
  struct frame *f = present_frame(e);
  const struct sides at = {.in = frame_at(f, e->at_in),
                           .out = frame_at(f, f->sampled ? e->at_rout : e->at_out),
                           .state = e->rtl->ports_only ? NULL : frame_at(f, f->sampled ? e->at_rstate : e->at_state),
                           .scope = a->scope};
  explain_values(e->d, &at, statement, text, room);
  return true;
}

/* The golden model refuses the present cycle's inputs: what the RTL says of them. */
static void ask_rtl(struct engine *e) {
  struct frame *f = present_frame(e);
  bool late = false;
  char text[1024];
  if (!e->compared) late = sides_differ(e, frame_at(f, e->at_in), f->unknown ? NULL : frame_at(f, e->at_out), true);
  const char *outputs = late         ? "the outputs differ under them"
                        : f->unknown ? "the golden model gives no outputs"
                                     : "outputs and registers are equal";
  if (e->d->combinational) {
    snprintf(e->also, sizeof e->also, "the C side complains of these inputs alone; %s", outputs);
    return;
  }
  e->rtl->tick(e->r);
  if (assertion_fails(e, text, sizeof text)) snprintf(e->also, sizeof e->also, "the RTL complains, too: %s", text);
  else snprintf(e->also, sizeof e->also, "the C side complains alone: no assertion of the RTL fails; %s", outputs);
}

/*
 * A check of the golden model fails: the model cannot continue. An earlier failure is kept, first of all a difference
 * of the registers. A broken rule of the inputs means illegal stimulus (the shrinker tries many); anything else is a
 * fault of the model.
 */
static void __attribute__((noreturn)) engine_check_fails(struct engine *e, bool rule, const char *text) {
  if (e->judging) longjmp(e->judged, 1);
  if (e->peeking) memcpy(frame_at(present_frame(e), e->at_in), e->peek_in, e->d->in_bytes);
  if (e->peeking) e->peeking = e->peeked = false;
  if (e->stopping) {
    if (e->strict && rule && e->cycle == e->bad_cycle) e->outcome = RUN_ILLEGAL;
    engine_stop(e);
  }
  if (differ_already(e, frame_at(present_frame(e), e->at_in), false)) {
    if (!e->strict || !rule) diverge_now(e, "and the golden model's check fails, perhaps for that reason", text);
    went_wrong(e, RUN_ILLEGAL);
    engine_stop(e);
  }
  if (e->idling) {
    size_t n = strlen(e->message);
    snprintf(e->message + n, sizeof e->message - n, ": under quiet inputs %s", text);
  } else {
    snprintf(e->message, sizeof e->message, "%s", text);
    ask_rtl(e);
  }
  went_wrong(e, e->idling ? RUN_IDLE : rule ? RUN_ILLEGAL : RUN_INVARIANT);
  engine_stop(e);
}

/* A rule of a part (of fsmon in rmu) is kept by the block around it: broken, it is that block's fault. */
void block_broken(enum block_check kind, const char *condition, const char *file, unsigned line) {
  char text[1024];
  if (!running) die("%s:%u: broken outside a run: %s", file, line, condition);
  const char *name = strrchr(file, '/') ? strrchr(file, '/') + 1 : file, *block = running->d->name;
  size_t n = strlen(block);
  bool own = !strncmp(name, block, n) && name[n] == '.';
  bool rule = kind == BLOCK_CHECK_RULE && own;
  snprintf(text, sizeof text, "%s:%u: %s(%s)%s", file, line,
           kind == BLOCK_CHECK_RULE ? "BLOCK_RULE" : "BLOCK_INVARIANT", condition,
           kind == BLOCK_CHECK_RULE && !own ? " of a part" : "");
  if (own && !running->idling && !running->judging) { /* of a part, or of a copy: the names mean others */
    const struct engine *e = running;
    const struct sides at = {.in = frame_at(present_frame(e), e->at_in),
                             .out = frame_at(present_frame(e), e->at_out),
                             .state = e->c,
                             .model = e->c};
    explain_values(e->d, &at, condition, text, sizeof text);
  }
  engine_check_fails(running, rule, text);
}

/* The bench's check of legal inputs. A difference stands before it: the bench may have looked at a wrong state or output. */
static void check_legal(struct engine *e, struct frame *last, const void *in) {
  if (!e->tb->illegal || e->stopping) return;
  const char *why =
      e->tb->illegal(e->c, in, last ? frame_at(last, e->at_in) : NULL, last ? frame_at(last, e->at_out) : NULL);
  if (!why) return;
  if (differ_already(e, in, true) && !e->strict)
    diverge_now(e, "and the bench finds these inputs illegal, perhaps for that reason", why);
  snprintf(e->message, sizeof e->message, "%s", why);
  ask_rtl(e);
  went_wrong(e, RUN_ILLEGAL);
  engine_stop(e);
}

static void check_idle(struct engine *e, struct frame *last, const void *in) {
  if (e->stopping || e->rtl->choose) return;
  e->idling = true;
  bool ok = idle_holds(e, last ? frame_at(last, e->at_in) : NULL, in);
  e->idling = false;
  if (!ok) went_wrong(e, RUN_IDLE);
}

static void check_control(struct engine *e, const void *in, const void *out) {
  if (e->stopping || e->rtl->choose) return;
  if (!control_holds(e, in, out)) went_wrong(e, RUN_CONTROL);
}

static void check_asserted(struct engine *e) {
  char text[sizeof e->message];
  if (!e->rtl->asserted() || e->from_state) return;
  if (e->stopping) {
    if (!e->also[0] && e->outcome == RUN_DIVERGE && assertion_fails(e, text, sizeof text))
      snprintf(e->also, sizeof e->also, "and the RTL breaks its own assertion: %s in cycle %" PRIu64, text, e->cycle);
    return;
  }
  assertion_fails(e, e->message, sizeof e->message);
  snprintf(e->also, sizeof e->also, "the RTL complains alone: no rule or invariant of the golden model is broken");
  e->asserted = *e->rtl->asserted();
  went_wrong(e, RUN_ASSERT);
}

static bool goes_on(const struct engine *e) {
  return e->outcome == RUN_DIVERGE || e->outcome == RUN_CONTROL || e->outcome == RUN_IDLE || e->outcome == RUN_ASSERT;
}

/* Adds the present cycle to the recorded stream. */
static void record_inputs(struct engine *e, const void *in) {
  if (e->after_reset && e->from_state) stim_add_from(e->record, e->d, e->start, in);
  else stim_add(e->record, e->d, e->after_reset, in);
}

const void *tb_step(struct tb_run *t, const void *in) {
  struct engine *e = (struct engine *)t;
  struct frame *last = e->after_reset ? NULL : (struct frame *)(e->ring + (e->cycle - 1) % RING * e->slot);
  struct frame *f = present_frame(e);
  void *my_in = frame_at(f, e->at_in), *out = frame_at(f, e->at_out);
  memcpy(my_in, in, e->d->in_bytes);
  f->cycle = e->cycle;
  f->reset = e->after_reset;
  if (e->kept < RING) e->kept++;
  if (!e->plain) {
    check_widths(e, my_in);
    if (e->record && e->cycle >= e->record_from) record_inputs(e, my_in);
    check_legal(e, last, my_in);
  }
  e->d->eval(e->c, my_in, out);
  memcpy(frame_at(f, e->at_state), e->c, e->d->state_bytes);
  e->rtl->eval(e->r, my_in);
  engine_compare(e, f);
  if (e->wave && e->cycle >= e->wave_from && e->cycle <= e->wave_to) wave_cycle(e->wave, f);
  if (!e->plain && !e->stopping && e->tb->observe) {
    e->observing = true;
    e->tb->observe(t, e->c, my_in, out);
    e->observing = false;
  }
  if (e->d->tick) {
    if (!e->plain) check_control(e, my_in, out);
    if (!e->plain) check_idle(e, last, my_in);
    e->d->tick(e->c, my_in);
    if (!e->plain && !e->stopping) control_tick(e);
    e->rtl->tick(e->r);
    check_asserted(e);
  }
  e->after_reset = e->compared = e->peeked = false;
  e->cycle++;
  if (e->stopping ? !goes_on(e) || e->cycle > e->bad_cycle + AFTER : e->cycle == e->limit) engine_stop(e);
  return out;
}

/* The inputs of the last cycle, or zeros after a reset. */
static const void *last_inputs(struct engine *e) {
  if (e->after_reset) return memset(e->peek_in, 0, e->d->in_bytes);
  return frame_at((struct frame *)(e->ring + (e->cycle - 1) % RING * e->slot), e->at_in);
}

const void *tb_peek(struct tb_run *t, const void *in) {
  struct engine *e = (struct engine *)t;
  const void *with = in ? in : last_inputs(e);
  if (with != e->peek_in) memcpy(e->peek_in, with, e->d->in_bytes);
  e->peeking = true;
  e->d->eval(e->c, e->peek_in, e->scratch_out);
  e->peeking = false;
  e->peeked = true;
  return e->scratch_out;
}

const void *tb_model(const struct tb_run *t) { return ((const struct engine *)t)->c; }
void tb_reset(struct tb_run *t) { engine_reset((struct engine *)t); }
void tb_state(struct tb_run *t, const void *state) {
  struct engine *e = (struct engine *)t;
  if (!e->after_reset)
    die("%s: tb_state in cycle %" PRIu64 " of an episode, expected after a reset", e->d->name, e->cycle - e->first);
  if (!e->in_case) die("%s: tb_state in a random episode, expected in a case", e->d->name);
  if (e->no_states || !e->rtl->set) longjmp(e->leave, 1);
  start_from(e, state);
}
void tb_hit(struct tb_run *t, unsigned bin) {
  struct engine *e = (struct engine *)t;
  if (bin >= e->bins) die("%s: the bench hits bin %u of %u", e->d->name, bin, e->bins);
  e->hits[bin]++;
}

void tb_expect(struct tb_run *t, bool ok, const char *format, ...) {
  struct engine *e = (struct engine *)t;
  if (ok || e->stopping) return;
  va_list a;
  va_start(a, format);
  vsnprintf(e->message, sizeof e->message, format, a);
  va_end(a);
  if (!e->observing && differ_already(e, e->peeked ? e->peek_in : last_inputs(e), false)) {
    present_frame(e)->ended = !e->peeked;
    diverge_now(e, "and the bench's oracle disagrees", e->message);
  }
  went_wrong(e, RUN_EXPECT);
  if (!e->observing && e->cycle > e->first) e->bad_cycle--; /* it concerns the previous cycle */
  engine_stop(e);
}

/* ---- runs ---- */
static void run_case(struct engine *e, const struct tb_case *c) {
  struct tb_rng r = tb_rng_seeded(e->seed, 0x10000000000u + (uint64_t)(c - e->tb->cases));
  e->what = c->name;
  engine_reset(e);
  e->in_case = true;
  if (!setjmp(e->leave)) c->run((struct tb_run *)e, &r);
  e->in_case = false;
}

static void engine_run_bench(struct engine *e) {
  const struct tb *tb = e->tb;
  struct tb_run *t = (struct tb_run *)e;
  for (const struct tb_case *c = tb->cases; c && c->name; c++) {
    run_case(e, c);
    if (e->stopping) engine_stop(e);
  }
  if (!tb->episode) return;
  unsigned phases = 0;
  while (tb->phases && tb->phases[phases]) phases++;
  for (uint64_t n = 0;; n++) {
    struct tb_rng r = tb_rng_seeded(e->seed, n);
    uint64_t from = e->cycle;
    unsigned phase = phases ? tb_below(&r, phases) : 0;
    e->what = phases ? tb->phases[phase] : "episode";
    engine_reset(e);
    tb->episode(t, &r, phase);
    if (e->stopping) engine_stop(e);
    if (e->cycle == from) die("%s: an episode (%s) of the bench makes no cycle", e->d->name, e->what);
  }
}

enum outcome engine_run(struct engine *e, uint64_t limit) {
  e->limit = limit;
  running = e;
  if (limit && !setjmp(e->stop)) engine_run_bench(e);
  running = NULL;
  return e->outcome;
}

static void engine_replay_stream(struct engine *e, const struct stim *s) {
  for (uint64_t k = 0; k < s->cycles; k++) {
    const unsigned char *state = stim_state(s, e->d, k);
    if (stim_reset(s, k)) engine_reset(e);
    if (state && !e->rtl->set)
      die("%s: found a state before cycle %" PRIu64 ", expected none: a netlist has no registers by name", e->d->name,
          k);
    if (state) start_from(e, state);
    tb_step((struct tb_run *)e, stim_in(s, k));
  }
  /* what the last edge did to the registers */
  if (!s->cycles || e->stopping || !differ_already(e, last_inputs(e), false)) return;
  present_frame(e)->ended = true;
  went_wrong(e, RUN_DIVERGE);
  engine_stop(e);
}

enum outcome engine_replay(struct engine *e, const struct stim *s, const char *name) {
  e->limit = UINT64_MAX;
  e->what = name;
  running = e;
  if (!setjmp(e->stop)) engine_replay_stream(e, s);
  running = NULL;
  return e->outcome;
}

unsigned engine_bins_hit(const struct engine *e) {
  unsigned n = 0;
  for (unsigned i = 0; i < e->bins; i++) n += e->hits[i] > 0;
  return n;
}

/* ---- the engine's own check ---- */
static void check_comparer(struct engine *e, void *out, void *state) {
  for (unsigned k = 0; k < e->d->items; k++) {
    const struct item *i = &e->d->item[k];
    if (i->kind != ITEM_OUT && (i->kind != ITEM_STATE || e->rtl->ports_only)) continue;
    void *base = i->kind == ITEM_OUT ? out : state;
    for (unsigned n = 0; n < item_count(i); n++) {
      for (unsigned bit = 0; bit < i->width; bit++) {
        char name[ITEM_NAME];
        item_flip(i, base, n, bit);
        if (e->rtl->same(e->r, out, state) || (i->kind == ITEM_OUT && e->rtl->same_out(e->r, out))) {
          die("%s: the comparer does not see bit %u of %s", e->d->name, bit, item_name(i, n, name));
        }
        item_flip(i, base, n, bit);
      }
    }
  }
}

void engine_check_itself(struct engine *e) {
  const struct block_desc *d = e->d;
  void *in = memory_checked(calloc(1, d->in_bytes)), *back = memory_checked(calloc(1, d->in_bytes));
  void *out = memory_checked(calloc(1, d->out_bytes)), *state = memory_checked(calloc(1, d->state_bytes));
  if (strcmp(d->name, e->rtl->name)) die("the models are of two blocks: %s and %s", d->name, e->rtl->name);
  e->rtl->eval(e->r, in);
  e->rtl->sample(e->r, out, state);
  if (!e->rtl->same(e->r, out, state)) die("%s: the comparer does not agree with its own samples", d->name);
  check_comparer(e, out, state);
  e->rtl->hold(e->r, 1);
  for (unsigned k = 0; k < d->items; k++) {
    const struct item *i = &d->item[k];
    if (i->kind != ITEM_IN) continue;
    for (unsigned b = 0; b < item_bits(i); b++) {
      const unsigned n = b / i->width, bit = b % i->width;
      char name[ITEM_NAME];
      item_flip(i, in, n, bit);
      e->rtl->eval(e->r, in);
      e->rtl->inputs(e->r, back);
      if (memcmp(in, back, d->in_bytes))
        die("%s: bit %u of %s does not arrive at the RTL", d->name, bit, item_name(i, n, name));
      item_flip(i, in, n, bit);
    }
  }
  free(in);
  free(back);
  free(out);
  free(state);
  engine_restart(e);
}
