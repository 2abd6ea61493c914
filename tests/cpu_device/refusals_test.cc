/* What cu_to_cpp says of programs that nvcc refuses, or that need what the CPU device lacks: one
 * line, in the program's own file and line; and which look-alikes it takes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <gtest/gtest.h>
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace {

/* What the translator prints for a source; *status is its exit status. */
std::string translate(const std::string &source, int *status, const std::string &flags = "") {
    const char *folder = getenv("TEST_TMPDIR");
    const std::string path = std::string(folder ? folder : "/tmp") + "/program.cu";
    std::ofstream(path) << source;
    const std::string command =
        "tests/cpu_device/cu_to_cpp " + path + " " + path +
        ".cc -- g++ -std=c++17 -isystem cpu_device/include -isystem cpu_device/include_forward -isystem cpu_device/include_absent " +
        flags + " 2>&1";
    FILE *pipe = popen(command.c_str(), "r");
    std::string text;
    char buffer[4096];
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, n);
    *status = pclose(pipe);
    return text;
}

struct Case {
    const char *name, *source;
    const char *message; /* that follows "program.cu:LINE: error: "; "": the program is taken; with
                          "warning: " in front, it is taken with that warning */
    int line;
};

void PrintTo(const Case &c, std::ostream *out) { *out << c.name; }

class Refusal : public testing::TestWithParam<Case> {};

TEST_P(Refusal, IsOneClearLine) {
    int status = -1;
    const std::string got = translate(GetParam().source, &status);
    std::string message = GetParam().message;
    if (message.empty()) {
        EXPECT_EQ(0, status) << got;
        EXPECT_EQ("", got);
        return;
    }
    const bool warning = message.compare(0, 9, "warning: ") == 0;
    if (!warning) message = "error: " + message;
    EXPECT_EQ(warning, status == 0);
    EXPECT_NE(std::string::npos,
              got.find("program.cu:" + std::to_string(GetParam().line) + ": " + message))
        << got;
    EXPECT_EQ(1, std::count(got.begin(), got.end(), '\n')) << got;
}

