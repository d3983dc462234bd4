; exp and exp2 in f32, with denormal results (libclc's flush them to zero).

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; exp(x) = 2^n exp(r) with n = round(x log2 e) and r = x - n ln 2 in [-0.347, 0.347], where
; exp(r) = 1 + r + r^2 P(r) with a minimax P of degree 4 (relative error 2^-28.2).
define float @__mytriton_exp_f32(float %x) #0 {
  ; Below and above, the result is 0 or infinity anyway; NaN passes.
  %below = fcmp olt float %x, -105.0
  %x1 = select i1 %below, float -105.0, float %x
  %above = fcmp ogt float %x1, 89.0
  %x2 = select i1 %above, float 89.0, float %x1
  ; Adding 1.5 * 2^23 rounds to an integer, which is then in the low bits.
  %shifted = call float @llvm.fma.f32(float %x2, float 0x3FF7154760000000, float 12582912.0)
  %n = fsub float %shifted, 12582912.0
  ; ln 2 in two parts; the product with the first is exact.
  %minus_n = fneg float %n
  %r1 = call float @llvm.fma.f32(float %minus_n, float 0x3FE62E4000000000, float %x2)
  %r = call float @llvm.fma.f32(float %minus_n, float 0x3EB7F7D1C0000000, float %r1)
  %p3 = call float @llvm.fma.f32(float 0x3F56A41540000000, float %r, float 0x3F81239C60000000)
  %p2 = call float @llvm.fma.f32(float %p3, float %r, float 0x3FA5558BC0000000)
  %p1 = call float @llvm.fma.f32(float %p2, float %r, float 0x3FC5554920000000)
  %p0 = call float @llvm.fma.f32(float %p1, float %r, float 0x3FDFFFFFC0000000)
  %square = fmul float %r, %r
  %tail = call float @llvm.fma.f32(float %square, float %p0, float %r)
  %e = fadd float %tail, 1.0
  ; 2^n in two factors, since n goes from -151 to 128; only the second product rounds.
  %bits = bitcast float %shifted to i32
  %integer = sub i32 %bits, 1262485504
  %half = ashr i32 %integer, 1
  %rest = sub i32 %integer, %half
  %half_biased = add i32 %half, 127
  %half_bits = shl i32 %half_biased, 23
  %half_scale = bitcast i32 %half_bits to float
  %rest_biased = add i32 %rest, 127
  %rest_bits = shl i32 %rest_biased, 23
  %rest_scale = bitcast i32 %rest_bits to float
  %scaled = fmul float %e, %half_scale
  %result = fmul float %scaled, %rest_scale
  ret float %result
}

; PTX's ex2.approx: at most 2 ulp over the whole range, denormals included.
define float @__mytriton_exp2_f32(float %x) #0 {
  %result = call float @llvm.exp2.f32(float %x)
  ret float %result
}

; tanh(x) = x + x^3 P(x^2) for |x| < 0.6, with a minimax P of degree 4 in x^2 (2^-28), else 1 - 2 / (exp(2 |x|) + 1).
define float @__mytriton_tanh_f32(float %x) #0 {
  %a = call float @llvm.fabs.f32(float %x)
  %s = fmul float %a, %a
  %p3 = call float @llvm.fma.f32(float 0xBF77D86E60000000, float %s, float 0x3F953C1740000000)
  %p2 = call float @llvm.fma.f32(float %p3, float %s, float 0xBFAB8772A0000000)
  %p1 = call float @llvm.fma.f32(float %p2, float %s, float 0x3FC1108CA0000000)
  %p0 = call float @llvm.fma.f32(float %p1, float %s, float 0xBFD55553A0000000)
  %sp = fmul float %s, %p0
  %near = call float @llvm.fma.f32(float %a, float %sp, float %a)
  ; 2 log2 e
  %power = fmul float %a, 0x4007154760000000
  %e = call float @llvm.exp2.f32(float %power)
  %denominator = fadd float %e, 1.0
  %quotient = fdiv float 2.0, %denominator
  %far = fsub float 1.0, %quotient
  %is_near = fcmp olt float %a, 0x3FE3333340000000
  %magnitude = select i1 %is_near, float %near, float %far
  %result = call float @llvm.copysign.f32(float %magnitude, float %x)
  ret float %result
}

declare float @llvm.fma.f32(float, float, float)
declare float @llvm.exp2.f32(float)
declare float @llvm.fabs.f32(float)
declare float @llvm.copysign.f32(float, float)

attributes #0 = { alwaysinline nofree norecurse nosync nounwind willreturn memory(none) }
