/* SPDX-License-Identifier: Apache-2.0 */
/*
 * warp: internals of exec/: the decoded instruction, a warp's state, the memory image. Private to exec/.
 *
 * Invariants:
 * - A warp's top of the SIMT stack lives in pc, active, rpc; stack[] holds what lies below it. Masks on the
 * stack form a tree of strict subsets of 32 lanes, so 64 entries always suffice. No entry's pc equals its own
 * rpc.
 * - An address row holds, in lanes that do not execute, the address of the lowest lane that does: so checks
 * and gathers run over all 32 lanes without masks.
 */
#ifndef RT_EXEC_WARP_H
#define RT_EXEC_WARP_H

#include <string.h>

#include "base/bits.h"
#include "base/hashtab.h"
#include "exec/alu.h"
#include "exec/exec.h"
#include "exec/races.h"

enum { LANES = 32, ROW_BYTES = 128, ALL = -1 };
#define FULL 0xffffffffu

/* ---- memory image ---- */
struct region {
  uint32_t base, size;
  uint32_t pad; /* bytes before and behind it that may be read: zero, and never written */
  bool symbol;
  const char *name;
};
struct region_chunk;
struct region_list { /* sorted by base, disjoint; in chunks, so that adding and removing one is quick (region.c) */
  struct region_chunk **chunk;
  uint32_t n, cap;
};
struct bank {
  uint8_t *data; /* 64 KB */
  struct region_list list;
  uint32_t fixed, end; /* where the module's variables end; where what was added does */
  const struct module *module;
  struct arena names;
};
struct memory {
  uint8_t *image; /* by address; its first `bytes` are there. With `mapped` it is NULL: see image_at */
  size_t bytes;
  struct bank *bank; /* of memory_new */
  struct region_list global;
  uint32_t first; /* lowest address of a buffer */
  uint32_t end;   /* where the next buffer of memory_alloc may begin; nothing was ever beyond it */
  uint64_t used;  /* memory_buffer: bytes, gaps included */
  bool mapped, lenient;
  struct hashtab warned; /* kernels that were reported by memory_warn, by name */
  struct arena names;
};
/* Host pointer of a device address. Of an image at 0, too: hence no arithmetic with pointers. */
static inline uint8_t *host_at(const uint8_t *base, uint64_t off) { return (uint8_t *)((uintptr_t)base + off); }
static inline uint8_t *image_at(const struct memory *m, uint32_t a) { return host_at(m->image, a); }

void region_add(struct region_list *l, struct region r);
/* The one that begins there and has this name (the pointer); false: none. */
bool region_remove(struct region_list *l, uint32_t base, const char *name);
void region_free(struct region_list *l);
/* The region that holds address a, else NULL. */
const struct region *region_find(const struct region_list *l, uint32_t a);
/* The region that holds address a, or whose pad does, else NULL. */
const struct region *region_reads(const struct region_list *l, uint32_t a);
/* The region nearest to a, NULL if there is none. */
const struct region *region_near(const struct region_list *l, uint64_t a);
/* The last one with base <= a; NULL: none. */
const struct region *region_below(const struct region_list *l, uint64_t a);
/* The lowest address >= first, with a gap to the regions around it, where `bytes` fit below `end`; 0: there is none. */
uint32_t region_room(const struct region_list *l, uint32_t first, uint32_t end, uint64_t bytes, uint32_t align);

/* Of a kernel's first access outside of all buffers that is no fault: warns, once per kernel. */
void memory_warn(struct memory *m, const struct code *c, const struct err *e);

/* ---- decoded instructions ---- */
enum dkind {
  DK_ALU1,
  DK_ALU,
  DK_NOP,
  DK_LD,
  DK_ST,
  DK_ATOM,
  DK_BAR,
  DK_BRA,
  DK_EXIT,
  DK_TRAP,
  DK_MMA,
  DK_LDM,
  DK_CP,
  DK_CPGROUP,
  DK_MBAR,
  DK_PRINT,
  DK_TEX, /* tex, tld4 */
  DK_TXQ,
  DK_SURFACE
};
enum { PRED_FALSE = 16, PRED_TRUE = 17, PRED_SLOTS = 18 }; /* two constant slots after the 16 predicates */

