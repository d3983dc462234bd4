//! Loads and stores: vector accesses of up to 16 bytes, predicated where there is a mask.
//!
//! A mask becomes the predicate of an inline PTX instruction rather than a branch, so that accesses with different masks
//! can be in flight together. The forms are
//! `@$p ld.global.v4.b32 {$0, $1, $2, $3}, [$a];` with the results tied to what masked-off elements get, and
//! `@$p st.global.v4.b32 [$a], {$0, $1, $2, $3};` (PTX ISA, "ld", "st", "Predicated Execution").

use melior::dialect::llvm::r#type::pointer;
use melior::ir::r#type::IntegerType;
use melior::ir::{OperationRef, Type, Value, ValueLike};
use mytriton_layout::{DistributedLayout, RegisterGroup};
use mytriton_tile::emit::{CmpI, Emitter, element_type, result_of, shape_of};
use mytriton_tile::ops::{LoadOp, StoreOp, arith, vector};
use mytriton_tile::types::ssa_scalar;

use crate::ir::{PassResult, error_at, layout_at, pointee_bytes};
use crate::lower::conversion::Conversion;
use crate::lower::stored::{from_stored, stored_type, to_stored};
use crate::lower::thread::{extract, from_elements};
use crate::support::access::ACCESS_BYTES;

/// A load or store before its conversion.
struct Access<'c, 'o> {
    op: OperationRef<'c, 'o>,
    pointer: Value<'c, 'o>,
    mask: Option<Value<'c, 'o>>,
}

/// How the elements of one access travel: as `count` words of `bits` bits.
struct Words<'c> {
    bits: u32,
    count: u64,
    ty: Type<'c>,
}

