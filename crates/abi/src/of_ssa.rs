//! The signature of a kernel in typed SSA.

use mytriton_ssa::{Elem, Kernel, Param, Scalar};

use crate::{DType, ParamInfo, ParamKind};

impl From<Scalar> for DType {
    fn from(scalar: Scalar) -> DType {
        match scalar {
            Scalar::I1 => DType::I1,
            Scalar::I8 => DType::I8,
            Scalar::I16 => DType::I16,
            Scalar::I32 => DType::I32,
            Scalar::I64 => DType::I64,
            Scalar::F16 => DType::F16,
            Scalar::BF16 => DType::BF16,
            Scalar::F32 => DType::F32,
            Scalar::F64 => DType::F64,
        }
    }
}

impl From<DType> for Scalar {
    fn from(dtype: DType) -> Scalar {
        match dtype {
            DType::I1 => Scalar::I1,
            DType::I8 => Scalar::I8,
            DType::I16 => Scalar::I16,
            DType::I32 => Scalar::I32,
            DType::I64 => Scalar::I64,
            DType::F16 => Scalar::F16,
            DType::BF16 => Scalar::BF16,
            DType::F32 => Scalar::F32,
            DType::F64 => Scalar::F64,
        }
    }
}

/// The parameters of a kernel as launches see them.
pub fn params_of(kernel: &Kernel) -> Vec<ParamInfo> {
    let info = |param: &Param| ParamInfo {
        name: param.name.clone(),
        kind: match kernel.ty(param.value).elem {
            Elem::Ptr(pointee) => ParamKind::Pointer(pointee.into()),
            Elem::Scalar(scalar) => ParamKind::Scalar(scalar.into()),
        },
        divisibility: param.divisibility.max(1),
    };
    kernel.params().iter().map(info).collect()
}