struct window {
  uint32_t lo, span;
}; /* last allocation: an access at a is inside if a - lo <= span, which is below 2^31 (access.c) */
#define NO_WINDOW ((struct window){0, 0xffffffffu}) /* holds no address: no allocation was met yet */

struct dinsn {
  alu_fn *fn;
  const struct insn *insn;
  uint32_t src[INSN_SRC];                 /* offset in words from base[sel] */
  uint32_t dst[INSN_DST];                 /* offset in words from the warp's rows; NO_ROW: none kept */
  uint8_t sel[INSN_SRC];                  /* 0: the warp's rows, 1: the launch's pool */
  uint8_t psrc[INSN_SRC], pdst[INSN_DST]; /* predicate slots; pdst: NO_PRED if the operand is none */
  uint8_t dwords[INSN_DST];
  uint8_t kind, nsrc, ndst, pinv; /* pinv: bit per source, read inverted */
  uint8_t guard, haspred, clock,
      nval;                        /* haspred: predicate sources; clock: reads a clock; nval: destination words kept */
  uint8_t size, vec, total, space; /* memory: bytes of an element, elements, bytes per lane */
  uint8_t sext, awords;            /* signed narrow load; words of the address */
  uint8_t rounds;                  /* packed code: a destination is a float of less than eight nibbles */
  uint32_t ginv;                   /* FULL: the guard is inverted */
  struct window win[2];            /* cached: global, constant */
};
enum { NO_PRED = 255 };
#define NO_ROW 0xffffffffu

/* ---- warps and CTAs ---- */
enum wstate { WS_RUN, WS_EMPTY, WS_DONE, WS_ATOMIC, WS_BARRIER, WS_ERROR };

struct copies;    /* tensor.c */
struct mbarriers; /* mbarrier.c */

struct simt {
  uint32_t pc, rpc, mask;
};

struct warp {
  uint32_t pc, rpc, active, depth;
  uint64_t count, hash;
  uint32_t *rows;                 /* registers, then special-register rows */
  uint32_t vpos;                  /* next row of the value ring */
  uint16_t slot, cta_slot, index; /* index: of the warp in its CTA */
  uint8_t state;
  bool red;                            /* a red is queued: its own, or one that came to a barrier before it opened */
  uint32_t gen;                        /* counts cta_begin: an old queue entry does not touch a new warp */
  uint32_t bar_op, bar_lanes, bar_val; /* WS_BARRIER: where, who, value-ring row of the result */
  uint8_t bar_id;
  uint64_t watch;       /* count at which exec_watch looks at the warp */
  uint64_t spins;       /* exec.changes + 1 when its state was seen to repeat, 0: it was not */
  uint64_t mark, since; /* watch.c: hash of the state that may repeat; exec.changes then */
  uint32_t mark_pc, mark_active;
  uint16_t mark_steps, mark_looks;
  struct copies *copies; /* cp.async under way; NULL: there was none yet */
  uint32_t pred[PRED_SLOTS];
  struct simt stack[64];
};

enum { BARRIERS = 16, CTA_WARPS = 32 };
struct barrier {
  uint32_t arrived; /* warps of the CTA that have arrived, one bit each */
  uint32_t waiting;
  uint32_t arrivals, need; /* warps; need 0: all that have not exited */
  uint32_t pop, and, or ;  /* bar.red so far */
  bool red; /* a warp that arrived has a red queued: it must be visible to warps that leave the barrier */
};
struct cta {
  uint32_t id, exited; /* exited: warps, bits */
  uint16_t slot[CTA_WARPS];
  uint8_t *shared;
  bool used;
  struct barrier bar[BARRIERS];
  struct mbarriers *mbar; /* NULL: there was none yet in this slot */
};

