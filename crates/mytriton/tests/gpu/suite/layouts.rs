//! Conversions between layouts that are given: those of products' operands and results, rows and columns, and buffers.
//!
//! A kernel copies a tile and moves it between loading and storing. All layouts are flattened to one axis, which changes
//! nothing about what moves: the tile's coordinates are bits all the same.

use mytriton::frontend::{Element, FrontendError};
use mytriton::{bf16, f16, kernel};
use mytriton_layout::{DistributedLayout, HardwareSwizzle, LayoutError, LinearLayout, hardware_swizzled};

use crate::case::{Arg, Case, Data, Launch, LocalMemory};
use crate::values::Domain;

#[kernel]
fn copy<T>(x: Ptr<T>, out: Ptr<T>, #[constexpr] N: i32) {
    let i = range(0, N);
    store(out + i, load(x + i));
}

/// A tile on its way.
struct Way {
    name: &'static str,
    from: DistributedLayout,
    to: DistributedLayout,
    /// Stored to a buffer and loaded from it.
    through: Option<LinearLayout>,
}

impl Way {
    /// A conversion.
    fn new(name: &'static str, from: &DistributedLayout, to: &DistributedLayout) -> Way {
        let (from, to) = (from.clone(), to.clone());
        Way {
            name,
            from,
            to,
            through: None,
        }
    }

    fn through(self, shared: LinearLayout) -> Way {
        Way {
            through: Some(shared),
            ..self
        }
    }

    fn case<T: Element>(&self) -> Result<Case, String> {
        let scalar = T::DTYPE.scalar();
        let shape = self.from.shape();
        let n: u32 = shape.iter().product();
        let text = self.module(&scalar.to_string(), n).map_err(|e| e.to_string())?;
        let kernel = copy::build::<T>(n as i32).map_err(|e: FrontendError| e.to_string())?;
        let name = format!("{}_{scalar}_{}x{}", self.name, shape[0], shape[1]);
        let case = Case::new(name, kernel, move |random| {
            let [x, out] = [0, 1].map(|_| Data::random(random, scalar, n as usize, Domain::Any, 0));
            let expected = (0..n as usize).map(|i| x.get(i)).collect();
            vec![Launch::new("all", [1, 1, 1], [x, out].map(Arg::from)).exact(1, expected)]
        });
        Ok(case.warps(self.from.num_warps()).layouts(text))
    }

    fn module(&self, element: &str, n: u32) -> Result<String, LayoutError> {
        let [from, to] = [&self.from, &self.to].map(|layout| layout.reshape(&[n]));
        let (from, to, warps) = (from?, to?, self.from.num_warps());
        let tile = |layout: &str| format!("tensor<{n}x{element}, #{layout}>");
        let pointers = |layout: &str| format!("tensor<{n}x!tile.ptr<{element}>, #{layout}>");
        let at = |layout: &str, base: &str| {
            format!(
                "  %{layout}_i = tile.range 0, {n} : tensor<{n}xi32, #{layout}>\n  \
                 %{layout}_p = tile.splat %{base} : !tile.ptr<{element}> -> {pointers}\n  \
                 %{layout}_at = tile.addptr %{layout}_p, %{layout}_i : {pointers}, tensor<{n}xi32, #{layout}>\n",
                pointers = pointers(layout)
            )
        };
        let (mut shared, moved) = match &self.through {
            None => {
                let line = format!("  %y = tile.convert_layout %x : {} -> {}\n", tile("from"), tile("to"));
                (String::new(), line)
            }
            Some(shared) => {
                let buffer = format!("!tile.buffer<{n}x{element}, #place>");
                let lines = format!(
                    "  %b = tile.alloc %x : {} -> {buffer}\n  %y = tile.local_load %b : {buffer} -> {}\n  \
                     tile.dealloc %b : {buffer}\n",
                    tile("from"),
                    tile("to")
                );
                let place = shared.reshape_outs_row_major(&[n])?;
                (format!("#place = #tile.shared<{place}>\n"), lines)
            }
        };
        shared += &format!("#from = #tile.layout<{from}>\n#to = #tile.layout<{to}>\n");
        Ok(format!(
            "{shared}func.func @copy(%in: !tile.ptr<{element}>, %out: !tile.ptr<{element}>) attributes {{tile.kernel, \
             tile.num_warps = {warps} : i32}} {{\n{}  %x = tile.load %from_at : {}\n{moved}{}  tile.store %to_at, %y : \
             {}\n  return\n}}\n",
            at("from", "in"),
            pointers("from"),
            at("to", "out"),
            pointers("to"),
        ))
    }
}

/// 16 bytes of a row, or of a column, in each thread.
fn rows(shape: [u32; 2], bytes: u32) -> Result<DistributedLayout, LayoutError> {
    let vector = 16 / bytes;
    let lanes = shape[1] / vector;
    DistributedLayout::blocked(&shape, &[1, vector], &[32 / lanes, lanes], &[4, 1], &[1, 0])
}

fn columns(shape: [u32; 2], bytes: u32) -> Result<DistributedLayout, LayoutError> {
    rows([shape[1], shape[0]], bytes)?.permute(&[1, 0])
}

