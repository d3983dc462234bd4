//! The C API of `dialects/include/mytriton-c`, declared by hand: it is small and rarely changes.

use mlir_sys::{
    MlirAttribute, MlirContext, MlirDialectHandle, MlirDialectRegistry, MlirLocation, MlirModule, MlirOperation,
    MlirPass, MlirStringRef, MlirType,
};
use std::ffi::{c_char, c_int, c_uint, c_void};

unsafe extern "C" {
    pub fn mlirGetDialectHandle__tile__() -> MlirDialectHandle;

    pub fn mytritonTypeIsATilePtr(ty: MlirType) -> bool;
    pub fn mytritonTilePtrTypeGetChecked(location: MlirLocation, pointee: MlirType) -> MlirType;
    pub fn mytritonTilePtrTypeGetPointee(ty: MlirType) -> MlirType;

    pub fn mytritonAttributeIsATileLayout(attribute: MlirAttribute) -> bool;
    pub fn mytritonTileLayoutAttrGetChecked(
        location: MlirLocation,
        rank: usize,
        num_bases: *const usize,
        bases: *const *const i32,
    ) -> MlirAttribute;
    pub fn mytritonTileLayoutAttrGetRank(attribute: MlirAttribute) -> usize;
    pub fn mytritonTileLayoutAttrGetNumBases(attribute: MlirAttribute, index: c_uint) -> usize;
    pub fn mytritonTileLayoutAttrGetBases(attribute: MlirAttribute, index: c_uint) -> *const i32;

    pub fn mytritonTypeIsATileBuffer(ty: MlirType) -> bool;
    pub fn mytritonTileBufferTypeGetChecked(
        location: MlirLocation,
        rank: usize,
        shape: *const i64,
        element: MlirType,
        num_bases: usize,
        bases: *const i32,
    ) -> MlirType;
    pub fn mytritonTileBufferTypeGetElement(ty: MlirType) -> MlirType;
    pub fn mytritonTileBufferTypeGetRank(ty: MlirType) -> usize;
    pub fn mytritonTileBufferTypeGetShape(ty: MlirType) -> *const i64;
    pub fn mytritonTileBufferTypeGetBases(ty: MlirType, index: c_uint, count: *mut usize) -> *const i32;

    pub fn mytritonEnumAttrGet(context: MlirContext, name: MlirStringRef, value: u32) -> MlirAttribute;
    pub fn mytritonEnumAttrGetValue(attribute: MlirAttribute, name: MlirStringRef, value: *mut u32) -> bool;
    pub fn mytritonFloatAttrGetBits(attribute: MlirAttribute) -> u64;
    pub fn mytritonNVVMShapeAttrGet(attribute: MlirAttribute, extents: *mut i32) -> usize;
    pub fn mytritonNVVMLdStMatrixShapeAttrGet(context: MlirContext, m: i32, n: i32) -> MlirAttribute;
    pub fn mytritonTypeIsALLVMArray(ty: MlirType) -> bool;
    pub fn mytritonLLVMArrayTypeGetNumElements(ty: MlirType) -> u64;

    pub fn mytritonOperationForEachEffect(
        operation: MlirOperation,
        callback: Option<unsafe extern "C" fn(u32, u32, *mut c_void)>,
        user_data: *mut c_void,
    ) -> bool;

    pub fn mytritonParseModule(context: MlirContext, text: MlirStringRef, file: MlirStringRef) -> MlirModule;

    pub fn mytritonRegisterAllDialects(registry: MlirDialectRegistry);
    pub fn mytritonRegisterUpstreamPasses();
    pub fn mytritonRegisterPass(factory: unsafe extern "C" fn(*mut c_void) -> MlirPass, user_data: *mut c_void);
    pub fn mytritonOptMain(argc: c_int, argv: *mut *mut c_char) -> c_int;
    pub fn mytritonLspMain(argc: c_int, argv: *mut *mut c_char) -> c_int;
}