struct clocks; /* races.c */

struct atom { /* a queued atomic: rows of addresses, first and second operand */
  uint32_t op, lanes, warp, gen, val, data;
  struct clocks *left; /* its clocks, for readers of its address */
};

/* ---- several SMs over one memory ---- */
enum { OVERLAY_FILTER_BITS = 12 };
struct overlay_line {
  uint32_t line, mask[4]; /* address / 128; bytes of it that were stored */
  uint8_t data[128];
};
struct overlay { /* an SM's stores of this quantum (overlay.c) */
  struct overlay_line *line;
  uint32_t n, cap, last;                           /* last: the one that was written last */
  uint32_t low, high;                              /* least and greatest line */
  uint32_t *index, room;                           /* hash table of 1-based indices; a power of two */
  uint64_t filter[1 << (OVERLAY_FILTER_BITS - 6)]; /* a bit per hash of a line: it may be here */
};

struct all_sms { /* all_sms.c */
  unsigned sms;
  struct exec **x;  /* by SM; NULL: not there yet, or freed */
  uint64_t changes; /* of all, up to the last quantum's end */
  uint32_t calm;    /* quanta without one */
  bool told;        /* an endless loop was reported */
};

struct said { /* calls of vprintf in this quantum (print.c) */
  struct said_item {
    uint64_t thread, at, n;
  } * item;
  uint32_t n, cap;
  char *text;
  size_t used, room;
};

enum clk_row { CLK_LO, CLK_HI };

struct run; /* run.c: CTAs that are executed without time */

struct exec {
  struct stream s; /* first: a struct stream * is a struct exec * */
  const struct launch *launch;
  const struct code *code;
  struct bank *bank;
  struct races *races;   /* NULL: no race detection */
  struct images *images; /* texture.c; NULL: no instruction of the kernel reads or writes images */
  struct exec_limits lim;
  uint32_t grid;              /* CTAs */
  struct run *others;         /* the CTAs between those that are timed; NULL: none yet */
  const struct exec_tap *tap; /* the launch's; NULL: none */
  bool untimed;               /* executes them: another stream of the launch times the rest */
  struct dinsn *dec;
  struct warp *warp;
  struct cta *cta;
  uint32_t *pool; /* constant rows: immediates, parameters, launch-wide special registers */
  uint32_t pool_rows, pool_cap;
  struct hashtab pool_index;  /* from a value to the offset of its rows, in words */
  uint32_t row_count;         /* rows per warp */
  int32_t sreg_row[SR_COUNT]; /* row in the warp, -1: unused */
  uint32_t *rows;             /* all warps */
  uint32_t *tid;              /* [warp of CTA][3][32] */
  uint8_t *param, *local, *shared;
  uint32_t local_words; /* per thread */
  uint32_t *addr_ring, *val_ring;
  struct atom *atom;
  uint32_t natom, catom;
  uint64_t changes; /* of memory, and what else may end another warp's loop: barriers, new CTAs */
  uint64_t changes_seen;
  uint64_t begun;       /* CTAs */
  uint64_t landing;     /* arrivals at mbarriers that wait for copies */
  uint32_t calm;        /* quanta without a change */
  uint32_t watch_every; /* instructions of a warp between two looks of watch.c */
  bool patient, stuck;  /* more CTAs can become resident; needed, as no warp can proceed otherwise */
  bool tracing;         /* watch.c looks for the loop that a warp is in */
  bool red_spread;      /* a barrier has passed a queued red on to other warps */
  uint32_t *adata;
  uint32_t nadata, cadata;
  struct all_sms *all; /* the streams of the launch's SMs; NULL: it is alone */
  struct overlay over; /* used if several SMs share the memory; so is `said` */
  struct said said;
  uint32_t local_base; /* address of the first warp slot's local memory */
  struct err beyond;   /* the first access out of bounds that is no fault: a warning, due at the quantum's end */
  bool beyond_told;
  struct alu_io io;
  _Alignas(64) uint32_t scratch[INSN_DST][2 * LANES];
};

