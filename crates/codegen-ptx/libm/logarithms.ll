; log, log2 and log10 in f32 without lookup tables.
;
; x = 2^k m with m in [sqrt(1/2), sqrt(2)) and f = m - 1, which is exact. Then log(m) = f + t with t = f^2 Q(f), where Q
; is a minimax polynomial of degree 8 (relative error of the logarithm 2^-27.3). Since k = 0 near x = 1, nothing cancels.

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; The parts (k, f, t) for a positive finite x.
define { float, float, float } @__mytriton_impl_log_parts_f32(float %x) #0 {
  ; Denormals are scaled by 2^23 first.
  %small = fcmp olt float %x, 0x3810000000000000
  %scaled = fmul float %x, 8388608.0
  %y = select i1 %small, float %scaled, float %x
  %bias = select i1 %small, float -23.0, float 0.0
  ; 0x3f3504f3 is sqrt(1/2): the difference has k in its exponent field.
  %bits = bitcast float %y to i32
  %above = sub i32 %bits, 1060439283
  %exponent = and i32 %above, -8388608
  %mantissa = sub i32 %bits, %exponent
  %m = bitcast i32 %mantissa to float
  %wide = sitofp i32 %exponent to float
  %k = call float @llvm.fma.f32(float %wide, float 0x3E80000000000000, float %bias)
  %f = fadd float %m, -1.0
  %q7 = call float @llvm.fma.f32(float 0xBFB38C9740000000, float %f, float 0x3FC055EAE0000000)
  %q6 = call float @llvm.fma.f32(float %q7, float %f, float 0xBFC0D82460000000)
  %q5 = call float @llvm.fma.f32(float %q6, float %f, float 0x3FC22D9300000000)
  %q4 = call float @llvm.fma.f32(float %q5, float %f, float 0xBFC54728A0000000)
  %q3 = call float @llvm.fma.f32(float %q4, float %f, float 0x3FC99A01C0000000)
  %q2 = call float @llvm.fma.f32(float %q3, float %f, float 0xBFD0002260000000)
  %q1 = call float @llvm.fma.f32(float %q2, float %f, float 0x3FD5555540000000)
  %q0 = call float @llvm.fma.f32(float %q1, float %f, float -0.5)
  %square = fmul float %f, %f
  %t = fmul float %square, %q0
  %parts1 = insertvalue { float, float, float } poison, float %k, 0
  %parts2 = insertvalue { float, float, float } %parts1, float %f, 1
  %parts3 = insertvalue { float, float, float } %parts2, float %t, 2
  ret { float, float, float } %parts3
}

; The result for x, given what it is for a positive finite x.
define float @__mytriton_impl_log_special_f32(float %x, float %regular) #0 {
  ; Positive finite numbers have the bits 1 to 0x7f7fffff.
  %bits = bitcast float %x to i32
  %below = add i32 %bits, -1
  %is_regular = icmp ult i32 %below, 2139095039
  %is_zero = fcmp oeq float %x, 0.0
  %is_negative = fcmp olt float %x, 0.0
  ; Infinity and NaN stay what they are.
  %other = select i1 %is_negative, float 0x7FF8000000000000, float %x
  %special = select i1 %is_zero, float 0xFFF0000000000000, float %other
  %result = select i1 %is_regular, float %regular, float %special
  ret float %result
}

; k ln 2 + (f + t)
define float @__mytriton_log_f32(float %x) #0 {
  %parts = call { float, float, float } @__mytriton_impl_log_parts_f32(float %x)
  %k = extractvalue { float, float, float } %parts, 0
  %f = extractvalue { float, float, float } %parts, 1
  %t = extractvalue { float, float, float } %parts, 2
  %log_m = fadd float %f, %t
  %regular = call float @llvm.fma.f32(float %k, float 0x3FE62E4300000000, float %log_m)
  %result = call float @__mytriton_impl_log_special_f32(float %x, float %regular)
  ret float %result
}

; k + (f + t) log2 e, with the rest of log2 e beyond f32.
define float @__mytriton_log2_f32(float %x) #0 {
  %parts = call { float, float, float } @__mytriton_impl_log_parts_f32(float %x)
  %k = extractvalue { float, float, float } %parts, 0
  %f = extractvalue { float, float, float } %parts, 1
  %t = extractvalue { float, float, float } %parts, 2
  %rest = fmul float %f, 0x3E54AE0C00000000
  %low = call float @llvm.fma.f32(float %t, float 0x3FF7154760000000, float %rest)
  %log2_m = call float @llvm.fma.f32(float %f, float 0x3FF7154760000000, float %low)
  %regular = fadd float %k, %log2_m
  %result = call float @__mytriton_impl_log_special_f32(float %x, float %regular)
  ret float %result
}

; k log10 2 + (f + t) log10 e, with the rests of both constants beyond f32.
define float @__mytriton_log10_f32(float %x) #0 {
  %parts = call { float, float, float } @__mytriton_impl_log_parts_f32(float %x)
  %k = extractvalue { float, float, float } %parts, 0
  %f = extractvalue { float, float, float } %parts, 1
  %t = extractvalue { float, float, float } %parts, 2
  %rest = fmul float %f, 0xBE45B235E0000000
  %low = call float @llvm.fma.f32(float %t, float 0x3FDBCB7B20000000, float %rest)
  %log10_m = call float @llvm.fma.f32(float %f, float 0x3FDBCB7B20000000, float %low)
  %k_low = call float @llvm.fma.f32(float %k, float 0xBE4EC10C00000000, float %log10_m)
  %regular = call float @llvm.fma.f32(float %k, float 0x3FD3441360000000, float %k_low)
  %result = call float @__mytriton_impl_log_special_f32(float %x, float %regular)
  ret float %result
}

declare float @llvm.fma.f32(float, float, float)

attributes #0 = { alwaysinline nofree norecurse nosync nounwind willreturn memory(none) }
