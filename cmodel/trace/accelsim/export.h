/* SPDX-License-Identifier: Apache-2.0 */
/* export: a trace of ours as files that Accel-Sim reads: kernelslist.g and a .traceg file for each launch; and what an
 * exported trace has lost (docs/use/accel-sim.md). */
#ifndef RT_ACCELSIM_EXPORT_H
#define RT_ACCELSIM_EXPORT_H

#include "trace/trf/trf.h"

struct export_report { /* counts of executed warp instructions */
  uint32_t kernels;
  uint32_t parts; /* of them: launches recorded with a stride of CTAs, written as grids of only these */
  uint64_t ctas, warp_insns, bytes; /* bytes: of all files */
  uint64_t lines;                   /* of instructions in the files: more than warp_insns where there are divisions */
  uint64_t divisions;               /* that a compiler's sequences stand for */
  uint64_t registers;               /* that name more registers than a line lists */
  uint64_t predicates;              /* that read or write predicates, guards among them */
  uint64_t barriers;                /* barriers of another number than 0, or with a count */
  uint64_t copies;                  /* asynchronous copies, whose shared side a line does not have */
  uint64_t zero_fills;              /* of those: they read nothing, and are written as stores to shared memory */
  uint64_t
      constants; /* loads from constant memory, which Accel-Sim takes as integer operations; the import keeps them */
  uint64_t
      texels; /* accesses to textures and surfaces: a line has no addresses of theirs, as Accel-Sim's tracer has none */
  uint64_t arrivals; /* cp.async.mbarrier.arrive: an atomic on shared memory at once, whatever copies are under way */
};

/* dir is made if it is not there. xz: the kernels' files are compressed. False and *e: none of the files is there. */
bool traceg_export(struct trf *t, const char *dir, bool xz, struct export_report *report, struct err *e);

struct same_report {
  uint64_t ctas, warp_insns;
  uint64_t opcodes, masks, addresses, order; /* warp instructions that differ so; order: that one of both lacks */
  uint64_t registers;                        /* that name other registers; divisions are not compared */
  uint64_t divisions;
  uint64_t texels; /* accesses to texels, of which an exported trace has no addresses: they are no differences */
};
/* Holds the instructions of each warp of two traces against each other: what it was, its lanes, addresses. False and *e: a
 * trace cannot be read, or they have other launches or CTAs. */
bool traceg_same(struct trf *a, struct trf *b, struct same_report *report, struct err *e);

#endif