/* ---- lane vectors: 8 of these make a row ---- */
typedef uint32_t v4u __attribute__((vector_size(16), may_alias));
typedef int32_t v4i __attribute__((vector_size(16), may_alias));
enum { ROW_V = 8 };
static const v4u lane_bit[ROW_V] = {
    {1u << 0, 1u << 1, 1u << 2, 1u << 3},     {1u << 4, 1u << 5, 1u << 6, 1u << 7},
    {1u << 8, 1u << 9, 1u << 10, 1u << 11},   {1u << 12, 1u << 13, 1u << 14, 1u << 15},
    {1u << 16, 1u << 17, 1u << 18, 1u << 19}, {1u << 20, 1u << 21, 1u << 22, 1u << 23},
    {1u << 24, 1u << 25, 1u << 26, 1u << 27}, {1u << 28, 1u << 29, 1u << 30, 1u << 31},
};
static inline v4u v4_all(uint32_t x) { return (v4u){x, x, x, x}; }
static inline v4u lane_on(uint32_t lanes, unsigned k) { /* ~0 in lanes 4k..4k+3 that are set */
  return (v4u)((v4_all(lanes) & lane_bit[k]) != 0);
}
/* to[lane] = from[lane] where the lane is set. */
static inline void row_merge(uint32_t *to, const uint32_t *from, uint32_t lanes) {
  v4u *t = (v4u *)to;
  const v4u *f = (const v4u *)from;
  for (unsigned k = 0; k < ROW_V; k++) {
    v4u on = lane_on(lanes, k);
    t[k] = (t[k] & ~on) | (f[k] & on);
  }
}
/* Row n of a block of rows. */
static inline uint32_t *row_at(uint32_t *rows, size_t n) { return rows + n * LANES; }

static inline void row_fill(uint32_t *row, uint32_t x) {
  for (unsigned i = 0; i < LANES; i++) row[i] = x;
}

/* ---- decode.c ---- */
bool exec_decode(struct exec *x, struct err *e);
void exec_decode_free(struct exec *x);

/* ---- warp.c ---- */
int exec_step(struct exec *x, struct warp *w, struct warp_inst *out);
/* Of an instruction just executed, for launch.tap; STREAM_GIVEN, or STREAM_ERROR: it has ended the launch. */
int exec_tapped(struct exec *x, struct warp *w, struct warp_inst *out);
static inline int exec_next(struct exec *x, struct warp *w, struct warp_inst *out) {
  const int given = exec_step(x, w, out);
  return given == STREAM_GIVEN && x->tap ? exec_tapped(x, w, out) : given;
}
/* A fault of one lane (or of the whole warp, lane ALL): fills stream->err, marks the warp; returns STREAM_ERROR. */
int exec_fault(struct exec *x, struct warp *w, enum fault fault, uint32_t op, int lane, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));
/* The same text and place for *e. */
void exec_place(struct exec *x, const struct warp *w, uint32_t op, int lane, struct err *e, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));

/* ---- access.c ---- */
struct access {                             /* addresses of one instruction, all lanes checked */
  _Alignas(64) uint32_t a[LANES], h[LANES]; /* low and high words */
  uint32_t first;                           /* lowest lane that executes */
  uint32_t hdiff, any, cont;                /* or of: h ^ h[first]; a; a[i] - (a[first] + 4 i) */
  uint64_t hash;
};
/* Words of an operand that is an address; an immediate is whole. */
static inline uint8_t access_words(const struct opnd *o) { return o->words == 2 || o->kind == O_IMM ? 2 : 1; }
/* Addresses in a row (of `words` words), plus off. */
void access_from_rows(const uint32_t *row, unsigned words, uint64_t off, uint32_t lanes, struct access *c);
void access_addresses(const struct exec *x, const struct warp *w, const struct dinsn *d, uint32_t lanes,
                      struct access *c);
