/* Structures of device pointers: a linked list in managed memory and a table of device pointers.
 * Prints: list sum 5050, rows ok
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

struct Node {
  int value;
  Node *next;
};

__global__ void walk(Node *head, int *sum) {
  int s = 0;
  for (Node *n = head; n != NULL; n = n->next) s += n->value;
  *sum = s;
}

__global__ void fillRows(int **rows, int width) { rows[blockIdx.x][threadIdx.x] = blockIdx.x * width + threadIdx.x; }

int main() {
  Node *head = NULL;
  for (int i = 1; i <= 100; i++) {
    Node *n;
    cudaMallocManaged(&n, sizeof(Node));
    n->value = i;
    n->next = head;
    head = n;
  }
  int *sum, s;
  cudaMalloc(&sum, sizeof(int));
  walk<<<1, 1>>>(head, sum);
  cudaMemcpy(&s, sum, sizeof s, cudaMemcpyDeviceToHost);
  while (head) {
    Node *next = head->next;
    cudaFree(head);
    head = next;
  }
  const int height = 8, width = 33;
  int *rows[height], **d_rows, back[width];
  for (int r = 0; r < height; r++) cudaMalloc(&rows[r], width * sizeof(int));
  cudaMalloc(&d_rows, sizeof rows);
  cudaMemcpy(d_rows, rows, sizeof rows, cudaMemcpyHostToDevice);
  fillRows<<<height, width>>>(d_rows, width);
  for (int r = 0; r < height; r++) {
    cudaMemcpy(back, rows[r], sizeof back, cudaMemcpyDeviceToHost);
    for (int c = 0; c < width; c++)
      if (back[c] != r * width + c) return 1;
    cudaFree(rows[r]);
  }
  printf("list sum %d, rows ok\n", s);
  return s != 5050;
}
