//===- LayoutCheck.h - The layout algebra, from outside ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MYTRITON_DIALECT_TILE_IR_LAYOUTCHECK_H
#define MYTRITON_DIALECT_TILE_IR_LAYOUTCHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Receives `length` bytes of UTF-8, not terminated, valid during the call.
typedef void (*MytritonMessageCallback)(const char *message, size_t length, void *userData);

/// Checks a layout as the encoding of a tile. The layout algebra exists once,
/// in Rust, and this is the way there: tile-sys defines the function.
///
/// `shape` has `rank` extents, all positive. `bases[i]` has
/// `numBases[i] * rank` coordinates, none negative, for i = register, lane,
/// warp, block. Returns whether every coordinate lies within its padded extent
/// and every element of the padded tile is reached; if not, calls `report` once
/// with the reason.
bool mytritonCheckTileLayout(size_t rank, const int64_t *shape, const size_t numBases[4],
                             const int32_t *const bases[4], MytritonMessageCallback report,
                             void *userData);

/// The same of a layout in shared memory: `bases` for i = offset, block.
bool mytritonCheckSharedLayout(size_t rank, const int64_t *shape, const size_t numBases[2],
                               const int32_t *const bases[2], MytritonMessageCallback report,
                               void *userData);

#ifdef __cplusplus
}
#endif

#endif // MYTRITON_DIALECT_TILE_IR_LAYOUTCHECK_H
