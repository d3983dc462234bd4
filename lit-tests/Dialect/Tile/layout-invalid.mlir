// RUN: mytriton-opt %s --split-input-file --verify-diagnostics

// Constraint 1: register, lane and warp once each, block at most once.

// expected-error @+1 {{layout lacks 'warp'}}
#c1_missing = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [16]]}>

// -----

// expected-error @+1 {{'lane' is given twice}}
#c1_twice = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [16]], lane = [], warp = []}>

// -----

// expected-error @+1 {{expected register, lane, warp or block, got 'thread'}}
#c1_unknown = #tile.layout<{register = [], thread = [[1], [2], [4], [8], [16]], warp = []}>

// -----

// Constraint 2: five lane bases.

// expected-error @+1 {{'lane' has 4 bases, expected 5: a warp has 32 threads}}
#c2_too_few = #tile.layout<{register = [], lane = [[1], [2], [4], [8]], warp = []}>

// -----

// expected-error @+1 {{'lane' has 6 bases, expected 5: a warp has 32 threads}}
#c2_too_many = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [16], [32]], warp = []}>

// -----

// expected-error @+1 {{'lane' has 0 bases, expected 5}}
#c2_none = #tile.layout<{register = [], lane = [], warp = []}>

// -----

// Constraint 3: one rank.

// expected-error @+1 {{basis lane[2] has 1 coordinates, expected 2 like the bases before it}}
#c3_rank = #tile.layout<{register = [[0, 1]], lane = [[0, 2], [0, 4], [8], [0, 16], [1, 0]], warp = []}>

// -----

// expected-error @+1 {{basis register[0] has 0 coordinates, expected one per tensor dimension}}
#c3_empty = #tile.layout<{register = [[]], lane = [], warp = []}>

// -----

// expected-error @+1 {{bases have 6 coordinates; a tile has at most 5 dimensions}}
#c3_too_deep = #tile.layout<{register = [[1, 0, 0, 0, 0, 0]], lane = [], warp = []}>

// -----

// Constraint 4: no negative coordinate.

// expected-error @+1 {{basis warp[1] = [0, -2] has a negative coordinate}}
#c4_negative = #tile.layout<{register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[1, 0], [0, -2]]}>

// -----

// Constraint 5: the tensor's rank.

#c5 = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>
// expected-error @+1 {{layout has rank 1, but the tensor has rank 2}}
func.func private @c5_rank(tensor<32x1xf32, #c5>)

// -----

#c5 = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>
// expected-error @+1 {{a tensor with a layout must have static, positive extents}}
func.func private @c5_dynamic(tensor<?xf32, #c5>)

// -----

// Constraint 6: coordinates within the padded extents.

#c6 = #tile.layout<{register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 64], [0, 16]], warp = []}>
// expected-error @+1 {{basis lane[3] = [0, 64]: coordinate 1 is outside of 0..32}}
func.func private @c6_lane(tensor<1x32xf32, #c6>)

// -----

#c6 = #tile.layout<{register = [[32]], lane = [[1], [2], [4], [8], [16]], warp = [[64]]}>
// expected-error @+1 {{basis warp[0] = [64]: coordinate 0 is outside of 0..64}}
func.func private @c6_warp_of_a_padded_tile(tensor<33xf32, #c6>)

// -----

// Constraint 7: every element is reached.

#c7 = #tile.layout<{register = [[32]], lane = [[1], [2], [4], [8], [16]], warp = []}>
// expected-error @+1 {{the layout is not surjective: its rank is 6 of 7 output bits, nothing maps to (dim0 = 64)}}
func.func private @c7_too_small(tensor<128xf32, #c7>)

// -----

// Enough bases, but 3 = 1 xor 2.
#c7 = #tile.layout<{register = [[3]], lane = [[1], [2], [8], [16], [32]], warp = []}>
// expected-error @+1 {{the layout is not surjective: its rank is 5 of 6 output bits, nothing maps to (dim0 = 4)}}
func.func private @c7_dependent(tensor<64xf32, #c7>)
