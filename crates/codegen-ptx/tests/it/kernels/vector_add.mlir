// c[i] = a[i] + b[i] for i < n: blocks of 128 threads, four elements a thread.
module attributes {gpu.container_module} {
  gpu.module @vector_add_module {
    llvm.func @vector_add(%a: !llvm.ptr<1> {llvm.noalias, llvm.align = 16 : i64}, %b: !llvm.ptr<1> {llvm.noalias},
                          %c: !llvm.ptr<1> {llvm.noalias}, %n: i32)
        attributes {gpu.kernel, nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
      %four = llvm.mlir.constant(4 : i32) : i32
      %width = llvm.mlir.constant(512 : i32) : i32
      %block = nvvm.read.ptx.sreg.ctaid.x : i32
      %thread = nvvm.read.ptx.sreg.tid.x : i32
      %start = llvm.mul %block, %width : i32
      %lane = llvm.mul %thread, %four : i32
      %index = llvm.add %start, %lane : i32
      %inside = llvm.icmp "slt" %index, %n : i32
      llvm.cond_br %inside, ^body, ^exit
    ^body:
      %wide = llvm.sext %index : i32 to i64
      %pa = llvm.getelementptr %a[%wide] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
      %pb = llvm.getelementptr %b[%wide] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
      %pc = llvm.getelementptr %c[%wide] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
      %x = llvm.load %pa : !llvm.ptr<1> -> vector<4xf32>
      %y = llvm.load %pb : !llvm.ptr<1> -> vector<4xf32>
      %sum = llvm.fadd %x, %y : vector<4xf32>
      llvm.store %sum, %pc : vector<4xf32>, !llvm.ptr<1>
      llvm.br ^exit
    ^exit:
      llvm.return
    }
  }
}