const Case kCases[] = {
    {"HostVariable", "int n = 5;\n__global__ void k(int *x) {\n  if (threadIdx.x < n) *x = 1;\n}\n",
     "identifier \"n\" is undefined in device code", 3},
    {"HostArray", "static float table[4];\n__device__ float f(int i) { return table[i]; }\n",
     "identifier \"table\" is undefined in device code", 2},
    {"ConstArray", "const int table[2] = {1, 2};\n__global__ void k(int *x) { *x = table[1]; }\n",
     "identifier \"table\" is undefined in device code", 2},
    {"SecondOfADeclaration", "int a, *b;\n__global__ void k(int *x) { *x = b[0]; }\n",
     "identifier \"b\" is undefined in device code", 2},
    {"HostFunction",
     "int twice(int a) { return 2 * a; }\n__global__ void k(int *x) { *x = twice(3); }\n",
     "calling a __host__ function(\"twice\") from a __global__ function(\"k\") is not allowed", 2},
    {"HostTemplate",
     "template <class T> T twice(T a) { return 2 * a; }\n"
     "__global__ void k(int *x) { *x = twice<int>(3); }\n",
     "calling a __host__ function(\"twice\") from a __global__ function(\"k\") is not allowed", 2},
    {"HostLibrary", "#include <stdlib.h>\n__device__ int f() { return rand(); }\n",
     "calling a __host__ function(\"rand\") from a __device__ function(\"f\") is not allowed", 2},
    {"HostClass",
     "#include <vector>\n__global__ void k(int *x) { std::vector<int> v(3); *x = v[0]; }\n",
     "std::vector is the host's: it cannot be used in a __global__ function(\"k\")", 2},
    {"DeviceFunctionOnTheHost", "__device__ int f() { return 1; }\nint main() { return f(); }\n",
     "calling a __device__ function(\"f\") from a __host__ function(\"main\") is not allowed", 2},
    {"BarrierOnTheHost", "int main() {\n  __syncthreads();\n}\n",
     "calling a __device__ function(\"__syncthreads\") from a __host__ function(\"main\") is not allowed",
     2},
    {"AtomicOnTheHost", "int main() {\n  int i = 0;\n  atomicAdd(&i, 1);\n  return i;\n}\n",
     "calling a __device__ function(\"atomicAdd\") from a __host__ function(\"main\") is not allowed",
     3},
    {"OwnAtomicOnTheHost",
     "static int atomicAdd(int *x) { return ++*x; }\nint main() { int i = 0; return atomicAdd(&i); }\n",
     "", 0},
    {"KernelCalled", "__global__ void k(int *x) { *x = 1; }\nint main() {\n  k(nullptr);\n}\n",
     "a __global__ function call must be configured", 3},
    {"LaunchOfAHostFunction", "void f() {}\nint main() { f<<<1, 1>>>(); }\n",
     "a host function call cannot be configured: f is a __host__ function", 2},
    {"LaunchOfADeviceFunction", "__device__ void f() {}\nint main() { f<<<1, 1>>>(); }\n",
     "a host function call cannot be configured: f is a __device__ function", 2},
    {"MisspeltKernel", "__global__ void add() {}\nint main() { ad<<<1, 1>>>(); }\n",
     "identifier \"ad\" is undefined", 2},
    {"NoBlock", "__global__ void k() {}\nint main() { k<<<dim3(1, 1)>>>(); }\n",
     "warning: this launch has one thread a block", 2},
    {"NoShape", "__global__ void k() {}\nint main() { k<<<>>>(); }\n",
     "a launch needs a grid and a block", 2},
    {"Texture", "__global__ void k(cudaTextureObject_t t) {}\n",
     "textures are not supported on the CPU device: see docs/cpu_device.md", 1},
    {"LaunchInAKernel", "__global__ void k() {\n  k<<<1, 1>>>();\n}\n",
     "a launch inside a kernel (dynamic parallelism) is not supported", 2},

    {"UnknownPtx",
     "__global__ void k(float *x) {\n  asm volatile(\"mbarrier.inval.b64 [%0];\" :: \"l\"(x));\n}\n",
     "inline PTX \"mbarrier.inval.b64 [%0]\" is not supported on the CPU device: see docs/cpu_device.md",
     2},

    /* Look-alikes that are right. */
    {"ConstNumber",
     "const int n = 5;\nconstexpr int m = 2;\n#define K 3\nenum { E = 4 };\n"
     "__global__ void k(int *x) { *x = n + m + K + E; }\n",
     "", 0},
    {"DeviceVariables",
     "__device__ int n;\n__constant__ float c[4];\n__managed__ int m;\n"
     "__global__ void k(int *x) { *x = n + c[1] + m; }\n",
     "", 0},
    {"VariableAfterItsType",
     "__constant__ struct Config { int a; } config;\nstruct { int b; } of_host;\n"
     "__global__ void k(int *x) { *x = config.a; }\nint main() { return of_host.b; }\n",
     "", 0},
    {"SizeOfAHostVariable",
     "float table[7];\n__global__ void k(int *x) { *x = sizeof(table) / sizeof(*table); }\n", "",
     0},
    {"ShadowedByParameter", "int n = 1, *p;\n__global__ void k(int *p, int n) { *p = n; }\n", "",
     0},
    {"ShadowedByLocal",
     "int i, j, n[3];\n__global__ void k(int *x) {\n  int i = 2, j;\n  float *n = (float *)x;\n"
     "  for (j = 0; j < i; ++j) n[j] = i;\n}\n",
     "", 0},
    {"MemberOfThatName",
     "int n;\nstruct S { int n; __device__ int get() { return n; } };\n"
     "__global__ void k(S s, int *x) { *x = s.n + s.get(); }\n",
     "", 0},
    {"OverloadsOfBothSides",
     "int f(int a) { return a; }\n__device__ float f(float a) { return a; }\n"
     "__global__ void k(float *x) { *x = f(*x); }\nint main() { return f(1); }\n",
     "", 0},
    {"KernelAndHostFunctionOfOneName",
     "template <int n> __global__ void reduce(int *x) { *x = n; }\n"
     "void reduce(int *x) { reduce<3><<<1, 1>>>(x); }\n"
     "int main() { reduce((int *)nullptr); }\n",
     "", 0},
    {"FunctionPointer",
     "__global__ void a(int *x) {}\n__global__ void b(int *x) {}\nint main() {\n"
     "  void (*kernel)(int *) = &a;\n  kernel = b;\n  kernel<<<1, 1>>>(nullptr);\n}\n",
     "", 0},
    {"KernelArgument",
     "template <class K> void run(K kernel, int n) { kernel<<<n, 1>>>(); }\n"
     "__global__ void k() {}\nint main() { run(k, 1); }\n",
     "", 0},
    {"LambdaForTheDevice",
     "__device__ int f(int a) { return a; }\ntemplate <class F> __global__ void k(F g) { g(1); }\n"
     "int main() { k<<<1, 1>>>([] __device__(int a) { return f(a); }); }\n",
     "", 0},
    {"BothSides",
     "#define BOTH __host__ __device__\nint n;\nBOTH int f(int a) { return a; }\n"
     "__global__ void k(int *x) { *x = f(1); }\nint main() { return f(n); }\n",
     "", 0},
    {"BuiltinNamesOfTheHost",
     "__global__ void k() {}\nint main() {\n  dim3 gridDim(2), blockDim(32);\n"
     "  k<<<gridDim, blockDim>>>();\n}\n",
     "", 0},
};

