/* Threads that wait for one another's stores in a loop: for a higher or a lower thread, for other
 * blocks, for locks. On a GPU that takes microseconds; on the CPU device a thread that waits soon
 * gives way to the one that can let it go.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda/atomic>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <chrono>
#include <vector>

namespace {

/* `size` numbers on the device, all `value` at first. */
class Numbers {
  public:
    Numbers(size_t size, int value) : size_(size) {
        const std::vector<int> first(size, value);
        cudaMalloc(&device_, size * sizeof(int));
        cudaMemcpy(device_, first.data(), size * sizeof(int), cudaMemcpyHostToDevice);
    }
    ~Numbers() { cudaFree(device_); }
    int *device() const { return device_; }
    std::vector<int> get() const {
        std::vector<int> all(size_);
        EXPECT_EQ(cudaMemcpy(all.data(), device_, size_ * sizeof(int), cudaMemcpyDeviceToHost),
                  cudaSuccess);
        return all;
    }

  private:
    size_t size_;
    int *device_ = nullptr;
};

/* The launch is done within so many seconds, though other programs run. */
template <class Launch>
void expect_soon(double seconds, Launch launch) {
    const auto begin = std::chrono::steady_clock::now();
    launch();
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(),
              seconds);
}

} // namespace

/* ---- threads of one block, each of which waits for another one ---- */

/* Which one thread i waits for; n: nobody. */
__device__ int next_one(int i, int n) { return i + 1; }
__device__ int one_before(int i, int n) { return i == 0 ? n : i - 1; }
__device__ int anywhere(int i, int n) { return i == 0 ? n : (i + 389) % n; }

#define CHAIN(name, whom)                          \
    __global__ void name(volatile int *x, int n) { \
        const int i = threadIdx.x, j = whom(i, n); \
        int sum = 0;                               \
        if (j < n) {                               \
            while (x[j] == -1) {}                  \
            sum = x[j] + 1;                        \
        }                                          \
        x[i] = sum;                                \
    }
CHAIN(waits_for_next, next_one)
CHAIN(waits_for_one_before, one_before)
CHAIN(waits_anywhere, anywhere)

static void expect_chain(void (*kernel)(volatile int *, int), int n) {
    Numbers x((size_t)n, -1);
    expect_soon(5, [&] { kernel<<<1, n>>>(x.device(), n); });
    std::vector<bool> seen((size_t)n);
    for (int value : x.get()) {
        ASSERT_TRUE(value >= 0 && value < n && !seen[(size_t)value]) << value;
        seen[(size_t)value] = true;
    }
}

TEST(Spins, ThreadsWaitForTheNext) {
    for (int n : {64, 256, 1024}) expect_chain(waits_for_next, n);
}
TEST(Spins, ThreadsWaitForTheOneBefore) {
    for (int n : {64, 256, 1024}) expect_chain(waits_for_one_before, n);
}
TEST(Spins, ThreadsWaitForAnyOther) {
    for (int n : {64, 256, 1024}) expect_chain(waits_anywhere, n);
}

/* The forms that such a loop has. */
struct Cell {
    volatile int value;
};
typedef volatile int Watched;
__device__ volatile int variables[32];
__device__ int look(const volatile int *x) { return *x; }

template <int form>
__device__ void wait_for(int *x) {
    volatile int *v = x;
    Watched *w = x;
    Cell *cell = (Cell *)x;
    int found;
    switch (form) {
    case 0:
        while (*v == -1) continue;
        break;
    case 1: do { found = *v;
        } while (found == -1);
        break;
    case 2:
        for (;;)
            if (*v != -1) break;
        break;
    case 3:
        for (int rounds = 0; *v == -1; ++rounds) {}
        break;
    case 4: {
        long rounds = 0;
        while (*w == -1) rounds += 1;
        break;
    }
    case 5:
        while (cell->value == -1) {}
        break;
    case 6:
        while (look(x) == -1) {}
        break;
    case 7:
        while (atomicAdd(x, 0) == -1) {}
        break;
    case 8:
        while (atomicCAS(x, -2, -2) == -1) {}
        break;
    case 9:
        while (atomicOr(x, 0) == -1) {}
        break;
    case 10:
        while (*v == -1) __nanosleep(20);
        break;
    case 11: {
        cuda::atomic_ref<int, cuda::thread_scope_block> a(*x);
        while (a.load(cuda::memory_order_acquire) == -1) {}
        break;
    }
    case 12:
        while (true) {
            __threadfence();
            if (*v != -1) break;
        }
        break;
    case 13: {
        unsigned ns = 8;
        while (*v == -1) {
            __nanosleep(ns);
            if (ns < 256) ns *= 2;
        }
        break;
    }
    case 14:
        while (atomicExch(&x[2048], 1) == 1 && *v == -1) {}
        break;
    case 15: {
        int value;
        do {
            asm volatile("ld.volatile.global.s32 %0, [%1];" : "=r"(value) : "l"(x) : "memory");
        } while (value == -1);
        break;
    }
    }
}
template <int form>
__global__ void waits_in_form(int *x, int n) {
    const int i = threadIdx.x;
    if (i + 1 < n) wait_for<form>(x + i + 1);
    __threadfence();
    atomicExch(&x[i], n - i);
}
template <int form>
static void expect_form() {
    SCOPED_TRACE(form);
    const int n = 128;
    Numbers x(4096, -1);
    expect_soon(5, [&] { waits_in_form<form><<<1, n>>>(x.device(), n); });
    const std::vector<int> got = x.get();
    for (int i = 0; i < n; ++i) ASSERT_EQ(got[(size_t)i], n - i) << i;
    if constexpr (form > 0) expect_form<form - 1>();
}
TEST(Spins, InAnyForm) { expect_form<15>(); }

