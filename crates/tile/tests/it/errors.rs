//! Modules that typed SSA has no form for: an error at the operation, never a panic.

use mytriton_tile::to_ssa;
use mytriton_tile_sys as sys;

use crate::context;

/// The error for a kernel with this body; its first operation is on line 2.
fn error_of(arguments: &str, body: &str) -> String {
    error_in(&format!(
        "func.func @k({arguments}) attributes {{tile.kernel}} {{\n{body}\nreturn\n}}"
    ))
}

fn error_in(text: &str) -> String {
    let context = context();
    let (module, reports) = sys::collect_diagnostics(&context, || sys::parse_module(&context, text, "k.mlir"));
    let module = module.unwrap_or_else(|| panic!("{}\n{text}", reports[0]));
    to_ssa(&module).unwrap_err().to_string()
}

#[track_caller]
fn assert_error(arguments: &str, body: &str, wanted: &str) {
    let message = error_of(arguments, body);
    assert!(message.contains(wanted), "{message}");
    assert!(message.starts_with("k.mlir:2:"), "{message}");
}

#[test]
fn constants() {
    let dense = "%0 = arith.constant dense<[1, 2]> : tensor<2xi32>";
    assert_error("", dense, "a constant tile has the same value everywhere");
    assert_error("", "%0 = arith.constant 1 : index", "index");
    assert_error("", "%0 = arith.constant 1 : i128", "i128");
    assert_error("", "%0 = arith.constant 1.0 : f128", "f128");
    assert_error("", "%0 = arith.constant dense<1> : vector<2xi32>", "vector<2xi32>");
    assert_error("", "%0 = arith.constant dense_resource<blob> : tensor<2xi32>", "");
}

#[test]
fn operations() {
    assert_error(
        "%a: i32",
        "%0 = math.ctpop %a : i32",
        "'math.ctpop' has no form in typed SSA",
    );
    assert_error("%a: i32", "%0 = arith.index_cast %a : i32 to index", "index");
    assert_error(
        "%a: i32, %b: i32",
        "%0, %1 = arith.addui_extended %a, %b : i32, i1",
        "arith.addui_extended",
    );
    assert_error(
        "%a: i1",
        "%0 = vector.broadcast %a : i1 to vector<4xi1>",
        "'vector.broadcast' has no form in typed SSA",
    );
    assert_error("", "gpu.barrier", "'gpu.barrier' has no form in typed SSA");
    assert_error(
        "%a: f32",
        "%0 = math.copysign %a, %a : f32",
        "'math.copysign' has no form in typed SSA",
    );
}

#[test]
fn predicates() {
    for predicate in ["ult", "ugt", "ueq", "one", "ord", "uno", "false", "true"] {
        let body = format!("%0 = arith.cmpf {predicate}, %a, %a : f32");
        assert_error("%a: f32", &body, "this predicate of 'arith.cmpf'");
    }
}

/// i1 has no sign in typed SSA, and true is -1 to arith's signed operations.
#[test]
fn signed_operations_on_truth_values() {
    let comparison = "%0 = arith.cmpi slt, %a, %a : i1";
    for body in [
        comparison,
        "%0 = arith.maxsi %a, %a : i1",
        "%0 = tile.div_s %a, %a : i1",
    ] {
        assert_error("%a: i1", body, "i1");
    }
}

/// Attributes that change what an operation gives are not dropped silently.
#[test]
fn attributes() {
    assert_error(
        "%a: f32",
        "%0 = arith.truncf %a upward : f32 to f16",
        "'roundingmode' on 'arith.truncf'",
    );
    assert_error(
        "%a: i32",
        "scf.for unsigned %i = %a to %a step %a : i32 { }",
        "'unsignedCmp' on 'scf.for'",
    );
}

#[test]
fn shapes_beyond_typed_ssa() {
    let huge = "%0 = tile.range 0, 2097152 : tensor<2097152xi32>";
    assert_error("", huge, "tensor<2097152xi32>");
}

#[test]
fn control_flow() {
    let body = "cf.br ^next\n^next:";
    assert_error("", body, "'cf.br'");
    let execute = "scf.execute_region { scf.yield }";
    assert_error("", execute, "'scf.execute_region' has no form in typed SSA");
    let index = "%z = arith.constant 0 : i32\nscf.for %i = %z to %z step %z : i32 {\n%0 = math.ctpop %i : i32\n}";
    let message = error_of("", index);
    assert!(message.starts_with("k.mlir:4:"), "{message}");
}

#[test]
fn functions() {
    let message = error_in("func.func @helper() {\nreturn\n}");
    assert!(message.contains("'func.func' is not a kernel"), "{message}");
    assert!(message.starts_with("k.mlir:1:"), "{message}");
    let message = error_in("func.func @k(%a: i32) attributes {tile.kernel} {\nreturn\n}\nfunc.func private @f()");
    assert!(message.starts_with("k.mlir:4:"), "{message}");
}

/// A layout belongs to a later stage.
#[test]
fn layouts() {
    let layout = "#tile.layout<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>";
    assert_error(
        "",
        &format!("%0 = tile.range 0, 32 : tensor<32xi32, {layout}>"),
        "layout",
    );
}
