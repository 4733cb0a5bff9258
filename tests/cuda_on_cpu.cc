// What runs the threads of a kernel behind cuda_on_cpu.h.
#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <deque>
#include <map>
#include <numeric>
#include <random>
#include <vector>

#include "cuda_on_cpu.h"

Index threadIdx, blockIdx, blockDim, gridDim;

namespace fibers {
int count, current;
char slots[MOST][8];

static const size_t STACK = 256 << 10;

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
static ucontext_t scheduler;
static void (*body)(void**);
static void** arguments;
static std::map<void (*)(void**), std::vector<Region>> shared;  // by kernel
static std::vector<char> dynamic;
static bool misaligned;

void wait(State state) {
  all[current].state = state;
  swapcontext(&all[current].context, &scheduler);
}

static void begin() {
  body(arguments);
  all[current].state = DONE;
}

static bool release(int first, int last, State state) {
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
static bool run_block(const std::vector<int>& order, char* stacks) {
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

int launch(const unsigned* extents, size_t dynamic_size, int seed, void (*kernel)(void**), void** given) {
  gridDim = {extents[0], extents[1], extents[2]};
  blockDim = {extents[3], extents[4], extents[5]};
  count = blockDim.x * blockDim.y * blockDim.z;
  if (count > MOST) return 2;
  body = kernel;
  arguments = given;
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
    for (Region& region : shared[kernel]) memset(region.data, 0xff, region.size);
    memset(dynamic.data(), 0xff, dynamic.size());
    done = run_block(order, stacks);
  }
  munmap(stacks, count * STACK);
  return misaligned ? 3 : done ? 0 : 1;
}

void share(void* data, size_t size) { shared[body].push_back({data, size}); }

uchar* dynamic_shared() {
  uintptr_t begin = (uintptr_t)dynamic.data();
  return (uchar*)((begin + 63) / 64 * 64);
}

void copy_later(char* into, const char* from, size_t size, bool wanted) {
  misaligned |= (uintptr_t)into % size || (wanted && (uintptr_t)from % size);
  memset(into, wanted ? 0xff : 0, size);
  if (wanted) all[current].open.push_back({into, from, size});
}

void commit_copies() {
  all[current].committed.push_back(std::move(all[current].open));
  all[current].open.clear();
}

void wait_for_copies(size_t but) {
  for (auto& groups = all[current].committed; groups.size() > but; groups.pop_front())
    for (const Copy& made : groups.front()) memcpy(made.to, made.from, made.size);
}

}  // namespace fibers
