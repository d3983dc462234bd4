//! The named constructors of layouts.

use super::arguments::Arguments;
use super::read::{Call, Kind};
use super::{AnyLayout, TextError, times};
use mytriton_layout::{DistributedLayout, HardwareSwizzle, LayoutError, Swizzle, hardware_swizzled, swizzled};
use std::ops::Range;

type Result<T, E = TextError> = std::result::Result<T, E>;

const ACCUMULATOR: &[&str] = &["instruction", "warps"];

/// Names and parameters, as messages list them.
const CONSTRUCTORS: [(&str, &[&str]); 8] = [
    ("blocked", &["size_per_thread", "threads_per_warp", "warps", "order"]),
    ("mma", ACCUMULATOR),
    ("wgmma", ACCUMULATOR),
    ("operand_a", &["parent", "width"]),
    ("operand_b", &["parent", "width"]),
    ("slice", &["axis", "parent"]),
    ("swizzled", &["vec", "per_phase", "max_phase", "order"]),
    ("hw_swizzled", &["width", "element_bits"]),
];

/// No constructor has this name.
pub(super) fn unknown(name: &str, place: Range<usize>) -> TextError {
    if CONSTRUCTORS.iter().any(|(known, _)| *known == name) {
        return TextError::new(
            place,
            format!("{name} needs brackets, even without arguments: {name}()"),
        );
    }
    let names = CONSTRUCTORS.map(|(name, _)| name).join(", ");
    TextError::new(place, format!("no layout is called {name}")).help(format!(
        "#tile.layout<{{...}}>, #tile.shared<{{...}}>, or one of {names}"
    ))
}

/// What a constructor is told besides its arguments.
struct Context<'a> {
    arguments: Arguments<'a>,
    span: &'a Range<usize>,
    shape: &'a [u32],
    element_bits: u32,
}

/// Builds the layout of a tile of `shape` that a call names.
pub(super) fn build(call: &Call, span: &Range<usize>, shape: &[u32], element_bits: u32) -> Result<AnyLayout> {
    let Some((name, parameters)) = CONSTRUCTORS.into_iter().find(|(name, _)| *name == call.name) else {
        return Err(unknown(&call.name, call.place.clone()));
    };
    let context = Context {
        arguments: Arguments::new(call, parameters)?,
        span,
        shape,
        element_bits,
    };
    match name {
        "blocked" => context.blocked().map(AnyLayout::Distributed),
        "mma" | "wgmma" => context.accumulator(name == "wgmma").map(AnyLayout::Distributed),
        "operand_a" | "operand_b" => context.operand(name == "operand_a").map(AnyLayout::Distributed),
        "slice" => context.slice().map(AnyLayout::Distributed),
        "swizzled" => context.swizzled(),
        _ => context.hardware_swizzled(),
    }
}