/* What belongs to one side, used on the other. */
const Case kSides[] = {
    {"BuiltinOnTheHost", "int main() {\n  return threadIdx.x;\n}\n",
     "identifier \"threadIdx\" is undefined in host code", 2},
    {"BuiltinInAHostMethod", "struct S {\n  int i() { return blockIdx.x * blockDim.x; }\n};\n",
     "identifier \"blockIdx\" is undefined in host code", 2},
    {"BuiltinInAHostLambda", "int main() { auto f = [] { return threadIdx.x; };\n  return f(); }\n",
     "identifier \"threadIdx\" is undefined in host code", 1},
    {"BuiltinOnBothSides", "__host__ __device__ int i() { return threadIdx.x; }\n",
     "identifier \"threadIdx\" is undefined in host code", 1},
    {"SharedOnTheHost", "int main() {\n  __shared__ int s[4];\n  s[0] = 1;\n  return s[0];\n}\n",
     "a static \"__shared__\" variable declaration is not allowed inside a host function body", 2},
    {"SharedOnBothSides",
     "__host__ __device__ int f() {\n  __shared__ int s;\n  s = 1;\n  return s;\n}\n",
     "a static \"__shared__\" variable declaration is not allowed inside a host function body", 2},
    {"HostVariableInAMethod",
     "int n;\nstruct S { int a;\n  __device__ int get() { return a + n; } };\n"
     "__global__ void k(S s, int *x) { *x = s.get(); }\n",
     "identifier \"n\" is undefined in device code", 3},
    {"HostFunctionInAMethod",
     "int twice(int a) { return 2 * a; }\nstruct S {\n"
     "  __device__ int get() { return twice(3); }\n};\n"
     "__global__ void k(S s, int *x) { *x = s.get(); }\n",
     "calling a __host__ function(\"twice\") from a __device__ function(\"get\") is not allowed",
     3},
    {"HostFunctionInALambda",
     "int twice(int a) { return 2 * a; }\ntemplate <class F> __global__ void k(F f) { f(1); }\n"
     "int main() {\n  k<<<1, 1>>>([] __device__(int a) { twice(a); });\n}\n",
     "calling a __host__ function(\"twice\") from a __device__ function(\"lambda\") is not allowed",
     4},
    {"HostVariableOnBothSides", "int n;\n__host__ __device__ int f() { return n; }\n",
     "identifier \"n\" is undefined in device code", 2},
    {"HostFunctionOnBothSides",
     "int twice(int a) { return 2 * a; }\n__host__ __device__ int f() { return twice(1); }\n",
     "warning: calling a __host__ function(\"twice\") from a __host__ __device__ function(\"f\") is not allowed",
     2},
    {"HostMethod",
     "struct S { int a; int get() { return a; } };\n__global__ void k(S s, int *x) {\n  *x = s.get();\n}\n",
     "calling a __host__ function(\"get\") from a __global__ function(\"k\") is not allowed", 3},
    {"HostConstructor",
     "struct S { int a; S() : a(1) {} };\n__global__ void k(int *x) {\n  S s;\n  *x = s.a;\n}\n",
     "calling a __host__ function(\"S::S\") from a __global__ function(\"k\") is not allowed", 3},
    {"KernelCalledByAKernel",
     "__global__ void a(int *x) { *x = 1; }\n__global__ void b(int *x) { a(x); }\n",
     "a __global__ function call must be configured", 2},
    {"ConstexprArray", "constexpr int t[2] = {1, 2};\n__global__ void k(int *x) { *x = t[*x]; }\n",
     "identifier \"t\" is undefined in device code: a constexpr array", 2},
    {"AddressOfAConstant",
     "const int n = 3;\n__global__ void k(int *x) { const int *p = &n; *x = *p; }\n",
     "identifier \"n\" is undefined in device code: device code may use the value", 2},
    {"VectorParameter",
     "#include <vector>\n__global__ void k(std::vector<int> v, int *x) {\n  *x = v[0];\n}\n",
     "calling a __host__ function of std::vector from a __global__ function(\"k\") is not allowed",
     3},
    {"Printing",
     "#include <iostream>\nusing namespace std;\n__global__ void k(int *x) {\n  cout << *x << endl;\n}\n",
     "std::cout is the host's: it cannot be used in a __global__ function(\"k\"): printf prints",
     4},
    {"Sorting", "#include <algorithm>\n__global__ void k(int *x) { std::sort(x, x + 4); }\n",
     "calling a __host__ function(\"std::sort\") from a __global__ function(\"k\") is not allowed",
     2},
    {"Maximum", "#include <algorithm>\n__global__ void k(int *x) { *x = std::max(*x, 3); }\n",
     "calling a constexpr __host__ function(\"std::max\") from a __global__ function(\"k\") is not allowed: use max()",
     2},
    {"Files", "#include <stdio.h>\n__global__ void k() { fprintf(stderr, \"no\"); }\n",
     "calling a __host__ function(\"fprintf\") from a __global__ function(\"k\") is not allowed",
     2},
};

