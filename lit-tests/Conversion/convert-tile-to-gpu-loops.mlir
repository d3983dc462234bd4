// RUN: mytriton-opt %s --pass-pipeline='builtin.module(convert-tile-to-gpu)' | FileCheck %s

// A loop with step 1 stays: its index meets every number up to the bound.
// CHECK-LABEL: gpu.func @ones
// CHECK-SAME: %[[P:[a-z0-9]*]]: i64, %[[LO:[a-z0-9]*]]: i32, %[[HI:[a-z0-9]*]]: i32
// CHECK: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK-NOT: arith.divui
// CHECK: scf.for %{{.*}} = %[[LO]] to %[[HI]] step %[[ONE]] : i32
func.func @ones(%p: !tile.ptr<i32>, %lo: i32, %hi: i32) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %one = arith.constant 1 : i32
  scf.for %i = %lo to %hi step %one : i32 {
    tile.store %p, %i : !tile.ptr<i32>
  }
  return
}

// With another step the next index may not fit into the type: rounds are counted, without a sign.
// CHECK-LABEL: gpu.func @steps
// CHECK-SAME: %[[P:[a-z0-9]*]]: i64, %[[LO:[a-z0-9]*]]: i32, %[[HI:[a-z0-9]*]]: i32, %[[STEP:[a-z0-9]*]]: i32
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK: %[[DISTANCE:.*]] = arith.subi %[[HI]], %[[LO]]
// CHECK: %[[BEFORE:.*]] = arith.subi %[[DISTANCE]], %[[ONE]]
// CHECK: %[[DIVISOR:.*]] = arith.maxui %[[STEP]], %[[ONE]]
// CHECK: %[[WHOLE:.*]] = arith.divui %[[BEFORE]], %[[DIVISOR]]
// CHECK: %[[COUNT:.*]] = arith.addi %[[WHOLE]], %[[ONE]]
// CHECK: %[[ANY:.*]] = arith.cmpi slt, %[[LO]], %[[HI]]
// CHECK: %[[ROUNDS:.*]] = arith.select %[[ANY]], %[[COUNT]], %[[ZERO]]
// CHECK: %[[SUM:.*]] = scf.for unsigned %[[K:.*]] = %[[ZERO]] to %[[ROUNDS]] step %[[ONE]] iter_args(%[[ACC:.*]] = %[[LO]])
// CHECK: %[[OFFSET:.*]] = arith.muli %[[K]], %[[STEP]]
// CHECK: %[[I:.*]] = arith.addi %[[LO]], %[[OFFSET]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[ACC]], %[[I]]
// CHECK: scf.yield %[[NEXT]]
func.func @steps(%p: !tile.ptr<i32>, %lo: i32, %hi: i32, %step: i32) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %sum = scf.for %i = %lo to %hi step %step iter_args(%acc = %lo) -> (i32) : i32 {
    %next = arith.addi %acc, %i : i32
    scf.yield %next : i32
  }
  tile.store %p, %sum : !tile.ptr<i32>
  return
}
