//===- TileArithOps.td - Arithmetic defined at every input ----*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MYTRITON_DIALECT_TILE_IR_TILEARITHOPS_TD
#define MYTRITON_DIALECT_TILE_IR_TILEARITHOPS_TD

include "mytriton/Dialect/Tile/IR/TileOpBase.td"

/// An integer operation of two operands that no input makes undefined. The
/// `arith` operation of the same kind yields poison or undefined behaviour at
/// its corners, which a user's program must not inherit.
class Tile_TotalIntOp<string mnemonic>
    : Tile_Op<mnemonic, [Pure, SameOperandsAndResultType]> {
  let arguments = (ins Tile_Ints:$lhs, Tile_Ints:$rhs);
  let results = (outs Tile_Ints:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
  let hasFolder = 1;
}

def Tile_ShlOp : Tile_TotalIntOp<"shl"> {
  let summary = "shift left, by any amount";
  let description = [{
    Shifts `lhs` left by `rhs` bits, element by element, filling with zeros.
    The amount is unsigned; an amount of the width or more gives 0.

    ```mlir
    %r = tile.shl %a, %b : tensor<4xi32>
    ```

    Folds on constants, on a shift by constant zero, and on a shift of constant
    zero.

    Constraints:
    1. Operands are integers or tiles of integers.
    2. Operands and result have the same type.
  }];
}

def Tile_ShrSOp : Tile_TotalIntOp<"shr_s"> {
  let summary = "signed shift right, by any amount";
  let description = [{
    Shifts `lhs` right by `rhs` bits, element by element, filling with its sign.
    The amount is unsigned; an amount of the width or more gives the sign in
    every bit: 0 or -1.

    ```mlir
    %r = tile.shr_s %a, %b : tensor<4xi32>
    ```

    Folds on constants, on a shift by constant zero, and on a shift of constant
    zero.

    Constraints:
    1. Operands are integers or tiles of integers.
    2. Operands and result have the same type.
  }];
}

def Tile_ShrUOp : Tile_TotalIntOp<"shr_u"> {
  let summary = "unsigned shift right, by any amount";
  let description = [{
    Shifts `lhs` right by `rhs` bits, element by element, filling with zeros.
    The amount is unsigned; an amount of the width or more gives 0.

    ```mlir
    %r = tile.shr_u %a, %b : tensor<4xi32>
    ```

    Folds on constants, on a shift by constant zero, and on a shift of constant
    zero.

    Constraints:
    1. Operands are integers or tiles of integers.
    2. Operands and result have the same type.
  }];
}

def Tile_DivSOp : Tile_TotalIntOp<"div_s"> {
  let summary = "signed division that truncates";
  let description = [{
    Divides signed integers, element by element, and rounds toward zero:
    -7 / 2 = -3. A division by zero, and the least integer by -1, gives an
    unspecified value, never undefined behaviour.

    ```mlir
    %r = tile.div_s %a, %b : tensor<4xi32>
    ```

    Folds on constants, unless an element's value is unspecified, and on a
    division by constant 1.

    Constraints:
    1. Operands are integers or tiles of integers.
    2. Operands and result have the same type.
  }];
}

def Tile_DivUOp : Tile_TotalIntOp<"div_u"> {
  let summary = "unsigned division";
  let description = [{
    Divides unsigned integers, element by element, and rounds down. A division
    by zero gives an unspecified value, never undefined behaviour.

    ```mlir
    %r = tile.div_u %a, %b : tensor<4xi32>
    ```

    Folds on constants, unless an element's value is unspecified, and on a
    division by constant 1.

    Constraints:
    1. Operands are integers or tiles of integers.
    2. Operands and result have the same type.
  }];
}

def Tile_RemSOp : Tile_TotalIntOp<"rem_s"> {
  let summary = "signed remainder, with the dividend's sign";
  let description = [{
    Returns what `tile.div_s` leaves, element by element: -7 rem 3 = -1 and
    7 rem -3 = 1. Where the quotient is unspecified so is the remainder.

    ```mlir
    %r = tile.rem_s %a, %b : tensor<4xi32>
    ```

    Folds on constants, unless an element's value is unspecified, and on a
    division by constant 1.

    Constraints:
    1. Operands are integers or tiles of integers.
    2. Operands and result have the same type.
  }];
}

def Tile_RemUOp : Tile_TotalIntOp<"rem_u"> {
  let summary = "unsigned remainder";
  let description = [{
    Returns what `tile.div_u` leaves, element by element. A division by zero
    gives an unspecified value, never undefined behaviour.

    ```mlir
    %r = tile.rem_u %a, %b : tensor<4xi32>
    ```

    Folds on constants, unless an element's value is unspecified, and on a
    division by constant 1.

    Constraints:
    1. Operands are integers or tiles of integers.
    2. Operands and result have the same type.
  }];
}

/// A float-to-integer conversion that saturates.
class Tile_SaturatingOp<string mnemonic> : Tile_Op<mnemonic, [Pure]> {
  let arguments = (ins Tile_Floats:$source);
  let results = (outs Tile_Offsets:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_FpToSiOp : Tile_SaturatingOp<"fp_to_si"> {
  let summary = "float to signed integer, saturating";
  let description = [{
    Rounds toward zero, element by element. Values beyond the integer's range,
    infinities among them, give its nearest end; NaN gives 0.

    ```mlir
    %i = tile.fp_to_si %x : tensor<16xf32> -> tensor<16xi32>
    ```

    Folds on constants.

    Constraints:
    1. The source is a float or a tile of floats.
    2. The result is an i8, i16, i32 or i64, or a tile of them.
    3. Both are scalars, or both are tiles of the same shape and layout.
  }];
}

def Tile_FpToUiOp : Tile_SaturatingOp<"fp_to_ui"> {
  let summary = "float to unsigned integer, saturating";
  let description = [{
    Rounds toward zero, element by element. Values beyond the integer's range
    give its nearest end, so that all negative values give 0; NaN gives 0.

    ```mlir
    %i = tile.fp_to_ui %x : f16 -> i8
    ```

    Folds on constants.

    Constraints:
    1. The source is a float or a tile of floats.
    2. The result is an i8, i16, i32 or i64, or a tile of them.
    3. Both are scalars, or both are tiles of the same shape and layout.
  }];
}

//===----------------------------------------------------------------------===//
// Functions that the math dialect lacks
//===----------------------------------------------------------------------===//

/// The name of one of several functions.
class Tile_FunctionName<list<string> names>
    : ConfinedAttr<StrAttr, [AttrConstraint<
          Or<!foreach(name, names,
                      CPred<"::llvm::cast<::mlir::StringAttr>($_self).getValue() == \"" # name # "\"">)>,
          "one of " # !interleave(names, ", ")>]>;

def Tile_UnaryFunctionName
    : Tile_FunctionName<["cospi", "exp10", "lgamma", "sinpi", "tgamma"]>;

def Tile_BinaryFunctionName
    : Tile_FunctionName<["fdim", "hypot", "nextafter", "remainder"]>;

def Tile_UnaryFunctionOp
    : Tile_Op<"unary_function", [Pure, SameOperandsAndResultType]> {
  let summary = "function of one float that math lacks";
  let description = [{
    Applies a function to each element: the operation of that name in typed SSA,
    whose meaning the language page gives. The `math` dialect has the others.

    ```mlir
    %y = tile.unary_function "cospi" %x : tensor<16xf32>
    ```

    Constraints:
    1. The function is one of those that the attribute allows.
    2. The operand is a float or a tile of floats.
    3. Operand and result have the same type.
  }];
  let arguments = (ins Tile_UnaryFunctionName:$function, Tile_Floats:$source);
  let results = (outs Tile_Floats:$result);
  let assemblyFormat = "$function $source attr-dict `:` type($result)";
}

def Tile_BinaryFunctionOp
    : Tile_Op<"binary_function", [Pure, SameOperandsAndResultType]> {
  let summary = "function of two floats that math lacks";
  let description = [{
    Applies a function to each pair of elements: the operation of that name in
    typed SSA, whose meaning the language page gives. The `math` dialect has the
    others.

    ```mlir
    %z = tile.binary_function "hypot" %x, %y : tensor<16xf32>
    ```

    Constraints:
    1. The function is one of those that the attribute allows.
    2. The operands are floats or tiles of floats.
    3. Operands and result have the same type.
  }];
  let arguments = (ins
    Tile_BinaryFunctionName:$function,
    Tile_Floats:$lhs,
    Tile_Floats:$rhs
  );
  let results = (outs Tile_Floats:$result);
  let assemblyFormat = "$function $lhs `,` $rhs attr-dict `:` type($result)";
}

#endif // MYTRITON_DIALECT_TILE_IR_TILEARITHOPS_TD
