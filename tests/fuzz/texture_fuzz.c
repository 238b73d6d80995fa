/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any description of an image, with a sampler and handles, and any of the instructions on textures and surfaces at any
 * coordinates: laid out or refused with a message; then executed, or the launch fails with a message and a line. Each fetch is done
 * twice and gives the same, and no store leaves the image.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/exec.h"
#include "exec/texture.h"
#include "compiler/ptx/ptx.h"
#include "compiler/regalloc/regalloc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* One kernel each. The words are the input's: %r0 to %r7, %f0 to %f7. */
static const char *const instruction[] = {
    "tex.1d.v4.f32.f32 {%o0, %o1, %o2, %o3}, [%t, {%f0}];",
    "tex.1d.v4.u32.s32 {%o0, %o1, %o2, %o3}, [%t, {%r0}];",
    "tex.2d.v4.f32.f32 {%o0, %o1, %o2, %o3}, [%t, {%f0, %f1}];",
    "tex.2d.v4.s32.s32 {%o0, %o1, %o2, %o3}, [%t, {%r0, %r1}];",
    "tex.3d.v4.f32.f32 {%o0, %o1, %o2, %o3}, [%t, {%f0, %f1, %f2, %f2}];",
    "tex.a1d.v4.f32.f32 {%o0, %o1, %o2, %o3}, [%t, {%r0, %f1}];",
    "tex.a2d.v4.f32.f32 {%o0, %o1, %o2, %o3}, [%t, {%r0, %f1, %f2, %f2}];",
    "tex.cube.v4.f32.f32 {%o0, %o1, %o2, %o3}, [%t, {%f0, %f1, %f2, %f2}];",
    "tex.level.2d.v4.f32.f32 {%o0, %o1, %o2, %o3}, [%t, {%f0, %f1}], %f2;",
    "tex.level.3d.v4.f32.s32 {%o0, %o1, %o2, %o3}, [%t, {%r0, %r1, %r2, %r2}], %r3;",
    "tld4.g.2d.v4.f32.f32 {%o0, %o1, %o2, %o3}, [%t, {%f0, %f1}];",
    "txq.width.b32 %o0, [%t]; txq.channel_data_type.b32 %o1, [%t]; txq.addr_mode_2.b32 %o2, [%t];",
    "suld.b.2d.v4.b8.clamp {%h0, %h1, %h2, %h3}, [%t, {%r0, %r1}];",
    "suld.b.3d.b32.zero %o0, [%t, {%r0, %r1, %r2, %r2}];",
    "suld.b.a2d.v4.b32.trap {%o0, %o1, %o2, %o3}, [%t, {%r0, %r1, %r2, %r2}];",
    "sust.b.2d.v4.b32.clamp [%t, {%r0, %r1}], {%r2, %r3, %r4, %r5};",
    "sust.b.a1d.b16.zero [%t, {%r0, %r1}], %h0;",
    "sust.p.2d.v4.b32.clamp [%t, {%r0, %r1}], {%r2, %r3, %r4, %r5};",
    "sust.p.3d.b32.trap [%t, {%r0, %r1, %r2, %r2}], %r3;",
};
enum { FORMS = sizeof instruction / sizeof *instruction, WORDS = 8, LEAST = 64, MOST = 1 << 20 };

static struct module *module[FORMS];

static void load(unsigned k) {
  char text[2000];
  struct err e = {0};
  const int n = snprintf(
      text, sizeof text,
      ".version 7.4\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 t, .param .u64 in, .param .u64 "
      "out)\n"
      "{.reg .b32 %%r<8>, %%o<4>; .reg .f32 %%f<8>; .reg .b16 %%h<4>; .reg .b64 %%t, %%in, %%out;\n"
      "ld.param.u64 %%t, [t]; ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out];\n"
      "ld.global.v4.u32 {%%r0, %%r1, %%r2, %%r3}, [%%in];\nld.global.v4.u32 {%%r4, %%r5, %%r6, %%r7}, [%%in + 16];\n"
      "mov.b32 %%f0, %%r0; mov.b32 %%f1, %%r1; mov.b32 %%f2, %%r2; mov.b32 %%f3, %%r3;\n"
      "cvt.u16.u32 %%h0, %%r2; mov.u16 %%h1, 0; mov.u16 %%h2, 0; mov.u16 %%h3, 0;\n"
      "mov.u32 %%o0, 0; mov.u32 %%o1, 0; mov.u32 %%o2, 0; mov.u32 %%o3, 0;\n%s\n"
      "cvt.u32.u16 %%r6, %%h1; xor.b32 %%o0, %%o0, %%r6;\nst.global.v4.u32 [%%out], {%%o0, %%o1, %%o2, "
      "%%o3};\nret;\n}\n",
      instruction[k]);
  module[k] = ptx_parse("fuzz.ptx", text, (size_t)n, &e);
  if (!module[k] || !alloc_kernel(module[k], &module[k]->kernel[0], 0, &e)) {
    fprintf(stderr, "%s\n%s", e.text, text);
    abort();
  }
}

