// Runs a CUDA kernel on a CPU: what TVM writes for a GPU is compiled as C++ behind this header.
//
// Every thread of a block is a fiber. They run one after the other, each up to the next barrier, in an order that is
// asked for: what a barrier is missing for comes out different in another order. Memory that threads share holds NaN
// before it is written, and a barrier that only some of the threads reach ends the kernel. An asynchronous copy is made
// when its thread waits for it and no sooner; until then its place holds NaN. What runs the threads is in
// cuda_on_cpu.cc, compiled once for all kernels: with it a kernel would take three times as long.
#include <math.h>
#include <stdint.h>
#include <string.h>

#include <type_traits>

#define ENTRY extern "C" __attribute__((visibility("default")))
#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define alignas(n) __attribute__((aligned(n)))
typedef unsigned int uint;
typedef unsigned char uchar;
typedef unsigned short ushort;

struct Index {
  unsigned x, y, z;
};
extern Index threadIdx, blockIdx, blockDim, gridDim;

// ---------------------------------------------------------------- threads

namespace fibers {
enum State { READY, AT_BLOCK, AT_WARP, DONE };
const int WARP = 32, MOST = 1024;

extern int count, current;
extern char slots[MOST][8];  // what the threads of a warp give each other

void wait(State state);
// 0: done; 1: a barrier that only some of the threads have reached; 2: too many threads; 3: a copy that is not aligned.
int launch(const unsigned* extents, size_t dynamic_size, int seed, void (*kernel)(void**), void** given);
void share(void* data, size_t size);
uchar* dynamic_shared();
void copy_later(char* into, const char* from, size_t size, bool wanted);
void commit_copies();
void wait_for_copies(size_t but);

// Of so many bytes, between places that are counted in elements of Into and From bytes; zeros where it is not wanted.
template <size_t Bytes, size_t Into, size_t From>
void copy(void* into, int at, const void* from, int begin, bool wanted = true) {
  copy_later((char*)into + at * (long)Into, (const char*)from + begin * (long)From, Bytes, wanted);
}

template <class T, int N>
struct Shared {
  T data[N] __align__(64);
  Shared() {
    memset((void*)data, 0xff, sizeof(data));
    share(data, sizeof(data));
  }
};

template <class T>
T exchange(T value, int lane) {
  static_assert(sizeof(T) <= 8, "");
  int me = current, other = me / WARP * WARP + lane;
  memcpy(slots[me], &value, sizeof(T));
  wait(AT_WARP);
  memcpy(&value, slots[other < count ? other : me], sizeof(T));
  wait(AT_WARP);
  return value;
}
}  // namespace fibers

inline void __syncthreads() { fibers::wait(fibers::AT_BLOCK); }
inline void __syncwarp(unsigned = ~0u) { fibers::wait(fibers::AT_WARP); }
inline unsigned __activemask() { return ~0u; }

template <class T>
T __shfl_sync(unsigned, T value, int lane, int width = 32) {
  int own = fibers::current % fibers::WARP;
  return fibers::exchange(value, own / width * width + lane % width);
}
template <class T>
T __shfl_down_sync(unsigned, T value, int by, int width = 32) {
  int own = fibers::current % fibers::WARP;
  return fibers::exchange(value, own % width + by < width ? own + by : own);
}
template <class T>
T __shfl_up_sync(unsigned, T value, int by, int width = 32) {
  int own = fibers::current % fibers::WARP;
  return fibers::exchange(value, own % width >= by ? own - by : own);
}
template <class T>
T __shfl_xor_sync(unsigned, T value, int by, int = 32) {
  return fibers::exchange(value, (fibers::current % fibers::WARP) ^ by);
}

// ---------------------------------------------------------------- numbers

typedef _Float16 half;

struct nv_bfloat16 {
  uint16_t bits;
  nv_bfloat16() = default;
  nv_bfloat16(float value) {
    uint32_t word;
    memcpy(&word, &value, 4);
    bits = isnan(value) ? 0x7fff : (word + 0x7fff + (word >> 16 & 1)) >> 16;
  }
  operator float() const {
    uint32_t word = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &word, 4);
    return value;
  }
};

#define VECTORS(name, type)                                                             \
  struct __align__(2 * sizeof(type)) name##2 { type x, y; };                            \
  struct name##3 { type x, y, z; };                                                     \
  struct __align__(4 * sizeof(type)) name##4 { type x, y, z, w; };                      \
  inline name##2 make_##name##2(type x, type y) { return {x, y}; }                      \
  inline name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; }           \
  inline name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
