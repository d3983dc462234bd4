// What generated kernels use of CUDA, for the host: threads of a block are fibres that run one after another and change
// at barriers. Numbers are computed by other means than on the GPU, each rounded as CUDA documents.
#include <cfenv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ucontext.h>
#include <vector>

#define __global__
#define __device__ static
#define __launch_bounds__(threads)
// One block runs at a time. What the last one left in shared memory stays, as it may on a GPU.
#define __shared__ static
#define __align__(bytes) __attribute__((aligned(bytes)))

struct Index { unsigned x, y, z; };
static Index threadIdx, blockIdx, gridDim;

// Fibres. A barrier that only some of the threads reach ends the process.
struct Fibre { ucontext_t context; enum { RUNS, WAITS, DONE } state; };
static std::vector<Fibre> fibres;
static ucontext_t scheduler;
static unsigned current;
static void (*program)();

static void __syncthreads() {
  fibres[current].state = Fibre::WAITS;
  swapcontext(&fibres[current].context, &scheduler);
}

static void fibre_main() {
  program();
  fibres[current].state = Fibre::DONE;
  swapcontext(&fibres[current].context, &scheduler);
}

// One fibre runs at a time.
static unsigned atomicAdd(unsigned* place, unsigned by) {
  const unsigned old = *place;
  *place = old + by;
  return old;
}

// Runs all programs of the grid; threads run in order, or the last one first.
static void launch(void (*kernel)(), Index grid, unsigned threads, bool backwards) {
  const size_t stack_size = 256 * 1024;
  char* stacks = (char*)malloc(stack_size * threads);
  fibres.resize(threads);
  program = kernel;
  gridDim = grid;
  for (blockIdx.z = 0; blockIdx.z < grid.z; ++blockIdx.z)
  for (blockIdx.y = 0; blockIdx.y < grid.y; ++blockIdx.y)
  for (blockIdx.x = 0; blockIdx.x < grid.x; ++blockIdx.x) {
    for (unsigned t = 0; t < threads; ++t) {
      getcontext(&fibres[t].context);
      fibres[t].context.uc_stack.ss_sp = stacks + stack_size * t;
      fibres[t].context.uc_stack.ss_size = stack_size;
      fibres[t].context.uc_link = &scheduler;
      fibres[t].state = Fibre::RUNS;
      makecontext(&fibres[t].context, fibre_main, 0);
    }
    for (unsigned done = 0; done < threads;) {
      done = 0;
      for (unsigned i = 0; i < threads; ++i) {
        current = backwards ? threads - 1 - i : i;
        threadIdx.x = current;
        swapcontext(&scheduler, &fibres[current].context);
        done += fibres[current].state == Fibre::DONE;
      }
      if (done != 0 && done != threads) {
        fprintf(stderr, "%u of %u threads wait at a barrier, the others have ended\n", threads - done, threads);
        exit(3);
      }
    }
  }
  free(stacks);
}

// Bits.
template <typename To, typename From> static To bits(From x) {
  static_assert(sizeof(To) == sizeof(From));
  To y;
  memcpy(&y, &x, sizeof y);
  return y;
}
static unsigned __float_as_uint(float x) { return bits<unsigned>(x); }
static float __uint_as_float(unsigned x) { return bits<float>(x); }
static long long __double_as_longlong(double x) { return bits<long long>(x); }
static double __longlong_as_double(long long x) { return bits<double>(x); }

