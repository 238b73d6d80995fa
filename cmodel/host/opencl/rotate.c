/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rotate: a fault of LLVM 14. It turns (x << (n & 63)) | (x >> (-n & 63)) into a rotation whose amount it does not reduce, and writes
 * that for NVPTX as two shifts, by n and 64 - n, which give 0 when n is 64 or more. In the text of the PTX, the amount becomes n & 63:
 *
 *   shl.b64 %lhs, %rd1, %r1;            and.b32 %amt2, %r1, 63;
 *   sub.u32 %amt2, 64, %r1;             shl.b64 %lhs, %rd1, %amt2;
 *   shr.b64 %rhs, %rd1, %amt2;          sub.u32 %amt2, 64, %amt2;
 *                                       shr.b64 %rhs, %rd1, %amt2;
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/opencl/program.h"

static const char subtract[] = "sub.u32 \t%amt2, 64, ", first[] = "b64 \t%lhs, ";

/* One place: the first shift, all of the line [begin, end), and the subtraction, as LLVM writes them; false: something else. */
static bool repair_one(FILE *to, const char *begin, const char *end, const char *amount) {
  const char *semicolon = memchr(begin, ';', (size_t)(end - begin)), *comma, *p;
  const size_t n = strcspn(amount, ";\n");
  if (!semicolon || semicolon + 1 != end || amount - sizeof subtract + 1 != end + 2 || end[1] != '\t') return false;
  if (*amount != '%' || amount[n] != ';' || !(comma = memrchr(begin, ',', (size_t)(semicolon - begin)))) return false;
  if (!memmem(begin, (size_t)(comma - begin), first, sizeof first - 1)) return false;
  for (p = comma + 1; *p == ' ';) p++;
  if ((size_t)(semicolon - p) != n || memcmp(p, amount, n)) return false;
  fprintf(to, "\tand.b32 \t%%amt2, %.*s, 63;\n", (int)n, amount);
  fwrite(begin, 1, (size_t)(comma - begin), to);
  fprintf(to, ", %%amt2;\n\t%s%%amt2", subtract);
  return true;
}

bool rotate_repair(struct blob *ptx) {
  if (!memmem(ptx->s, ptx->n, subtract, sizeof subtract - 1)) return true;
  struct blob out = {0};
  FILE *f = open_memstream(&out.s, &out.n);
  if (!f) return false;
  const char *last = ptx->s + ptx->n, *p = ptx->s, *at = p;
  while ((at = memmem(at, (size_t)(last - at), subtract, sizeof subtract - 1))) {
    const char *amount = at + sizeof subtract - 1, *end = memrchr(p, '\n', (size_t)(at - p)), *begin;
    begin = end ? memrchr(p, '\n', (size_t)(end - p)) : NULL;
    at = amount;
    if (!begin) continue;
    fwrite(p, 1, (size_t)(begin + 1 - p), f);
    p = begin + 1;
    if (repair_one(f, begin + 1, end, amount)) p = at = amount + strcspn(amount, ";");
  }
  fwrite(p, 1, (size_t)(last - p), f);
  if (fclose(f)) return free(out.s), false;
  free(ptx->s);
  *ptx = out;
  return true;
}
