/* Open-addressing hash table with 64-bit atomicCAS: insert in one kernel, look up in another.
 * Prints: 20000 keys found
 * SPDX-License-Identifier: Apache-2.0 */
#include <cstdio>
#include <cstdint>
#include <vector>

struct KeyValue {
  uint32_t key;
  uint32_t value;
};
const uint32_t kCapacity = 1 << 16;
const uint32_t kEmpty = 0xffffffff;

__device__ uint32_t hash(uint32_t k) {
  k ^= k >> 16;
  k *= 0x85ebca6b;
  k ^= k >> 13;
  k *= 0xc2b2ae35;
  k ^= k >> 16;
  return k & (kCapacity - 1);
}

__global__ void insert(KeyValue *table, const KeyValue *kvs, unsigned n) {
  unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n) return;
  uint32_t slot = hash(kvs[id].key);
  while (true) {
    uint32_t prev = atomicCAS(&table[slot].key, kEmpty, kvs[id].key);
    if (prev == kEmpty || prev == kvs[id].key) {
      table[slot].value = kvs[id].value;
      return;
    }
    slot = (slot + 1) & (kCapacity - 1);
  }
}

__global__ void lookup(const KeyValue *table, KeyValue *kvs, unsigned n) {
  unsigned id = threadIdx.x + blockIdx.x * blockDim.x;
  if (id < n) {
    for (uint32_t slot = hash(kvs[id].key);; slot = (slot + 1) & (kCapacity - 1)) {
      if (table[slot].key == kvs[id].key) {
        kvs[id].value = table[slot].value;
        return;
      }
      if (table[slot].key == kEmpty) {
        kvs[id].value = kEmpty;
        return;
      }
    }
  }
}

int main() {
  const unsigned n = 20000;
  std::vector<KeyValue> kvs;
  for (unsigned i = 0; i < n; i++) kvs.push_back({i * 2654435761u >> 1, i});
  KeyValue *table, *d;
  cudaMalloc(&table, kCapacity * sizeof(KeyValue));
  cudaMemset(table, 0xff, kCapacity * sizeof(KeyValue));
  cudaMalloc(&d, n * sizeof(KeyValue));
  cudaMemcpy(d, kvs.data(), n * sizeof(KeyValue), cudaMemcpyHostToDevice);
  int mingridsize, threadblocksize;
  cudaOccupancyMaxPotentialBlockSize(&mingridsize, &threadblocksize, insert, 0, 0);
  int gridsize = ((uint32_t)n + threadblocksize - 1) / threadblocksize;
  insert<<<gridsize, threadblocksize>>>(table, d, n);
  for (auto &kv : kvs) kv.value = 7;
  cudaMemcpy(d, kvs.data(), n * sizeof(KeyValue), cudaMemcpyHostToDevice);
  lookup<<<gridsize, threadblocksize>>>(table, d, n);
  cudaMemcpy(kvs.data(), d, n * sizeof(KeyValue), cudaMemcpyDeviceToHost);
  unsigned found = 0;
  for (unsigned i = 0; i < n; i++) found += kvs[i].value == i;
  printf("%u keys found\n", found);
  return found != n;
}