impl<'c, 'a> Conversion<'c, 'a, '_>
where
    'c: 'a,
{
    pub(crate) fn load(&mut self, emitter: Emitter<'c, 'a>, load: LoadOp<'c, '_>) -> PassResult<'c, Value<'c, 'a>> {
        let op = load.operation();
        let ty = self.lowered(op, load.result().r#type())?;
        let element = element_type(ty);
        let addresses = self.value(op, load.pointer())?;
        let mask = load.mask().map(|mask| self.value(op, mask)).transpose()?;
        let other = load.other().map(|other| self.value(op, other)).transpose()?;
        let access = Access {
            op,
            pointer: load.pointer(),
            mask: load.mask(),
        };
        let Some(layout) = layout_at(op, load.result().r#type())? else {
            let other = other.map(|v| vec![v]);
            return Ok(self.load_group(emitter, addresses, mask, other, element, 1)[0]);
        };
        let mask = self.inside_extents(emitter, &access, &layout, mask)?;
        let groups = self.groups(&access, &layout)?;
        let represents = layout.register_representatives();
        let mut elements: Vec<Option<Value<'c, 'a>>> = vec![None; layout.num_registers() as usize];
        for group in &groups {
            // A group of copies takes the elements of the group that it copies.
            if group.iter().any(|&r| represents[r as usize] != r) {
                continue;
            }
            let of = |v: Value<'c, 'a>| group.iter().map(|&r| extract(emitter, v, r)).collect::<Vec<_>>();
            let address = extract(emitter, addresses, group[0]);
            let predicate = mask.map(|m| extract(emitter, m, group[0]));
            let loaded = self.load_group(emitter, address, predicate, other.map(of), element, group.len() as u64);
            for (&register, value) in group.iter().zip(loaded) {
                elements[register as usize] = Some(value);
            }
        }
        let all: Option<Vec<_>> = (0..elements.len())
            .map(|r| elements[r].or(elements[represents[r] as usize]))
            .collect();
        let all = all.ok_or_else(|| error_at(op, "the groups of an access leave out an element"))?;
        Ok(from_elements(emitter, &all, ty))
    }

    pub(crate) fn store(&mut self, emitter: Emitter<'c, 'a>, store: StoreOp<'c, '_>) -> PassResult<'c> {
        let op = store.operation();
        let (addresses, values) = (self.value(op, store.pointer())?, self.value(op, store.value())?);
        let mask = store.mask().map(|mask| self.value(op, mask)).transpose()?;
        let access = Access {
            op,
            pointer: store.pointer(),
            mask: store.mask(),
        };
        let Some(layout) = layout_at(op, store.value().r#type())? else {
            // All threads hold the scalar; the first one writes it.
            let first = emitter.int(32, 0);
            let first = emitter.cmpi(CmpI::Eq, self.thread.id, first);
            let predicate = mask.map_or(first, |m| emitter.binary(arith::ANDI, m, first));
            self.store_group(emitter, addresses, &[values], Some(predicate));
            return Ok(());
        };
        let mask = self.inside_extents(emitter, &access, &layout, mask)?;
        let owner = self.thread.is_owner(emitter, &layout);
        let free = layout.register_free_mask();
        for group in &self.groups(&access, &layout)? {
            if group.iter().any(|r| r & free != 0) {
                continue;
            }
            let address = extract(emitter, addresses, group[0]);
            let values: Vec<_> = group.iter().map(|&r| extract(emitter, values, r)).collect();
            let predicate = match (mask.map(|m| extract(emitter, m, group[0])), owner) {
                (Some(mask), Some(owner)) => Some(emitter.binary(arith::ANDI, mask, owner)),
                (mask, owner) => mask.or(owner),
            };
            self.store_group(emitter, address, &values, predicate);
        }
        Ok(())
    }

    /// The registers of each access: as many as are contiguous in memory and aligned, and have one mask.
    fn groups(&self, access: &Access<'c, '_>, layout: &DistributedLayout) -> PassResult<'c, Vec<RegisterGroup>> {
        let &Access { op, pointer, mask } = access;
        let bytes = pointee_bytes(pointer.r#type()).ok_or_else(|| error_at(op, "a pointer is expected"))?;
        let shape = shape_of(pointer.r#type()).unwrap_or_default();
        let info = self.infos.get(pointer);
        let mask = mask.map(|m| self.infos.get(m));
        let mut best = (1, shape.len() - 1);
        for (axis, along) in info.axes.iter().enumerate() {
            let mask = mask.as_ref().map_or(u64::MAX, |m| m.axes[axis].constancy);
            // What lies beyond an extent that is no power of two is masked too.
            let inside = if shape[axis].is_power_of_two() {
                u64::MAX
            } else {
                1 << shape[axis].trailing_zeros()
            };
            let limit = [
                ACCESS_BYTES / bytes,
                along.contiguity,
                along.divisibility / bytes,
                mask,
                inside,
                u64::from(layout.max_vector_width(axis)),
            ];
            let width = limit.into_iter().min().unwrap_or(1).max(1);
            if width > best.0 {
                best = (width, axis);
            }
        }
        layout
            .register_groups(best.1, best.0 as u32)
            .ok_or_else(|| error_at(op, "the layout does not hold runs of elements in one thread"))
    }

    /// The mask, and the coordinates inside the tile's extents where these are no powers of two.
    fn inside_extents(
        &self,
        emitter: Emitter<'c, 'a>,
        access: &Access<'c, '_>,
        layout: &DistributedLayout,
        mask: Option<Value<'c, 'a>>,
    ) -> PassResult<'c, Option<Value<'c, 'a>>> {
        let &Access { op, pointer, .. } = access;
        let mut mask = mask;
        for (axis, &extent) in shape_of(pointer.r#type()).unwrap_or_default().iter().enumerate() {
            if extent.is_power_of_two() {
                continue;
            }
            let at = self
                .thread
                .coordinates(emitter, layout, axis)
                .map_err(|e| error_at(op, e.to_string()))?;
            let extent = emitter.int_like(at.r#type(), extent as i64);
            let inside = emitter.cmpi(CmpI::Ult, at, extent);
            mask = Some(mask.map_or(inside, |m| emitter.binary(arith::ANDI, m, inside)));
        }
        Ok(mask)
    }

    fn words(&self, element: Type<'c>, count: u64) -> Words<'c> {
        let bytes = ssa_scalar(element).map_or(8, |s| u64::from(s.bytes()));
        let total = bytes * count;
        let bits = if bytes == 8 || total == 8 && count == 1 {
            64
        } else {
            (total * 8).min(32) as u32
        };
        Words {
            bits,
            count: total * 8 / u64::from(bits),
            ty: self.int(bits),
        }
    }

    fn int(&self, bits: u32) -> Type<'c> {
        IntegerType::new(self.context, bits).into()
    }

    /// One access of `count` elements: unpredicated as an LLVM load, predicated as inline PTX.
    fn load_group(
        &self,
        emitter: Emitter<'c, 'a>,
        address: Value<'c, 'a>,
        predicate: Option<Value<'c, 'a>>,
        other: Option<Vec<Value<'c, 'a>>>,
        element: Type<'c>,
        count: u64,
    ) -> Vec<Value<'c, 'a>> {
        let stored = stored_type(emitter, element);
        let Some(predicate) = predicate else {
            let ty = if count == 1 {
                stored
            } else {
                Type::vector(&[count], stored)
            };
            let pointer = self.global_pointer(emitter, address);
            let load = emitter.llvm_load(pointer, ty).with_alignment(alignment(stored, count));
            let loaded = load.result();
            return (0..count)
                .map(|i| from_stored(emitter, extract(emitter, loaded, i as u32), element))
                .collect();
        };
        let words = self.words(stored, count);
        let fallback = match other {
            Some(values) => {
                let values: Vec<_> = values.into_iter().map(|v| to_stored(emitter, v)).collect();
                self.pack(emitter, &values, &words)
            }
            // Without `other` the value is unspecified: zeros make runs repeatable.
            None => vec![emitter.int(register_bits(words.bits), 0); words.count as usize],
        };
        let n = words.count;
        let registers = list(0..n);
        let template = format!("@${} ld.global{} {registers}, [${n}];", n + 1, suffix(&words));
        let class = register_class(words.bits);
        let outputs = vec![format!("={class}"); n as usize];
        let ties = (0..n).map(|i| i.to_string());
        let constraints = outputs
            .into_iter()
            .chain(["l".into(), "b".into()])
            .chain(ties)
            .collect::<Vec<_>>()
            .join(",");
        let register = self.int(register_bits(words.bits));
        let result = if n == 1 {
            register
        } else {
            struct_type(self.context, register, n)
        };
        let operands: Vec<_> = [address, predicate].into_iter().chain(fallback).collect();
        let made = emitter
            .llvm_inline_asm(&operands, &template, &constraints, Some(result))
            .with_has_side_effects(true);
        let made = result_of(made.operation(), 0);
        let words_loaded: Vec<_> = (0..n)
            .map(|i| {
                let word = if n == 1 {
                    made
                } else {
                    emitter.llvm_extractvalue(made, &[i as i64], register).result()
                };
                if register == words.ty {
                    word
                } else {
                    emitter.value(arith::TRUNCI, &[word], words.ty, &[])
                }
            })
            .collect();
        let loaded = self.unpack(emitter, &words_loaded, &words, stored, count);
        loaded.into_iter().map(|v| from_stored(emitter, v, element)).collect()
    }

    fn store_group(
        &self,
        emitter: Emitter<'c, 'a>,
        address: Value<'c, 'a>,
        values: &[Value<'c, 'a>],
        predicate: Option<Value<'c, 'a>>,
    ) {
        let values: Vec<_> = values.iter().map(|&v| to_stored(emitter, v)).collect();
        let stored = values[0].r#type();
        let count = values.len() as u64;
        let Some(predicate) = predicate else {
            let value = match count {
                1 => values[0],
                _ => from_elements(emitter, &values, Type::vector(&[count], stored)),
            };
            let pointer = self.global_pointer(emitter, address);
            emitter
                .llvm_store(value, pointer)
                .with_alignment(alignment(stored, count));
            return;
        };
        let words = self.words(stored, count);
        let packed = self.pack(emitter, &values, &words);
        let n = words.count;
        let template = format!("@$1 st.global{} [$0], {};", suffix(&words), list(2..n + 2));
        let class = register_class(words.bits).to_owned();
        let constraints = ["l".to_owned(), "b".to_owned()]
            .into_iter()
            .chain(vec![class; n as usize]);
        let constraints = constraints.collect::<Vec<_>>().join(",");
        let operands: Vec<_> = [address, predicate].into_iter().chain(packed).collect();
        emitter
            .llvm_inline_asm(&operands, &template, &constraints, None)
            .with_has_side_effects(true);
    }

    /// An address, as a pointer to global memory.
    fn global_pointer(&self, emitter: Emitter<'c, 'a>, address: Value<'c, 'a>) -> Value<'c, 'a> {
        emitter
            .llvm_inttoptr(address, pointer(self.context, GLOBAL_SPACE))
            .result()
    }

    /// Elements as words, the first element lowest, each word widened to a register that PTX has.
    fn pack(&self, emitter: Emitter<'c, 'a>, values: &[Value<'c, 'a>], words: &Words<'c>) -> Vec<Value<'c, 'a>> {
        let stored = values[0].r#type();
        if let &[value] = values {
            let word = if stored == words.ty {
                value
            } else {
                emitter.value(arith::BITCAST, &[value], words.ty, &[])
            };
            return vec![self.widened_word(emitter, word, words)];
        }
        let ty = Type::vector(&[words.count], words.ty);
        let vector = from_elements(emitter, values, Type::vector(&[values.len() as u64], stored));
        let vector = if vector.r#type() == ty {
            vector
        } else {
            emitter.value(vector::BITCAST, &[vector], ty, &[])
        };
        (0..words.count)
            .map(|i| self.widened_word(emitter, extract(emitter, vector, i as u32), words))
            .collect()
    }

    fn widened_word(&self, emitter: Emitter<'c, 'a>, word: Value<'c, 'a>, words: &Words<'c>) -> Value<'c, 'a> {
        let register = self.int(register_bits(words.bits));
        if register == words.ty {
            word
        } else {
            emitter.value(arith::EXTUI, &[word], register, &[])
        }
    }

    fn unpack(
        &self,
        emitter: Emitter<'c, 'a>,
        loaded: &[Value<'c, 'a>],
        words: &Words<'c>,
        stored: Type<'c>,
        count: u64,
    ) -> Vec<Value<'c, 'a>> {
        if let (&[word], 1) = (loaded, count) {
            return vec![if stored == words.ty {
                word
            } else {
                emitter.value(arith::BITCAST, &[word], stored, &[])
            }];
        }
        let vector = from_elements(emitter, loaded, Type::vector(&[words.count], words.ty));
        let ty = Type::vector(&[count], stored);
        let vector = if vector.r#type() == ty {
            vector
        } else {
            emitter.value(vector::BITCAST, &[vector], ty, &[])
        };
        (0..count).map(|i| extract(emitter, vector, i as u32)).collect()
    }
}

