/* Kernels that wait for the host, or for another stream's work, while they run. A launch returns at
 * once, and what the kernel waits for goes on beside it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda_runtime.h>

#include <chrono>
#include <thread>
#include <vector>

#include "tests/cpu_device/alone.h"

#define ASSERT_CUDA(call) ASSERT_EQ(cudaSuccess, (call)) << #call

__global__ void wait_for_flag(volatile int *flag, int *out) {
    while (*flag == 0) {}
    *out = *flag;
}
/* All threads of all blocks, with a barrier behind. Not by an atomic operation: a GPU's on the host's
 * memory would write back what the host has just changed. */
__global__ void wait_all(volatile int *flag, int *out) {
    while (*flag == 0) {}
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(out, 1);
}
__global__ void set_flag(volatile int *flag, int value) { *flag = value; }

class Waits : public testing::Test {
  protected:
    void SetUp() override {
        /* Loaded before one of them spins: a GPU loads kernels when they are first launched, and
     * waits for those that run. */
        ASSERT_CUDA(cudaMalloc(&flag_, sizeof(int)));
        ASSERT_CUDA(cudaMalloc(&out_, sizeof(int)));
        ASSERT_CUDA(cudaMallocHost(&pinned_, sizeof(int)));
        ASSERT_CUDA(cudaHostAlloc(&mapped_, sizeof(int), cudaHostAllocMapped));
        for (cudaStream_t *s : {&a_, &b_, &c_})
            ASSERT_CUDA(cudaStreamCreateWithFlags(s, cudaStreamNonBlocking));
        set_flag<<<1, 1>>>(flag_, 1);
        wait_for_flag<<<1, 1>>>(flag_, out_);
        wait_all<<<1, 1>>>(flag_, out_);
        ASSERT_CUDA(cudaMemset(flag_, 0, sizeof(int)));
        ASSERT_CUDA(cudaMemset(out_, 0, sizeof(int)));
        ASSERT_CUDA(cudaDeviceSynchronize());
        *(volatile int *)mapped_ = 0;
    }
    void TearDown() override {
        for (cudaStream_t s : {a_, b_, c_}) cudaStreamDestroy(s);
        cudaFree(flag_);
        cudaFree(out_);
        cudaFreeHost(pinned_);
        cudaFreeHost(mapped_);
    }
    int out() {
        int value = -1;
        EXPECT_EQ(cudaSuccess, cudaMemcpy(&value, out_, sizeof value, cudaMemcpyDeviceToHost));
        return value;
    }

    int *flag_, *out_, *pinned_, *mapped_;
    cudaStream_t a_, b_, c_;
};

