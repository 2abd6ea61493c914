/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU device's side. kernels.cl holds the same kernels in OpenCL C, in the same order:
 * change both. */
#include <stdio.h>

#include <cuda_runtime.h>

#include "benchmarks/peers/shapes.h"
#include "benchmarks/peers/side.h"

/* ---- kernels without barriers ---- */

__global__ void vector_add(int n, const float *x, const float *y, float *out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = x[i] + y[i];
}

__global__ void nbody(int n, const float4 *bodies, float4 *out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float4 me = bodies[i];
    float4 sum = make_float4(0, 0, 0, 0);
    for (int j = 0; j < n; ++j) {
        const float4 other = bodies[j];
        const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
        const float inverse = 1.0f / sqrtf(dx * dx + dy * dy + dz * dz + SOFTENING);
        const float pull = other.w * inverse * inverse * inverse;
        sum.x += dx * pull;
        sum.y += dy * pull;
        sum.z += dz * pull;
    }
    out[i] = sum;
}

__global__ void mandelbrot(int n, int *out) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || col >= n) return;
    const float cx = 3.0f * (float)col / (float)n - 2.0f;
    const float cy = 3.0f * (float)row / (float)n - 1.5f;
    float x = 0, y = 0;
    int steps = 0;
    while (steps < MANDELBROT_LIMIT && x * x + y * y <= 4.0f) {
        const float next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
        ++steps;
    }
    out[row * n + col] = steps;
}

__global__ void black_scholes(int n, const float *price, const float *strike, float *out) {
    const float rate = 0.02f, volatility = 0.3f, root_half = 0.70710678f;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float d1 =
        (logf(price[i] / strike[i]) + rate + 0.5f * volatility * volatility) / volatility;
    const float d2 = d1 - volatility;
    out[i] = price[i] * 0.5f * erfcf(-d1 * root_half) -
             strike[i] * expf(-rate) * 0.5f * erfcf(-d2 * root_half);
}

__global__ void matrix_product(int n, const float *a, const float *b, float *out) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || col >= n) return;
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
    out[row * n + col] = sum;
}

/* ---- kernels with barriers ---- */

/* The sum of a block's values, for its thread 0; BLOCK is a power of two. */
__device__ float block_sum(float value) {
    __shared__ float s[BLOCK];
    const int t = threadIdx.x;
    s[t] = value;
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (t < half) s[t] += s[t + half];
        __syncthreads();
    }
    return s[0];
}

__global__ void sum_classic(int n, const float *x, float *sums) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float sum = block_sum(i < n ? x[i] : 0.0f);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

__global__ void sum_grid_stride(int n, const float *x, float *sums) {
    float mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine += x[i];
    const float sum = block_sum(mine);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

__device__ float warp_sum(float value) {
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xFFFFFFFFu, value, offset);
    return value;
}

__global__ void sum_shuffle(int n, const float *x, float *sums) {
    __shared__ float s[BLOCK / 32];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float value = warp_sum(i < n ? x[i] : 0.0f);
    if (lane == 0) s[warp] = value;
    __syncthreads();
    if (warp > 0) return;
    value = warp_sum(lane < BLOCK / 32 ? s[lane] : 0.0f);
    if (lane == 0) sums[blockIdx.x] = value;
}

__global__ void stencil(int n, const float *x, float *out) {
    __shared__ float s[BLOCK + 2 * STENCIL_RADIUS];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t + STENCIL_RADIUS] = i < n ? x[i] : 0.0f;
    if (t < STENCIL_RADIUS) {
        s[t] = i >= STENCIL_RADIUS ? x[i - STENCIL_RADIUS] : 0.0f;
        s[t + BLOCK + STENCIL_RADIUS] = i + BLOCK < n ? x[i + BLOCK] : 0.0f;
    }
    __syncthreads();
    if (i >= n) return;
    float sum = 0;
    for (int d = -STENCIL_RADIUS; d <= STENCIL_RADIUS; ++d)
        sum += s[t + STENCIL_RADIUS + d] / (1.0f + (float)(d * d));
    out[i] = sum;
}

/* n is a multiple of TILE */
__global__ void matrix_product_tiled(int n, const float *a, const float *b, float *out) {
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int col = blockIdx.x * TILE + tx, row = blockIdx.y * TILE + ty;
    float sum = 0;
    for (int first = 0; first < n; first += TILE) {
        tile_a[ty][tx] = a[row * n + first + tx];
        tile_b[ty][tx] = b[(first + ty) * n + col];
        __syncthreads();
        for (int k = 0; k < TILE; ++k) sum += tile_a[ty][k] * tile_b[k][tx];
        __syncthreads();
    }
    out[row * n + col] = sum;
}

