use mytriton_simt::Memory;

use crate::run::launch;
use crate::{decoded, listed};

#[test]
fn warps_synchronise_and_vote() {
    let body = "
      %l = nvvm.read.ptx.sreg.laneid : i32
      %t = nvvm.read.ptx.sreg.tid.y : i32
      %m = nvvm.read.ptx.sreg.lanemask.le : i32
      nvvm.barrier0
      nvvm.barrier
      %c1 = llvm.mlir.constant(1 : i32) : i32
      %c64 = llvm.mlir.constant(64 : i32) : i32
      nvvm.barrier id = %c1 number_of_threads = %c64
      nvvm.barrier.arrive id = %c1 number_of_threads = %c64
      nvvm.bar.warp.sync %l : i32
      %s = llvm.mlir.constant(31 : i32) : i32
      %v = nvvm.shfl.sync bfly %l, %x, %c1, %s : f32 -> f32
      %w = llvm.mlir.constant(6144 : i32) : i32
      %u = nvvm.shfl.sync up %l, %x, %c1, %w {return_value_and_is_valid} : f32 -> !llvm.struct<(f32, i1)>
      %b = nvvm.vote.sync ballot %l, %p -> i32
      %a = nvvm.vote.sync any %l, %p -> i1
      %r = nvvm.redux.sync umax %l, %c1 : i32 -> i32
      %e = nvvm.elect.sync -> i1
      %f = nvvm.match.sync any %l, %t : i32 -> i32
      %g = nvvm.match.sync all %l, %t : i32 -> !llvm.struct<(i32, i1)>";
    insta::assert_snapshot!(listed("%x: f32, %p: i1", body), @"
    k(r0: 32, r1: 1)
      0 r2 = Lane
      1 r3 = ThreadId(1)
      2 r4 = Lane
      3 r6 = shl.i32 1, r4
      4 r7 = sub.i32 r6, 1
      5 r8 = or.i32 r6, r7
      6 barrier
      7 barrier
      8 barrier 1 of 64
      9 arrive 1 of 64
     10 warp_barrier r2
     11 r13, r14 = shuffle_Xor r0, 1, 32 mask r2
     12 r17, r18 = shuffle_Up r0, 1, 8 mask r2
     13 r19 = vote_Ballot r1 mask r2
     14 r20 = vote_Any r1 mask r2
     15 r21 = vote_Reduce(MaxU) r2 mask 1
     16 r23 = vote_Elect 1 mask 0xffffffff
     17 r24 = vote_Match r3 mask r2
     18 r25 = vote_Match r3 mask r2
     19 r26 = vote_Ballot 1 mask r2
     20 r27 = eq.i32 r25, r26
     21 r28 = r27 ? r25 : 0
     22 end
    ");
}

#[test]
fn copies_complete_on_groups_and_barriers() {
    let body = "
      %s = llvm.inttoptr %sa : i64 to !llvm.ptr<3>
      %b = llvm.inttoptr %ba : i64 to !llvm.ptr<3>
      %g = llvm.inttoptr %ga : i64 to !llvm.ptr<1>
      nvvm.mbarrier.init %b, %n : !llvm.ptr<3>, i32
      nvvm.mbarrier.init %b, %n, predicate = %p : !llvm.ptr<3>, i32, i1
      nvvm.fence.mbarrier.init
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
      nvvm.cp.async.shared.global %s, %g, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
      nvvm.cp.async.shared.global %s, %g, 4, cache = ca, %n : !llvm.ptr<3>, !llvm.ptr<1>, i32
      nvvm.cp.async.commit.group
      nvvm.cp.async.wait.group 1
      nvvm.mbarrier.arrive.expect_tx %b, %n, predicate = %p : !llvm.ptr<3>, i32, i1
      %st = nvvm.mbarrier.arrive %b : !llvm.ptr<3> -> i64
      nvvm.cp.async.bulk.shared.cluster.global %d, %g, %b, %n : !llvm.ptr<7>, !llvm.ptr<1>
      %done = nvvm.mbarrier.test.wait %b, %st : !llvm.ptr<3>, i64 -> i1
      %done2 = nvvm.mbarrier.try_wait %b, %n : !llvm.ptr<3>, i32 -> i1
      nvvm.mbarrier.try_wait.parity %b, %n, %n : !llvm.ptr<3>, i32, i32
      nvvm.cp.async.bulk.global.shared.cta %g, %s, %n : !llvm.ptr<1>, !llvm.ptr<3>
      nvvm.cp.async.bulk.commit.group
      nvvm.cp.async.bulk.wait_group 0 {read}
      nvvm.mbarrier.inval %b : !llvm.ptr<3>";
    let body = format!(
        "%s7 = llvm.inttoptr %sa : i64 to !llvm.ptr<3>\n%d = llvm.addrspacecast %s7 : !llvm.ptr<3> to !llvm.ptr<7>\n{body}"
    );
    insta::assert_snapshot!(listed("%sa: i64, %ba: i64, %ga: i64, %n: i32, %p: i1", &body), @"
    k(r0: 64, r1: 64, r2: 64, r3: 32, r4: 1)
      0 mbarrier_init [r1], r3
      1 branch r4 else 3 join 3
      2 mbarrier_init [r1], r3
      3 join
      4 fence Memory
      5 fence AsyncProxy
      6 copy.16 [r0], [r2]
      7 copy.4 [r0], [r2] valid r3
      8 CommitGroup
      9 WaitGroup { pending: 1 }
     10 branch r4 else 12 join 12
     11 mbarrier_arrive [r1] expect r3
     12 join
     13 r5 = mbarrier_arrive [r1]
     14 bulk_load [r0], [r2], r3, [r1]
     15 r6 = mbarrier_test [r1] state r5
     16 r7 = mbarrier_test [r1] parity r3
     17 r8 = mbarrier_test [r1] parity r3
     18 r10 = xor.i1 r8, 1
     19 branch r10 else 21 join 21
     20 jump 17
     21 join
     22 bulk_store [r2], [r0], r3
     23 BulkCommit
     24 BulkWait { pending: 0, read: true }
     25 mbarrier_inval [r1]
     26 end
    ");
}

#[test]
fn copies_arrive_before_those_that_wait_go_on() {
    // Each of 64 threads copies one word to shared memory and reads that of its mirror image.
    let text = "
      gpu.module @kernels {
        llvm.mlir.global internal @tile() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<64 x i32>
        gpu.func @k(%in: i64, %out: i64) kernel {
          %t = nvvm.read.ptx.sreg.tid.x : i32
          %last = llvm.mlir.constant(63 : i32) : i32
          %other = llvm.sub %last, %t : i32
          %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
          %g = llvm.inttoptr %in : i64 to !llvm.ptr<1>
          %o = llvm.inttoptr %out : i64 to !llvm.ptr<1>
          %from = llvm.getelementptr %g[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
          %to = llvm.getelementptr %tile[0, %t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, !llvm.array<64 x i32>
          nvvm.cp.async.shared.global %to, %from, 4, cache = ca : !llvm.ptr<3>, !llvm.ptr<1>
          nvvm.cp.async.commit.group
          nvvm.cp.async.wait.group 0
          gpu.barrier
          %mirror = llvm.getelementptr %tile[0, %other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, !llvm.array<64 x i32>
          %x = llvm.load %mirror : !llvm.ptr<3> -> i32
          %at = llvm.getelementptr %o[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
          llvm.store %x, %at : i32, !llvm.ptr<1>
          gpu.return
        }
      }";
    let program = decoded(text).expect("a known kernel").remove(0);
    let mut memory = Memory::new();
    let words = |of: fn(u32) -> u32| (0..64).flat_map(|i| of(i).to_le_bytes()).collect::<Vec<u8>>();
    let input = memory.add_buffer("in", &words(|i| 100 + i)).expect("room");
    let output = memory.add_zeros("out", 256).expect("room");
    let args = [input, output].map(|buffer| memory.address(buffer).expect("a buffer"));
    launch(&program, &memory, &args, 1, 64);
    assert_eq!(memory.read_back(output).expect("a buffer"), words(|i| 163 - i));
}