// Rounding in a direction.
template <typename F> static float rounded(int direction, F compute) {
  fesetround(direction);
  volatile float result = compute();
  fesetround(FE_TONEAREST);
  return result;
}
static float __double2float_rn(double x) { return (float)x; }
static float __double2float_rz(double x) { return rounded(FE_TOWARDZERO, [&] { volatile double y = x; return (float)y; }); }
static float __ll2float_rz(long long x) { return rounded(FE_TOWARDZERO, [&] { volatile long long y = x; return (float)y; }); }
// Unsigned numbers of 64 bits convert by several operations on the host: clear the digits that go instead.
static float __ull2float_rz(unsigned long long x) {
  for (int bit = 0; x >> bit > 0xFFFFFF; ++bit) x &= ~(1ull << bit);
  return (float)x;
}
static float fma_in(int direction, float a, float b, float c) {
  return rounded(direction, [&] { volatile float x = a, y = b, z = c; return fmaf(x, y, z); });
}
static float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
static float __fmaf_rz(float a, float b, float c) { return fma_in(FE_TOWARDZERO, a, b, c); }
static float __fmaf_rd(float a, float b, float c) { return fma_in(FE_DOWNWARD, a, b, c); }
static float __fmaf_ru(float a, float b, float c) { return fma_in(FE_UPWARD, a, b, c); }
static double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
static float __fdiv_rn(float a, float b) { return a / b; }
static double __ddiv_rn(double a, double b) { return a / b; }
static float __fsqrt_rn(float x) { return sqrtf(x); }
static double __dsqrt_rn(double x) { return sqrt(x); }
static float rsqrtf(float x) { return (float)(1.0 / sqrt((double)x)); }
static double rsqrt(double x) { return 1.0 / sqrt(x); }
// Newer C libraries have these too, so that ours get other names.
static double host_cospi(double x) {
  x = fabs(fmod(x, 2.0));
  return x == 0.5 || x == 1.5 ? 0.0 : x <= 0.25 ? cos(M_PI * x) : x < 0.75 ? sin(M_PI * (0.5 - x))
       : x <= 1.25 ? -cos(M_PI * (1.0 - x)) : x < 1.75 ? sin(M_PI * (x - 1.5)) : cos(M_PI * (2.0 - x));
}
static double host_sinpi(double x) {
  const double y = fabs(fmod(x, 2.0));
  if (y == 0.0 || y == 1.0) return copysign(0.0, x);
  return copysign(1.0, x) * (y <= 0.25 ? sin(M_PI * y) : y < 0.75 ? cos(M_PI * (0.5 - y))
       : y <= 1.25 ? sin(M_PI * (1.0 - y)) : y < 1.75 ? -cos(M_PI * (1.5 - y)) : sin(M_PI * (y - 2.0)));
}
#define cospi host_cospi
#define sinpi host_sinpi
#define cospif(x) (float)host_cospi(x)
#define sinpif(x) (float)host_sinpi(x)
#define exp10f(x) (float)exp10((double)(x))

// 16-bit floats.
struct __half { unsigned short x; };
static __half __ushort_as_half(unsigned short x) { return {x}; }
static unsigned short __half_as_ushort(__half x) { return x.x; }
static float __half2float(__half x) { return (float)bits<_Float16>(x); }
static __half __float2half_rn(float x) { return bits<__half>((_Float16)x); }
static __half __hadd_rn(__half a, __half b) { return __float2half_rn(__half2float(a) + __half2float(b)); }
static __half __hsub_rn(__half a, __half b) { return __float2half_rn(__half2float(a) - __half2float(b)); }
static __half __hmul_rn(__half a, __half b) { return __float2half_rn(__half2float(a) * __half2float(b)); }
static __half __hfma(__half a, __half b, __half c) {
  // 113 digits hold it exactly, and 128 bits round once.
  return bits<__half>((_Float16)((__float128)__half2float(a) * __half2float(b) + __half2float(c)));
}
struct __nv_bfloat16 { unsigned short x; };
static __nv_bfloat16 __ushort_as_bfloat16(unsigned short x) { return {x}; }
static unsigned short __bfloat16_as_ushort(__nv_bfloat16 x) { return x.x; }
static float __bfloat162float(__nv_bfloat16 x) { return __uint_as_float((unsigned)x.x << 16); }
static __nv_bfloat16 __float2bfloat16_rn(float x) {
  if (x != x) return {0x7FFF};
  const unsigned y = __float_as_uint(x);
  return {(unsigned short)((y + 0x7FFF + (y >> 16 & 1)) >> 16)};
}
static __nv_bfloat16 __hadd_rn(__nv_bfloat16 a, __nv_bfloat16 b) { return __float2bfloat16_rn(__bfloat162float(a) + __bfloat162float(b)); }
static __nv_bfloat16 __hsub_rn(__nv_bfloat16 a, __nv_bfloat16 b) { return __float2bfloat16_rn(__bfloat162float(a) - __bfloat162float(b)); }
static __nv_bfloat16 __hmul_rn(__nv_bfloat16 a, __nv_bfloat16 b) { return __float2bfloat16_rn(__bfloat162float(a) * __bfloat162float(b)); }

// Arguments: each a number of bytes and the bytes, from the standard input.
static std::vector<std::vector<char>> arguments;

static void read_arguments(unsigned count) {
  arguments.resize(count);
  for (auto& argument : arguments) {
    unsigned long long size;
    if (fread(&size, sizeof size, 1, stdin) != 1) exit(4);
    argument.resize(size + 1);
    if (fread(argument.data(), 1, size, stdin) != size) exit(4);
  }
}

template <typename T> static T* buffer(unsigned index) { return (T*)arguments[index].data(); }
template <typename T> static T number(unsigned index) { T x; memcpy(&x, arguments[index].data(), sizeof x); return x; }

static void write_arguments() {
  for (auto& argument : arguments) fwrite(argument.data(), 1, argument.size() - 1, stdout);
}