/* rows and cols are multiples of TRANSPOSE_TILE */
__global__ void transpose(int rows, int cols, const float *x, float *out) {
    __shared__ float tile[TRANSPOSE_TILE][TRANSPOSE_TILE + 1]; /* +1: other banks */
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int col = blockIdx.x * TRANSPOSE_TILE, row = blockIdx.y * TRANSPOSE_TILE;
    for (int k = ty; k < TRANSPOSE_TILE; k += TRANSPOSE_ROWS)
        tile[k][tx] = x[(row + k) * cols + col + tx];
    __syncthreads();
    for (int k = ty; k < TRANSPOSE_TILE; k += TRANSPOSE_ROWS)
        out[(col + k) * rows + row + tx] = tile[tx][k];
}

/* Each block's inclusive sums, and its total. `out` may be `x`. */
__global__ void scan_blocks(int n, const float *x, float *out, float *totals) {
    __shared__ float s[2][BLOCK];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    int now = 0;
    s[now][t] = i < n ? x[i] : 0.0f;
    __syncthreads();
    for (int offset = 1; offset < BLOCK; offset *= 2) {
        s[1 - now][t] = t >= offset ? s[now][t] + s[now][t - offset] : s[now][t];
        now = 1 - now;
        __syncthreads();
    }
    if (i < n) out[i] = s[now][t];
    if (t == BLOCK - 1) totals[blockIdx.x] = s[now][t];
}

__global__ void scan_add(int n, float *out, const float *before) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && blockIdx.x > 0) out[i] += before[blockIdx.x - 1];
}

__global__ void histogram(int n, const unsigned char *x, int *bins) {
    __shared__ int mine[BINS];
    mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[x[i]], 1);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

__global__ void barriers(const int *x, int *out) {
    __shared__ int s[2][BLOCK];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[1][t] = x[i];
    __syncthreads();
    for (int step = 0; step < BARRIER_STEPS; ++step) {
        const int to = step % 2;
        s[to][t] = s[1 - to][(t + 1) % BLOCK] + 1;
        __syncthreads();
    }
    out[i] = s[(BARRIER_STEPS - 1) % 2][t];
}

__global__ void locals(int *out) {
    __shared__ int sums[LOCALS_BLOCK];
    int mine[LOCALS_COUNT];
    const int t = threadIdx.x;
    for (int i = 0; i < LOCALS_COUNT; ++i) mine[i] = 7 * i + t;
    __syncthreads();
    int sum = 0;
    /* in another order, so that they must be kept: 17 and 4096 share no factor */
    for (int i = 0; i < LOCALS_COUNT; ++i) sum += mine[(17 * i + t) % LOCALS_COUNT];
    sums[t] = sum;
    __syncthreads();
    out[blockIdx.x * blockDim.x + t] = sums[(t + 1) % LOCALS_BLOCK];
}

/* ---- launches ---- */

static void *d_in[PEER_INPUTS], *d_scratch[PEER_SCRATCHES], *d_out;

static bool ok(cudaError_t error, const char *what) {
    if (error != cudaSuccess) fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    return error == cudaSuccess;
}

static unsigned grid_for(size_t n) { return (unsigned)blocks_for(n, BLOCK); }

static dim3 tiles(size_t width, size_t height, unsigned tile) {
    return dim3((unsigned)blocks_for(width, tile), (unsigned)blocks_for(height, tile));
}

/* The first level as the case wants it; what is left is summed the classic way. */
static void run_sum(const Problem *p) {
    const float *x = (const float *)d_in[0];
    size_t left = p->n;
    for (int level = 0; left > 1; ++level) {
        const bool first = level == 0;
        unsigned blocks = grid_for(left);
        if (first && p->id == SUM_GRID_STRIDE && blocks > STRIDE_BLOCKS) blocks = STRIDE_BLOCKS;
        float *sums = (float *)(blocks == 1 ? d_out : d_scratch[level]);
        if (first && p->id == SUM_GRID_STRIDE)
            sum_grid_stride<<<blocks, BLOCK>>>((int)left, x, sums);
        else if (p->id == SUM_SHUFFLE) sum_shuffle<<<blocks, BLOCK>>>((int)left, x, sums);
        else sum_classic<<<blocks, BLOCK>>>((int)left, x, sums);
        x = sums;
        left = blocks;
    }
}

