; SPDX-License-Identifier: Apache-2.0
; Source of texture_clang.ptx (clang-14 -O2 --target=nvptx64-nvidia-cuda, sm_70): intrinsics on textures and surfaces.
target triple = "nvptx64-nvidia-cuda"
declare { float, float, float, float } @llvm.nvvm.tex.unified.2d.v4f32.f32(i64, float, float)
declare { i32, i32, i32, i32 } @llvm.nvvm.tex.unified.2d.array.level.v4s32.f32(i64, i32, float, float, float)
declare { float, float, float, float } @llvm.nvvm.tex.3d.v4f32.s32(i64, i64, i32, i32, i32)
declare { float, float, float, float } @llvm.nvvm.tex.unified.cube.v4f32.f32(i64, float, float, float)
declare { float, float, float, float } @llvm.nvvm.tld4.unified.g.2d.v4f32.f32(i64, float, float)
declare { i16, i16, i16, i16 } @llvm.nvvm.suld.2d.v4i8.clamp(i64, i32, i32)
declare { i64, i64 } @llvm.nvvm.suld.1d.array.v2i64.zero(i64, i32, i32)
declare void @llvm.nvvm.sust.b.3d.v4i32.trap(i64, i32, i32, i32, i32, i32, i32, i32)
declare void @llvm.nvvm.sust.p.2d.v4i32.trap(i64, i32, i32, i32, i32, i32, i32)
declare void @llvm.nvvm.sust.b.2d.array.i8.trap(i64, i32, i32, i32, i16)
declare i32 @llvm.nvvm.txq.width(i64)
declare i32 @llvm.nvvm.suq.array.size(i64)
define void @k(i64 %t, i64 %s, float %x, i32 %i, float* %o) {
  %a = call { float, float, float, float } @llvm.nvvm.tex.unified.2d.v4f32.f32(i64 %t, float %x, float %x)
  %a0 = extractvalue { float, float, float, float } %a, 0
  %b = call { i32, i32, i32, i32 } @llvm.nvvm.tex.unified.2d.array.level.v4s32.f32(i64 %t, i32 %i, float %x, float %a0, float %x)
  %b1 = extractvalue { i32, i32, i32, i32 } %b, 1
  %c = call { float, float, float, float } @llvm.nvvm.tex.unified.cube.v4f32.f32(i64 %t, float %x, float %a0, float %x)
  %c0 = extractvalue { float, float, float, float } %c, 2
  %d = call { float, float, float, float } @llvm.nvvm.tld4.unified.g.2d.v4f32.f32(i64 %t, float %x, float %c0)
  %d0 = extractvalue { float, float, float, float } %d, 3
  %e = call { i16, i16, i16, i16 } @llvm.nvvm.suld.2d.v4i8.clamp(i64 %s, i32 %i, i32 %b1)
  %e0 = extractvalue { i16, i16, i16, i16 } %e, 0
  %f = call { i64, i64 } @llvm.nvvm.suld.1d.array.v2i64.zero(i64 %s, i32 %i, i32 %b1)
  %f0 = extractvalue { i64, i64 } %f, 1
  %f1 = trunc i64 %f0 to i32
  call void @llvm.nvvm.sust.b.3d.v4i32.trap(i64 %s, i32 %i, i32 %b1, i32 %f1, i32 %f1, i32 %b1, i32 %i, i32 7)
  call void @llvm.nvvm.sust.p.2d.v4i32.trap(i64 %s, i32 %i, i32 %b1, i32 %f1, i32 %f1, i32 %b1, i32 %i)
  call void @llvm.nvvm.sust.b.2d.array.i8.trap(i64 %s, i32 %i, i32 %b1, i32 %f1, i16 %e0)
  %w = call i32 @llvm.nvvm.txq.width(i64 %t)
  %z = call i32 @llvm.nvvm.suq.array.size(i64 %s)
  %g = add i32 %w, %z
  %h = sitofp i32 %g to float
  %r = fadd float %h, %d0
  store float %r, float* %o
  ret void
}
!nvvm.annotations = !{!0}
!0 = !{void (i64, i64, float, i32, float*)* @k, !"kernel", i32 1}