static void wait_ms(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

/* ---- for the host ---- */

TEST_F(Waits, ForAFlagThatTheHostSetsAtOnce) {
    wait_for_flag<<<1, 1, 0, a_>>>(mapped_, out_);
    *(volatile int *)mapped_ = 5;
    ASSERT_CUDA(cudaStreamSynchronize(a_));
    EXPECT_EQ(5, out());
}

TEST_F(Waits, ForAFlagThatTheHostSetsLater) {
    wait_for_flag<<<1, 1, 0, a_>>>(mapped_, out_);
    EXPECT_EQ(cudaErrorNotReady, cudaStreamQuery(a_));
    wait_ms(50);
    EXPECT_EQ(cudaErrorNotReady, cudaStreamQuery(a_));
    *(volatile int *)mapped_ = 6;
    ASSERT_CUDA(cudaStreamSynchronize(a_));
    EXPECT_EQ(6, out());
}

TEST_F(Waits, ForAnotherThreadOfTheHost) {
    wait_for_flag<<<1, 1, 0, a_>>>(mapped_, out_);
    std::thread other([this] {
        wait_ms(50);
        *(volatile int *)mapped_ = 7;
    });
    EXPECT_EQ(cudaSuccess, cudaStreamSynchronize(a_));
    other.join();
    EXPECT_EQ(7, out());
}

TEST_F(Waits, AManyThreadedKernel) {
    wait_all<<<4, 64, 0, a_>>>(mapped_, out_);
    wait_ms(20);
    *(volatile int *)mapped_ = 1;
    ASSERT_CUDA(cudaStreamSynchronize(a_));
    EXPECT_EQ(4, out());
}

/* A kernel that takes work from the host until it is told to end. */
struct Mailbox {
    volatile int request, reply, argument;
};
__global__ void serve(Mailbox *m) {
    __shared__ int request;
    for (int last = 0;;) {
        if (threadIdx.x == 0) {
            while (m->request == last) {}
            request = m->request;
        }
        __syncthreads();
        if (request < 0) return;
        const int sum = __syncthreads_count((int)threadIdx.x < m->argument);
        if (threadIdx.x == 0) {
            m->argument = sum * 2;
            __threadfence_system();
            m->reply = request;
        }
        last = request;
        __syncthreads();
    }
}

TEST_F(Waits, APersistentKernelServesTheHost) {
    int concurrent = 0;
    ASSERT_CUDA(cudaDeviceGetAttribute(&concurrent, cudaDevAttrConcurrentManagedAccess, 0));
    if (!concurrent) GTEST_SKIP() << "managed memory is not open to the host while kernels run";
    Mailbox *m;
    ASSERT_CUDA(cudaMallocManaged(&m, sizeof *m));
    m->request = m->reply = m->argument = 0;
    serve<<<1, 64, 0, a_>>>(m);
    ASSERT_CUDA(cudaGetLastError());
    for (int i = 1; i <= 50; ++i) {
        m->argument = i;
        m->request = i;
        while (m->reply != i) continue;
        ASSERT_EQ(2 * i, m->argument);
    }
    EXPECT_EQ(cudaErrorNotReady, cudaStreamQuery(a_));
    /* Other streams' work goes on meanwhile. */
    for (int i = 0; i < 10; ++i) {
        set_flag<<<1, 1, 0, b_>>>(flag_, i);
        ASSERT_CUDA(cudaMemcpyAsync(pinned_, flag_, sizeof(int), cudaMemcpyDeviceToHost, b_));
        ASSERT_CUDA(cudaStreamSynchronize(b_));
        ASSERT_EQ(i, *pinned_);
    }
    m->request = -1;
    ASSERT_CUDA(cudaStreamSynchronize(a_));
    ASSERT_CUDA(cudaFree(m));
}

/* ---- for another stream ---- */

TEST_F(Waits, ForACopy) {
    wait_for_flag<<<1, 1, 0, a_>>>(flag_, out_);
    *pinned_ = 9;
    ASSERT_CUDA(cudaMemcpyAsync(flag_, pinned_, sizeof(int), cudaMemcpyHostToDevice, b_));
    ASSERT_CUDA(cudaStreamSynchronize(a_));
    EXPECT_EQ(9, out());
}

TEST_F(Waits, ForACopyThatTheHostWaitsFor) {
    wait_for_flag<<<1, 1, 0, a_>>>(flag_, out_);
    *pinned_ = 9;
    ASSERT_CUDA(cudaMemcpyAsync(flag_, pinned_, sizeof(int), cudaMemcpyHostToDevice, b_));
    ASSERT_CUDA(cudaStreamSynchronize(b_));
    ASSERT_CUDA(cudaDeviceSynchronize());
    EXPECT_EQ(9, out());
}

TEST_F(Waits, ForAFill) {
    wait_all<<<2, 32, 0, a_>>>(flag_, out_);
    ASSERT_CUDA(cudaMemsetAsync(flag_, 1, sizeof(int), b_));
    ASSERT_CUDA(cudaDeviceSynchronize());
    EXPECT_EQ(2, out());
}

TEST_F(Waits, ForAFunctionOfTheHosts) {
    wait_for_flag<<<1, 1, 0, a_>>>(mapped_, out_);
    ASSERT_CUDA(cudaLaunchHostFunc(
        b_, [](void *flag) { *(volatile int *)flag = 3; }, mapped_));
    ASSERT_CUDA(cudaDeviceSynchronize());
    EXPECT_EQ(3, out());
}

TEST_F(Waits, ForAKernel) {
    wait_for_flag<<<1, 1, 0, a_>>>(flag_, out_);
    set_flag<<<1, 1, 0, b_>>>(flag_, 4);
    ASSERT_CUDA(cudaDeviceSynchronize());
    EXPECT_EQ(4, out());
}

/* Three streams: the second waits for the third. */
__global__ void pass_on(volatile int *from, volatile int *to) {
    while (*from == 0) {}
    *to = *from + 1;
}
TEST_F(Waits, ForAKernelThatWaitsItself) {
    pass_on<<<1, 1, 0, b_>>>(mapped_, flag_);
    *(volatile int *)mapped_ = 1;
    ASSERT_CUDA(cudaStreamSynchronize(b_)); /* loaded */
    *(volatile int *)mapped_ = 0;
    ASSERT_CUDA(cudaMemset(flag_, 0, sizeof(int)));
    wait_for_flag<<<1, 1, 0, a_>>>(flag_, out_);
    pass_on<<<1, 1, 0, b_>>>(mapped_, flag_);
    set_flag<<<1, 1, 0, c_>>>(mapped_, 10);
    ASSERT_CUDA(cudaDeviceSynchronize());
    EXPECT_EQ(11, out());
}

/* Blocking streams run beside one another as well; only the default stream would wait for them. */
TEST_F(Waits, InBlockingStreams) {
    cudaStream_t a, b;
    ASSERT_CUDA(cudaStreamCreate(&a));
    ASSERT_CUDA(cudaStreamCreate(&b));
    wait_for_flag<<<1, 1, 0, a>>>(flag_, out_);
    set_flag<<<1, 1, 0, b>>>(flag_, 8);
    ASSERT_CUDA(cudaDeviceSynchronize());
    EXPECT_EQ(8, out());
    ASSERT_CUDA(cudaStreamDestroy(a));
    ASSERT_CUDA(cudaStreamDestroy(b));
}

TEST_F(Waits, TheDefaultStreamLetsANonBlockingOneGoOn) {
    wait_for_flag<<<1, 1>>>(flag_, out_);
    set_flag<<<1, 1, 0, a_>>>(flag_, 8);
    ASSERT_CUDA(cudaDeviceSynchronize());
    EXPECT_EQ(8, out());
}

/* Values handed over one by one, in both directions. */
__global__ void produce(volatile int *box, int n) {
    for (int i = 1; i <= n; i = i + 1) {
        while (*box != 0) {}
        *box = i;
    }
}
__global__ void consume(volatile int *box, int n, int *sum) {
    int s = 0;
    for (int i = 1; i <= n; i = i + 1) {
        while (*box == 0) {}
        s += *box;
        *box = 0;
    }
    *sum = s;
}
TEST_F(Waits, ProducerAndConsumer) {
    consume<<<1, 1, 0, a_>>>(flag_, 0, out_);
    produce<<<1, 1, 0, b_>>>(flag_, 0);
    ASSERT_CUDA(cudaDeviceSynchronize());
    consume<<<1, 1, 0, a_>>>(flag_, 200, out_);
    produce<<<1, 1, 0, b_>>>(flag_, 200);
    ASSERT_CUDA(cudaDeviceSynchronize());
    EXPECT_EQ(200 * 201 / 2, out());
}

/* ---- what is the same as ever ---- */

TEST_F(Waits, EventsAreDoneInTheirStreams) {
    cudaEvent_t before, behind;
    ASSERT_CUDA(cudaEventCreate(&before));
    ASSERT_CUDA(cudaEventCreate(&behind));
    ASSERT_CUDA(cudaEventRecord(before, a_));
    wait_for_flag<<<1, 1, 0, a_>>>(mapped_, out_);
    ASSERT_CUDA(cudaEventRecord(behind, a_));
    ASSERT_CUDA(cudaEventSynchronize(before));
    wait_ms(50);
    EXPECT_EQ(cudaErrorNotReady, cudaEventQuery(behind));
    ASSERT_CUDA(cudaStreamWaitEvent(b_, behind, 0));
    set_flag<<<1, 1, 0, b_>>>(flag_, 2);
    EXPECT_EQ(cudaErrorNotReady, cudaStreamQuery(b_));
    *(volatile int *)mapped_ = 1;
    ASSERT_CUDA(cudaStreamSynchronize(b_));
    EXPECT_EQ(cudaSuccess, cudaEventQuery(behind));
    float ms = 0;
    ASSERT_CUDA(cudaEventElapsedTime(&ms, before, behind));
    EXPECT_GE(ms, 0.f);
    ASSERT_CUDA(cudaEventDestroy(before));
    ASSERT_CUDA(cudaEventDestroy(behind));
}

/* An error in one stream ends the kernels of the others, too. */
__global__ void fails() { __trap(); }
TEST(WaitsAlone, AnErrorEndsAKernelThatWaits) {
    RUN_ALONE({
        int *flag;
        cudaStream_t a, b;
        CHECK_ALONE(cudaSuccess, cudaMalloc(&flag, 2 * sizeof(int)));
        CHECK_ALONE(cudaSuccess, cudaMemset(flag, 0, 2 * sizeof(int)));
        CHECK_ALONE(cudaSuccess, cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
        CHECK_ALONE(cudaSuccess, cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
        cudaFuncAttributes attributes;
        CHECK_ALONE(cudaSuccess, cudaFuncGetAttributes(&attributes, fails)); /* loaded */
        CHECK_ALONE(cudaSuccess, cudaDeviceSynchronize());
        wait_for_flag<<<1, 1, 0, a>>>(flag, flag + 1);
        fails<<<1, 1, 0, b>>>();
        CHECK_ALONE(cudaErrorLaunchFailure, cudaStreamSynchronize(b));
        CHECK_ALONE(cudaErrorLaunchFailure, cudaStreamSynchronize(a));
    });
}
