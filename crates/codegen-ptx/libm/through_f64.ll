; f32 functions that are rare and delicate: computed in f64 and rounded once. libclc's own lose denormal operands (fmod,
; remainder), overflow where the result is tiny (lgamma, tgamma), or lose digits of large exponents (pown).

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Exact: the remainder of two f32 numbers is an f32 number.
define float @__mytriton_fmod_f32(float %x, float %y) #0 {
  %wide_x = fpext float %x to double
  %wide_y = fpext float %y to double
  %wide = call double @__mytriton_fmod_f64(double %wide_x, double %wide_y)
  %result = fptrunc double %wide to float
  ret float %result
}

define float @__mytriton_remainder_f32(float %x, float %y) #0 {
  %wide_x = fpext float %x to double
  %wide_y = fpext float %y to double
  %wide = call double @__mytriton_remainder_f64(double %wide_x, double %wide_y)
  %result = fptrunc double %wide to float
  ret float %result
}

define float @__mytriton_erfc_f32(float %x) #0 {
  %wide_x = fpext float %x to double
  %wide = call double @__mytriton_erfc_f64(double %wide_x)
  %result = fptrunc double %wide to float
  ret float %result
}

define float @__mytriton_lgamma_f32(float %x) #0 {
  %wide_x = fpext float %x to double
  %wide = call double @__mytriton_lgamma_f64(double %wide_x)
  %result = fptrunc double %wide to float
  ret float %result
}

define float @__mytriton_tgamma_f32(float %x) #0 {
  %wide_x = fpext float %x to double
  %wide = call double @__mytriton_tgamma_f64(double %wide_x)
  %result = fptrunc double %wide to float
  ret float %result
}

; libclc's takes the exponent as an f32, which has 24 bits: beyond, parity and digits are lost, and of 2^31 - 1 LLVM knows
; that it comes back from f32 as no i32.
define float @__mytriton_pown_f32(float %x, i32 %n) #0 {
  %raised = add i32 %n, 16777216
  %is_large = icmp ugt i32 %raised, 33554432
  br i1 %is_large, label %large, label %small

large:
  %wide_x = fpext float %x to double
  %wide = call double @__mytriton_pown_f64(double %wide_x, i32 %n)
  %of_large = fptrunc double %wide to float
  ret float %of_large

small:
  %of_small = call float @__mytriton_clc_pown_f32(float %x, i32 %n)
  ret float %of_small
}

declare float @__mytriton_clc_pown_f32(float, i32)
declare double @__mytriton_pown_f64(double, i32)
declare double @__mytriton_fmod_f64(double, double)
declare double @__mytriton_remainder_f64(double, double)
declare double @__mytriton_erfc_f64(double)
declare double @__mytriton_lgamma_f64(double)
declare double @__mytriton_tgamma_f64(double)

attributes #0 = { alwaysinline nofree norecurse nosync nounwind willreturn memory(none) }