__global__ void waits_for_variable() {
    const int i = threadIdx.x;
    if (i < 31)
        while (variables[i + 1] == 0) {}
    variables[i] = 1;
}
TEST(Spins, OnADeviceVariable) {
    expect_soon(5, [] { waits_for_variable<<<1, 32>>>(); });
}

/* ---- blocks ---- */

__global__ void blocks_wait(volatile int *flag, bool up) {
    const int b = blockIdx.x, n = gridDim.x, other = up ? b + 1 : b - 1;
    if (threadIdx.x == 0) {
        if (other >= 0 && other < n)
            while (flag[other] == -1) {}
        flag[b] = other >= 0 && other < n ? flag[other] + 1 : 0;
    }
    __syncthreads();
}
TEST(Spins, BlocksWaitForOthers) {
    for (bool up : {false, true}) {
        Numbers flag(64, -1);
        expect_soon(5, [&] { blocks_wait<<<64, 32>>>(flag.device(), up); });
        const std::vector<int> got = flag.get();
        for (int i = 0; i < 64; ++i) ASSERT_EQ(got[(size_t)i], up ? 63 - i : i);
    }
}

/* A barrier over the grid of the program's own, many times. */
__global__ void own_grid_barrier(int *arrived, volatile int *generation, int rounds) {
    for (int r = 1; r <= rounds; ++r) {
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            if (atomicAdd(arrived, 1) == (int)gridDim.x - 1) {
                *arrived = 0;
                __threadfence();
                *generation = r;
            }
            while (*generation < r) {}
        }
        __syncthreads();
    }
}
TEST(Spins, AGridBarrierOfItsOwn) {
    Numbers x(2, 0);
    expect_soon(10, [&] { own_grid_barrier<<<8, 64>>>(x.device(), x.device() + 1, 100); });
    EXPECT_EQ(x.get()[1], 100);
}

/* ---- locks ---- */

/* A lock a bin, taken lane by lane. */
__global__ void histogram_with_locks(const int *x, int *out) {
    __shared__ int lock[16];
    __shared__ volatile int sum[16];
    const int t = threadIdx.x, bin = x[t] % 16;
    if (t < 16) lock[t] = sum[t] = 0;
    __syncthreads();
    bool done = false;
    while (!done) {
        if (atomicCAS(&lock[bin], 0, 1) == 0) {
            sum[bin] += x[t];
            __threadfence_block();
            atomicExch(&lock[bin], 0);
            done = true;
        }
    }
    __syncthreads();
    if (t < 16) out[t] = sum[t];
}
TEST(Spins, ALockABin) {
    for (int step : {1, 16}) { /* all bins, or one */
        std::vector<int> x(256), want(16);
        for (int i = 0; i < 256; ++i) {
            x[(size_t)i] = i * step + 3;
            want[(size_t)(x[(size_t)i] % 16)] += x[(size_t)i];
        }
        Numbers d_x(256, 0), out(16, -1);
        cudaMemcpy(d_x.device(), x.data(), 256 * sizeof(int), cudaMemcpyHostToDevice);
        expect_soon(5, [&] { histogram_with_locks<<<1, 256>>>(d_x.device(), out.device()); });
        EXPECT_EQ(out.get(), want);
    }
}

/* One lock for all threads of the grid. */
__global__ void counts_under_a_lock(int *lock, volatile int *count) {
    bool done = false;
    while (!done) {
        if (atomicExch(lock, 1) == 0) {
            *count = *count + 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}
__global__ void counts_by_ticket(unsigned *tickets, volatile unsigned *serving,
                                 volatile int *count) {
    const unsigned mine = atomicAdd(tickets, 1u);
    bool done = false;
    while (!done) {
        if (*serving == mine) {
            *count = *count + 1;
            __threadfence();
            *serving = mine + 1;
            done = true;
        }
    }
}
TEST(Spins, OneLockForAll) {
    Numbers x(3, 0);
    expect_soon(10, [&] { counts_under_a_lock<<<32, 64>>>(x.device(), x.device() + 1); });
    EXPECT_EQ(x.get()[1], 32 * 64);
}
TEST(Spins, Tickets) {
    Numbers x(3, 0);
    unsigned *u = (unsigned *)x.device();
    expect_soon(10, [&] { counts_by_ticket<<<8, 64>>>(u, u + 1, x.device() + 2); });
    EXPECT_EQ(x.get()[2], 8 * 64);
}
