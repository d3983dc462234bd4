; erf in f32 with two short polynomials (libclc's evaluates eight long ones).
;
; |x| < 0.9375: x + x P(x^2), P minimax of degree 5 (relative error 2^-25.6).
; Else 1 - 2^G(|x|), where G approximates log2(erfc) up to 4 by a polynomial of degree 6 (absolute error of the result
; 2^-29.4); beyond 3.92 the result rounds to 1.

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define float @__mytriton_erf_f32(float %x) #0 {
  %a = call float @llvm.fabs.f32(float %x)
  %s = fmul float %a, %a
  %p4 = call float @llvm.fma.f32(float 0xBF436ACA20000000, float %s, float 0x3F7466B8C0000000)
  %p3 = call float @llvm.fma.f32(float %p4, float %s, float 0xBF9B669C00000000)
  %p2 = call float @llvm.fma.f32(float %p3, float %s, float 0x3FBCE18580000000)
  %p1 = call float @llvm.fma.f32(float %p2, float %s, float 0xBFD8126DC0000000)
  %p0 = call float @llvm.fma.f32(float %p1, float %s, float 0x3FC06EBA60000000)
  %near = call float @llvm.fma.f32(float %a, float %p0, float %a)
  ; NaN passes.
  %beyond = fcmp ogt float %a, 4.0
  %t = select i1 %beyond, float 4.0, float %a
  %g5 = call float @llvm.fma.f32(float 0x3F3252F560000000, float %t, float 0xBF71DC4500000000)
  %g4 = call float @llvm.fma.f32(float %g5, float %t, float 0x3FA05B7B80000000)
  %g3 = call float @llvm.fma.f32(float %g4, float %t, float 0xBFC3294620000000)
  %g2 = call float @llvm.fma.f32(float %g3, float %t, float 0xBFED6CD720000000)
  %g1 = call float @llvm.fma.f32(float %g2, float %t, float 0xBFFA071520000000)
  %g0 = call float @llvm.fma.f32(float %g1, float %t, float 0xBF35104820000000)
  %complement = call float @llvm.exp2.f32(float %g0)
  %far = fsub float 1.0, %complement
  %is_near = fcmp olt float %a, 0.9375
  %magnitude = select i1 %is_near, float %near, float %far
  %result = call float @llvm.copysign.f32(float %magnitude, float %x)
  ret float %result
}

declare float @llvm.fma.f32(float, float, float)
declare float @llvm.exp2.f32(float)
declare float @llvm.fabs.f32(float)
declare float @llvm.copysign.f32(float, float)

attributes #0 = { alwaysinline nofree norecurse nosync nounwind willreturn memory(none) }