/* Space of a lane's generic window; SP_GENERIC: there is none. */
enum space access_window(uint32_t h);
/* Checks bounds and alignment of `lanes` in one space; false: a fault was reported. The host pointer that a[]
 * indexes (not for local memory). */
bool access_check(struct exec *x, struct warp *w, struct dinsn *d, enum space sp, uint32_t lanes, struct access *c);
/* Makes generic addresses of `lanes` ones of shared memory; false: one lies elsewhere, a fault was reported. */
bool access_shared_only(struct exec *x, struct warp *w, const struct dinsn *d, uint32_t lanes, struct access *c);
/* Reports that `bytes` at a (of that space) lie outside what is there; false. */
bool access_outside(struct exec *x, struct warp *w, const struct dinsn *d, enum space sp, uint32_t lane, uint64_t a,
                    unsigned bytes);
/* Is an access outside of all buffers, aligned, allowed nevertheless (memory_options.lenient)? It is noted in x->beyond. */
bool access_lenient(struct exec *x, struct warp *w, const struct dinsn *d, uint32_t lane, uint64_t a, unsigned bytes);
uint8_t *access_base(const struct exec *x, const struct warp *w, enum space sp); /* of global memory: see host_at */
/* Lanes of `lanes` whose generic address lies in the window of c->h[bit_low32(lanes)]. */
uint32_t access_group(const struct access *c, uint32_t lanes);
/* c with the lanes outside `lanes` replaced by its lowest. */
void access_narrow(const struct access *c, uint32_t lanes, struct access *to);
int exec_load(struct exec *x, struct warp *w, struct dinsn *d, uint32_t lanes, struct warp_inst *out);
int exec_store(struct exec *x, struct warp *w, struct dinsn *d, uint32_t lanes, struct warp_inst *out);
/* Takes a row of the address ring for out and writes what timing sees of `lanes` in space sp. */
void access_report(struct exec *x, struct warp *w, enum space sp, const struct access *c, struct warp_inst *out);

/* ---- overlay.c: several SMs over one memory ---- */
static inline bool exec_apart(const struct exec *x) { return x->lim.sms > 1; }
/* May one of the 32 addresses, each of an access within one line, lie in a line that is here? */
bool overlay_touches(const struct overlay *o, const uint32_t *a);
void overlay_write(struct overlay *o, uint32_t at, const void *from, unsigned bytes);
/* From the image and what was written over it. */
void overlay_read(const struct overlay *o, const uint8_t *image, uint32_t at, void *to, unsigned bytes);
void overlay_apply(struct overlay *o, uint8_t *image); /* makes all stores; it is empty then */
void overlay_free(struct overlay *o);
/* Bytes of global memory as this SM sees them. */
static inline void exec_global(const struct exec *x, uint32_t at, void *to, unsigned bytes) {
  const struct memory *m = x->launch->mem;
  if (x->over.n) overlay_read(&x->over, m->image, at, to, bytes);
  else memcpy(to, image_at(m, at), bytes);
}

/* ---- all_sms.c ---- */
void all_sms_quantum(struct all_sms *t); /* after exec_quantum of all of them */

/* ---- tensor.c ---- */
int exec_ldmatrix(struct exec *x, struct warp *w, struct dinsn *d, uint32_t lanes, struct warp_inst *out);
void exec_cp_group(struct exec *x, struct warp *w, const struct dinsn *d); /* commit, wait */
void exec_cp_forget(struct warp *w);                                       /* a new CTA */
int exec_cp_async(struct exec *x, struct warp *w, struct dinsn *d, uint32_t lanes, struct warp_inst *out);