static uint32_t word(const uint8_t *p) {
  uint32_t w;
  memcpy(&w, p, 4);
  return w;
}

static bool execute(unsigned form, struct memory *mem, const struct textures *set, uint64_t handle, uint32_t in,
                    uint32_t out, uint32_t result[4]) {
  uint8_t param[64] = {0};
  const uint64_t value[3] = {handle, in, out};
  const struct code *code = &module[form]->kernel[0];
  struct exec_counts counts = {0};
  struct err e = {0};
  for (unsigned p = 0; p < 3; p++) memcpy(param + code->param[p].offset, &value[p], 8);
  const struct launch l = {.module = module[form],
                           .code = code,
                           .mem = mem,
                           .grid = {1, 1, 1},
                           .block = {1, 1, 1},
                           .param = param,
                           .textures = set};
  const bool ok = exec_run(&l, 1, &counts, &e);
  if (ok == e.set || (!ok && (!e.text[0] || e.line <= 0))) abort();
  memcpy(result, memory_at(mem, out, 16), 16);
  return ok;
}

/* A byte for each property, small numbers mostly; the form, the words of the coordinates, then texels. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  static const uint8_t types[8] = {T_U8, T_U16, T_U32, T_S8, T_S16, T_S32, T_F16, T_F32};
  if (n < LEAST) return 0;
  const unsigned form = data[0] % FORMS;
  if (!module[form]) load(form);
  struct texture t = {.name = "fuzz",
                      .type = types[data[1] & 7],
                      .channels = data[2],
                      .order = data[3],
                      .layout = data[4] & 1,
                      .geom = data[5] % GEOM_COUNT,
                      .levels = data[6],
                      .width = data[8] | data[9] << 8,
                      .height = data[10] | data[11] << 8,
                      .depth = data[12],
                      .layers = data[13],
                      .pitch = data[14] | data[15] << 8,
                      .normalized_values = data[4] >> 1 & 1,
                      .writable = data[4] >> 2 & 1,
                      .linear_1d = data[4] >> 3 & 1};
  struct tex_sampler *s = &t.sampler;
  for (unsigned k = 0; k < 3; k++) s->address[k] = data[7] >> 2 * k & 3;
  s->filter = data[4] >> 4 & 1;
  s->mip = data[4] >> 5 & 1;
  s->normalized = data[4] >> 6 & 1;
  memcpy(s->border, data + 16, 8);
  memcpy(&s->lod_max, data + 24, 4);
  struct err e = {0};
  const bool laid = texture_lay_out(&t, &e);
  if (laid == e.set || (!laid && !e.text[0])) abort();
  if (!laid || t.bytes > MOST) return 0;

  struct memory *mem = memory_new(module[form]);
  const uint32_t in = memory_alloc(mem, "in", 4 * WORDS), out = memory_alloc(mem, "out", 16);
  t.addr = data[28] & 1 ? 0 : memory_alloc(mem, "image", t.bytes - (data[28] >> 1 & 1 && t.bytes > 1));
  uint8_t *image = t.addr ? memory_at(mem, t.addr, 1) : NULL;
  for (uint32_t k = 0; image && k < t.bytes - 1; k++) image[k] = data[k % n];
  memcpy(memory_at(mem, in, 4 * WORDS), data + 32, 4 * WORDS);
  const struct textures set = {.texture = &t, .sampler = s, .ntexture = 1, .nsampler = 1};
  const uint64_t handle = data[29] & 1 ? word(data + 36) : handle_of(form < 12 ? HANDLE_TEXTURE : HANDLE_SURFACE, 0);
  uint32_t first[4], again[4];
  const bool ok = execute(form, mem, &set, handle, in, out, first);
  if (execute(form, mem, &set, handle, in, out, again) != ok || memcmp(first, again, sizeof first)) abort();
  memory_free(mem);
  return 0;
}
