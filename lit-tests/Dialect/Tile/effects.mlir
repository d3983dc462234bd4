// RUN: mytriton-opt %s --split-input-file --cse | FileCheck %s --check-prefix=CSE
// RUN: mytriton-opt %s --split-input-file --loop-invariant-code-motion | FileCheck %s --check-prefix=LICM
// RUN: mytriton-opt %s --split-input-file --inline | FileCheck %s --check-prefix=INLINE

// What the memory effects of the operations let the general passes do.

// CSE-LABEL: func.func @load_twice
func.func @load_twice(%p: !tile.ptr<f32>) -> f32 {
  // One load is enough.
  // CSE: %[[A:.*]] = tile.load
  // CSE-NEXT: arith.addf %[[A]], %[[A]]
  %a = tile.load %p : !tile.ptr<f32>
  %b = tile.load %p : !tile.ptr<f32>
  %s = arith.addf %a, %b : f32
  return %s : f32
}

// CSE-LABEL: func.func @load_after_store
func.func @load_after_store(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>, %v: f32) -> f32 {
  // A store to any pointer may change what the second load sees.
  // CSE: %[[A:.*]] = tile.load
  // CSE: tile.store
  // CSE: %[[B:.*]] = tile.load
  // CSE: arith.addf %[[A]], %[[B]]
  %a = tile.load %p : !tile.ptr<f32>
  tile.store %q, %v : !tile.ptr<f32>
  %b = tile.load %p : !tile.ptr<f32>
  %s = arith.addf %a, %b : f32
  return %s : f32
}

// CSE-LABEL: func.func @dead
func.func @dead(%p: !tile.ptr<f32>, %v: f32) {
  // An unused load goes, a store stays.
  // CSE-NEXT: tile.store
  // CSE-NEXT: return
  %pid = tile.program_id x : i32
  %a = tile.load %p : !tile.ptr<f32>
  %address = tile.ptr_to_int %p : !tile.ptr<f32>
  tile.store %p, %v : !tile.ptr<f32>
  return
}

// -----

// LICM-LABEL: func.func @loop
func.func @loop(%p: !tile.ptr<i32>, %n: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  // Total operations may be done where the loop would not have done them; a load may not.
  // LICM: tile.program_id
  // LICM: tile.div_s
  // LICM: scf.for
  // LICM: tile.load
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %zero) -> i32 : i32 {
    %pid = tile.program_id x : i32
    %d = tile.div_s %pid, %n : i32
    %v = tile.load %p : !tile.ptr<i32>
    %a = arith.addi %v, %d : i32
    %b = arith.addi %acc, %a : i32
    scf.yield %b : i32
  }
  return %r : i32
}

// -----

func.func private @callee(%p: !tile.ptr<f32>) -> f32 {
  %v = tile.load %p : !tile.ptr<f32>
  return %v : f32
}

// INLINE-LABEL: func.func @caller
func.func @caller(%p: !tile.ptr<f32>) -> f32 {
  // INLINE-NEXT: %[[V:.*]] = tile.load
  // INLINE-NEXT: return %[[V]]
  %v = func.call @callee(%p) : (!tile.ptr<f32>) -> f32
  return %v : f32
}

// -----

#shared = #tile.shared<{offset = [[1], [2]]}>

// CSE-LABEL: func.func @buffers
func.func @buffers(%p: !tile.ptr<f32>, %t: tensor<4xf32>) -> (tensor<4xf32>, f32) {
  // A buffer that nobody uses goes, with what it holds. Two of them are not one.
  // CSE-NEXT: %[[A:.*]] = tile.alloc %{{.*}} : tensor
  // CSE-NEXT: %[[B:.*]] = tile.alloc %{{.*}} : tensor
  %dead = tile.alloc %t : tensor<4xf32> -> !tile.buffer<4xf32, #shared>
  %a = tile.alloc %t : tensor<4xf32> -> !tile.buffer<4xf32, #shared>
  %b = tile.alloc %t : tensor<4xf32> -> !tile.buffer<4xf32, #shared>
  // A store to a buffer changes what loads from buffers see.
  // CSE: tile.load
  // CSE: %[[X:.*]] = tile.local_load %[[A]]
  // CSE-NEXT: tile.local_store %[[X]], %[[B]]
  // CSE-NEXT: %[[Y:.*]] = tile.local_load %[[A]]
  %g = tile.load %p : !tile.ptr<f32>
  %x = tile.local_load %a : !tile.buffer<4xf32, #shared> -> tensor<4xf32>
  %again = tile.local_load %a : !tile.buffer<4xf32, #shared> -> tensor<4xf32>
  tile.local_store %again, %b : tensor<4xf32> -> !tile.buffer<4xf32, #shared>
  %y = tile.local_load %a : !tile.buffer<4xf32, #shared> -> tensor<4xf32>
  %h = tile.load %p : !tile.ptr<f32>
  // CSE: arith.addf %[[X]], %[[Y]]
  %s = arith.addf %x, %y : tensor<4xf32>
  %r = arith.addf %g, %h : f32
  return %s, %r : tensor<4xf32>, f32
}