uint64_t exec_cp_count(const struct warp *w);                     /* copies of the warp so far */
void exec_cp_land(struct exec *x, struct warp *w, uint64_t upto); /* so many of them come to shared memory */

/* ---- mbarrier.c ---- */
int exec_mbarrier(struct exec *x, struct warp *w, struct dinsn *d, uint32_t lanes, struct warp_inst *out);
/* The copies are done that the warp's oldest arrival waits for (as stream_ops.landed) / that all arrivals wait for: they
 * arrive, and how many did. */
int exec_landed(struct exec *x, const struct warp *w);
unsigned exec_land_all(struct exec *x);
void exec_mbarrier_forget(struct exec *x, struct cta *c); /* a new CTA */
void exec_mbarrier_free(struct cta *c);

/* ---- texture.c, surface.c ---- */
/* Kind and sizes of TEX, TLD4, TXQ, SULD, SUST; NULL, or why the instruction is refused. */
const char *texture_decode(struct exec *x, struct dinsn *d);
void texture_free(struct exec *x);
int exec_texture(struct exec *x, struct warp *w, struct dinsn *d, uint32_t lanes, struct warp_inst *out);
int exec_texture_query(struct exec *x, struct warp *w, struct dinsn *d, uint32_t lanes);
int exec_surface(struct exec *x, struct warp *w, struct dinsn *d, uint32_t lanes, struct warp_inst *out);

/* ---- print.c ---- */
int exec_print(struct exec *x, struct warp *w, struct dinsn *d, uint32_t lanes);
int exec_assert(struct exec *x, struct warp *w, struct dinsn *d, uint32_t lanes); /* an assertion that does not hold */
void exec_print_quantum(struct exec *x); /* what was said within the quantum goes to launch.prints */

/* ---- round.c ---- */
/* Does the instruction write floats of less than eight nibbles? */
bool exec_rounds(const struct code *c, uint32_t op);
/* Gives them, in these lanes, the value that their slices hold. */
void exec_round(const struct exec *x, const struct warp *w, const struct dinsn *d, uint32_t lanes);

/* ---- atomic.c ---- */
int exec_atomic(struct exec *x, struct warp *w, struct dinsn *d, uint32_t lanes, struct warp_inst *out);
unsigned exec_quantum(struct exec *x); /* makes the stores of several SMs' streams, then performs the atomics */

/* ---- races.c: all but races_launch only with x->races ---- */
struct race_access {                   /* of the lanes of a warp, checked */
  const uint32_t *a, *value[INSN_DST]; /* by lane; value: of a store's elements, the first NULL: not known */
  uint32_t op, lanes;
  unsigned bytes, size, vec; /* of a lane; of an element; elements */
  bool shared, write, strong, rmw;
};
void races_launch(struct exec *x);
void races_cta(struct exec *x, unsigned slot);
void races_access(struct exec *x, struct warp *w, const struct race_access *r);
/* Of a load, store or atomic; before memory changes. */
void races_insn(struct exec *x, struct warp *w, const struct dinsn *d, enum space sp, uint32_t lanes,
                const struct access *c);
/* Of ldmatrix (a load) and cp.async: bytes of each lane whose values do not matter. */
void races_bytes(struct exec *x, struct warp *w, uint32_t op, enum space sp, bool write, const uint32_t *a,
                 uint32_t lanes, unsigned bytes);
/* An mbarrier at a shared address is new; a warp arrives there, or has seen that a phase has ended; it ends. */
void races_init(struct exec *x, const struct warp *w, uint32_t addr);
void races_signal(struct exec *x, const struct warp *w, uint32_t addr);
void races_waited(struct exec *x, const struct warp *w, uint32_t addr);
void races_phase(struct exec *x, const struct warp *w, uint32_t addr);
void races_fence(struct exec *x, const struct warp *w);
void races_acquire(struct exec *x, const struct warp *w);
void races_arrive(struct exec *x, const struct warp *w, unsigned barrier);
void races_open(struct exec *x, const struct cta *c, unsigned barrier, uint32_t waiting);
/* An atomic when it is fetched: the clocks it will leave (owned by the caller); and when it is performed: here: its
 * warp still exists. */