/// The address space of global memory (NVPTX back end, "Address Spaces").
const GLOBAL_SPACE: u32 = 1;

/// The alignment of an access of `count` elements, in bytes.
fn alignment(stored: Type<'_>, count: u64) -> i64 {
    let bytes = ssa_scalar(stored).map_or(1, |s| u64::from(s.bytes()));
    (bytes * count) as i64
}

/// PTX has no registers of 8 bits.
fn register_bits(bits: u32) -> u32 {
    bits.max(16)
}

/// The constraint letter of a register of so many bits (LLVM, NVPTX inline assembly).
fn register_class(bits: u32) -> &'static str {
    match bits {
        64 => "l",
        32 => "r",
        _ => "h",
    }
}

/// `.v4.b32`: the vector and type part of an access.
fn suffix(words: &Words<'_>) -> String {
    match words.count {
        1 => format!(".b{}", words.bits),
        n => format!(".v{n}.b{}", words.bits),
    }
}

/// `{$0, $1}`, or `$0` alone.
fn list(range: std::ops::Range<u64>) -> String {
    let names: Vec<String> = range.map(|i| format!("${i}")).collect();
    if names.len() == 1 {
        names[0].clone()
    } else {
        format!("{{{}}}", names.join(", "))
    }
}

fn struct_type<'c>(context: &'c melior::Context, element: Type<'c>, count: u64) -> Type<'c> {
    let fields = vec![element; count as usize];
    melior::dialect::llvm::r#type::r#struct(context, &fields, false)
}