static void run_scan(const Problem *p) {
    size_t count[PEER_SCRATCHES];
    float *level_out[PEER_SCRATCHES];
    const float *x = (const float *)d_in[0];
    float *out = (float *)d_out;
    size_t left = p->n;
    int level = 0;
    for (;; ++level) {
        float *totals = (float *)d_scratch[level];
        scan_blocks<<<grid_for(left), BLOCK>>>((int)left, x, out, totals);
        count[level] = left;
        level_out[level] = out;
        left = grid_for(left);
        if (left == 1) break;
        x = out = totals;
    }
    for (; level > 0; --level)
        scan_add<<<grid_for(count[level - 1]), BLOCK>>>((int)count[level - 1], level_out[level - 1],
                                                        level_out[level]);
}

static void launch(const Problem *p) {
    const size_t n = p->n;
    const float *x = (const float *)d_in[0], *y = (const float *)d_in[1];
    float *out = (float *)d_out;
    const dim3 tile(TILE, TILE);
    switch (p->id) {
    case VECTOR_ADD: vector_add<<<grid_for(n), BLOCK>>>((int)n, x, y, out); break;
    case NBODY: nbody<<<grid_for(n), BLOCK>>>((int)n, (const float4 *)x, (float4 *)out); break;
    case MANDELBROT: mandelbrot<<<tiles(n, n, TILE), tile>>>((int)n, (int *)out); break;
    case BLACK_SCHOLES: black_scholes<<<grid_for(n), BLOCK>>>((int)n, x, y, out); break;
    case MATRIX_PRODUCT: matrix_product<<<tiles(n, n, TILE), tile>>>((int)n, x, y, out); break;
    case SUM_CLASSIC:
    case SUM_GRID_STRIDE:
    case SUM_SHUFFLE: run_sum(p); break;
    case STENCIL: stencil<<<grid_for(n), BLOCK>>>((int)n, x, out); break;
    case MATRIX_PRODUCT_TILED:
        matrix_product_tiled<<<tiles(n, n, TILE), tile>>>((int)n, x, y, out);
        break;
    case TRANSPOSE:
        transpose<<<tiles(n / 2, n, TRANSPOSE_TILE), dim3(TRANSPOSE_TILE, TRANSPOSE_ROWS)>>>(
            (int)n, (int)(n / 2), x, out);
        break;
    case SCAN: run_scan(p); break;
    case HISTOGRAM: {
        const unsigned blocks = grid_for(n) < STRIDE_BLOCKS ? grid_for(n) : STRIDE_BLOCKS;
        ok(cudaMemsetAsync(out, 0, p->out_bytes, 0), "cudaMemsetAsync");
        histogram<<<blocks, BLOCK>>>((int)n, (const unsigned char *)x, (int *)out);
        break;
    }
    case BARRIERS: barriers<<<grid_for(n), BLOCK>>>((const int *)x, (int *)out); break;
    case LOCALS: locals<<<(unsigned)blocks_for(n, LOCALS_BLOCK), LOCALS_BLOCK>>>((int *)out); break;
    case PEER_CASES: break;
    }
}

/* ---- the side ---- */

static bool run(const Problem *p) {
    launch(p);
    return ok(cudaGetLastError(), "launch") && ok(cudaDeviceSynchronize(), "kernel");
}

static bool allocate(void **array, size_t bytes) {
    return bytes == 0 || ok(cudaMalloc(array, bytes), "cudaMalloc");
}

static bool open_side(const Problem *p) {
    for (int i = 0; i < PEER_INPUTS; ++i) {
        if (!allocate(&d_in[i], p->in_bytes[i])) return false;
        if (p->in_bytes[i] != 0 &&
            !ok(cudaMemcpy(d_in[i], p->in[i], p->in_bytes[i], cudaMemcpyHostToDevice), "copy"))
            return false;
    }
    for (int i = 0; i < PEER_SCRATCHES; ++i)
        if (!allocate(&d_scratch[i], p->scratch_bytes[i])) return false;
    return allocate(&d_out, p->out_bytes);
}

static bool poison(const Problem *p) { return ok(cudaMemset(d_out, 0xFF, p->out_bytes), "poison"); }

static bool fetch(const Problem *p, void *out) {
    return ok(cudaMemcpy(out, d_out, p->out_bytes, cudaMemcpyDeviceToHost), "copy back");
}

static const char *describe(void) {
    static cudaDeviceProp properties;
    return ok(cudaGetDeviceProperties(&properties, 0), "device") ? properties.name : "unknown";
}

int main(int argc, char **argv) {
    Side side = {};
    side.name = "cpu_device";
    side.open = open_side;
    side.run = run;
    side.poison = poison;
    side.fetch = fetch;
    side.describe = describe;
    side.compiler = "gcc-compatible " __VERSION__;
    return side_main(argc, argv, &side);
}
