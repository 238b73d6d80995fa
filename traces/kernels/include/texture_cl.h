/* SPDX-License-Identifier: Apache-2.0 */
/*
 * texture_cl: textures and surfaces for kernels in OpenCL C, as inline PTX. Needs own_cl.h. A handle is an `ulong` argument of
 * the kernel; TEXTURE(name) declares a texture reference of the module, which the launch file binds by its name. Coordinates are
 * in texels or from 0 to 1, as the texture says; x of a surface counts bytes.
 */
#ifndef RT_TEXTURE_CL_H
#define RT_TEXTURE_CL_H

#define TEXTURE(name) __asm__(".global .texref " #name ";")
/* Texel i of a reference to linear memory, which has one float or four. */
#define FETCH1(name, i, v)                                            \
  do {                                                                \
    float y_, z_, w_;                                                 \
    __asm__("tex.1d.v4.f32.s32 {%0, %1, %2, %3}, [" #name ", {%4}];"  \
            : "=f"(v), "=f"(y_), "=f"(z_), "=f"(w_)                   \
            : "r"(i));                                                \
  } while (0)
#define FETCH4(name, i, v)                                           \
  __asm__("tex.1d.v4.f32.s32 {%0, %1, %2, %3}, [" #name ", {%4}];"   \
          : "=f"((v).x), "=f"((v).y), "=f"((v).z), "=f"((v).w)       \
          : "r"(i))

OWN_FN float4 tex_1d(ulong t, float x) {
  float4 v;
  __asm__("tex.1d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5}];"
          : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
          : "l"(t), "f"(x));
  return v;
}
OWN_FN float4 tex_2d(ulong t, float x, float y) {
  float4 v;
  __asm__("tex.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
          : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
          : "l"(t), "f"(x), "f"(y));
  return v;
}
OWN_FN float4 tex_3d(ulong t, float x, float y, float z) {
  float4 v;
  __asm__("tex.3d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];"
          : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
          : "l"(t), "f"(x), "f"(y), "f"(z));
  return v;
}

/* Beyond the edge: the nearest texel is read, nothing is written. */
OWN_FN void surf_write(ulong s, int x, int y, float v) {
  __asm__ volatile("sust.b.2d.b32.zero [%0, {%1, %2}], {%3};" : : "l"(s), "r"(x), "r"(y), "f"(v) : "memory");
}
OWN_FN void surf_write(ulong s, int x, int y, float4 v) {
  __asm__ volatile("sust.b.2d.v4.b32.zero [%0, {%1, %2}], {%3, %4, %5, %6};"
                   :
                   : "l"(s), "r"(x), "r"(y), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w)
                   : "memory");
}
typedef ushort ushort4 __attribute__((ext_vector_type(4)));
OWN_FN ushort4 surf_bytes(ulong s, int x, int y) {
  ushort4 v;
  __asm__ volatile("suld.b.2d.v4.b8.clamp {%0, %1, %2, %3}, [%4, {%5, %6}];"
                   : "=h"(v.x), "=h"(v.y), "=h"(v.z), "=h"(v.w)
                   : "l"(s), "r"(x), "r"(y)
                   : "memory");
  return v;
}
OWN_FN void surf_write_bytes(ulong s, int x, int y, uint4 v) {
  __asm__ volatile("sust.b.2d.v4.b8.zero [%0, {%1, %2}], {%3, %4, %5, %6};"
                   :
                   : "l"(s), "r"(x), "r"(y), "h"((ushort)v.x), "h"((ushort)v.y), "h"((ushort)v.z), "h"((ushort)v.w)
                   : "memory");
}

#endif
