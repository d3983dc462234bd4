//===- TileAttributes.cpp - #tile.layout ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mytriton/Dialect/Tile/IR/LayoutCheck.h"
#include "mytriton/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mytriton::tile;

#include "mytriton/Dialect/Tile/IR/TileEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "mytriton/Dialect/Tile/IR/TileAttributes.cpp.inc"

void TileDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "mytriton/Dialect/Tile/IR/TileAttributes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Access
//===----------------------------------------------------------------------===//

StringRef LayoutAttr::getIndexName(Index index) {
  switch (index) {
  case Index::Register:
    return "register";
  case Index::Lane:
    return "lane";
  case Index::Warp:
    return "warp";
  case Index::Block:
    return "block";
  }
  llvm_unreachable("unknown layout index");
}

ArrayRef<int32_t> LayoutAttr::getBases(Index index) const {
  switch (index) {
  case Index::Register:
    return getRegisterBases();
  case Index::Lane:
    return getLaneBases();
  case Index::Warp:
    return getWarpBases();
  case Index::Block:
    return getBlockBases();
  }
  llvm_unreachable("unknown layout index");
}

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

namespace {

/// The bases of the four indices while they are parsed.
struct ParsedBases {
  SmallVector<int32_t> bases[LayoutAttr::kNumIndices];
  bool seen[LayoutAttr::kNumIndices] = {};
  /// Coordinates of a basis; none until the first is read.
  std::optional<size_t> rank;
};

} // namespace

/// Parses `[c0, c1, ...]`.
static ParseResult parseBasis(AsmParser &parser, StringRef indexName, size_t position,
                              SmallVectorImpl<int32_t> &flat, std::optional<size_t> &rank) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int32_t> basis;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return parser.parseInteger(basis.emplace_back());
      }))
    return failure();
  if (!rank)
    rank = basis.size();
  if (basis.size() != *rank || basis.empty()) {
    auto error = parser.emitError(loc) << "basis " << indexName << "[" << position << "] has "
                                       << basis.size() << " coordinates, expected ";
    if (basis.empty())
      return error << "one per tensor dimension";
    return error << *rank << " like the bases before it";
  }
  flat.append(basis);
  return success();
}

/// Parses `name = [basis, ...]`.
static ParseResult parseIndex(AsmParser &parser, ParsedBases &parsed) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef name;
  if (parser.parseKeyword(&name))
    return failure();
  for (unsigned i = 0; i < LayoutAttr::kNumIndices; ++i) {
    StringRef indexName = LayoutAttr::getIndexName(LayoutAttr::Index(i));
    if (name != indexName)
      continue;
    if (parsed.seen[i])
      return parser.emitError(loc) << "'" << name << "' is given twice";
    parsed.seen[i] = true;
    size_t position = 0;
    if (parser.parseEqual())
      return failure();
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
      return parseBasis(parser, indexName, position++, parsed.bases[i], parsed.rank);
    });
  }
  return parser.emitError(loc) << "expected register, lane, warp or block, got '" << name << "'";
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  ParsedBases parsed;
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces,
                                     [&] { return parseIndex(parser, parsed); }) ||
      parser.parseGreater())
    return {};
  for (Index index : {Index::Register, Index::Lane, Index::Warp})
    if (!parsed.seen[unsigned(index)]) {
      parser.emitError(loc) << "layout lacks '" << getIndexName(index) << "'";
      return {};
    }
  return parser.getChecked<LayoutAttr>(loc, parser.getContext(), unsigned(parsed.rank.value_or(0)),
                                       parsed.bases[0], parsed.bases[1], parsed.bases[2],
                                       parsed.bases[3]);
}

void LayoutAttr::print(AsmPrinter &printer) const {
  printer << "<{";
  for (unsigned i = 0; i < kNumIndices; ++i) {
    Index index = Index(i);
    unsigned numBases = getNumBases(index);
    if (index == Index::Block && numBases == 0)
      continue;
    printer << (i == 0 ? "" : ", ") << getIndexName(index) << " = [";
    for (unsigned basis = 0; basis < numBases; ++basis) {
      printer << (basis == 0 ? "[" : ", [");
      llvm::interleaveComma(getBases(index).slice(basis * getRank(), getRank()), printer);
      printer << "]";
    }
    printer << "]";
  }
  printer << "}>";
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

LogicalResult LayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError, unsigned rank,
                                 ArrayRef<int32_t> registerBases, ArrayRef<int32_t> laneBases,
                                 ArrayRef<int32_t> warpBases, ArrayRef<int32_t> blockBases) {
  if (rank > kMaxRank)
    return emitError() << "bases have " << rank << " coordinates; a tile has at most " << kMaxRank
                       << " dimensions";
  // A layout without any basis has no rank, and lacks its lane bases.
  if (rank == 0)
    return emitError() << "'lane' has 0 bases, expected " << kLaneBits;
  ArrayRef<int32_t> all[kNumIndices] = {registerBases, laneBases, warpBases, blockBases};
  for (unsigned i = 0; i < kNumIndices; ++i) {
    StringRef name = getIndexName(Index(i));
    if (all[i].size() % rank != 0)
      return emitError() << "'" << name << "' has " << all[i].size()
                         << " coordinates, not a multiple of the rank " << rank;
    for (size_t start = 0; start < all[i].size(); start += rank) {
      ArrayRef<int32_t> basis = all[i].slice(start, rank);
      if (llvm::all_of(basis, [](int32_t coordinate) { return coordinate >= 0; }))
        continue;
      InFlightDiagnostic error = emitError();
      error << "basis " << name << "[" << start / rank << "] = [";
      llvm::interleaveComma(basis, error);
      return error << "] has a negative coordinate";
    }
  }
  if (laneBases.size() / rank != kLaneBits)
    return emitError() << "'lane' has " << laneBases.size() / rank << " bases, expected "
                       << kLaneBits << ": a warp has 32 threads";
  return success();
}

LogicalResult LayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                         function_ref<InFlightDiagnostic()> emitError) const {
  if (shape.size() != getRank())
    return emitError() << "layout has rank " << getRank() << ", but the tensor has rank "
                       << shape.size();
  for (int64_t extent : shape)
    if (ShapedType::isDynamic(extent) || extent == 0)
      return emitError() << "a tensor with a layout must have static, positive extents";

  size_t numBases[kNumIndices];
  const int32_t *bases[kNumIndices];
  for (unsigned i = 0; i < kNumIndices; ++i) {
    numBases[i] = getNumBases(Index(i));
    bases[i] = getBases(Index(i)).data();
  }
  std::string reason;
  auto report = [](const char *message, size_t length, void *userData) {
    static_cast<std::string *>(userData)->assign(message, length);
  };
  if (mytritonCheckTileLayout(shape.size(), shape.data(), numBases, bases, report, &reason))
    return success();
  return emitError() << reason;
}
