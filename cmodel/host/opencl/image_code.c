/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image_code: the image functions of OpenCL C (OpenCL 1.2, 6.12.14). clang only declares them, under names such as
 *
 *   _Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_f
 *
 * Here each declaration in the text of the IR becomes a definition with the instruction of PTX, whose operands are the handles that the
 * driver puts in place of images and samplers (compiler/ir/texture.h). Samplers of the program text are their literals.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/ir/texture.h"
#include "host/opencl/program.h"

/* Of reads without a sampler: texels, CLK_ADDRESS_CLAMP_TO_EDGE, CLK_FILTER_NEAREST. */
enum { NO_SAMPLER = 0x12, MOST_NAME = 200 };

struct geometry {
  const char *image, *ptx; /* OpenCL C's, of instructions */
  unsigned axes, lanes;    /* coordinates without the layer; elements of the vector of coordinates */
  bool layered;
};
static const struct geometry geometry[] = {
    {"image1d", "1d", 1, 1, false}, {"image1d_buffer", "1d", 1, 1, false}, {"image1d_array", "a1d", 1, 2, true},
    {"image2d", "2d", 2, 2, false}, {"image2d_array", "a2d", 2, 4, true},  {"image3d", "3d", 3, 4, false},
};

struct call { /* a declared function, as its name says */
  const char *name;
  size_t n;
  char word[40]; /* "read_imagef" */
  const struct geometry *g;
  bool writes, sampler, floats;     /* the image is write_only; there is a sampler; coordinates are floats */
  const char *image, *sampler_type; /* types of the operands, to the comma or bracket */
  size_t nimage, nsampler_type;
};

/* ---- names ---- */

/* "<length><text>" from *at on. */
static bool call_read_part(const char **at, const char *end, const char **text, size_t *n) {
  const char *p = *at;
  *n = 0;
  while (p < end && isdigit((unsigned char)*p) && *n < MOST_NAME) *n = *n * 10 + (size_t)(*p++ - '0');
  *text = p;
  if (!*n || *n > (size_t)(end - p)) return false;
  *at = p + *n;
  return true;
}

static const struct geometry *geometry_of(const char *s, size_t n) {
  for (size_t k = 0; k < sizeof geometry / sizeof *geometry; k++)
    if (strlen(geometry[k].image) == n && !memcmp(geometry[k].image, s, n)) return &geometry[k];
  return NULL;
}

static bool read_name(struct call *c) {
  const char *p = c->name, *end = p + c->n, *text;
  size_t n;
  if (c->n < 4 || memcmp(p, "_Z", 2) != 0) return false;
  p += 2;
  if (!call_read_part(&p, end, &text, &n) || n >= sizeof c->word) return false;
  memcpy(c->word, text, n);
  c->word[n] = 0;
  if (!call_read_part(&p, end, &text, &n) || n < 8 || memcmp(text, "ocl_", 4) != 0) return false;
  const char *access = text + n - 3;
  c->writes = !memcmp(access, "_wo", 3);
  if (!c->writes && memcmp(access, "_ro", 3) != 0) return false;
  if (!(c->g = geometry_of(text + 4, n - 7))) return false;
  c->sampler = end - p >= 13 && !memcmp(p, "11ocl_sampler", 13);
  if (c->sampler) p += 13;
  c->floats = p < end && (*p == 'f' || (end - p >= 5 && !memcmp(p, "Dv", 2) && p[4] == 'f'));
  return true;
}

/* The types of the first two operands in "(T, T, ...". */
static bool read_types(struct call *c, const char *p, const char *end) {
  const char *q = p;
  int depth = 0;
  for (unsigned k = 0; k < (c->sampler ? 2u : 1u); k++) {
    for (q = p; q < end && !((*q == ',' || *q == ')') && !depth); q++) depth += (*q == '(') - (*q == ')');
    if (q == end) return false;
    if (k) c->sampler_type = p, c->nsampler_type = (size_t)(q - p);
    else c->image = p, c->nimage = (size_t)(q - p);
    for (p = q + 1; p < end && *p == ' ';) p++;
  }
  return true;
}

