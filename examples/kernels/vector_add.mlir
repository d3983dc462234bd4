// out[i] = x[i] + y[i] for i below n. Each program adds 256 elements.
//
//   mytriton run vector_add.mlir --grid 4 --arg random:1000:1 --arg random:1000:2 --arg out=zeros:1000 --arg n=1000

func.func @vector_add(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32, tile.name = "x"},
                      %y: !tile.ptr<f32> {tile.divisibility = 16 : i32, tile.name = "y"},
                      %out: !tile.ptr<f32> {tile.divisibility = 16 : i32, tile.name = "out"},
                      %n: i32 {tile.name = "n"})
    attributes {tile.kernel} {
  %program = tile.program_id x : i32
  %size = arith.constant 256 : i32
  %start = arith.muli %program, %size : i32
  %starts = tile.splat %start : i32 -> tensor<256xi32>
  %lane = tile.range 0, 256 : tensor<256xi32>
  %at = arith.addi %starts, %lane : tensor<256xi32>
  %ns = tile.splat %n : i32 -> tensor<256xi32>
  %mask = arith.cmpi slt, %at, %ns : tensor<256xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %x_at = tile.addptr %xs, %at : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %a = tile.load %x_at, %mask : tensor<256x!tile.ptr<f32>>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %y_at = tile.addptr %ys, %at : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %b = tile.load %y_at, %mask : tensor<256x!tile.ptr<f32>>
  %sum = arith.addf %a, %b : tensor<256xf32>
  %outs = tile.splat %out : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %out_at = tile.addptr %outs, %at : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  tile.store %out_at, %sum, %mask : tensor<256x!tile.ptr<f32>>
  return
}
