// A kernel from MLIR, back to typed SSA and to code.

// REQUIRES: mytriton
// RUN: mytriton compile %s --emit=ssa | FileCheck %s --check-prefix=SSA
// RUN: mytriton compile %s --emit=ptx | FileCheck %s --check-prefix=PTX
// RUN: mytriton compile %s --emit=cuda | FileCheck %s --check-prefix=CUDA
// RUN: mytriton compile - --format=mlir --emit=ssa < %s | FileCheck %s --check-prefix=SSA

// By way of typed SSA or not, the code is the same.
// RUN: mytriton compile %s --emit=ptx -o %t.direct.ptx
// RUN: mytriton compile %s --emit=ssa -o %t.ssa
// RUN: mytriton compile %t.ssa --emit=ptx -o %t.ptx
// RUN: diff %t.direct.ptx %t.ptx

// SSA-LABEL: kernel @negate(%x: ptr<f32> {divisibility = 16}) {
// SSA:         %{{.*}} = neg %{{.*}} : tile<64xf32>
// PTX-LABEL: .entry negate(
// CUDA-LABEL: __global__
// CUDA-SAME:    negate

func.func @negate(%x: !tile.ptr<f32> {tile.name = "x", tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %at = tile.range 0, 64 : tensor<64xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %x_at = tile.addptr %xs, %at : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %a = tile.load %x_at : tensor<64x!tile.ptr<f32>>
  %b = arith.negf %a : tensor<64xf32>
  tile.store %x_at, %b : tensor<64x!tile.ptr<f32>>
  return
}