/* ---- bodies ---- */

static void define_head(FILE *to, const struct call *c, const char *type, const char *more) {
  fprintf(to, "define internal %s @%.*s(%.*s %%i", type, (int)c->n, c->name, (int)c->nimage, c->image);
  if (c->sampler) fprintf(to, ", %.*s %%s", (int)c->nsampler_type, c->sampler_type);
  fprintf(to, "%s) alwaysinline nounwind {\n  %%h = ptrtoint %.*s %%i to i64\n", more, (int)c->nimage, c->image);
  if (c->sampler) fprintf(to, "  %%sh = ptrtoint %.*s %%s to i64\n", (int)c->nsampler_type, c->sampler_type);
}

/* "%c" as its elements %c0, %c1...; of an array %l is the layer, not below 0 (the instruction takes the last one beyond it). */
static void call_put_coordinates(FILE *to, const struct call *c) {
  const char *t = c->floats ? "float" : "i32";
  for (unsigned k = 0; k < c->g->axes + c->g->layered; k++) {
    if (c->g->lanes == 1) fprintf(to, "  %%c0 = bitcast %s %%c to %s\n", t, t);
    else fprintf(to, "  %%c%u = extractelement <%u x %s> %%c, i32 %u\n", k, c->g->lanes, t, k);
  }
  if (!c->g->layered) return;
  if (c->floats) fprintf(to, "  %%w = call i32 asm \"cvt.rni.s32.f32 $0, $1;\", \"=r,f\"(float %%c%u)\n", c->g->axes);
  else fprintf(to, "  %%w = add i32 %%c%u, 0\n", c->g->axes);
  if (c->writes) fprintf(to, "  %%l = add i32 %%w, 0\n"); /* a layer below 0 is outside, as every other one */
  else fprintf(to, "  %%m = icmp slt i32 %%w, 0\n  %%l = select i1 %%m, i32 0, i32 %%w\n");
}

/* "{$6,$7}" of the coordinates from operand `first` on: three are padded to four. */
static void call_put_operands(FILE *to, const struct call *c, unsigned first) {
  const unsigned n = c->g->axes + c->g->layered;
  fprintf(to, "{$%u", first);
  for (unsigned k = 1; k < n; k++) fprintf(to, ",$%u", first + k);
  fprintf(to, n == 3 ? ",$%u}" : "}", first + 2);
}

static void call_put_values(FILE *to, const struct call *c) {
  if (c->g->layered) fputs(", i32 %l", to);
  for (unsigned k = 0; k < c->g->axes; k++) fprintf(to, ", %s %%c%u", c->floats ? "float" : "i32", k);
}

static void call_put_constraints(FILE *to, const struct call *c) {
  if (c->g->layered) fputs(",r", to);
  for (unsigned k = 0; k < c->g->axes; k++) fputs(c->floats ? ",f" : ",r", to);
}

static void vector_type(char out[24], unsigned n, const char *t) {
  if (n == 1) snprintf(out, 24, "%s", t);
  else snprintf(out, 24, "<%u x %s>", n, t);
}