impl Context<'_> {
    /// The argument that a constructor's message begins with, or the whole call.
    fn located(&self, error: LayoutError) -> TextError {
        let message = match &error {
            LayoutError::Parameters { message, .. } => message.clone(),
            _ => error.to_string(),
        };
        let word = message.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next();
        let parameter = match word.unwrap_or_default() {
            "warps_per_cta" => "warps",
            "n" => "instruction",
            word => word,
        };
        let span = self.arguments.span(parameter).unwrap_or_else(|| self.span.clone());
        TextError::new(span, message.replace("warps_per_cta", "warps"))
    }

    fn matrix(&self, what: &str) -> Result<[u32; 2]> {
        <[u32; 2]>::try_from(self.shape).map_err(|_| {
            let message = format!("{what} is a layout of matrices, not of a tile of {}", times(self.shape));
            TextError::new(self.span.clone(), message)
        })
    }

    fn order(&self) -> Result<Vec<usize>> {
        let rank = self.shape.len();
        let row_major = (0..rank as u32).rev().collect();
        let order = self.arguments.list("order", rank, Some(row_major))?;
        Ok(order.into_iter().map(|axis| axis as usize).collect())
    }

    fn blocked(&self) -> Result<DistributedLayout> {
        let (a, rank) = (&self.arguments, self.shape.len());
        let size_per_thread = a.list("size_per_thread", rank, None)?;
        let threads_per_warp = a.list("threads_per_warp", rank, None)?;
        let warps = a.list("warps", rank, Some(vec![1; rank]))?;
        let order = self.order()?;
        DistributedLayout::blocked(self.shape, &size_per_thread, &threads_per_warp, &warps, &order)
            .map_err(|e| self.located(e))
    }

    fn accumulator(&self, group: bool) -> Result<DistributedLayout> {
        let a = &self.arguments;
        let wrong = |message: String, help: &str| {
            let span = a.span("instruction").unwrap_or_else(|| self.span.clone());
            Err(TextError::new(span, message).help(help))
        };
        if group {
            let [m, n] = a.pair("instruction", None)?;
            if m != 64 {
                return wrong(format!("wgmma has no instruction of M {m}"), "it is m64nN: [64, N]");
            }
            let warps = a.pair("warps", Some([4, 1]))?;
            let shape = self.matrix("an accumulator")?;
            return DistributedLayout::wgmma_accumulator(shape, warps, n).map_err(|e| self.located(e));
        }
        let instruction = a.pair("instruction", Some([16, 8]))?;
        if instruction != [16, 8] {
            let message = format!("mma.sync has no accumulator of {}", times(&instruction));
            return wrong(message, "it is m16n8: [16, 8]");
        }
        let warps = a.pair("warps", Some([1, 1]))?;
        DistributedLayout::mma_accumulator(self.matrix("an accumulator")?, warps).map_err(|e| self.located(e))
    }

    fn operand(&self, a: bool) -> Result<DistributedLayout> {
        let parent = self.arguments.layout("parent")?;
        let other = || Err(TextError::new(parent.span.clone(), "operands are of mma or wgmma"));
        let Kind::Call(call) = &parent.kind else {
            return other();
        };
        let group = match call.name.as_str() {
            "mma" => false,
            "wgmma" => true,
            _ => return other(),
        };
        if group && !a {
            let message = "wgmma reads its B operand from shared memory";
            return Err(TextError::new(parent.span.clone(), message).help("see hw_swizzled"));
        }
        // The parent is checked on a tile that it suits, and gives the warps.
        parent.build(&[64, 8], self.element_bits)?;
        let default = if group { [4, 1] } else { [1, 1] };
        let warps = Arguments::new(call, ACCUMULATOR)?.pair("warps", Some(default))?;
        let width = self.arguments.number("width", Some((32 / self.element_bits).max(1)))?;
        let shape = self.matrix("an operand")?;
        let layout = match (a, group) {
            (true, true) => DistributedLayout::wgmma_operand_a(shape, warps, width),
            (true, false) => DistributedLayout::mma_operand_a(shape, warps, width),
            (false, _) => DistributedLayout::mma_operand_b(shape, warps, width),
        };
        layout.map_err(|e| self.located(e))
    }

    fn slice(&self) -> Result<DistributedLayout> {
        let axis = self.arguments.number("axis", None)? as usize;
        let parent = self.arguments.layout("parent")?;
        if axis > self.shape.len() {
            let span = self.arguments.span("axis").unwrap_or_else(|| self.span.clone());
            let message = format!("axis {axis} of a layout that leaves a tile of {}", times(self.shape));
            return Err(TextError::new(span, message).help(format!("0 to {} are possible", self.shape.len())));
        }
        let mut shape = self.shape.to_vec();
        shape.insert(axis, parent.extent(axis));
        match parent.build(&shape, self.element_bits)? {
            AnyLayout::Distributed(layout) => layout.slice(axis).map_err(|e| self.located(e)),
            AnyLayout::Shared(_) => {
                let message = "a slice is of a distributed layout, this one is in shared memory";
                Err(TextError::new(parent.span.clone(), message))
            }
        }
    }

    fn swizzled(&self) -> Result<AnyLayout> {
        let a = &self.arguments;
        let swizzle = Swizzle {
            vec: a.number("vec", Some(1))?,
            per_phase: a.number("per_phase", Some(1))?,
            max_phase: a.number("max_phase", Some(1))?,
        };
        let shape: Vec<u32> = super::padded(self.shape).iter().map(|&extent| extent as u32).collect();
        swizzled(&shape, &self.order()?, swizzle)
            .map(AnyLayout::Shared)
            .map_err(|e| self.located(e))
    }

    fn hardware_swizzled(&self) -> Result<AnyLayout> {
        let bytes = self.arguments.with_unit("width", "B")?;
        let bits = self.arguments.number("element_bits", Some(self.element_bits))?;
        if bits != self.element_bits {
            let span = self.arguments.span("element_bits").unwrap_or_else(|| self.span.clone());
            let message = format!(
                "a layout of {bits}-bit elements, of a tile of {}-bit ones",
                self.element_bits
            );
            return Err(TextError::new(span, message).help(format!("say it for the tile: --elem-bits {bits}")));
        }
        let width = match bytes {
            32 => HardwareSwizzle::B32,
            64 => HardwareSwizzle::B64,
            128 => HardwareSwizzle::B128,
            _ => {
                let span = self.arguments.span("width").unwrap_or_else(|| self.span.clone());
                let message = format!("the hardware has no swizzle of {bytes} bytes");
                return Err(TextError::new(span, message).help("32B, 64B or 128B"));
            }
        };
        let [rows, columns] = self.matrix("a hardware swizzle")?;
        let shape = [rows.next_power_of_two(), columns.next_power_of_two()];
        hardware_swizzled(shape, bits / 8, width)
            .map(AnyLayout::Shared)
            .map_err(|e| self.located(e))
    }
}
