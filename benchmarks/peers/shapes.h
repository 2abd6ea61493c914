/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes that the CUDA kernels, the OpenCL kernels and the references share. Read by C, CUDA
 * and OpenCL C, so macros only. */
#ifndef BENCHMARKS_PEERS_SHAPES_H
#define BENCHMARKS_PEERS_SHAPES_H

#define BLOCK 256         /* threads of a block, wherever nothing else is said */
#define TILE 16           /* edge of the product's tiles and of its blocks */
#define TRANSPOSE_TILE 32 /* edge of the transpose's tiles … */
#define TRANSPOSE_ROWS 8  /* … moved by 32 x 8 threads */
#define STRIDE_BLOCKS 256 /* most blocks of a grid-stride loop */
#define STENCIL_RADIUS 3
#define BINS 256
#define BARRIER_STEPS 64     /* barriers of one thread */
#define LOCALS_BLOCK 1024    /* threads of a block … */
#define LOCALS_COUNT 4096    /* … with so many ints of their own, 16 KB */
#define MANDELBROT_LIMIT 256 /* iterations */
#define SOFTENING 0.01f      /* keeps the n-body forces finite */

#endif
