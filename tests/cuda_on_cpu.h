// Runs a CUDA kernel on a CPU: what TVM writes for a GPU is compiled as C++ behind this header.
//
// Every thread of a block is a fiber. They run one after the other, each up to the next barrier, in an order that is
// asked for: what a barrier is missing for comes out different in another order. Memory that threads share holds NaN
// before it is written, and a barrier that only some of the threads reach ends the kernel. An asynchronous copy is made
// when its thread waits for it and no sooner; until then its place holds NaN.
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <numeric>
#include <random>
#include <type_traits>
#include <vector>

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
static Index threadIdx, blockIdx, blockDim, gridDim;

// ---------------------------------------------------------------- threads

namespace fibers {
enum State { READY, AT_BLOCK, AT_WARP, DONE };
const int WARP = 32, MOST = 1024;
const size_t STACK = 256 << 10;

struct Copy {
  char* to;
  const char* from;
  size_t size;
};
typedef std::vector<Copy> Group;
struct Fiber {
  ucontext_t context;
  State state;
  Index place;
  Group open;                   // copies since the last commit
  std::deque<Group> committed;  // that are not waited for yet
};
struct Region {
  void* data;
  size_t size;
};
static Fiber all[MOST];
static int count, current;
static ucontext_t scheduler;
static std::function<void()> body;
static std::vector<Region> shared;
static std::vector<char> dynamic;
static bool misaligned;
static char slots[MOST][8];  // what the threads of a warp give each other

inline void wait(State state) {
  all[current].state = state;
  swapcontext(&all[current].context, &scheduler);
}

inline void begin() {
  body();
  all[current].state = DONE;
}

inline bool release(int first, int last, State state) {
  bool some = false;
  for (int i = first; i < last; ++i) {
    if (all[i].state != DONE && all[i].state != state) return false;
    some |= all[i].state == state;
  }
  for (int i = first; some && i < last; ++i)
    if (all[i].state == state) all[i].state = READY;
  return some;
}

// False where the threads wait for each other at different barriers.
inline bool run_block(const std::vector<int>& order, char* stacks) {
  for (int i = 0; i < count; ++i) {
    Fiber& fiber = all[i];
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = stacks + i * STACK;
    fiber.context.uc_stack.ss_size = STACK;
    fiber.context.uc_link = &scheduler;
    fiber.state = READY;
    fiber.open.clear();
    fiber.committed.clear();
    fiber.place = {i % blockDim.x, i / blockDim.x % blockDim.y, i / blockDim.x / blockDim.y};
    makecontext(&fiber.context, begin, 0);
  }
  for (;;) {
    bool moved = false;
    for (int i : order)
      if (all[i].state == READY) {
        current = i;
        threadIdx = all[i].place;
        swapcontext(&scheduler, &all[i].context);
        moved = true;
      }
    for (int first = 0; first < count; first += WARP)
      moved |= release(first, std::min(count, first + WARP), AT_WARP);
    if (moved) continue;
    if (release(0, count, AT_BLOCK)) continue;
    return std::all_of(all, all + count, [](const Fiber& fiber) { return fiber.state == DONE; });
  }
}

// 0: done; 1: a barrier that only some of the threads have reached; 2: too many threads; 3: a copy that is not aligned.
inline int launch(const unsigned* extents, size_t dynamic_size, int seed, std::function<void()> kernel) {
  gridDim = {extents[0], extents[1], extents[2]};
  blockDim = {extents[3], extents[4], extents[5]};
  count = blockDim.x * blockDim.y * blockDim.z;
  if (count > MOST) return 2;
  body = std::move(kernel);
  dynamic.resize(dynamic_size + 64);
  char* stacks = (char*)mmap(0, count * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  std::vector<int> order(count);
  std::iota(order.begin(), order.end(), 0);
  if (seed == 1) std::reverse(order.begin(), order.end());
  std::mt19937 random(seed);
  bool done = true;
  misaligned = false;
  for (unsigned block = 0; done && block < gridDim.x * gridDim.y * gridDim.z; ++block) {
    blockIdx = {block % gridDim.x, block / gridDim.x % gridDim.y, block / gridDim.x / gridDim.y};
    if (seed > 1) std::shuffle(order.begin(), order.end(), random);
    for (Region& region : shared) memset(region.data, 0xff, region.size);
    memset(dynamic.data(), 0xff, dynamic.size());
    done = run_block(order, stacks);
  }
  munmap(stacks, count * STACK);
  return misaligned ? 3 : done ? 0 : 1;
}

// Of so many bytes, between places that are counted in elements of Into and From bytes; zeros where it is not wanted.
template <size_t Bytes, size_t Into, size_t From>
void copy(void* into, int at, const void* from, int begin, bool wanted = true) {
  Copy made = {(char*)into + at * (long)Into, (const char*)from + begin * (long)From, Bytes};
  misaligned |= (uintptr_t)made.to % Bytes || (wanted && (uintptr_t)made.from % Bytes);
  memset(made.to, wanted ? 0xff : 0, Bytes);
  if (wanted) all[current].open.push_back(made);
}

inline void commit_copies() {
  all[current].committed.push_back(std::move(all[current].open));
  all[current].open.clear();
}

inline void wait_for_copies(size_t but) {
  for (auto& groups = all[current].committed; groups.size() > but; groups.pop_front())
    for (const Copy& made : groups.front()) memcpy(made.to, made.from, made.size);
}

template <class T, int N>
struct Shared {
  T data[N] __align__(64);
  Shared() {
    memset((void*)data, 0xff, sizeof(data));
    shared.push_back({data, sizeof(data)});
  }
};

inline uchar* dynamic_shared() {
  uintptr_t begin = (uintptr_t)dynamic.data();
  return (uchar*)((begin + 63) / 64 * 64);
}

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
