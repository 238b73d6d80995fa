/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trf: recorded instruction streams of a run (docs/use/trace-format.md): the reader. A trace is replayed as a stream
 * (trf_stream), or read CTA by CTA and warp by warp (trf_cta_open, trf_next). trf_write.h is the writer.
 *
 * A trace trusts nothing that it reads: every number is checked, and errors name the file with section, file offset, CTA,
 * warp and instruction. Several threads may read one trace. It keeps no file open between two calls.
 */
#ifndef RT_TRF_TRF_H
#define RT_TRF_TRF_H

#include "trace/stream.h"

enum {                   /* of the file */
       TRF_VALUES = 1,   /* with the values of destinations */
       TRF_IMPORTED = 2, /* from another simulator's traces: code has opcode texts, and no predicates */
       TRF_UNTIMED = 4   /* recorded without timing: racing kernels may have done other work than a timed run */
};

enum { TRF_WARPS = 32, TRF_INSNS = 1 << 20 }; /* of a CTA; of a kernel, at most */

/* A kernel as it was executed. Read: owned by the trace; written: only read. */
struct trf_code {
  /* name, file, line, col, insn with physical registers, n, nreg, npred, spills, shared_bytes, local_bytes, param_bytes,
   * dyn_shared. The rest is not in the file: who reads it finishes the code (lab/run/trace.c). Imported code has the
   * nearest instruction of ours for each of its own: class, registers, space and width are what counts. */
  const struct code *code;
  const char *const *text; /* imported: opcode of each instruction; else NULL */
  const uint8_t *cls;      /* imported: enum cls of each instruction, instead of compiler/ir/op.c's; else NULL */
  const char *ptx;         /* text of the PTX file; "" if unknown */
  const uint16_t *near;    /* of each instruction op.near, as the recorded run had it; NULL: it had none */
  uint64_t shape;          /* of opcodes and targets, without registers (trf_shape); set by the reader and writer */
};
uint64_t trf_shape(const struct code *c);

struct trf_launch {
  uint32_t code; /* number of its trf_code */
  uint32_t grid[3], block[3];
  uint32_t shared_bytes, shared_dyn; /* of a CTA: static and dynamic part together; the dynamic part */
  uint32_t regs, local_words;        /* per thread, in 32 bits */
  uint32_t code_base;                /* address of instruction 0 */
  uint32_t stride;                   /* of the grid every so manieth CTA was recorded; 1: all */
  const uint8_t *param;              /* param_bytes of them; NULL: none */
  uint32_t param_bytes;
  /* Set by the reader and the writer: */
  uint32_t ctas; /* in the file, each whole */
  uint64_t warp_insns, thread_insns, hash;
  uint64_t raw_bytes, stored_bytes; /* of its frames */
};

/* ---- a file ---- */
struct trf;
/* NULL and *e: no trace, or not whole; then *e says where it breaks off. */
struct trf *trf_open(const char *path, struct err *e);
/* The same, but of a file that breaks off what is whole is there: *why says where it does and trf_whole is false. NULL
 * and *e: not even that. */
struct trf *trf_open_partial(const char *path, struct err *why, struct err *e);
void trf_free(struct trf *t); /* NULL is fine */
const char *trf_path(const struct trf *t);
bool trf_whole(const struct trf *t);
uint32_t trf_flags(const struct trf *t);
uint64_t trf_bytes(const struct trf *t);   /* of the file */
const char *trf_meta(const struct trf *t); /* JSON text; of the run that was recorded */
uint32_t trf_codes(const struct trf *t);
const struct trf_code *trf_code(const struct trf *t, uint32_t number);
uint32_t trf_launches(const struct trf *t);
const struct trf_launch *trf_launch(const struct trf *t, uint32_t launch);
/* CTA number (in the grid) of the k-th CTA of a launch in the order of the grid. */
uint32_t trf_cta_at(const struct trf *t, uint32_t launch, uint32_t k);

/* ---- one CTA ---- */
/* One executed instruction of a warp. */
struct trf_step {
  uint32_t op, next, active, lanes, seq;
  bool last;      /* the warp's last one */
  uint8_t rows;   /* address rows: 1; cp.async that reads: 2; 0: no access, or one that touches no memory */
  uint8_t space;  /* enum space of the access (of addr), never generic */
  uint8_t nval;   /* destination words, if the trace has values */
  int8_t barrier; /* its number; -1: it arrives at none */
  uint32_t tex;   /* of an access to texels (space SP_TEX): tex_rows, tex_bytes, tex_filtered of it */
  uint32_t warps; /* that the barrier counts; 0: all that have not exited */
  /* Rows of 32 that the caller gives; lanes that do not access repeat the lowest that does. Local: offsets in the warp's
   * own local memory (word * 128 + 4 * lane + byte). `to`: shared side of a cp.async of two rows. */
  uint32_t *addr, *to;
  uint32_t (*texel)
      [32]; /* room for the 8 rows of an access to texels, of which addr gets the first; NULL: they are passed over */
  uint32_t (*val)[32]; /* room for 4 rows; NULL: values are passed over */
};

struct trf_cta;
/* CTA number `cta` of the grid, which is in the trace. NULL and *e: its frame is damaged. */
struct trf_cta *trf_cta_open(struct trf *t, uint32_t launch, uint32_t cta, struct err *e);
void trf_cta_close(struct trf_cta *c);
uint64_t trf_cta_hash(const struct trf_cta *c); /* known once its last block was read: when its last warp ends */
/* STREAM_GIVEN; STREAM_FINISHED: after the last one; STREAM_ERROR and *e. Warps may be read in any order. */
int trf_next(struct trf_cta *c, unsigned warp, struct trf_step *s, struct err *e);

/* ---- replay ---- */
/* A launch as a stream (stream.h). `code` is the finished code of the launch's kernel; with room.values the trace needs
 * TRF_VALUES, else they are zeros. The trace outlives it. NULL and *e. */
struct stream *trf_stream(struct trf *t, uint32_t launch, const struct code *code, const struct stream_room *room,
                          struct err *e);

#endif