/* Functions that could be computed by the compiler, variables of the device's in host code. */
const Case kMoreSides[] = {
    {"ConstexprFunction",
     "constexpr int f(int a) { return a; }\n__global__ void k(int *x) { *x = f(*x); }\n",
     "calling a constexpr __host__ function(\"f\") from a __global__ function(\"k\") is not allowed",
     2},
    {"ConstexprFunctionOnBothSides",
     "constexpr int f(int a) { return a; }\n__host__ __device__ int g(int a) { return f(a); }\n",
     "warning: calling a constexpr __host__ function(\"f\") from a __host__ __device__ function(\"g\")",
     2},
    {"ConstexprMethod",
     "struct S { int a; constexpr int get() const { return a; } };\n__global__ void k(S s, int *x) {\n"
     "  *x = s.get();\n}\n",
     "calling a constexpr __host__ function(\"get\") from a __global__ function(\"k\") is not allowed",
     3},
    {"LambdaOfTheHost",
     "template <class F> __global__ void k(F f) { f(1); }\nint main() {\n"
     "  k<<<1, 1>>>([](int a) { return a; });\n}\n",
     "the closure type of a lambda of the host's cannot be used in the template argument type", 3},
    {"DeviceVariableWritten", "__device__ int d;\nint main() {\n  d = 1;\n}\n",
     "warning: a __device__ variable \"d\" cannot be directly written in a host function", 3},
    {"DeviceArrayRead", "__device__ int d[3];\nint main() {\n  return d[1];\n}\n",
     "warning: a __device__ variable \"d\" cannot be directly read in a host function", 3},
    {"ConstantPrinted",
     "#include <stdio.h>\n__constant__ int c;\nint main() {\n  printf(\"%d\", c);\n}\n",
     "warning: a __constant__ variable \"c\" cannot be directly read in a host function", 4},
};

