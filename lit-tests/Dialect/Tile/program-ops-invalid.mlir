// RUN: mytriton-opt %s --split-input-file --verify-diagnostics

func.func @program_id_c1_axis() {
  // expected-error @+2 {{expected one of [x, y, z] for an axis of the launch grid, got: w}}
  // expected-error @+1 {{failed to parse Tile_AxisAttr parameter 'value'}}
  %0 = tile.program_id w : i32
  return
}

// -----

func.func @program_id_c2_result() {
  // expected-error @+1 {{result #0 must be 32-bit signless integer, but got 'i64'}}
  %0 = tile.program_id x : i64
  return
}

// -----

func.func @num_programs_c1_axis() {
  // expected-error @+1 {{'tile.num_programs' op requires attribute 'axis'}}
  %0 = "tile.num_programs"() : () -> i32
  return
}

// -----

func.func @num_programs_c2_result() {
  // expected-error @+1 {{result #0 must be 32-bit signless integer, but got 'index'}}
  %0 = "tile.num_programs"() <{axis = #tile<axis z>}> : () -> index
  return
}
