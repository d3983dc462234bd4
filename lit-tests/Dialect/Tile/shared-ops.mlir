// RUN: mytriton-opt %s | FileCheck %s
// RUN: mytriton-opt %s | mytriton-opt | FileCheck %s
// RUN: mytriton-opt %s --mlir-print-op-generic | mytriton-opt | FileCheck %s
// RUN: mytriton-opt %s --emit-bytecode | mytriton-opt | FileCheck %s

// CHECK-DAG: #[[$SHARED:.*]] = #tile.shared<{offset = {{\[\[}}0, 1], [0, 2], [0, 4], [1, 2], [2, 4]]}>
// CHECK-DAG: #[[$CLUSTER:.*]] = #tile.shared<{offset = {{\[\[}}1], [2]], block = {{\[\[}}4]]}>
// CHECK-DAG: #[[$PADDED:.*]] = #tile.shared<{offset = {{\[\[}}1], [2], [4]]}>
// CHECK-DAG: #[[$ONE:.*]] = #tile.shared<{offset = []}>
// CHECK-DAG: #[[$ROWS:.*]] = #tile.layout

#swizzled = #tile.shared<{offset = [[0, 1], [0, 2], [0, 4], [1, 2], [2, 4]], block = []}>
#cluster = #tile.shared<{block = [[4]], offset = [[1], [2]]}>
#padded = #tile.shared<{offset = [[1], [2], [4]]}>
#one = #tile.shared<{offset = []}>
#rows = #tile.layout<{register = [], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]], warp = []}>

// CHECK: @types(!tile.buffer<4x8xf16, #[[$SHARED]]>, !tile.buffer<8xi1, #[[$CLUSTER]]>, !tile.buffer<5x!tile.ptr<f32>, #[[$PADDED]]>, !tile.buffer<1x1xf64, #[[$ONE]]>)
func.func private @types(!tile.buffer<4x8xf16, #swizzled>, !tile.buffer<8xi1, #cluster>, !tile.buffer<5x!tile.ptr<f32>, #padded>, !tile.buffer<1x1xf64, #one>)

// CHECK-LABEL: func.func @ops
// CHECK-SAME: (%[[T:.*]]: tensor<4x8xf16, #[[$ROWS]]>)
func.func @ops(%t: tensor<4x8xf16, #rows>) -> tensor<4x8xf16, #rows> {
  // CHECK: %[[A:.*]] = tile.alloc : !tile.buffer<4x8xf16, #[[$SHARED]]>
  %a = tile.alloc : !tile.buffer<4x8xf16, #swizzled>
  // CHECK: %[[B:.*]] = tile.alloc %[[T]] : tensor<4x8xf16, #[[$ROWS]]> -> !tile.buffer<4x8xf16, #[[$SHARED]]> {tile.bytes = 64 : i32, tile.offset = 128 : i32}
  %b = tile.alloc %t : tensor<4x8xf16, #rows> -> !tile.buffer<4x8xf16, #swizzled> {tile.offset = 128 : i32, tile.bytes = 64 : i32}
  // CHECK: tile.local_store %[[T]], %[[A]] : tensor<4x8xf16, #[[$ROWS]]> -> !tile.buffer<4x8xf16, #[[$SHARED]]>
  tile.local_store %t, %a : tensor<4x8xf16, #rows> -> !tile.buffer<4x8xf16, #swizzled>
  // CHECK: tile.local_load %[[B]] : !tile.buffer<4x8xf16, #[[$SHARED]]> -> tensor<4x8xf16, #[[$ROWS]]>
  %v = tile.local_load %b : !tile.buffer<4x8xf16, #swizzled> -> tensor<4x8xf16, #rows>
  // CHECK: tile.dealloc %[[A]] : !tile.buffer<4x8xf16, #[[$SHARED]]>
  tile.dealloc %a : !tile.buffer<4x8xf16, #swizzled>
  return %v : tensor<4x8xf16, #rows>
}

// In the tile stage, without layouts of tiles.
// CHECK-LABEL: func.func @tile_stage
func.func @tile_stage(%t: tensor<8xi1>) -> tensor<8xi1> {
  // CHECK: tile.alloc %{{.*}} : tensor<8xi1> -> !tile.buffer<8xi1, #[[$PADDED]]>
  %a = tile.alloc %t : tensor<8xi1> -> !tile.buffer<8xi1, #padded>
  // CHECK: tile.local_load %{{.*}} : !tile.buffer<8xi1, #[[$PADDED]]> -> tensor<8xi1>
  %v = tile.local_load %a : !tile.buffer<8xi1, #padded> -> tensor<8xi1>
  return %v : tensor<8xi1>
}
