// RUN: mytriton-opt %s | FileCheck %s
// RUN: mytriton-opt %s | mytriton-opt | FileCheck %s
// RUN: mytriton-opt %s --mlir-print-op-generic | mytriton-opt | FileCheck %s
// RUN: mytriton-opt %s --emit-bytecode | mytriton-opt | FileCheck %s

// CHECK-LABEL: func.func @program
func.func @program() {
  // CHECK: tile.program_id x : i32
  %0 = tile.program_id x : i32
  // CHECK: tile.program_id y : i32
  %1 = tile.program_id y : i32
  // CHECK: tile.program_id z : i32
  %2 = tile.program_id z : i32
  // CHECK: tile.num_programs x {note = "a"} : i32
  %3 = tile.num_programs x {note = "a"} : i32
  // CHECK: tile.num_programs y : i32
  %4 = tile.num_programs y : i32
  // CHECK: tile.num_programs z : i32
  %5 = tile.num_programs z : i32
  return
}