/* What the language of kernels leaves out. */
const Case kRules[] = {
    {"KernelOfAClass", "struct S {\n  __global__ void k() {}\n};\n",
     "a __global__ function or function template cannot be a member function", 2},
    {"StaticKernelOfAClass", "struct S {\n  static __global__ void k() {}\n};\n",
     "a __global__ function or function template cannot be a member function", 2},
    {"KernelWithAResult", "__global__ int k() { return 1; }\n",
     "a __global__ function must have a void return type", 1},
    {"KernelWithAPointerResult", "__global__ void *k() { return 0; }\n",
     "a __global__ function must have a void return type", 1},
    {"KernelWithoutAType", "__global__ k() {}\n",
     "a __global__ function must have a void return type", 1},
    {"KernelThatDeducesItsType", "__global__ auto k() {}\n",
     "a __global__ function must not have a deduced return type", 1},
    {"KernelForTheHost", "__host__ __global__ void k() {}\n",
     "illegal combination of memory qualifiers", 1},
    {"KernelWithEllipsis", "__global__ void k(int n, ...) {}\n",
     "a __global__ function cannot have ellipsis", 1},
    {"KernelWithRvalueReference", "__global__ void k(int &&n) {}\n",
     "a __global__ function cannot have a parameter with rvalue reference type", 1},
    {"ArrayOfAParametersLength",
     "__global__ void k(int *x, int n) {\n  float s[2 * n];\n  s[0] = 1;\n  *x = s[0];\n}\n",
     "expression must have a constant value: the length of \"s\" depends on \"n\"", 2},
    {"ArrayOfTheBlocksLength",
     "__global__ void k(int *x) {\n  int s[3][blockDim.x];\n  *x = s[0][1];\n}\n",
     "expression must have a constant value: the length of \"s\" depends on \"blockDim\"", 2},
    {"ArrayOfAVariablesLength",
     "__device__ int f() {\n  int n = 4;\n  int s[n];\n  return s[0];\n}\n",
     "expression must have a constant value: the length of \"s\" depends on \"n\"", 3},
    {"SharedArrayOfAParametersLength",
     "__global__ void k(int *x, int n) {\n  __shared__ int s[n];\n  *x = s[0];\n}\n",
     "a variable length array cannot have static storage duration: the length of \"s\" depends on \"n\"",
     2},
    {"ConstantWritten", "__constant__ int c;\n__global__ void k() {\n  c += 1;\n}\n",
     "expression must be a modifiable lvalue: \"c\" is a __constant__ variable", 3},
    {"ConstantWrittenByTheHost", "__constant__ int c;\nint main() {\n  c = 1;\n}\n",
     "expression must be a modifiable lvalue: \"c\" is a __constant__ variable", 3},
    {"ConstantArrayWritten", "__constant__ int c[3];\n__global__ void k() {\n  c[1]++;\n}\n",
     "warning: cannot store to memory of the __constant__ variable \"c\"", 3},
    {"Try", "__global__ void k(int *x) {\n  try { *x = 1; } catch (...) {}\n}\n",
     "device code does not support exception handling", 2},
    {"Throw", "__device__ void f() {\n  throw 1;\n}\n",
     "device code does not support exception handling", 2},
    {"DynamicCast",
     "struct A { virtual ~A() {} };\nstruct B : A {};\n__device__ bool f(A *a) {\n"
     "  return dynamic_cast<B *>(a) != nullptr;\n}\n",
     "the operator 'dynamic_cast' is not allowed in device code", 4},
    {"ThreadLocal", "__device__ int f() {\n  thread_local int n;\n  return n++;\n}\n",
     "cannot use thread_local specifier for variable declarations in device code", 2},
};

