/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trf_codec: what the encoder and the decoder of a CTA's blocks share (docs/use/trace-format.md, "A block"). Private to
 * trace/trf/.
 */
#ifndef RT_TRF_TRF_CODEC_H
#define RT_TRF_TRF_CODEC_H

#include "base/bits.h"
#include "trace/trf/trf.h"

/* The columns of a block, in their order. FLOW: jumps and changes of the active mask; MASK: masks; LANE: lanes whose guard
 * holds; ADDR: accesses; FIRST: where a warp's first access of each slot begins; MISC: spaces and barriers; VAL: values. */
enum column { COL_FLOW, COL_MASK, COL_LANE, COL_ADDR, COL_FIRST, COL_MISC, COL_VAL, COLUMNS };

/* What an instruction has in the columns; made from its struct insn. */
enum {
  F_GUARD = 1,
  F_BRANCH = 2,
  F_EXIT = 4,
  F_BARRIER = 8,
  F_COUNT = 16,  /* of a barrier: it has one */
  F_ARRIVE = 32, /* it does not wait */
  F_ACCESS = 64, /* of memory */
  F_COPY = 128,  /* cp.async */
  F_ATOMIC = 256,
  F_RESULT = 512,   /* of an atomic: it has one */
  F_GENERIC = 1024, /* the space of the access is known only when it is executed */
  F_RED = 2048,     /* it waits while a red of its warp is queued */
  F_TEX = 8192,     /* of a texture or surface: up to TEX_ROWS rows, with a slot for each */
  F_REACHED = 4096  /* some path from instruction 0 comes to it: analyses know nothing of others */
};
struct form {
  uint16_t flags;
  uint8_t width;       /* bytes per lane */
  uint8_t giving;      /* ldmatrix: so many lowest lanes give an address; else 32 */
  uint8_t space, nval; /* nval: 32-bit registers that it writes */
  uint32_t slot;       /* of its access; a copy: its shared side has the next one */
};
/* Of all instructions; freed by the caller. *slots: how many there are. */
struct form *trf_forms(const struct code *c, uint32_t *slots);

/* An instruction on texels: with insn.tex in the file. */
static inline bool trf_is_tex(const struct insn *i) { return insn_texture(i); }
/* In MISC: how its rows are; 0: it touches no memory. */
enum { TEX_ROWS = 8, TEX_HOW_MOST = 1 + (3 | 4 << 2 | 1 << 5) };
static inline uint8_t tex_how(uint32_t mem) {
  const unsigned rows = (unsigned)bit_low32(tex_rows(mem)), bytes = (unsigned)bit_low32(tex_bytes(mem));
  return mem ? (uint8_t)(1 + (rows | bytes << 2 | (unsigned)tex_filtered(mem) << 5)) : 0;
}
static inline uint32_t tex_mem_of(uint8_t how) { /* without a row */
  return how ? tex_mem(0, 1u << ((how - 1) & 3), (how - 1u) >> 2 & 7, (how - 1) >> 5) : 0;
}

enum { MODE_SAME, MODE_STRIDE, MODE_LIST, MODE_RUNS, MODE_DELTAS, MODE_BITS };
enum { LANE_NONE, LANE_ALL, LANE_MASK };
enum { VAL_EQUAL, VAL_AFFINE, VAL_PLANES };
enum { MTF = 16, MTF_NEW = 255 };

/* What is known of a warp's accesses of one slot: the next one is guessed to begin at base + step, with the same stride
 * between lanes, or the same list of offsets. */
struct slot {
  uint32_t base, step, stride;
  uint32_t list;      /* 1-based; 0: there was none */
  bool seen, by_list; /* by_list: the last one was */
};
typedef uint32_t lane_list[32];

static inline uint32_t zigzag_encode(int32_t v) { return (uint32_t)v << 1 ^ (uint32_t)(v >> 31); }
static inline int32_t zigzag_decode(uint32_t v) { return (int32_t)(v >> 1 ^ (0u - (v & 1))); }

/* A mask by its place in a list of those seen last, which it then leads; MTF_NEW: it was not there. */
static inline unsigned mtf_find(uint32_t list[MTF], uint32_t mask) {
  unsigned k = 0;
  while (k < MTF && list[k] != mask) k++;
  const unsigned code = k < MTF ? k : MTF_NEW;
  for (k = k < MTF ? k : MTF - 1; k; k--) list[k] = list[k - 1];
  list[0] = mask;
  return code;
}

static inline uint32_t trf_warp_lanes(uint32_t threads, unsigned warp) {
  const uint32_t left = threads - 32 * warp;
  return left >= 32 ? UINT32_MAX : (1u << left) - 1;
}

