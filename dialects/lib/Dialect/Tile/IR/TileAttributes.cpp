//===- TileAttributes.cpp - #tile.layout and #tile.shared ------------*- C++ -*-===//
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

/// The bases of a layout's indices while they are parsed.
struct ParsedBases {
  explicit ParsedBases(ArrayRef<StringRef> names)
      : names(names), bases(names.size()), seen(names.size()) {}

  ArrayRef<StringRef> names;
  SmallVector<SmallVector<int32_t>> bases;
  SmallVector<bool> seen;
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
  for (auto [i, indexName] : llvm::enumerate(parsed.names)) {
    if (name != indexName)
      continue;
    if (parsed.seen[i])
      return parser.emitError(loc) << "'" << name << "' is given twice";
    parsed.seen[i] = true;
    size_t position = 0;
    if (parser.parseEqual())
      return failure();
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&, indexName = indexName] {
      return parseBasis(parser, indexName, position++, parsed.bases[i], parsed.rank);
    });
  }
  auto error = parser.emitError(loc) << "expected ";
  llvm::interleave(
      parsed.names.drop_back(), error, [&](StringRef known) { error << known; }, ", ");
  return error << " or " << parsed.names.back() << ", got '" << name << "'";
}

/// Parses `<{name = [basis, ...], ...}>`. All but `block`, the last, are needed.
static ParseResult parseBases(AsmParser &parser, ParsedBases &parsed) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces,
                                     [&] { return parseIndex(parser, parsed); }) ||
      parser.parseGreater())
    return failure();
  for (auto [name, seen] : llvm::zip(parsed.names.drop_back(), parsed.seen))
    if (!seen)
      return parser.emitError(loc) << "layout lacks '" << name << "'";
  return success();
}

/// Prints what `parseBases` reads. The last index is left out if it has no bases.
static void printBases(AsmPrinter &printer, unsigned rank, ArrayRef<StringRef> names,
                       ArrayRef<ArrayRef<int32_t>> bases) {
  printer << "<{";
  for (auto [i, name] : llvm::enumerate(names)) {
    if (i + 1 == names.size() && bases[i].empty())
      continue;
    printer << (i == 0 ? "" : ", ") << name << " = [";
    for (size_t start = 0; start < bases[i].size(); start += rank) {
      printer << (start == 0 ? "[" : ", [");
      llvm::interleaveComma(bases[i].slice(start, rank), printer);
      printer << "]";
    }
    printer << "]";
  }
  printer << "}>";
}

static constexpr StringRef kLayoutNames[] = {"register", "lane", "warp", "block"};
static constexpr StringRef kSharedNames[] = {"offset", "block"};

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  ParsedBases parsed(kLayoutNames);
  if (parseBases(parser, parsed))
    return {};
  return parser.getChecked<LayoutAttr>(loc, parser.getContext(), unsigned(parsed.rank.value_or(0)),
                                       parsed.bases[0], parsed.bases[1], parsed.bases[2],
                                       parsed.bases[3]);
}

void LayoutAttr::print(AsmPrinter &printer) const {
  printBases(printer, getRank(), kLayoutNames,
             {getRegisterBases(), getLaneBases(), getWarpBases(), getBlockBases()});
}

Attribute SharedAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  ParsedBases parsed(kSharedNames);
  if (parseBases(parser, parsed))
    return {};
  return parser.getChecked<SharedAttr>(loc, parser.getContext(), unsigned(parsed.rank.value_or(0)),
                                       parsed.bases[0], parsed.bases[1]);
}

void SharedAttr::print(AsmPrinter &printer) const {
  printBases(printer, getRank(), kSharedNames, {getOffsetBases(), getBlockBases()});
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// What holds of the bases of any layout.
static LogicalResult verifyBases(function_ref<InFlightDiagnostic()> emitError, unsigned rank,
                                 ArrayRef<StringRef> names, ArrayRef<ArrayRef<int32_t>> all) {
  if (rank > LayoutAttr::kMaxRank)
    return emitError() << "bases have " << rank << " coordinates; a tile has at most "
                       << LayoutAttr::kMaxRank << " dimensions";
  for (auto [name, bases] : llvm::zip(names, all)) {
    if (rank == 0 ? !bases.empty() : bases.size() % rank != 0)
      return emitError() << "'" << name << "' has " << bases.size()
                         << " coordinates, not a multiple of the rank " << rank;
    for (size_t start = 0; start < bases.size(); start += rank) {
      ArrayRef<int32_t> basis = bases.slice(start, rank);
      if (llvm::all_of(basis, [](int32_t coordinate) { return coordinate >= 0; }))
        continue;
      InFlightDiagnostic error = emitError();
      error << "basis " << name << "[" << start / rank << "] = [";
      llvm::interleaveComma(basis, error);
      return error << "] has a negative coordinate";
    }
  }
  return success();
}

LogicalResult LayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError, unsigned rank,
                                 ArrayRef<int32_t> registerBases, ArrayRef<int32_t> laneBases,
                                 ArrayRef<int32_t> warpBases, ArrayRef<int32_t> blockBases) {
  if (failed(verifyBases(emitError, rank, kLayoutNames,
                         {registerBases, laneBases, warpBases, blockBases})))
    return failure();
  // A layout without any basis has no rank, and lacks its lane bases.
  if (rank == 0)
    return emitError() << "'lane' has 0 bases, expected " << kLaneBits;
  if (laneBases.size() / rank != kLaneBits)
    return emitError() << "'lane' has " << laneBases.size() / rank << " bases, expected "
                       << kLaneBits << ": a warp has 32 threads";
  return success();
}

/// A `MytritonMessageCallback` that keeps the message in a `std::string`.
static void keepMessage(const char *message, size_t length, void *userData) {
  static_cast<std::string *>(userData)->assign(message, length);
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
  if (mytritonCheckTileLayout(shape.size(), shape.data(), numBases, bases, keepMessage, &reason))
    return success();
  return emitError() << reason;
}

LogicalResult SharedAttr::verify(function_ref<InFlightDiagnostic()> emitError, unsigned rank,
                                 ArrayRef<int32_t> offsetBases, ArrayRef<int32_t> blockBases) {
  return verifyBases(emitError, rank, kSharedNames, {offsetBases, blockBases});
}

LogicalResult SharedAttr::verifyTile(ArrayRef<int64_t> shape,
                                     function_ref<InFlightDiagnostic()> emitError) const {
  // Without bases it is the layout of one element.
  if (getRank() != 0 && shape.size() != getRank())
    return emitError() << "layout has rank " << getRank() << ", but the buffer has rank "
                       << shape.size();
  size_t rank = shape.size();
  const size_t numBases[] = {getOffsetBases().size() / rank, getBlockBases().size() / rank};
  const int32_t *const bases[] = {getOffsetBases().data(), getBlockBases().data()};
  std::string reason;
  if (mytritonCheckSharedLayout(rank, shape.data(), numBases, bases, keepMessage, &reason))
    return success();
  return emitError() << reason;
}
