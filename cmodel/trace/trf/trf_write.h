/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trf_write: writes a trace (docs/use/trace-format.md). The order of calls:
 *
 *   w = trf_create(...)
 *   trf_add_code(w, ...)                    each kernel, before its first launch
 *   trf_launch_begin(w, ...)
 *     c = trf_cta_begin(w, cta)             several CTAs may be open at once, each in a thread of its own
 *       trf_add(c, warp, ...)               instructions of each warp in their order, of warps in any order
 *     trf_cta_end(w, c, hash)               in the order in which the file shall have them; one thread at a time
 *   trf_launch_end(w)
 *   trf_finish(w, true, e)
 *
 * The same calls give the same bytes. Errors of the file are kept and reported by trf_finish, whatever its `ok`; trf_failed asks
 * for them.
 */
#ifndef RT_TRF_TRF_WRITE_H
#define RT_TRF_TRF_WRITE_H

#include "trace/trf/trf.h"

struct trf_writer;
/* flags: TRF_*. meta: JSON text. The file appears under its name when it is finished; path NULL: a temporary file without
 * a name. NULL and *e: it cannot be written. */
struct trf_writer *trf_create(const char *path, uint32_t flags, const char *meta, struct err *e);
/* ok: writes what ends a file, syncs and renames it; else nothing is left. Frees w. *fd (NULL: not asked for): of a file
 * without a name, the caller's from now on; trf_open finds it as /proc/self/fd/N. */
bool trf_finish(struct trf_writer *w, bool ok, int *fd, struct err *e);
bool trf_failed(const struct trf_writer *w); /* nothing more can be written, as the disk is full */

/* Its number. Texts and the code are copied. */
uint32_t trf_add_code(struct trf_writer *w, const struct trf_code *c);
/* l->code, grid, block, shared_bytes, shared_dyn, regs, local_words, code_base, stride and parameters count. */
void trf_launch_begin(struct trf_writer *w, const struct trf_launch *l);
void trf_launch_end(struct trf_writer *w);

struct trf_rec; /* a CTA that is recorded */
struct trf_rec *trf_cta_begin(struct trf_writer *w, uint32_t cta);
/* inst: op, active, lanes, flags (of them the space of an access), and mem of a barrier count. An unguarded instruction
 * has lanes == active, a branch those that take it. addr: the row of the access (32 lanes; NULL: none, as lanes is 0), as
 * trf_step.addr (of an access to texels the rows that inst.mem tells, one behind the other); to: shared side of a cp.async that reads. val: op.ndst rows for a trace with values, else NULL. A warp's
 * last instruction is an exit. */
void trf_add(struct trf_rec *c, unsigned warp, const struct warp_inst *inst, const uint32_t *addr, const uint32_t *to,
             const uint32_t (*val)[32]);
/* The CTA is whole and goes into the file. hash: its part of the stream hash. */
void trf_cta_end(struct trf_writer *w, struct trf_rec *c, uint64_t hash);
void trf_cta_drop(struct trf_writer *w, struct trf_rec *c); /* it does not */

#endif
