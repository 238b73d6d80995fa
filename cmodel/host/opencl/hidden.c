/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hidden: what a kernel learns about its launch without a parameter: global offsets and the number of dimensions. Our header
 * (regtwin_cl.h) calls two functions that are only declared; here their declarations in the text of the IR become definitions.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "host/opencl/program.h"

static const char variable[] = "__regtwin_launch";
static const char head[] =
    "@__regtwin_launch = addrspace(4) externally_initialized global [4 x i64] zeroinitializer, align 8\n";
static const char no_offset[] =
    "define internal i64 @__regtwin_offset(i32 %d) alwaysinline nounwind readnone {\n  ret i64 0\n}\n";
/* Its address, as LLVM 14 and as LLVM from 15 on write it. */
#define SOME_OFFSET(pointer) \
  "define internal i64 @__regtwin_offset(i32 %d) alwaysinline nounwind {\n"                                \
  "  %in = icmp ult i32 %d, 3\n"                                                                           \
  "  %i = select i1 %in, i32 %d, i32 0\n"                                                                  \
  "  %p = getelementptr inbounds [4 x i64], " pointer("[4 x i64]") " @__regtwin_launch, i64 0, i32 %i\n" \
  "  %v = load i64, " pointer("i64") " %p, align 8\n"                                                    \
  "  %o = select i1 %in, i64 %v, i64 0\n"                                                                  \
  "  ret i64 %o\n}\n"
#define WORK_DIM(pointer) \
  "define internal i32 @__regtwin_work_dim() alwaysinline nounwind {\n"                                   \
  "  %p = getelementptr inbounds [4 x i64], " pointer("[4 x i64]") " @__regtwin_launch, i64 0, i32 3\n" \
  "  %v = load i64, " pointer("i64") " %p, align 8\n"                                                   \
  "  %t = trunc i64 %v to i32\n"                                                                          \
  "  ret i32 %t\n}\n"
#define TYPED(t) t " addrspace(4)*"
#define OPAQUE(t) "ptr addrspace(4)"
static const char *const some_offset[] = {SOME_OFFSET(TYPED), SOME_OFFSET(OPAQUE)};
static const char *const work_dim[] = {WORK_DIM(TYPED), WORK_DIM(OPAQUE)};

/* True for the text of LLVM 15 and later, whose pointers have no type of what they point to. */
static bool opaque_pointers(const struct blob *ir) {
  static const char ident[] = "\n!llvm.ident = ", version[] = "clang version ";
  const char *end = ir->s + ir->n, *p = memmem(ir->s, ir->n, ident, sizeof ident - 1);
  if (p) p = memmem(p, (size_t)(end - p), version, sizeof version - 1);
  return p && strtoul(p + sizeof version - 1, NULL, 10) >= 15;
}

/* The line that declares a function: its first byte, *end its new line; NULL: it is not declared. */
static const char *hidden_find_declaration(const struct blob *ir, const char *name, const char **end) {
  for (const char *p = ir->s, *last = ir->s + ir->n; p < last; p = *end + 1) {
    *end = memchr(p, '\n', (size_t)(last - p));
    if (!*end) *end = last;
    if (!strncmp(p, "declare ", 8) && memmem(p, (size_t)(*end - p), name, strlen(name))) return p;
  }
  return NULL;
}

bool hidden_has_offsets(const struct blob *ir) {
  const char *end;
  return hidden_find_declaration(ir, "@__regtwin_offset(", &end);
}

/* Replaces the line of a declaration. */
static bool hidden_replace(struct blob *ir, const char *name, const char *text) {
  const char *end, *p = hidden_find_declaration(ir, name, &end);
  if (!p) return true;
  size_t before = (size_t)(p - ir->s), after = (size_t)(ir->s + ir->n - end), n = strlen(text);
  char *s = malloc(before + n + after + 1);
  if (!s) return false;
  memcpy(s, ir->s, before);
  memcpy(s + before, text, n);
  memcpy(s + before + n, end, after);
  s[before + n + after] = 0;
  free(ir->s);
  *ir = (struct blob){s, before + n + after};
  return true;
}

struct blob hidden_define(const struct blob *ir, bool offsets) {
  const char *end;
  bool dim = hidden_find_declaration(ir, "@__regtwin_work_dim(", &end) != NULL, opaque = opaque_pointers(ir);
  size_t extra = dim || (offsets && hidden_has_offsets(ir)) ? sizeof head - 1 : 0;
  struct blob out = {malloc(extra + ir->n + 1), extra + ir->n};
  if (!out.s) return out;
  memcpy(out.s, ir->s, ir->n);
  memcpy(out.s + ir->n, head, extra);
  out.s[out.n] = 0;
  inline_define(&out);
  if (libclc_pad(&out) && calls_of_kernels(&out) && images_define(&out) &&
      hidden_replace(&out, "@__regtwin_offset(", offsets ? some_offset[opaque] : no_offset) &&
      hidden_replace(&out, "@__regtwin_work_dim(", work_dim[opaque])) {
    return out;
  }
  free(out.s);
  return (struct blob){0};
}

/* ---- the second text in the first one's comments ---- */

static const char mark[] = "//regtwin offsets\n", prefix[] = "//:";

struct blob hidden_join(const struct blob *ptx, const struct blob *offset_ptx) {
  size_t lines = 1;
  for (size_t i = 0; i < offset_ptx->n; i++) lines += offset_ptx->s[i] == '\n';
  struct blob out = {malloc(ptx->n + sizeof mark + offset_ptx->n + (lines + 1) * sizeof prefix), 0};
  if (!out.s) return out;
  memcpy(out.s, ptx->s, ptx->n);
  memcpy(out.s + ptx->n, mark, sizeof mark - 1);
  out.n = ptx->n + sizeof mark - 1;
  for (const char *p = offset_ptx->s, *last = p + offset_ptx->n; p < last;) {
    const char *end = memchr(p, '\n', (size_t)(last - p));
    if (!end) end = last;
    memcpy(out.s + out.n, prefix, sizeof prefix - 1);
    out.n += sizeof prefix - 1;
    memcpy(out.s + out.n, p, (size_t)(end - p));
    out.n += (size_t)(end - p);
    out.s[out.n++] = '\n';
    p = end + 1;
  }
  out.s[out.n] = 0;
  return out;
}

struct blob hidden_split(const struct blob *joined) {
  const char *p = memmem(joined->s, joined->n, mark, sizeof mark - 1), *last = joined->s + joined->n;
  if (!p) return (struct blob){0};
  p += sizeof mark - 1;
  struct blob out = {malloc((size_t)(last - p) + 1), 0};
  if (!out.s) return out;
  while (p < last && !strncmp(p, prefix, sizeof prefix - 1)) {
    p += sizeof prefix - 1;
    const char *end = memchr(p, '\n', (size_t)(last - p));
    end = end ? end + 1 : last;
    memcpy(out.s + out.n, p, (size_t)(end - p));
    out.n += (size_t)(end - p);
    p = end;
  }
  out.s[out.n] = 0;
  return out;
}

/* ---- at a launch ---- */

void hidden_set(struct device_module *m, const struct hidden *h) {
  struct device_variable v;
  if (!device_find_variable(m, variable, &v) || !v.constant || v.size < sizeof *h) return;
  uint8_t *to = device_constant(m, v.addr, sizeof *h);
  if (to) memcpy(to, h, sizeof *h);
}

bool hidden_in(const struct device_module *m) {
  struct device_variable v;
  return device_find_variable(m, variable, &v);
}