/* Look-alikes of the above that nvcc takes. */
const Case kTaken[] = {
    {"BuiltinInlineOnBothSides",
     "__host__ __device__ inline int i() { return threadIdx.x; }\n"
     "__global__ void k(int *x) { *x = i(); }\n",
     "", 0},
    {"BuiltinForcedInlineOnBothSides",
     "__forceinline__ __host__ __device__ int i() { return threadIdx.x; }\n"
     "__host__ __device__ __forceinline__ int j() { return blockIdx.x; }\n"
     "__global__ void k(int *x) { *x = i() + j(); }\n",
     "", 0},
    {"BuiltinWhereArchIsAskedFor",
     "__host__ __device__ int i() {\n#ifdef __CUDA_ARCH__\n  return threadIdx.x;\n"
     "#else\n  return 0;\n#endif\n}\n",
     "", 0},
    {"ThrowWhereArchIsAskedFor",
     "__host__ __device__ int f(int x) {\n#ifndef __CUDA_ARCH__\n  if (x) throw 1;\n"
     "#endif\n  return x;\n}\n",
     "", 0},
    {"MethodsOfBothKinds",
     "struct S { int n; S() : n(0) {} __host__ __device__ S(int a) : n{a} {}\n"
     "  int host() { return n; } __device__ int get() const { return n; } };\n"
     "__global__ void k(S s, int *x) { S t(3); *x = s.get() + t.n; }\n"
     "int main() { S s; return s.host(); }\n",
     "", 0},
    {"MethodOfThatNameOnBothSides",
     "struct H { int get() { return 1; } };\nstruct D { __device__ int get() { return 1; } };\n"
     "__global__ void k(D d, int *x) { *x = d.get(); }\n",
     "", 0},
    {"DefaultedConstructor",
     "struct S { int a; S() = default; S(int b) : a(b) {} };\n"
     "__global__ void k(int *x) { S s; s.a = 1; *x = s.a; }\n",
     "", 0},
    {"MethodNobodyCalls",
     "int n;\nint twice(int a) { return 2 * a; }\n"
     "struct S { __device__ int unused() { return twice(n); } };\n",
     "", 0},
    {"FunctionsNobodyCalls",
     "#include <stdlib.h>\nint n;\nstatic __device__ int a() { return rand(); }\n"
     "__forceinline__ __device__ int b() { return n; }\nnamespace { __device__ int c() { return n; } }\n"
     "template <class T> __global__ void k(T *x) { *x = n + rand(); }\n",
     "", 0},
    {"FieldAndMethodNames",
     "int n;\nint size() { return 1; }\nstruct B { int n; __device__ int size() { return n; } };\n"
     "struct S : B { __device__ int f() { return size() + n; } };\n",
     "", 0},
    {"CapturedVariable",
     "int n;\ntemplate <class F> __global__ void k(F f) { f(1); }\nint main() {\n"
     "  int n = 3, table[2] = {1, 2};\n  k<<<1, 1>>>([=] __device__(int i) { return n + table[i]; });\n}\n",
     "", 0},
    {"LocalClassForTheDevice",
     "int main() {\n  struct F {\n"
     "    __device__ void f(int *x) { __shared__ int s; s = threadIdx.x; *x = s; }\n  };\n"
     "  return sizeof(F);\n}\n",
     "", 0},
    {"ConstantValues",
     "const int n = 3;\nconstexpr int t[2] = {1, 2};\nconst float f = 2;\n"
     "__global__ void k(float *x) { int a[t[1]]; a[0] = n & 1; constexpr int c = t[0]; static_assert(t[0] == 1);\n"
     "  if (a[0] && n) x[n] = f * n + c + sizeof(t); }\n",
     "", 0},
    {"ArraysOfConstantLength",
     "enum { E = 2 };\n#define M 3\ntemplate <int N> __global__ void k(float *x, int n) {\n"
     "  const int c = 4;\n  constexpr int d = c * 2;\n  float a[c], b[N + 1][M], *p[d];\n"
     "  __shared__ float s[E * N];\n  float v[2] = {x[0] * a[n], a[n]};\n  p[0] = v; s[n] = b[n][0];\n"
     "  int i = n * 2, j = n, less = i < n && x[n] > 0;\n  x[j] = a[n] + p[0][i] + s[0] + less;\n}\n",
     "", 0},
    {"HostArrayOfAnyLength",
     "int main(int argc, char **argv) { float h[argc]; h[0] = 1; return h[0]; }\n", "", 0},
    {"ConstantRead",
     "__constant__ int c, d[3];\n__global__ void k(int *x) {\n  const int &r = c;\n"
     "  x[c] = c == 3 ? d[1] : r;\n  if (c <= 3 || c >= d[0]) *x = c;\n  int e = c;\n  e += d[2];\n}\n",
     "", 0},
    {"LocalOfAConstantsName",
     "__constant__ int c;\n__global__ void k(int *x) { int c = 1; c += 2; *x = c; }\n", "", 0},
    {"ParametersOfAllKinds",
     "__global__ void k(int (&a)[4], int &b, const int c[], void (*f)(int, ...), int d = 3) {}\n"
     "template <class... T> __global__ void v(T... t) {}\nnamespace { __global__ void n() {} }\n"
     "__global__ auto t() -> void {}\nstatic __launch_bounds__(128) __global__ void u() {}\n"
     "struct S { friend __global__ void k(S s); };\nextern \"C\" __global__ void e() {}\n",
     "", 0},
    {"ExceptionsOfTheHost",
     "struct S { void check() { throw 1; } };\ntemplate <class T> __device__ void unused(T t) { throw t; }\n"
     "int main() { try { S().check(); } catch (int) {} }\n",
     "", 0},
    {"LibraryForTheDevice",
     "#include <cmath>\n#include <cstdio>\n#include <cstring>\n#include <utility>\n"
     "__global__ void k(int *x, float *f) {\n  f[0] = std::sqrt(f[1]) + std::abs(f[2]) + std::pow(f[3], 2.f);\n"
     "  x[0] = std::move(x[1]) + max(x[2], 3) + strlen(\"a\") + clock();\n  memcpy(x, f, 4);\n"
     "  std::printf(\"a\");\n  void *p = malloc(4);\n  free(p);\n}\n",
     "", 0},
    {"OwnFunctionOfALibrarysName",
     "__device__ int time(int a) { return a; }\nnamespace std_like { __device__ int max(int a) { return a; } }\n"
     "__global__ void k(int *x) { *x = time(1) + std_like::max(2); }\n",
     "", 0},
    {"DeviceVariablesOnTheHost",
     "__device__ int d, a[3];\n__managed__ int m;\nint main() {\n  int h = 1;\n  void *p;\n"
     "  cudaMemcpyToSymbol(d, &h, sizeof d);\n  cudaGetSymbolAddress(&p, a[1]);\n"
     "  cudaMemcpyFromSymbol(&h, a, sizeof(a[0]));\n  m = 3;\n  {\n    int d = 2;\n    d++;\n  }\n"
     "  return m;\n}\n",
     "", 0},
    {"ConstexprForTheDevice",
     "constexpr __host__ __device__ int f(int a) { return a; }\n"
     "struct S { int a = 1; __host__ __device__ constexpr int get() const { return a; } };\n"
     "__global__ void k(S s, int *x) { *x = f(*x) + s.get(); }\n"
     "constexpr int g(int a) { return a; }\nint main() { return g(1); }\n",
     "", 0},
    {"LambdasThatKernelsMayHave",
     "template <class F> __global__ void k(F f, int n) { f(n); }\n__global__ void p(int n) {}\n"
     "int main() {\n  k<<<1, 1>>>([=] __device__(int a) { return a; }, [] { return 3; }());\n"
     "  p<<<1, 1>>>([] { return 3; }());\n}\n",
     "", 0},
    {"AttributeBeforeALaunch",
     "__global__ void k() {}\nint main(int n, char **) {\n  if (n > 2) [[likely]]\n    k<<<1, 1>>>();\n"
     "  switch (n) {\n    case 1:\n      k<<<1, 1>>>();\n      [[fallthrough]];\n    default:\n      k\n"
     "          <<<1, 1>>>();\n  }\n}\n",
     "", 0},
    {"VectorsOfTheHost",
     "#include <algorithm>\n#include <vector>\n__global__ void k(std::vector<int> *v) { (void)v; }\n"
     "int main() { std::vector<int> v(3); std::sort(v.begin(), v.end()); return v[0]; }\n",
     "", 0},
};