static void define_read(FILE *to, const struct call *c) {
  const char kind = c->word[strlen("read_image")]; /* f, i, u */
  const char *t = kind == 'f' ? "float" : "i32",
             *ptx = kind == 'f'   ? "f32"
                    : kind == 'i' ? "s32"
                                  : "u32",
             o = kind == 'f' ? 'f' : 'r';
  char result[24], at[24], more[40];
  vector_type(result, 4, t);
  vector_type(at, c->g->lanes, c->floats ? "float" : "i32");
  snprintf(more, sizeof more, ", %s %%c", at);
  define_head(to, c, result, more);
  call_put_coordinates(to, c);
  fprintf(to, "  %%r = call {%s, %s, %s, %s} asm \"tex.%s.v4.%s.%s {$0,$1,$2,$3}, [$4, $5, ", t, t, t, t, c->g->ptx,
          ptx, c->floats ? "f32" : "s32");
  call_put_operands(to, c, 6);
  fprintf(to, "];\", \"=%c,=%c,=%c,=%c,l,l", o, o, o, o);
  call_put_constraints(to, c);
  if (c->sampler) fputs("\"(i64 %h, i64 %sh", to);
  else fprintf(to, "\"(i64 %%h, i64 %llu", (unsigned long long)handle_of(HANDLE_CL_SAMPLER, NO_SAMPLER));
  call_put_values(to, c);
  fputs(")\n", to);
  for (unsigned k = 0; k < 4; k++) {
    fprintf(to, "  %%e%u = extractvalue {%s, %s, %s, %s} %%r, %u\n", k, t, t, t, t, k);
    if (k) fprintf(to, "  %%v%u = insertelement %s %%v%u, %s %%e%u, i32 %u\n", k, result, k - 1, t, k, k);
    else fprintf(to, "  %%v0 = insertelement %s undef, %s %%e0, i32 0\n", result, t);
  }
  fprintf(to, "  ret %s %%v3\n}\n", result);
}

static void define_write(FILE *to, const struct call *c) {
  const bool f = c->word[strlen("write_image")] == 'f';
  char at[24], more[64];
  vector_type(at, c->g->lanes, "i32");
  snprintf(more, sizeof more, ", %s %%c, <4 x %s> %%v", at, f ? "float" : "i32");
  define_head(to, c, "void", more);
  call_put_coordinates(to, c);
  for (unsigned k = 0; k < 4; k++) {
    fprintf(to, "  %%e%u = extractelement <4 x %s> %%v, i32 %u\n", k, f ? "float" : "i32", k);
    fprintf(to, "  %%b%u = bitcast %s %%e%u to i32\n", k, f ? "float" : "i32", k);
  }
  const unsigned n = c->g->axes + c->g->layered;
  fprintf(to, "  call void asm sideeffect \"sust.p.%s.v4.b32.trap [$0, ", c->g->ptx);
  call_put_operands(to, c, 1);
  fprintf(to, "], {$%u,$%u,$%u,$%u};\", \"l", n + 1, n + 2, n + 3, n + 4);
  call_put_constraints(to, c);
  fputs(",r,r,r,r\"(i64 %h", to);
  call_put_values(to, c);
  fputs(", i32 %b0, i32 %b1, i32 %b2, i32 %b3)\n  ret void\n}\n", to);
}

static void call_put_query(FILE *to, const struct call *c, const char *what, const char *out) {
  fprintf(to, "  %%%s = call i32 asm \"%s.%s.b32 $0, [$1];\", \"=r,l\"(i64 %%h)\n", out, c->writes ? "suq" : "txq",
          what);
}

static bool define_query(FILE *to, const struct call *c) {
  static const struct {
    const char *word, *ptx;
  } one[] = {{"get_image_width", "width"},
             {"get_image_height", "height"},
             {"get_image_depth", "depth"},
             {"get_image_channel_data_type", "channel_data_type"},
             {"get_image_channel_order", "channel_order"},
             {"get_image_array_size", "array_size"}};
  for (size_t k = 0; k < sizeof one / sizeof *one; k++) {
    if (strcmp(c->word, one[k].word) != 0) continue;
    const bool wide = k == 5; /* a size_t */
    define_head(to, c, wide ? "i64" : "i32", "");
    call_put_query(to, c, one[k].ptx, "q");
    fputs(wide ? "  %z = zext i32 %q to i64\n  ret i64 %z\n}\n" : "  ret i32 %q\n}\n", to);
    return true;
  }
  if (strcmp(c->word, "get_image_dim") != 0) return false;
  const unsigned n = c->g->axes == 3 ? 4 : 2;
  char t[24];
  vector_type(t, n, "i32");
  define_head(to, c, t, "");
  call_put_query(to, c, "width", "q0");
  call_put_query(to, c, "height", "q1");
  fprintf(to, "  %%v0 = insertelement %s zeroinitializer, i32 %%q0, i32 0\n", t);
  fprintf(to, "  %%v1 = insertelement %s %%v0, i32 %%q1, i32 1\n", t);
  if (n == 4) {
    call_put_query(to, c, "depth", "q2");
    fprintf(to, "  %%v2 = insertelement %s %%v1, i32 %%q2, i32 2\n", t);
  }
  fprintf(to, "  ret %s %%v%u\n}\n", t, n == 4 ? 2 : 1);
  return true;
}