VECTORS(float, float)
VECTORS(double, double)
VECTORS(half, half)
VECTORS(nv_bfloat16, nv_bfloat16)
VECTORS(char, signed char)
VECTORS(uchar, unsigned char)
VECTORS(short, short)
VECTORS(ushort, unsigned short)
VECTORS(int, int)
VECTORS(uint, unsigned)
VECTORS(longlong, long long)
VECTORS(ulonglong, unsigned long long)
struct uint1 { unsigned x; };
inline uint1 make_uint1(unsigned x) { return {x}; }

template <class T>
unsigned pack_two(T x, T y) {
  unsigned short both[2];
  memcpy(&both[0], &x, 2);
  memcpy(&both[1], &y, 2);
  return (unsigned)both[1] << 16 | both[0];
}
inline unsigned __pack_half2(half x, half y) { return pack_two(x, y); }
inline unsigned __pack_nv_bfloat162(nv_bfloat16 x, nv_bfloat16 y) { return pack_two(x, y); }
inline float __half2float(half x) { return x; }
inline half __float2half(float x) { return x; }
inline half __float2half_rn(float x) { return x; }
inline nv_bfloat16 __float2bfloat16_rn(float x) { return x; }

template <class A, class B>
typename std::common_type<A, B>::type max(A a, B b) { return a < b ? b : a; }
template <class A, class B>
typename std::common_type<A, B>::type min(A a, B b) { return b < a ? b : a; }

inline float rsqrtf(float x) { return 1 / sqrtf(x); }
#define __expf expf
#define __exp10f exp10f
#define __logf logf
#define __powf powf
#define __cosf cosf
#define __sinf sinf
#define __tanf tanf
#define __ldg(place) (*(place))
#define HALF_MATH(name, of) \
  inline half name(half x) { return of((float)x); }
HALF_MATH(hexp, expf)
HALF_MATH(hexp2, exp2f)
HALF_MATH(hlog, logf)
HALF_MATH(hsqrt, sqrtf)
HALF_MATH(hrsqrt, rsqrtf)
HALF_MATH(htanh, tanhf)
HALF_MATH(herf, erff)
HALF_MATH(hsin, sinf)
HALF_MATH(hcos, cosf)
HALF_MATH(hfloor, floorf)
HALF_MATH(hceil, ceilf)
HALF_MATH(htrunc, truncf)
HALF_MATH(__habs, fabsf)

// ---------------------------------------------------------------- tensor cores

namespace nvcuda {
namespace wmma {
struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
enum layout_t { mem_row_major, mem_col_major };

// The whole tile, which on a GPU is spread over the registers of a warp: each of its threads has a copy here.
template <class Use, int M, int N, int K, class T, class Layout = void>
struct fragment {
  static const int rows = std::is_same<Use, matrix_b>::value ? K : M;
  static const int columns = std::is_same<Use, matrix_a>::value ? K : N;
  T x[rows * columns];
};

template <class F, class V>
void fill_fragment(F& tile, V value) {
  for (auto& x : tile.x) x = value;
}

template <class Use, int M, int N, int K, class T, class Layout>
void load_matrix_sync(fragment<Use, M, N, K, T, Layout>& tile, const T* from, unsigned stride) {
  for (int row = 0; row < tile.rows; ++row)
    for (int column = 0; column < tile.columns; ++column)
      tile.x[row * tile.columns + column] =
          from[std::is_same<Layout, col_major>::value ? column * stride + row : row * stride + column];
}

template <int M, int N, int K, class T>
void store_matrix_sync(T* to, const fragment<accumulator, M, N, K, T>& tile, unsigned stride, layout_t layout) {
  for (int row = 0; row < M; ++row)
    for (int column = 0; column < N; ++column)
      to[layout == mem_col_major ? column * stride + row : row * stride + column] = tile.x[row * N + column];
}

template <int M, int N, int K, class A, class LA, class LB, class T>
void mma_sync(fragment<accumulator, M, N, K, T>& to, const fragment<matrix_a, M, N, K, A, LA>& a,
              const fragment<matrix_b, M, N, K, A, LB>& b, const fragment<accumulator, M, N, K, T>& from) {
  typedef typename std::conditional<std::is_integral<T>::value, int, float>::type Sum;
  for (int row = 0; row < M; ++row)
    for (int column = 0; column < N; ++column) {
      Sum sum = (Sum)from.x[row * N + column];
      for (int step = 0; step < K; ++step) sum += (Sum)a.x[row * K + step] * (Sum)b.x[step * N + column];
      to.x[row * N + column] = (T)sum;
    }
}
}  // namespace wmma
}  // namespace nvcuda