/// Ways of 16-bit elements.
fn halves() -> Result<Vec<Way>, LayoutError> {
    let shape = [64, 64];
    let (rows, columns) = (rows(shape, 2)?, columns(shape, 2)?);
    let a = DistributedLayout::mma_operand_a(shape, [4, 1], 2)?;
    let b = DistributedLayout::mma_operand_b(shape, [1, 4], 2)?;
    let c = DistributedLayout::mma_accumulator(shape, [2, 2])?;
    let swizzled = || hardware_swizzled(shape, 2, HardwareSwizzle::B128);
    Ok(vec![
        Way::new("rows_to_columns", &rows, &columns),
        Way::new("columns_to_rows", &columns, &rows),
        Way::new("rows_to_a", &rows, &a),
        Way::new("a_to_rows", &a, &rows),
        Way::new("columns_to_a", &columns, &a),
        Way::new("rows_to_b", &rows, &b),
        Way::new("columns_to_b", &columns, &b),
        Way::new("b_to_rows", &b, &rows),
        Way::new("c_to_rows", &c, &rows),
        Way::new("c_to_columns", &c, &columns),
        Way::new("rows_to_c", &rows, &c),
        Way::new("c_to_b", &c, &b),
        Way::new("rows_through_swizzle_to_a", &rows, &a).through(swizzled()?),
        Way::new("rows_through_swizzle_to_b", &rows, &b).through(swizzled()?),
        Way::new("c_through_swizzle_to_rows", &c, &rows).through(swizzled()?),
        Way::new("c_through_swizzle_to_c", &c, &c).through(swizzled()?),
    ])
}

fn bytes() -> Result<Vec<Way>, LayoutError> {
    let shape = [64, 64];
    let (rows, columns) = (rows(shape, 1)?, columns(shape, 1)?);
    let a = DistributedLayout::mma_operand_a(shape, [4, 1], 4)?;
    let b = DistributedLayout::mma_operand_b(shape, [1, 4], 4)?;
    let c = DistributedLayout::mma_accumulator(shape, [4, 1])?;
    Ok(vec![
        Way::new("rows_to_columns", &rows, &columns),
        Way::new("rows_to_a", &rows, &a),
        Way::new("a_to_rows", &a, &rows),
        Way::new("columns_to_b", &columns, &b),
        Way::new("rows_to_b", &rows, &b),
        Way::new("c_to_a", &c, &a),
        Way::new("rows_through_swizzle_to_a", &rows, &a).through(hardware_swizzled(shape, 1, HardwareSwizzle::B64)?),
    ])
}

fn words() -> Result<Vec<Way>, LayoutError> {
    let shape = [64, 32];
    let (rows, columns) = (rows(shape, 4)?, columns(shape, 4)?);
    let a = DistributedLayout::mma_operand_a(shape, [4, 1], 1)?;
    let c = DistributedLayout::mma_accumulator(shape, [4, 1])?;
    Ok(vec![
        Way::new("rows_to_columns", &rows, &columns),
        Way::new("rows_to_a", &rows, &a),
        Way::new("a_to_rows", &a, &rows),
        Way::new("c_to_rows", &c, &rows),
        Way::new("c_to_a", &c, &a),
        Way::new("rows_through_swizzle_to_a", &rows, &a).through(hardware_swizzled(shape, 4, HardwareSwizzle::B128)?),
    ])
}

/// Tiles that do not fit at once, of which one side has in registers what the other has in threads: warps take turns.
fn in_rounds() -> Result<Vec<Way>, LayoutError> {
    let shape = [128, 128];
    let rows = DistributedLayout::blocked(&shape, &[1, 128], &[32, 1], &[4, 1], &[1, 0])?;
    let columns = rows.permute(&[1, 0])?;
    // Of a product, and with warps that hold the same.
    let c = DistributedLayout::mma_accumulator(shape, [2, 2])?;
    let halves = DistributedLayout::blocked(&shape, &[1, 128], &[32, 1], &[2, 2], &[1, 0])?;
    // Here no warp has in registers what one of the other side is about.
    let first = "{register = [[0, 32], [0, 64], [1, 0], [2, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], \
                 warp = [[4, 0], [8, 0], [16, 0], [32, 0], [64, 0]]}"
        .parse()?;
    let second = "{register = [[0, 1], [0, 2], [0, 4], [0, 8]], lane = [[0, 16], [0, 32], [0, 64], [1, 0], [2, 0]], \
                  warp = [[8, 0], [4, 0], [32, 0], [64, 0], [16, 0]]}"
        .parse()?;
    Ok(vec![
        Way::new("rounds_among_warps", &first, &second),
        Way::new("rounds_rows_to_columns", &rows, &columns),
        Way::new("rounds_columns_to_c", &columns, &c),
        Way::new("rounds_c_to_rows", &c, &rows),
        Way::new("rounds_halves_to_columns", &halves, &columns),
        Way::new("rounds_columns_to_halves", &columns, &halves),
    ])
}

/// The cases of the group.
pub fn cases() -> Result<Vec<Case>, String> {
    let ways = |ways: Result<Vec<Way>, LayoutError>| ways.map_err(|e| e.to_string());
    let mut cases = Vec::new();
    for way in ways(halves())? {
        cases.push(way.case::<f16>()?);
    }
    cases.push(ways(halves())?[0].case::<bf16>()?);
    for way in ways(bytes())? {
        cases.push(way.case::<i8>()?);
    }
    for way in ways(words())? {
        cases.push(way.case::<f32>()?);
    }
    // A thread's 128 numbers of 32 bits, twice, and more are more than it has registers for.
    for way in ways(in_rounds())? {
        let mut case = way.case::<f32>()?;
        case.local_memory = LocalMemory::Spills;
        cases.push(case);
    }
    Ok(cases)
}
