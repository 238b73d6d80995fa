/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ref: the expected results of the suite's kernels, in plain C independent of PTX, groups, tiles and the simulator.
 * Each reference is called before every launch; at the first one it copies the inputs out of the memory image,
 * computes the final contents of the output buffers, and says how exactly they must be met.
 *
 * Floats are compared bit for bit where the reference does the same IEEE operations in the same order (clang
 * contracts a * b + c to fma.rn for this target: __builtin_fmaf here); otherwise `rel` and `abs` say how far
 * they may be off.
 */
#ifndef RT_TESTS_REF_H
#define RT_TESTS_REF_H

#include "lab/run/quality.h"

enum { REF_OUT = 16, REF_MEM = 64 };

struct ref_out { /* what a buffer must hold */
  const char *name;
  enum dtype type;
  uint64_t n;
  const void *want;
  double rel, abs; /* both 0: the same bits */
  bool echo;       /* computed from what the simulator gave on the way: not for a launch file */
};

struct ref {
  bool small;
  struct ref_out out[REF_OUT];
  unsigned nout;
  void *mem[REF_MEM]; /* all that ref_alloc and ref_take gave */
  unsigned nmem;
  void *keep;     /* the reference's own, from one launch to the next */
  bool echo;      /* of the outputs to come */
  char fail[512]; /* the first thing that was wrong; empty: nothing */
};

typedef void ref_fn(struct ref *r, const struct launch *l, unsigned index);

struct ref_kernel {
  const char *name;
  ref_fn *before;
  struct ref_kernel *next;
};
extern struct ref_kernel *ref_suite; /* in the order of names */
void ref_enter(struct ref_kernel *k);

/* Defines the reference of kernel `name` (the folder's) and enters it into the suite:
 *   REF(vecadd) { if (index) return; ... }                              r, l, index as in ref_fn */
#define REF(kernel)                                                                             \
  static ref_fn ref_##kernel;                                                                   \
  static struct ref_kernel entry_##kernel = {#kernel, ref_##kernel, NULL};                      \
  __attribute__((constructor)) static void enter_##kernel(void) { ref_enter(&entry_##kernel); } \
  static void ref_##kernel(struct ref *r, const struct launch *l, unsigned index)

/* Arguments of a launch: 32-bit values, and a copy of what a pointer points at (`n` elements of `bytes`). */
uint32_t ref_u32(const struct launch *l, unsigned param);
float ref_f32(const struct launch *l, unsigned param);
void *ref_take(struct ref *r, const struct launch *l, unsigned param, uint64_t n, unsigned bytes);
void *ref_take_const(struct ref *r, const struct launch *l, const char *symbol, uint64_t n, unsigned bytes);
void *ref_alloc(struct ref *r, uint64_t n, unsigned bytes); /* zeroed */

void ref_want(struct ref *r, const char *buffer, enum dtype type, uint64_t n, const void *want, double rel, double abs);
/* Compares at once; a difference is kept in r->fail: the first element, found, expected, how many differ. */
bool ref_compare(struct ref *r, const struct ref_out *o, const void *found, enum dtype type, uint64_t n);
void ref_end(struct ref *r);

/* One rounding, as the PTX's fma.rn. */
#define fma32 __builtin_fmaf
/* v, or the nearest of 0 to n - 1. */
static inline int clip(int v, int n) { return v < 0 ? 0 : v >= n ? n - 1 : v; }

/* Reads the kernel's launch file, allocates registers, runs every launch of this size functionally and compares. With
 * `hashes`, prints the FNV of each expected output that is exact, for the launch file's `expect` lines. False: `why`
 * says why; one reason is a quality below perfect where all outputs are to be met bit for bit. */
struct ref_counts {
  uint64_t warp_insns, thread_insns, launches;
  struct quality quality; /* of our results against the reference's, by the manifest's metric */
};
bool ref_run(const struct ref_kernel *k, const char *size, bool hashes, struct ref_counts *counts, char *why,
             size_t room);

#endif