/* ---- bytes of a file ---- */
enum { TRF_META = 1, TRF_CODE, TRF_LAUNCH, TRF_FRAME, TRF_TOTAL, TRF_INDEX, TRF_END, TRF_NEAR, TRF_TYPES };
enum { SEC_ZSTD = 1, SEC_SKIP = 2 };
enum { TRF_HEAD = 16, SEC_HEAD = 32, FRAME_BYTES = 256 << 10, FRAME_MOST = 64 << 20, META_MOST = 1 << 24 };
/* Bytes that a section may have of so many stored ones: 1 MB, or a multiple of them. A writer pads what zstd packs better. */
enum { SEC_RATIO = 4096, CODE_RATIO = 64, SEC_SMALL = 1 << 20 };
static inline uint64_t trf_ratio(uint32_t type) { return type == TRF_CODE ? CODE_RATIO : SEC_RATIO; }
static inline uint64_t trf_room(uint32_t type, uint64_t stored) {
  return stored < SEC_SMALL / trf_ratio(type) ? SEC_SMALL : stored * trf_ratio(type);
}
#define TRF_MAGIC "\x89RTRF\r\n\x1a"
#define TRF_TAIL "RTRF-END"
struct section {
  uint32_t type, flags;
  uint64_t raw, stored;
};
static inline uint32_t get_u32(const uint8_t *p) {
  return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}
static inline uint64_t get_u64(const uint8_t *p) { return get_u32(p) | (uint64_t)get_u32(p + 4) << 32; }

/* A growing array of bytes. */
struct bytes {
  uint8_t *p;
  size_t n, cap;
};
void bytes_grow(struct bytes *b, size_t more);
static inline void bytes_room(struct bytes *b, size_t more) {
  if (b->cap - b->n < more) bytes_grow(b, more);
}
void put_bytes(struct bytes *b, const void *p, size_t n);
static inline void put_u8(struct bytes *b, uint8_t v) {
  bytes_room(b, 1);
  b->p[b->n++] = v;
}
void put_u32(struct bytes *b, uint32_t v);
void put_u64(struct bytes *b, uint64_t v);
static inline void put_varint(struct bytes *b, uint64_t v) {
  bytes_room(b, 10);
  for (; v >= 128; v >>= 7) b->p[b->n++] = (uint8_t)(v | 128);
  b->p[b->n++] = (uint8_t)v;
}
static inline void put_signed(struct bytes *b, int32_t v) { put_varint(b, zigzag_encode(v)); }

/* A reader's place in bytes; `bad` once there was less than asked for, or no number, and then everything is 0. */
struct cursor {
  const uint8_t *p, *end;
  bool bad;
};
uint64_t get_long(struct cursor *c); /* a varint of more than one byte */
static inline uint64_t get_varint(struct cursor *c) {
  if (c->p != c->end && *c->p < 128) return *c->p++;
  return get_long(c);
}
static inline uint8_t get_u8(struct cursor *c) {
  if (c->p != c->end) return *c->p++;
  c->bad = true;
  return 0;
}
/* A varint that fits 32 bits. */
static inline uint32_t get_number(struct cursor *c) {
  const uint64_t v = get_varint(c);
  if (v <= UINT32_MAX) return (uint32_t)v;
  c->bad = true;
  return 0;
}
static inline int32_t get_signed(struct cursor *c) { return zigzag_decode(get_number(c)); }
const uint8_t *get_bytes(struct cursor *c, uint64_t n); /* NULL and bad: there are fewer */

/* ---- sections CODE and LAUNCH: trf_code.c ---- */
void trf_put_code(struct bytes *b, const struct trf_code *c);
/* Into the arena. False: *why says what is wrong. */
bool trf_get_code(struct cursor *c, struct arena *a, struct trf_code *out, const char **why);
/* NEAR: codes[number].near. Reading: of n codes. */
void trf_put_near(struct bytes *b, uint32_t number, const struct trf_code *t);
bool trf_get_near(struct cursor *c, struct arena *a, struct trf_code *codes, uint32_t n, const char **why);
void trf_put_launch(struct bytes *b, const struct trf_launch *l);
bool trf_get_launch(struct cursor *c, struct arena *a, struct trf_launch *out, const char **why);

/* ---- a CTA's blocks: trf_encode.c ---- */
struct rec_room { /* of a launch */
  const struct form *form;
  uint32_t slots, threads, wpc;
  bool values;
};
struct trf_rec *rec_new(void);
void rec_begin(struct trf_rec *r, const struct rec_room *room, uint32_t cta);
void rec_end(struct trf_rec *r, uint64_t hash); /* the last block is made */
void rec_free(struct trf_rec *r);
struct rec_block {
  size_t at, n; /* in bytes.p */
};
struct rec_done {
  const struct bytes *bytes;
  const struct rec_block *block;
  uint32_t blocks, cta;
  uint64_t warp_insns, thread_insns;
};
struct rec_done rec_done(const struct trf_rec *r);
struct trf_rec **rec_link(struct trf_rec *r); /* for the owner's list of those that are free */

/* ---- frames: trf_read.c ---- */
struct block_at { /* of a CTA; k-th block */
  uint32_t frame, at, n;
};
struct cta_at {
  uint32_t cta, blocks; /* blocks from `first` on */
  uint64_t first;
};
struct launch_index {
  struct trf_launch is;
  const struct form *form; /* of its code */
  uint32_t slots;
  struct cta_at *cta; /* in the order of the grid */
  struct block_at *block;
  uint64_t nblock;
};
const struct launch_index *trf_index(const struct trf *t, uint32_t launch);
uint64_t trf_frame_at(const struct trf *t, uint32_t frame); /* its file offset */
/* A copy of the block's bytes, freed by the caller; NULL and *e: its frame cannot be read. */
uint8_t *trf_block(struct trf *t, const struct block_at *b, struct err *e);

#endif
