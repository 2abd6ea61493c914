/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of cuda_side.cu in OpenCL C, in the same order: change both. sum_shuffle is
 * missing: PoCL 3.1 has no subgroups. */
#include "shapes.h"

/* ---- kernels without barriers ---- */

kernel void vector_add(int n, global const float *x, global const float *y, global float *out) {
    const int i = get_global_id(0);
    if (i < n) out[i] = x[i] + y[i];
}

kernel void nbody(int n, global const float4 *bodies, global float4 *out) {
    const int i = get_global_id(0);
    if (i >= n) return;
    const float4 me = bodies[i];
    float4 sum = (float4)(0, 0, 0, 0);
    for (int j = 0; j < n; ++j) {
        const float4 other = bodies[j];
        const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
        const float inverse = 1.0f / sqrt(dx * dx + dy * dy + dz * dz + SOFTENING);
        const float pull = other.w * inverse * inverse * inverse;
        sum.x += dx * pull;
        sum.y += dy * pull;
        sum.z += dz * pull;
    }
    out[i] = sum;
}

kernel void mandelbrot(int n, global int *out) {
    const int col = get_global_id(0);
    const int row = get_global_id(1);
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

kernel void black_scholes(int n, global const float *price, global const float *strike,
                          global float *out) {
    const float rate = 0.02f, volatility = 0.3f, root_half = 0.70710678f;
    const int i = get_global_id(0);
    if (i >= n) return;
    const float d1 =
        (log(price[i] / strike[i]) + rate + 0.5f * volatility * volatility) / volatility;
    const float d2 = d1 - volatility;
    out[i] = price[i] * 0.5f * erfc(-d1 * root_half) -
             strike[i] * exp(-rate) * 0.5f * erfc(-d2 * root_half);
}

kernel void matrix_product(int n, global const float *a, global const float *b,
                           global float *out) {
    const int col = get_global_id(0);
    const int row = get_global_id(1);
    if (row >= n || col >= n) return;
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
    out[row * n + col] = sum;
}

/* ---- kernels with barriers ---- */

/* The sum of a group's values, for its item 0; s has BLOCK floats. */
float block_sum(local float *s, float value) {
    const int t = get_local_id(0);
    s[t] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_size = BLOCK / 2; half_size > 0; half_size /= 2) {
        if (t < half_size) s[t] += s[t + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return s[0];
}

kernel void sum_classic(int n, global const float *x, global float *sums) {
    local float s[BLOCK];
    const int i = get_global_id(0);
    const float sum = block_sum(s, i < n ? x[i] : 0.0f);
    if (get_local_id(0) == 0) sums[get_group_id(0)] = sum;
}

kernel void sum_grid_stride(int n, global const float *x, global float *sums) {
    local float s[BLOCK];
    float mine = 0;
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) mine += x[i];
    const float sum = block_sum(s, mine);
    if (get_local_id(0) == 0) sums[get_group_id(0)] = sum;
}

kernel void stencil(int n, global const float *x, global float *out) {
    local float s[BLOCK + 2 * STENCIL_RADIUS];
    const int t = get_local_id(0), i = get_global_id(0);
    s[t + STENCIL_RADIUS] = i < n ? x[i] : 0.0f;
    if (t < STENCIL_RADIUS) {
        s[t] = i >= STENCIL_RADIUS ? x[i - STENCIL_RADIUS] : 0.0f;
        s[t + BLOCK + STENCIL_RADIUS] = i + BLOCK < n ? x[i + BLOCK] : 0.0f;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i >= n) return;
    float sum = 0;
    for (int d = -STENCIL_RADIUS; d <= STENCIL_RADIUS; ++d)
        sum += s[t + STENCIL_RADIUS + d] / (1.0f + (float)(d * d));
    out[i] = sum;
}

kernel void matrix_product_tiled(int n, global const float *a, global const float *b,
                                 global float *out) {
    local float tile_a[TILE][TILE], tile_b[TILE][TILE];
    const int tx = get_local_id(0), ty = get_local_id(1);
    const int col = get_group_id(0) * TILE + tx, row = get_group_id(1) * TILE + ty;
    float sum = 0;
    for (int first = 0; first < n; first += TILE) {
        tile_a[ty][tx] = a[row * n + first + tx];
        tile_b[ty][tx] = b[(first + ty) * n + col];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; ++k) sum += tile_a[ty][k] * tile_b[k][tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[row * n + col] = sum;
}

kernel void transpose(int rows, int cols, global const float *x, global float *out) {
    local float tile[TRANSPOSE_TILE][TRANSPOSE_TILE + 1];
    const int tx = get_local_id(0), ty = get_local_id(1);
    const int col = get_group_id(0) * TRANSPOSE_TILE, row = get_group_id(1) * TRANSPOSE_TILE;
    for (int k = ty; k < TRANSPOSE_TILE; k += TRANSPOSE_ROWS)
        tile[k][tx] = x[(row + k) * cols + col + tx];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = ty; k < TRANSPOSE_TILE; k += TRANSPOSE_ROWS)
        out[(col + k) * rows + row + tx] = tile[tx][k];
}

kernel void scan_blocks(int n, global const float *x, global float *out, global float *totals) {
    local float s[2][BLOCK];
    const int t = get_local_id(0), i = get_global_id(0);
    int now = 0;
    s[now][t] = i < n ? x[i] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int offset = 1; offset < BLOCK; offset *= 2) {
        s[1 - now][t] = t >= offset ? s[now][t] + s[now][t - offset] : s[now][t];
        now = 1 - now;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i < n) out[i] = s[now][t];
    if (t == BLOCK - 1) totals[get_group_id(0)] = s[now][t];
}

kernel void scan_add(int n, global float *out, global const float *before) {
    const int i = get_global_id(0);
    if (i < n && get_group_id(0) > 0) out[i] += before[get_group_id(0) - 1];
}

kernel void histogram(int n, global const uchar *x, global int *bins) {
    local int mine[BINS];
    mine[get_local_id(0)] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) atomic_add(&mine[x[i]], 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[get_local_id(0)], mine[get_local_id(0)]);
}

kernel void barriers(global const int *x, global int *out) {
    local int s[2][BLOCK];
    const int t = get_local_id(0), i = get_global_id(0);
    s[1][t] = x[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 0; step < BARRIER_STEPS; ++step) {
        const int to = step % 2;
        s[to][t] = s[1 - to][(t + 1) % BLOCK] + 1;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = s[(BARRIER_STEPS - 1) % 2][t];
}

kernel void locals(global int *out) {
    local int sums[LOCALS_BLOCK];
    int mine[LOCALS_COUNT];
    const int t = get_local_id(0);
    for (int i = 0; i < LOCALS_COUNT; ++i) mine[i] = 7 * i + t;
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = 0;
    for (int i = 0; i < LOCALS_COUNT; ++i) sum += mine[(17 * i + t) % LOCALS_COUNT];
    sums[t] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = sums[(t + 1) % LOCALS_BLOCK];
}
