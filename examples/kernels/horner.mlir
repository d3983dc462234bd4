// A loop with two carried values: the polynomial with coefficients c[0] + c[1] x + ... and its derivative, by Horner's
// rule from the last coefficient down. Each program takes 128 points.
//
//   mytriton run horner.mlir --grid 1 --arg random:100:1 --arg random:5:2 --arg zeros:100 --arg zeros:100 --arg 100 --arg 5

func.func @horner(%x: !tile.ptr<f32> {tile.name = "x"},
                  %c: !tile.ptr<f32> {tile.name = "c"},
                  %value: !tile.ptr<f32> {tile.name = "value"},
                  %slope: !tile.ptr<f32> {tile.name = "slope"},
                  %n: i32 {tile.name = "n"},
                  %terms: i32 {tile.name = "terms"})
    attributes {tile.kernel} {
  %program = tile.program_id x : i32
  %size = arith.constant 128 : i32
  %start = arith.muli %program, %size : i32
  %starts = tile.splat %start : i32 -> tensor<128xi32>
  %lane = tile.range 0, 128 : tensor<128xi32>
  %at = arith.addi %starts, %lane : tensor<128xi32>
  %ns = tile.splat %n : i32 -> tensor<128xi32>
  %mask = arith.cmpi slt, %at, %ns : tensor<128xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %x_at = tile.addptr %xs, %at : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %point = tile.load %x_at, %mask : tensor<128x!tile.ptr<f32>>

  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128xf32>
  %last = arith.subi %terms, %one : i32
  %p_and_d:2 = scf.for %k = %zero to %terms step %one iter_args(%p_k = %none, %d_k = %none)
      -> (tensor<128xf32>, tensor<128xf32>) : i32 {
    %index = arith.subi %last, %k : i32
    %c_at = tile.addptr %c, %index : !tile.ptr<f32>, i32
    %c_k = tile.load %c_at : !tile.ptr<f32>
    %cs = tile.splat %c_k : f32 -> tensor<128xf32>
    %dx = arith.mulf %d_k, %point : tensor<128xf32>
    %d_next = arith.addf %dx, %p_k : tensor<128xf32>
    %px = arith.mulf %p_k, %point : tensor<128xf32>
    %p_next = arith.addf %px, %cs : tensor<128xf32>
    scf.yield %p_next, %d_next : tensor<128xf32>, tensor<128xf32>
  }

  %values = tile.splat %value : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %value_at = tile.addptr %values, %at : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  tile.store %value_at, %p_and_d#0, %mask : tensor<128x!tile.ptr<f32>>
  %slopes = tile.splat %slope : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %slope_at = tile.addptr %slopes, %at : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  tile.store %slope_at, %p_and_d#1, %mask : tensor<128x!tile.ptr<f32>>
  return
}
