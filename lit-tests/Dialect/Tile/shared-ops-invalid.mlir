// RUN: mytriton-opt %s --split-input-file --verify-diagnostics

// SharedAttr constraint 1: offset once, block at most once.

// expected-error @+1 {{layout lacks 'offset'}}
#shared_c1_missing = #tile.shared<{block = []}>

// -----

// expected-error @+1 {{'offset' is given twice}}
#shared_c1_twice = #tile.shared<{offset = [[1]], offset = [[2]]}>

// -----

// expected-error @+1 {{expected offset or block, got 'lane'}}
#shared_c1_unknown = #tile.shared<{lane = [[1]]}>

// -----

// SharedAttr constraint 2: one rank.

// expected-error @+1 {{basis offset[1] has 1 coordinates, expected 2 like the bases before it}}
#shared_c2_rank = #tile.shared<{offset = [[0, 1], [2]]}>

// -----

// expected-error @+1 {{bases have 6 coordinates; a tile has at most 5 dimensions}}
#shared_c2_too_deep = #tile.shared<{offset = [[1, 0, 0, 0, 0, 0]]}>

// -----

// SharedAttr constraint 3: no negative coordinate.

// expected-error @+1 {{basis block[0] = [-4] has a negative coordinate}}
#shared_c3 = #tile.shared<{offset = [[1], [2]], block = [[-4]]}>

// -----

// SharedAttr constraint 4: the buffer's rank.

// expected-error @+1 {{layout has rank 1, but the buffer has rank 2}}
func.func private @shared_c4(!tile.buffer<4x1xf32, #tile.shared<{offset = [[1], [2]]}>>)

// -----

// SharedAttr constraint 5: coordinates within the padded extents.

// expected-error @+1 {{basis offset[1] = [0, 4]: coordinate 1 is outside of 0..4}}
func.func private @shared_c5(!tile.buffer<1x3xf32, #tile.shared<{offset = [[0, 1], [0, 4]]}>>)

// -----

// SharedAttr constraint 6: every element is reached.

// expected-error @+1 {{the layout is not surjective: its rank is 2 of 3 output bits, nothing maps to (dim0 = 4)}}
func.func private @shared_c6(!tile.buffer<5xf32, #tile.shared<{offset = [[1], [2]]}>>)

// -----

// BufferType constraint 1: a static shape.

// expected-error @+1 {{a buffer has rank 1 to 5, got 0}}
func.func private @buffer_c1_rank(!tile.buffer<f32, #tile.shared<{offset = []}>>)

// -----

// expected-error @+1 {{the extents of a buffer are positive}}
func.func private @buffer_c1_empty(!tile.buffer<0xf32, #tile.shared<{offset = []}>>)

// -----

// BufferType constraint 2: the element.

// expected-error @+1 {{the element of a buffer must be one of i1, i8, i16, i32, i64, f16, bf16, f32, f64 or a !tile.ptr, got 'i7'}}
func.func private @buffer_c2(!tile.buffer<2xi7, #tile.shared<{offset = [[1]]}>>)

// -----

// BufferType constraint 3: the layout.

// expected-error @+1 {{invalid kind of attribute specified}}
func.func private @buffer_c3(!tile.buffer<2xf32, #tile.layout<{register = [], lane = [[1], [0], [0], [0], [0]], warp = []}>>)

// -----

#shared = #tile.shared<{offset = [[1], [2]]}>
func.func @alloc_c2_shape(%t: tensor<2xf32>) {
  // expected-error @+1 {{initial tile must have the shape and element type of the buffer, got 'tensor<2xf32>' and '!tile.buffer<4xf32, #tile.shared<{offset = [}}
  %a = tile.alloc %t : tensor<2xf32> -> !tile.buffer<4xf32, #shared>
  return
}

// -----

#shared = #tile.shared<{offset = [[1], [2]]}>
func.func @local_load_c2_element(%b: !tile.buffer<4xf32, #shared>) {
  // expected-error @+1 {{result must have the shape and element type of the buffer, got 'tensor<4xf16>'}}
  %t = tile.local_load %b : !tile.buffer<4xf32, #shared> -> tensor<4xf16>
  return
}

// -----

#shared = #tile.shared<{offset = [[1], [2]]}>
func.func @local_store_c2_shape(%b: !tile.buffer<4xf32, #shared>, %t: tensor<4x1xf32>) {
  // expected-error @+1 {{tile must have the shape and element type of the buffer, got 'tensor<4x1xf32>'}}
  tile.local_store %t, %b : tensor<4x1xf32> -> !tile.buffer<4xf32, #shared>
  return
}

// -----

func.func @dealloc_c1(%t: tensor<4xf32>) {
  // expected-error @+1 {{operand #0 must be tile in shared memory (!tile.buffer), but got 'tensor<4xf32>'}}
  "tile.dealloc"(%t) : (tensor<4xf32>) -> ()
  return
}

// -----

// Attributes of allocation.

// expected-error @+1 {{must be an i32 that is not negative, got -1 : i32}}
func.func @shared_bytes() attributes {tile.shared_bytes = -1 : i32} {
  return
}

// -----

#shared = #tile.shared<{offset = [[1], [2]]}>
func.func @offset() {
  // expected-error @+1 {{must be an i32 that is not negative, got 16 : i64}}
  %a = tile.alloc : !tile.buffer<4xf32, #shared> {tile.offset = 16 : i64}
  return
}

// -----

#shared = #tile.shared<{offset = [[1], [2]]}>
func.func @within_warps() {
  // expected-error @+1 {{must be a unit attribute, got 1 : i32}}
  %a = tile.alloc : !tile.buffer<4xf32, #shared> {tile.within_warps = 1 : i32}
  return
}