/* Names that headers have, too. What may be a header's function is taken: a kernel that is called so
 * all the same does not run (see errors_test). */
const Case kNamesOfHeaders[] = {
    {"KernelNamedAsAHeadersWord",
     "#include <stdio.h>\n__global__ void add(int n) {}\nint main() {\n  add(3);\n}\n",
     "a __global__ function call must be configured: launch it with add<<<grid, block>>>(...)", 4},
    {"KernelNamedAsAFunctionOfStd",
     "#include <algorithm>\n__global__ void copy(float *a, const float *b, int n) { a[0] = b[n]; }\n"
     "int main() {\n  float *a = nullptr, *b = nullptr;\n  copy(a, b, 3);\n}\n",
     "a __global__ function call must be configured", 5},
    {"KernelNamedAsOneThatIsUsed",
     "#include <algorithm>\nusing namespace std;\n__global__ void fill(float *a, int n) { a[0] = n; }\n"
     "int main() {\n  float *a = nullptr;\n  fill(a, 3);\n}\n",
     "a __global__ function call must be configured", 6},
    {"KernelNamedAsAFunctionOfC",
     "#include <strings.h>\n__global__ void index(int *x) { *x = 1; }\nint main() { index(nullptr); }\n",
     "a __global__ function call must be configured", 3},
    {"KernelTemplateNamedSo",
     "#include <algorithm>\ntemplate <class T> __global__ void fill(T *x, T v) { *x = v; }\n"
     "int main() { fill<int>(nullptr, 3); }\n",
     "a __global__ function call must be configured", 3},
    {"KernelOfANamespace",
     "namespace a { namespace b { __global__ void k(int) {} } }\nint main() {\n  a::b::k(3);\n}\n",
     "a __global__ function call must be configured", 3},
    {"HostFunctionNamedSo",
     "#include <numeric>\nfloat reduce(const float *x, int n) { return x[n]; }\n"
     "__global__ void k(float *x) { *x = reduce(x, 3); }\n",
     "calling a __host__ function(\"reduce\") from a __global__ function(\"k\") is not allowed", 3},
    {"HostFunctionOfANamespace",
     "namespace a { int h(int x) { return x; } }\n__global__ void k(int *x) {\n  *x = a::h(3);\n}\n",
     "calling a __host__ function(\"h\") from a __global__ function(\"k\") is not allowed", 3},
    {"DeviceFunctionNamedSo",
     "#include <numeric>\n__device__ float reduce(float *x) { return x[0]; }\n"
     "int main() { return (int)reduce(nullptr); }\n",
     "calling a __device__ function(\"reduce\") from a __host__ function(\"main\") is not allowed",
     3},
    {"FunctionsOfStdByTheirArguments",
     "#include <algorithm>\n#include <vector>\n__global__ void copy(float *a, const float *b, int n) { a[0] = b[n]; }\n"
     "int main() {\n  std::vector<float> a, b;\n  copy(a.begin(), a.end(), b.begin());\n"
     "  auto first = a.begin(), last = a.end(), to = b.begin();\n  copy(first, last, to);\n}\n",
     "", 0},
    {"FunctionsOfStdThatAreUsed",
     "#include <utility>\nusing namespace std;\n__global__ void swap(float *a, float *b) {}\n"
     "int main() {\n  float a = 0, b = 1;\n  swap(a, b);\n}\n",
     "", 0},
    {"OverloadOfADeviceFunction",
     "struct V { int a; };\nV max(V a, V b) { return a.a > b.a ? a : b; }\n"
     "__global__ void k(int *x) { *x = max(x[0], x[1]); }\n",
     "", 0},
    {"ParametersOfANamespacesKernels",
     "int *d;\nnamespace a { __global__ void k(int *d) { *d = 1; } }\nnamespace { __global__ void l(int *d) { *d = 1; } }\n"
     "int main() { a::k<<<1, 1>>>(d); l<<<1, 1>>>(d); }\n",
     "", 0},
};

