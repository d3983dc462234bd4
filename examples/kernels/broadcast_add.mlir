// out[i, j] = m[i, j] + row[j] + column[i] for a matrix of any size. Each program adds a tile of 16 rows and 32 columns.
//
//   mytriton run broadcast_add.mlir --grid 2,2 --arg random:19x37:1 --arg random:37:2 --arg random:19:3 \
//     --arg out=zeros:19x37 --arg rows=19 --arg columns=37

func.func @broadcast_add(%m: !tile.ptr<f32> {tile.name = "m"},
                         %row: !tile.ptr<f32> {tile.name = "row"},
                         %column: !tile.ptr<f32> {tile.name = "column"},
                         %out: !tile.ptr<f32> {tile.name = "out"},
                         %rows: i32 {tile.name = "rows"},
                         %columns: i32 {tile.name = "columns"})
    attributes {tile.kernel} {
  // The row numbers, 16x1.
  %program_y = tile.program_id y : i32
  %height = arith.constant 16 : i32
  %first_row = arith.muli %program_y, %height : i32
  %first_rows = tile.splat %first_row : i32 -> tensor<16xi32>
  %i_lane = tile.range 0, 16 : tensor<16xi32>
  %i_flat = arith.addi %first_rows, %i_lane : tensor<16xi32>
  %i = tile.expand_dims %i_flat, 1 : tensor<16xi32> -> tensor<16x1xi32>
  %rows_s = tile.splat %rows : i32 -> tensor<16x1xi32>
  %i_mask = arith.cmpi slt, %i, %rows_s : tensor<16x1xi32>

  // The column numbers, 1x32.
  %program_x = tile.program_id x : i32
  %width = arith.constant 32 : i32
  %first_column = arith.muli %program_x, %width : i32
  %first_columns = tile.splat %first_column : i32 -> tensor<32xi32>
  %j_lane = tile.range 0, 32 : tensor<32xi32>
  %j_flat = arith.addi %first_columns, %j_lane : tensor<32xi32>
  %j = tile.expand_dims %j_flat, 0 : tensor<32xi32> -> tensor<1x32xi32>
  %columns_s = tile.splat %columns : i32 -> tensor<1x32xi32>
  %j_mask = arith.cmpi slt, %j, %columns_s : tensor<1x32xi32>

  // The row and the column, each loaded once.
  %row_s = tile.splat %row : !tile.ptr<f32> -> tensor<1x32x!tile.ptr<f32>>
  %row_at = tile.addptr %row_s, %j : tensor<1x32x!tile.ptr<f32>>, tensor<1x32xi32>
  %r = tile.load %row_at, %j_mask : tensor<1x32x!tile.ptr<f32>>
  %column_s = tile.splat %column : !tile.ptr<f32> -> tensor<16x1x!tile.ptr<f32>>
  %column_at = tile.addptr %column_s, %i : tensor<16x1x!tile.ptr<f32>>, tensor<16x1xi32>
  %c = tile.load %column_at, %i_mask : tensor<16x1x!tile.ptr<f32>>

  // The tile.
  %stride = tile.splat %columns : i32 -> tensor<16x1xi32>
  %offset = arith.muli %i, %stride : tensor<16x1xi32>
  %offset_b = tile.broadcast %offset : tensor<16x1xi32> -> tensor<16x32xi32>
  %j_b = tile.broadcast %j : tensor<1x32xi32> -> tensor<16x32xi32>
  %at = arith.addi %offset_b, %j_b : tensor<16x32xi32>
  %i_mask_b = tile.broadcast %i_mask : tensor<16x1xi1> -> tensor<16x32xi1>
  %j_mask_b = tile.broadcast %j_mask : tensor<1x32xi1> -> tensor<16x32xi1>
  %mask = arith.andi %i_mask_b, %j_mask_b : tensor<16x32xi1>
  %ms = tile.splat %m : !tile.ptr<f32> -> tensor<16x32x!tile.ptr<f32>>
  %m_at = tile.addptr %ms, %at : tensor<16x32x!tile.ptr<f32>>, tensor<16x32xi32>
  %a = tile.load %m_at, %mask : tensor<16x32x!tile.ptr<f32>>
  %r_b = tile.broadcast %r : tensor<1x32xf32> -> tensor<16x32xf32>
  %with_row = arith.addf %a, %r_b : tensor<16x32xf32>
  %c_b = tile.broadcast %c : tensor<16x1xf32> -> tensor<16x32xf32>
  %sum = arith.addf %with_row, %c_b : tensor<16x32xf32>
  %outs = tile.splat %out : !tile.ptr<f32> -> tensor<16x32x!tile.ptr<f32>>
  %out_at = tile.addptr %outs, %at : tensor<16x32x!tile.ptr<f32>>, tensor<16x32xi32>
  tile.store %out_at, %sum, %mask : tensor<16x32x!tile.ptr<f32>>
  return
}
