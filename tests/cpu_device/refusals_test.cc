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
std::string translate(const std::string &source, int *status) {
  const char *folder = getenv("TEST_TMPDIR");
  const std::string path = std::string(folder ? folder : "/tmp") + "/program.cu";
  std::ofstream(path) << source;
  const std::string command = "common/cpu_device/cu_to_cpp " + path + " " + path +
                              ".cc -- g++ -std=c++17 -isystem common/cpu_device/include 2>&1";
  FILE *pipe = popen(command.c_str(), "r");
  std::string text;
  char buffer[4096];
  for (size_t n; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, n);
  *status = pclose(pipe);
  return text;
}

struct Case {
  const char *name, *source;
  const char *message; /* that follows "program.cu:LINE: error: "; "": the program is taken */
  int line;
};

void PrintTo(const Case &c, std::ostream *out) { *out << c.name; }

class Refusal : public testing::TestWithParam<Case> {};

TEST_P(Refusal, IsOneClearLine) {
  int status = -1;
  const std::string got = translate(GetParam().source, &status);
  const std::string message = GetParam().message;
  if (message.empty()) {
    EXPECT_EQ(0, status) << got;
    EXPECT_EQ("", got);
    return;
  }
  EXPECT_NE(0, status);
  EXPECT_NE(std::string::npos,
            got.find("program.cu:" + std::to_string(GetParam().line) + ": error: " + message)) << got;
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
    {"HostFunction", "int twice(int a) { return 2 * a; }\n__global__ void k(int *x) { *x = twice(3); }\n",
     "calling a __host__ function(\"twice\") from a __global__ function(\"k\") is not allowed", 2},
    {"HostTemplate", "template <class T> T twice(T a) { return 2 * a; }\n"
                     "__global__ void k(int *x) { *x = twice<int>(3); }\n",
     "calling a __host__ function(\"twice\") from a __global__ function(\"k\") is not allowed", 2},
    {"HostLibrary", "#include <stdlib.h>\n__device__ int f() { return rand(); }\n",
     "calling a __host__ function(\"rand\") from a __device__ function(\"f\") is not allowed", 2},
    {"HostClass", "#include <vector>\n__global__ void k(int *x) { std::vector<int> v(3); *x = v[0]; }\n",
     "std::vector is the host's: it cannot be used in a __global__ function(\"k\")", 2},
    {"DeviceFunctionOnTheHost", "__device__ int f() { return 1; }\nint main() { return f(); }\n",
     "calling a __device__ function(\"f\") from a __host__ function(\"main\") is not allowed", 2},
    {"BarrierOnTheHost", "int main() {\n  __syncthreads();\n}\n",
     "calling a __device__ function(\"__syncthreads\") from a __host__ function(\"main\") is not allowed", 2},
    {"AtomicOnTheHost", "int main() {\n  int i = 0;\n  atomicAdd(&i, 1);\n  return i;\n}\n",
     "calling a __device__ function(\"atomicAdd\") from a __host__ function(\"main\") is not allowed", 3},
    {"OwnAtomicOnTheHost", "static int atomicAdd(int *x) { return ++*x; }\nint main() { int i = 0; return atomicAdd(&i); }\n",
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
     "a launch needs a grid and a block", 2},
    {"Texture", "__global__ void k(cudaTextureObject_t t) {}\n",
     "textures are not supported on the CPU device: see docs/cpu_device.md", 1},
    {"LaunchInAKernel", "__global__ void k() {\n  k<<<1, 1>>>();\n}\n",
     "a launch inside a kernel (dynamic parallelism) is not supported", 2},

    {"UnknownPtx", "__global__ void k(float *x) {\n  asm volatile(\"cp.async.wait_all;\");\n}\n",
     "inline PTX \"cp.async.wait_all\" is not supported on the CPU device: see docs/cpu_device.md", 2},

    /* Look-alikes that are right. */
    {"ConstNumber", "const int n = 5;\nconstexpr int m[2] = {1, 2};\n#define K 3\nenum { E = 4 };\n"
                    "__global__ void k(int *x) { *x = n + m[1] + K + E; }\n", "", 0},
    {"DeviceVariables", "__device__ int n;\n__constant__ float c[4];\n__managed__ int m;\n"
                        "__global__ void k(int *x) { *x = n + c[1] + m; }\n", "", 0},
    {"VariableAfterItsType", "__constant__ struct Config { int a; } config;\nstruct { int b; } of_host;\n"
                             "__global__ void k(int *x) { *x = config.a; }\nint main() { return of_host.b; }\n", "", 0},
    {"SizeOfAHostVariable", "float table[7];\n__global__ void k(int *x) { *x = sizeof(table) / sizeof(*table); }\n",
     "", 0},
    {"ShadowedByParameter", "int n = 1, *p;\n__global__ void k(int *p, int n) { *p = n; }\n", "", 0},
    {"ShadowedByLocal", "int i, j, n[3];\n__global__ void k(int *x) {\n  int i = 2, j;\n  float *n = (float *)x;\n"
                        "  for (j = 0; j < i; ++j) n[j] = i;\n}\n", "", 0},
    {"MemberOfThatName", "int n;\nstruct S { int n; __device__ int get() { return n; } };\n"
                         "__global__ void k(S s, int *x) { *x = s.n + s.get(); }\n", "", 0},
    {"OverloadsOfBothSides", "int f(int a) { return a; }\n__device__ float f(float a) { return a; }\n"
                             "__global__ void k(float *x) { *x = f(*x); }\nint main() { return f(1); }\n", "", 0},
    {"KernelAndHostFunctionOfOneName", "template <int n> __global__ void reduce(int *x) { *x = n; }\n"
                                       "void reduce(int *x) { reduce<3><<<1, 1>>>(x); }\n"
                                       "int main() { reduce((int *)nullptr); }\n", "", 0},
    {"FunctionPointer", "__global__ void a(int *x) {}\n__global__ void b(int *x) {}\nint main() {\n"
                        "  void (*kernel)(int *) = &a;\n  kernel = b;\n  kernel<<<1, 1>>>(nullptr);\n}\n", "", 0},
    {"KernelArgument", "template <class K> void run(K kernel, int n) { kernel<<<n, 1>>>(); }\n"
                       "__global__ void k() {}\nint main() { run(k, 1); }\n", "", 0},
    {"LambdaForTheDevice", "__device__ int f(int a) { return a; }\ntemplate <class F> __global__ void k(F g) { g(1); }\n"
                           "int main() { k<<<1, 1>>>([] __device__(int a) { return f(a); }); }\n", "", 0},
    {"BothSides", "#define BOTH __host__ __device__\nint n;\nBOTH int f(int a) { return a; }\n"
                  "__global__ void k(int *x) { *x = f(1); }\nint main() { return f(n); }\n", "", 0},
    {"BuiltinNamesOfTheHost", "__global__ void k() {}\nint main() {\n  dim3 gridDim(2), blockDim(32);\n"
                              "  k<<<gridDim, blockDim>>>();\n}\n", "", 0},
};

INSTANTIATE_TEST_SUITE_P(All, Refusal, testing::ValuesIn(kCases),
                         [](const testing::TestParamInfo<Case> &info) { return std::string(info.param.name); });

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
                               "  if (t >= d) v[t] = v[t] + v[t - d];\n", &got));
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

}  // namespace