std::string name_of(const testing::TestParamInfo<Case> &info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(All, Refusal, testing::ValuesIn(kCases), name_of);
INSTANTIATE_TEST_SUITE_P(Sides, Refusal, testing::ValuesIn(kSides), name_of);
INSTANTIATE_TEST_SUITE_P(MoreSides, Refusal, testing::ValuesIn(kMoreSides), name_of);
INSTANTIATE_TEST_SUITE_P(Rules, Refusal, testing::ValuesIn(kRules), name_of);
INSTANTIATE_TEST_SUITE_P(NamesOfHeaders, Refusal, testing::ValuesIn(kNamesOfHeaders), name_of);
INSTANTIATE_TEST_SUITE_P(Taken, Refusal, testing::ValuesIn(kTaken), name_of);

TEST(RelaxedConstexpr, LetsDeviceCodeCallWhatIsConstexpr) {
    const std::string flag = "-DCPU_DEVICE_RELAXED_CONSTEXPR";
    int status = -1;
    std::string got = translate(
        "#include <algorithm>\n#include <limits>\n__global__ void k(int *x) {\n"
        "  *x = std::max(*x, std::numeric_limits<int>::min());\n}\n",
        &status, flag);
    EXPECT_EQ(0, status) << got;
    got =
        translate("#include <iostream>\n__global__ void k() { std::cout << 1; }\n", &status, flag);
    EXPECT_NE(0, status) << got;
}

/* What is kept in step, and named: one line, at the first step that lacks a barrier. */
const char kStep[] = "'v' passes values between the threads of a warp with no barrier in between";

int steps_warned_of(const std::string &body, std::string *got) {
    int status = -1;
    *got = translate("__device__ void f(volatile float *v, int t) {\n" + body + "}\n", &status);
    EXPECT_EQ(0, status) << *got;
    int n = 0;
    for (size_t at = 0; (at = got->find(kStep, at)) != std::string::npos; ++at) ++n;
    EXPECT_EQ(n, std::count(got->begin(), got->end(), '\n')) << *got;
    return n;
}

TEST(Steps, WithoutABarrierAreNamed) {
    std::string got;
    EXPECT_EQ(1, steps_warned_of("v[t] += v[t + 2];\nv[t] += v[t + 1];\n", &got));
    EXPECT_NE(std::string::npos, got.find("program.cu:2: warning: ")) << got;
    EXPECT_NE(std::string::npos, got.find("__syncwarp()")) << got;
    EXPECT_EQ(1, steps_warned_of("for (int d = 1; d < 32; d *= 2)\n"
                                 "  if (t >= d) v[t] = v[t] + v[t - d];\n",
                                 &got));
    EXPECT_NE(std::string::npos, got.find("program.cu:3: warning: ")) << got;
}

TEST(Steps, WithABarrierOrByOneThreadAreNot) {
    std::string got;
    EXPECT_EQ(0, steps_warned_of("v[t] += v[t + 2];\n__syncwarp();\nv[t] += v[t + 1];\n", &got));
    EXPECT_EQ(0, steps_warned_of("for (int d = 1; d < 32; d *= 2) {\n"
                                 "  if (t >= d) v[t] = v[t] + v[t - d];\n  __syncthreads();\n}\n",
                                 &got));
    EXPECT_EQ(0, steps_warned_of("v[t] = 1;\nv[t] *= v[t];\nv[t + 1] = 2;\n", &got));
}

} // namespace
