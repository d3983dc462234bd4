//! What a thread stores or loads where in a tile in shared memory: in accesses of up to 16 bytes, or with its warp by
//! matrices.
//!
//! The byte offset of a register's element is linear over the bits of register, lane and warp. Registers that lie next
//! to one another in every thread make one access. What lane and warp contribute is computed once; the constant of an
//! access is added to it as far as it has no bits in common with that (an addition goes into the instruction's
//! immediate offset), and the rest, which a swizzle has, by an exclusive or. The row that a lane gives for its warp's
//! matrices is such an offset too.

use melior::dialect::llvm::r#type::r#struct;
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, OperationRef, Type, Value, ValueLike};
use mytriton_layout::staging::{self, Access, Form, Matrices, MatrixAccess, MatrixInstruction};
use mytriton_layout::{Dim, DistributedLayout, LayoutError, LinearLayout, RegisterGroup};
use mytriton_tile::emit::{Emitter, element_type, result_of};
use mytriton_tile::ops::nvvm::{LdStMatrixEltType, MMALayout};
use mytriton_tile::ops::{arith, vector};
use mytriton_tile_sys::ld_st_matrix_shape_attribute;
use rustc_hash::FxHashMap;

use crate::ir::{PassResult, error_at};
use crate::lower::conversion::Conversion;
use crate::lower::shared::buffers::{at, at_constant};
use crate::lower::stored::{from_stored, stored_bytes, stored_type, to_stored};
use crate::lower::thread::{extract, from_elements, pick};
use crate::support::access::ACCESS_BYTES;

/// What a thread accesses of a tile in shared memory.
pub struct Accesses<'c, 'a> {
    element: Type<'c>,
    form: AccessForm,
    /// For every register the first one that holds the same element.
    represents: Vec<u32>,
    /// The byte offset that lane and warp contribute.
    of_thread: Value<'c, 'a>,
    /// The bits that it may have.
    thread_bits: u32,
}

enum AccessForm {
    /// The registers of every access, in the order of their offsets, with the byte offset that they contribute.
    Vectors(Vec<(RegisterGroup, u32)>),
    Matrices(Box<MatrixAccess>),
}

/// Whether a tile goes to shared memory or comes from there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// From registers.
    Store,
    /// To registers.
    Load,
}

/// How threads access all of a tile of such elements, with the instructions for matrices that there are.
///
/// # Errors
/// The shared layout has to hold every element that the threads have, in one thread block.
pub fn best_access(
    threads: &DistributedLayout,
    shared: &LinearLayout,
    element: Type<'_>,
    direction: Direction,
    matrices: Matrices,
) -> Result<Access, LayoutError> {
    let matrices = match direction {
        Direction::Store => matrices.store,
        Direction::Load => matrices.load,
    };
    Access::best(threads, shared, stored_bytes(element) as u32, matrices)
}

