/* Kernels that an expression gives: members, calls, casts, tables with a variable index, iterators'
 * values, template parameters. Each is evaluated once, when the launch is made.
 *
 * Prints: OK
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda_runtime.h>
#include <stdio.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

typedef void (*Kernel)(int *);

__global__ void one(int *d) { *d += 1; }
__global__ void ten(int *d) { *d += 10; }
template <int N> __global__ void add(int *d) { *d += N; }
template <class T, class = void> __global__ void thousand(T *d) { *d += 1000; }
template <class T, class... A> __global__ void pack(T *d, A... a) { *d += (a + ...); }
namespace { __global__ void hidden(int *d) { *d += 5; } }
namespace deep { namespace er { __global__ void k(int *d) { *d += 6; } } }

static int *d, calls;

static Kernel pick() { ++calls; return one; }
static Kernel pick_of(int i) {
  static const Kernel table[] = {one, ten, add<100>};
  ++calls;
  return table[i];
}
static Kernel (*getter())() { return pick; }
static Kernel table2[2][2] = {{one, ten}, {ten, one}};

struct Ops {
  Kernel first, second;
  static Kernel of(int i) { return i ? ten : one; }
  Kernel operator[](int i) const { return i ? second : first; }
  Kernel operator()(int i) const { return of(i); }
};
struct Engine {
  Ops ops;
  const Ops *other;
  Ops &get() { return ops; }
};
struct Runner {
  Kernel kernel_, table_[3] = {one, ten, add<100>};
  void twice() { kernel_<<<1, 1>>>(d); this->kernel_<<<1, 1>>>(d); }
  void all() { for (int i = 0; i < 3; ++i) table_[i]<<<1, 1>>>(d); }
  void next(int i) { table_[(i + 1) % 3]<<<dim3(1), dim3(1), 0, 0>>>(d); }
  void outside();
};
void Runner::outside() { kernel_<<<1, 1>>>(d); }
template <class T> struct OfTemplate {
  void (*k)(T *);
  void go(T *x) { k<<<1, 1>>>(x); this->k<<<1, 1>>>(x); }
};
template <class F> static void given(F f) { f<<<1, 1>>>(d); }
template <Kernel k> static void constant() { k<<<1, 1>>>(d); }
template <class T> static T same(T t) { return t; }
static void by_pointer(void (*op)(int *)) { op<<<1, 1>>>(d); (*op)<<<1, 1>>>(d); }
static void by_reference(void (&op)(int *)) { op<<<1, 1>>>(d); }

/* The launches since the last time added up to that. */
static void want(const char *what, int n) {
  cudaError_t error = cudaGetLastError();
  if (!error) error = cudaDeviceSynchronize();
  if (error || *d != n) printf("WRONG: %s: %d, want %d (%s)\n", what, *d, n, cudaGetErrorString(error));
  *d = 0;
}

static void members() {
  Runner r;
  r.kernel_ = ten;
  Runner &reference = r;
  const auto pointer = std::make_unique<Runner>(r);
  r.twice(); want("members of this", 20);
  r.all(); want("a table in this", 111);
  r.next(1); want("a table with an offset", 100);
  r.outside(); want("outside of the class", 10);
  reference.kernel_<<<1, 1>>>(d); want("of a reference", 10);
  pointer->kernel_<<<1, 1>>>(d); (*pointer).kernel_<<<1, 1>>>(d); want("of a unique_ptr", 20);
  OfTemplate<int>{ten}.go(d); want("of a template", 20);
  Ops ops = {one, ten};
  Engine e = {ops, &ops}, *engine = &e;
  e.get().first<<<1, 1>>>(d); engine->other->second<<<1, 1>>>(d); engine->get()[0]<<<1, 1>>>(d); want("chains", 12);
  ops[1]<<<1, 1>>>(d); ops(0)<<<1, 1>>>(d); Ops::of(1)<<<1, 1>>>(d); (*ops.first)<<<1, 1>>>(d); want("operators", 22);
}

static void calls_and_casts() {
  calls = 0;
  pick()<<<1, 1>>>(d); want("a call", 1);
  pick_of(2)<<<1, 1>>>(d); want("a call with an argument", 100);
  getter()()<<<1, 1>>>(d); want("a call of a call", 1);
  if (calls != 3) printf("WRONG: %d calls, want 3\n", calls);
  same(one)<<<1, 1>>>(d); same<Kernel>(ten)<<<1, 1>>>(d); want("calls of templates", 11);
  static_cast<Kernel>(one)<<<1, 1>>>(d); ((Kernel)ten)<<<1, 1>>>(d); want("casts", 11);
  reinterpret_cast<Kernel>((void *)one)<<<1, 1>>>(d); want("another cast", 1);
  (one)<<<1, 1>>>(d); (add<9>)<<<1, 1>>>(d); (calls ? one : ten)<<<1, 1>>>(d); want("parentheses", 11);
  (*one)<<<1, 1>>>(d); (&one)<<<1, 1>>>(d); want("* and &", 2);
  by_pointer(one); by_reference(ten); constant<one>(); want("parameters", 13);
  given(add<3>); given(hidden); given(deep::er::k); want("parameters of templates", 14);
  void (*packed)(int *, int, int) = pack<int, int, int>;
  packed<<<1, 1>>>(d, 1, 4); pack<<<1, 1>>>(d, 1, 2, 3); want("packs", 11);
}

static void tables() {
  Kernel table[4] = {one, ten, add<7>, thousand<int>}, *at = table;
  for (int i = 0; i < 2; ++i) table[i + 2]<<<1, 1>>>(d);
  want("a table", 1007);
  std::vector<Kernel> v(table, table + 4);
  v[v.size() - 1]<<<1, 1>>>(d); v.back()<<<1, 1>>>(d); v.at(1)<<<1, 1>>>(d); want("a vector", 2010);
  for (Kernel k : v) k<<<1, 1>>>(d);
  for (auto &k : table) k<<<1, 1>>>(d);
  want("ranges", 2036);
  std::map<std::string, Kernel> names = {{"one", one}};
  names["one"]<<<1, 1>>>(d); names.at("one")<<<1, 1>>>(d); want("a map", 2);
  (*at++)<<<1, 1>>>(d); at[0]<<<1, 1>>>(d); want("an increment", 11);
  for (int i = 0; i < 2; i++) table2[i][1 - i]<<<dim3(1, 1), dim3(1, 1, 1), 0, cudaStreamPerThread>>>(d);
  want("two dimensions", 20);
}

static void statements() {
  if (calls) pick()<<<1, 1>>>(d); else ten<<<1, 1>>>(d);
  for (int i = 0; i < 2; ++i) (i ? one : ten)<<<1, 1>>>(d);
  do table2[0][1]<<<1, 1>>>(d); while (0);
  switch (calls > 0) { case true: table2[0][0]<<<1, 1>>>(d); }
  want("statements", 23);
  const auto lambda = [&](Kernel k) { k<<<1, 1>>>(d); };
  const std::function<void(Kernel)> function = lambda;
  lambda(ten); function(one); want("in lambdas", 11);
  Kernel one = ten;
  one<<<1, 1>>>(d); want("a variable named as a kernel", 10);
}

int main() {
  cudaMallocManaged(&d, sizeof *d);
  *d = 0;
  members();
  calls_and_casts();
  tables();
  statements();
  printf("OK\n");
  return 0;
}