static bool word_is_one_of(const char *word, const char *a, const char *b, const char *c) {
  return !strcmp(word, a) || !strcmp(word, b) || !strcmp(word, c);
}

/* The line [p, end) as a definition; false: it declares something else, and nothing is written. */
static bool define_image(FILE *to, const char *p, const char *end) {
  const char *at = memchr(p, '@', (size_t)(end - p)), *open = at ? memchr(at, '(', (size_t)(end - at)) : NULL;
  if (!open || strncmp(p, "declare ", 8) != 0) return false;
  struct call c = {.name = at + 1, .n = (size_t)(open - at - 1)};
  if (c.n == 31 && !memcmp(c.name, "__translate_sampler_initializer", 31)) {
    const char *type =
        memmem(p, (size_t)(at - p), "%opencl.sampler_t", 17); /* of LLVM 14; later a pointer without a type */
    if (!type) type = memmem(p, (size_t)(at - p), "ptr addrspace(", 14);
    if (!type) return false;
    fprintf(to, "define internal %.*s@%.*s(i32 %%s) alwaysinline nounwind {\n  %%w = zext i32 %%s to i64\n",
            (int)(at - type), type, (int)c.n, c.name);
    fprintf(to, "  %%h = or i64 %%w, %llu\n  %%p = inttoptr i64 %%h to %.*s\n  ret %.*s%%p\n}\n",
            (unsigned long long)handle_of(HANDLE_CL_SAMPLER, 0), (int)(at - type), type, (int)(at - type), type);
    return true;
  }
  if (!read_name(&c) || !read_types(&c, open + 1, end)) return false;
  if (word_is_one_of(c.word, "read_imagef", "read_imagei", "read_imageui") && !c.writes)
    return define_read(to, &c), true;
  if (word_is_one_of(c.word, "write_imagef", "write_imagei", "write_imageui") && c.writes)
    return define_write(to, &c), true;
  return !c.sampler && define_query(to, &c);
}

bool images_define(struct blob *ir) {
  if (!memmem(ir->s, ir->n, "ocl_image", 9) && !memmem(ir->s, ir->n, "@__translate_sampler", 20)) return true;
  struct blob out = {0};
  FILE *f = open_memstream(&out.s, &out.n);
  if (!f) return false;
  for (const char *p = ir->s, *last = ir->s + ir->n, *end; p < last; p = end + 1) {
    end = memchr(p, '\n', (size_t)(last - p));
    if (!end) end = last;
    if (define_image(f, p, end)) continue;
    fwrite(p, 1, (size_t)(end - p), f);
    if (end < last) putc('\n', f);
  }
  if (fclose(f)) return free(out.s), false;
  free(ir->s);
  *ir = out;
  return true;
}

/* The instructions name a texture and a sampler: .target says so. */
bool images_target(struct blob *ptx) {
  static const char target[] = ".target sm_75", more[] = ", texmode_independent";
  char *at = memmem(ptx->s, ptx->n, target, sizeof target - 1);
  if (!at || !memmem(ptx->s, ptx->n, "tex.", 4)) return true;
  const size_t before = (size_t)(at - ptx->s) + sizeof target - 1, n = sizeof more - 1;
  char *s = realloc(ptx->s, ptx->n + n + 1);
  if (!s) return false;
  memmove(s + before + n, s + before, ptx->n - before + 1);
  memcpy(s + before, more, n);
  *ptx = (struct blob){s, ptx->n + n};
  return true;
}