impl<'c: 'a, 'a> Conversion<'c, 'a, '_> {
    /// The accesses by which threads store or load all of a tile, whose element in the `gpu` stage is `element`.
    ///
    /// # Errors
    /// As [`best_access`].
    pub(crate) fn accesses(
        &self,
        emitter: Emitter<'c, 'a>,
        op: OperationRef<'c, '_>,
        (threads, shared): (&DistributedLayout, &LinearLayout),
        element: Type<'c>,
        direction: Direction,
    ) -> PassResult<'c, Accesses<'c, 'a>> {
        let best = best_access(threads, shared, element, direction, self.matrices).map_err(|e| failed(op, &e))?;
        self.accesses_of(emitter, op, (threads, shared), element, best.form)
    }

    /// As [`accesses`](Self::accesses), each of this form.
    pub(crate) fn accesses_of(
        &self,
        emitter: Emitter<'c, 'a>,
        op: OperationRef<'c, '_>,
        (threads, shared): (&DistributedLayout, &LinearLayout),
        element: Type<'c>,
        form: Form,
    ) -> PassResult<'c, Accesses<'c, 'a>> {
        let failed = |e: LayoutError| failed(op, &e);
        let bytes = stored_bytes(element) as u32;
        let map = staging::offsets(threads, shared).map_err(failed)?;
        if threads.num_blocks() > 1 || map.out_size("block") > 1 {
            return Err(error_at(op, "a tile in the shared memory of several thread blocks"));
        }
        let (map, form) = match form {
            Form::Vector(vector) => {
                let map = map.flatten_outs(Dim::out(0)).map_err(failed)?;
                let groups = staging::accesses(threads, shared, vector).map_err(failed)?;
                let free = threads.register_free_mask();
                let unique = |group: &RegisterGroup| group.iter().all(|register| register & free == 0);
                let groups = groups.into_iter().filter(unique).map(|group| {
                    let offset = map.apply_in_order(&[group[0]])[0] * bytes;
                    (group, offset)
                });
                let groups = groups.collect();
                (map, AccessForm::Vectors(groups))
            }
            Form::Matrices { transposed, .. } => {
                let access = MatrixAccess::new(threads, shared, bytes, transposed).map_err(failed)?;
                let access = access.ok_or_else(|| error_at(op, "matrices do not fit the layout in shared memory"))?;
                (access.rows.clone(), AccessForm::Matrices(Box::new(access)))
            }
        };
        let bits = ["lane", "warp"].map(|input| map.bases(input).fold(0, |bits, basis| bits | basis[0]));
        let share = self.thread.share(emitter, &map, 0).map_err(failed)?;
        let scale = emitter.int_like(share.r#type(), i64::from(bytes));
        Ok(Accesses {
            element,
            form,
            represents: threads.register_representatives(),
            of_thread: emitter.binary(arith::MULI, share, scale),
            thread_bits: (bits[0] | bits[1]) * bytes,
        })
    }
}

fn failed<'c>(op: OperationRef<'c, '_>, error: &LayoutError) -> crate::ir::PassError<'c> {
    error_at(op, format!("the layout in shared memory: {error}"))
}