struct clocks *races_leave(struct exec *x, const struct warp *w);
void races_atomic(struct exec *x, const struct warp *w, bool here, bool shared, const uint32_t *a, uint32_t lanes,
                  struct clocks *left);
void races_drop(struct clocks *left);

/* ---- stream.c ---- */
/* Room for as many resident CTAs, warps i of CTA slot c being c * warps_per_cta + i; those that are there
 * stay. Returns how many there is room for: fewer when a limit forbids more. */
unsigned exec_room(struct exec *x, unsigned cta_slots);

/* ---- traced.c ---- */
/* exec_run of a launch of a trace: its instructions are counted, and shown to the tap. */
bool exec_traced(const struct launch *l, struct exec_counts *counts, struct err *e);

/* ---- run.c ---- */
/* Executes CTAs from..to-1 of the grid, to their end. False: s.err says why. */
bool exec_others(struct exec *x, uint32_t from, uint32_t to);
void exec_others_free(struct exec *x);

/* ---- watch.c ---- */
enum { WATCH_EVERY = 1 << 16, WATCH_STUCK = 1 << 11 }; /* watch_every: at first, and when loops were seen to wait */
enum { WATCH_CALM = 2 };                               /* quanta after which all queued atomics are performed */
/* Do all warps of all SMs that can run wait in loops which none of them can end? Then one of them is an error. */
bool exec_all_spin(const struct all_sms *t);
/* Too many instructions of the launch, or more of something else (`limit`): an error at the branch of the loop that the warp with most
 * instructions is in. */
void exec_runaway(struct exec *x, const char *limit);
/* Checks whether the warp's loop can end: STREAM_ERROR with a place if it cannot, else STREAM_GIVEN. */
int exec_watch(struct exec *x, struct warp *w);

/* ---- barrier.c ---- */
int exec_barrier(struct exec *x, struct warp *w, struct dinsn *d, uint32_t lanes, struct warp_inst *out);
void exec_barrier_exit(struct exec *x, struct warp *w); /* the warp has exited */
bool exec_deadlock(struct exec *x, struct err *e);      /* true: an error that names who waits for whom */

static inline const uint32_t *exec_row(const struct exec *x, const struct warp *w, const struct dinsn *d, unsigned k) {
  return (d->sel[k] ? x->pool : w->rows) + d->src[k];
}
static inline uint32_t exec_pred(const struct warp *w, const struct dinsn *d, unsigned k) {
  return w->pred[d->psrc[k]] ^ (d->pinv >> k & 1 ? FULL : 0);
}
/* Reserves nval rows of the value ring; returns inst.val. */
static inline uint16_t exec_values(struct warp *w, unsigned nval) {
  uint32_t v = w->vpos;
  w->vpos = (v + nval) % VAL_RING;
  return (uint16_t)(v + 1);
}
static inline uint32_t *exec_val_row(const struct exec *x, const struct warp *w, uint32_t val, unsigned k) {
  return x->val_ring + ((uint64_t)w->slot * VAL_RING + (val - 1 + k) % VAL_RING) * LANES;
}
/* Copies the destinations' rows as they are now. */
static inline void exec_keep(const struct exec *x, const struct warp *w, const struct dinsn *d, uint32_t val) {
  unsigned n = 0;
  for (unsigned k = 0; k < d->ndst; k++)
    if (d->dst[k] != NO_ROW)
      for (unsigned j = 0; j < d->dwords[k]; j++)
        memcpy(exec_val_row(x, w, val, n++), w->rows + d->dst[k] + (size_t)j * LANES, ROW_BYTES);
}

#endif