impl<'c: 'a, 'a> Accesses<'c, 'a> {
    /// Stores a thread's share of a tile (a vector) to the tile at `base`, an `!llvm.ptr<3>` aligned to 16 bytes. Threads
    /// that hold the same element store the same. Where matrices are stored, all lanes of a warp have to be here.
    pub fn store(&self, emitter: Emitter<'c, 'a>, values: Value<'c, 'a>, base: Value<'c, 'a>) {
        let mut addresses = FxHashMap::default();
        match &self.form {
            AccessForm::Vectors(groups) => {
                for (group, offset) in groups {
                    let value = match group[..] {
                        [register] => extract(emitter, values, register),
                        _ => pick(emitter, values, group, self.vector(group.len(), self.element)),
                    };
                    let value = to_stored(emitter, value);
                    let address = self.address(emitter, &mut addresses, base, *offset);
                    emitter
                        .llvm_store(value, address)
                        .with_alignment(self.alignment(group.len()));
                }
            }
            AccessForm::Matrices(access) => {
                for instruction in &access.instructions {
                    let row = self.row(emitter, &mut addresses, base, instruction);
                    let mut words = Vec::new();
                    for word in &instruction.words {
                        let value = pick(emitter, values, word, self.vector(word.len(), self.element));
                        let value = to_stored(emitter, value);
                        let value = emitter.value(vector::BITCAST, &[value], self.vector(1, i32(emitter)), &[]);
                        words.push(extract(emitter, value, 0));
                    }
                    let shape = matrix_shape(emitter);
                    emitter.nvvm_stmatrix(row, &words, matrix_layout(access.transposed), shape, MATRIX_ELEMENT);
                }
            }
        }
    }

    /// Loads a thread's share, a vector of type `ty`, of the tile at `base`. Where matrices are loaded, all lanes of a warp
    /// have to be here.
    pub fn load(&self, emitter: Emitter<'c, 'a>, base: Value<'c, 'a>, ty: Type<'c>) -> Value<'c, 'a> {
        let mut addresses = FxHashMap::default();
        let stored = stored_type(emitter, self.element);
        let mut elements: Vec<Option<Value<'c, 'a>>> = vec![None; self.represents.len()];
        let mut got = |group: &RegisterGroup, value: Value<'c, 'a>| {
            let value = from_stored(emitter, value, self.element);
            for (at, &register) in (0..).zip(group) {
                elements[register as usize] = Some(extract(emitter, value, at));
            }
        };
        match &self.form {
            AccessForm::Vectors(groups) => {
                for (group, offset) in groups {
                    let loaded = match group.len() {
                        1 => stored,
                        count => self.vector(count, stored),
                    };
                    let address = self.address(emitter, &mut addresses, base, *offset);
                    let load = emitter.llvm_load(address, loaded);
                    load.with_alignment(self.alignment(group.len()));
                    got(group, load.result());
                }
            }
            AccessForm::Matrices(access) => {
                for instruction in &access.instructions {
                    let row = self.row(emitter, &mut addresses, base, instruction);
                    let words = loaded_words(emitter, row, instruction.words.len(), access.transposed);
                    for (group, word) in instruction.words.iter().zip(words) {
                        let word = emitter.value(vector::BROADCAST, &[word], self.vector(1, i32(emitter)), &[]);
                        let elements = self.vector(group.len(), stored);
                        got(group, emitter.value(vector::BITCAST, &[word], elements, &[]));
                    }
                }
            }
        }
        let of_register =
            |&register: &u32| elements[register as usize].expect("accesses cover the registers of a layout");
        let elements: Vec<_> = self.represents.iter().map(of_register).collect();
        debug_assert_eq!(element_type(ty), self.element);
        from_elements(emitter, &elements, ty)
    }

    fn vector(&self, count: usize, element: Type<'c>) -> Type<'c> {
        Type::vector(&[count as u64], element)
    }

    /// Where the row begins that a lane gives to an instruction.
    fn row(
        &self,
        emitter: Emitter<'c, 'a>,
        known: &mut FxHashMap<u32, Value<'c, 'a>>,
        base: Value<'c, 'a>,
        instruction: &MatrixInstruction,
    ) -> Value<'c, 'a> {
        let bytes = stored_bytes(self.element) as u32;
        self.address(emitter, known, base, instruction.offset * bytes)
    }

    /// Where an access begins to which registers contribute `offset`.
    fn address(
        &self,
        emitter: Emitter<'c, 'a>,
        known: &mut FxHashMap<u32, Value<'c, 'a>>,
        base: Value<'c, 'a>,
        offset: u32,
    ) -> Value<'c, 'a> {
        let crossed = offset & self.thread_bits;
        let start = *known.entry(crossed).or_insert_with(|| {
            let mut own = self.of_thread;
            if crossed != 0 {
                let constant = emitter.int(32, i64::from(crossed));
                own = emitter.binary(arith::XORI, own, constant);
            }
            at(emitter, base, own)
        });
        match offset & !self.thread_bits {
            0 => start,
            rest => at_constant(emitter, start, rest),
        }
    }

    fn alignment(&self, count: usize) -> i64 {
        (count as u64 * stored_bytes(self.element)).min(ACCESS_BYTES) as i64
    }
}

/// The words that `nvvm.ldmatrix` loads of so many matrices.
fn loaded_words<'c: 'a, 'a>(
    emitter: Emitter<'c, 'a>,
    row: Value<'c, 'a>,
    count: usize,
    transposed: bool,
) -> Vec<Value<'c, 'a>> {
    let word = i32(emitter);
    let load = |ty| {
        let (layout, shape) = (matrix_layout(transposed), matrix_shape(emitter));
        let load = emitter.nvvm_ldmatrix(row, count as i32, layout, shape, MATRIX_ELEMENT, ty);
        result_of(load.operation(), 0)
    };
    if count == 1 {
        return vec![load(word)];
    }
    let all = load(r#struct(emitter.context, &vec![word; count], false));
    let part = |at: usize| emitter.llvm_extractvalue(all, &[at as i64], word).result();
    (0..count).map(part).collect()
}

/// The elements of `nvvm.ldmatrix` and `nvvm.stmatrix`: 16 bits.
const MATRIX_ELEMENT: LdStMatrixEltType = LdStMatrixEltType::B16;

/// The shape of their matrices: 8x8.
fn matrix_shape<'c>(emitter: Emitter<'c, '_>) -> Attribute<'c> {
    ld_st_matrix_shape_attribute(emitter.context, [8, 8])
}

fn matrix_layout(transposed: bool) -> MMALayout {
    match transposed {
        false => MMALayout::Row,
        true => MMALayout::Col,
    }
}

fn i32<'c>(emitter: Emitter<'c, '_>) -> Type<'c> {
    IntegerType::new(emitter.context, 32).into()
}
