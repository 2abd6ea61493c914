/* Which kernels cu_to_cpp cuts at their barriers, and which it leaves whole: a kernel that is no
 * longer cut is ten times as slow, one that is cut and must not be is wrong.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>
#include <iterator>
#include <ostream>
#include <string>

namespace {

/* What the translator makes of the program; empty: it failed. */
std::string translated(const std::string &source, const std::string &flags = "") {
  const char *folder = getenv("TEST_TMPDIR");
  const std::string path = std::string(folder ? folder : "/tmp") + "/program.cu";
  std::ofstream(path) << source;
  const std::string command = "cpu_device/translator/cu_to_cpp " + path + " " + path +
                              ".cc -- g++ -std=c++17 -isystem cpu_device/include -isystem cpu_device/include_forward -isystem cpu_device/include_absent " + flags;
  if (system(command.c_str()) != 0) return "";
  std::ifstream made(path + ".cc");
  return std::string(std::istreambuf_iterator<char>(made), {});
}

enum Kind { kCut, kWhole, kNeverWaits };

struct Case {
  const char *name, *body; /* of `kernel(float *x, int n)`, t being threadIdx.x */
  Kind kind;
  const char *before;      /* what stands before the kernel */
};

void PrintTo(const Case &c, std::ostream *out) { *out << c.name; }

class Cut : public testing::TestWithParam<Case> {};

TEST_P(Cut, OrNot) {
  const Case &c = GetParam();
  const std::string made =
      translated(std::string(c.before ? c.before : "") +
                 "__global__ void kernel(float *x, int n) {\n  __shared__ float s[256];\n"
                 "  int t = threadIdx.x;\n  s[t] = x[t];\n" + c.body +
                 "}\nvoid go(float *x) { kernel<<<1, 256>>>(x, 256); }\n");
  const bool cut = made.find("launch<::cpu_device::kWholeBlock>") != std::string::npos;
  const bool whole = made.find("launch<::cpu_device::kMayWait>") != std::string::npos;
  const bool never = made.find("launch<::cpu_device::kNeverWaits>") != std::string::npos;
  ASSERT_EQ(1, cut + whole + never);
  EXPECT_EQ(c.kind, cut ? kCut : whole ? kWhole : kNeverWaits);
}

const Case kCases[] = {
    {"NoBarrier", "x[t] = s[t];", kNeverWaits, nullptr},
    {"Barrier", "__syncthreads(); x[t] = s[n - t];", kCut, nullptr},
    {"BarrierInALoop", "for (int d = 1; d < n; d *= 2) { __syncthreads(); s[t] += d; } x[t] = s[t];", kCut, nullptr},
    {"LoopOverBlockDim", "for (unsigned d = blockDim.x / 2; d; d >>= 1) { __syncthreads(); s[t] += 1; }", kCut, nullptr},
    {"LoopOfAConstant", "for (int d = 0; d < N; ++d) __syncthreads();", kCut, "const int N = 5;\n"},
    {"BarrierInAnIf", "if (n > 5) __syncthreads(); x[t] = s[t];", kCut, nullptr},
    {"EarlyReturn", "if (t >= n) return; __syncthreads(); x[t] = s[t];", kCut, nullptr},
    {"Shuffle", "float v = s[t]; v += __shfl_xor_sync(0xffffffff, v, 1); x[t] = v;", kCut, nullptr},
    {"ShuffleInABranch", "float v = s[t]; if (t < 32) v += __shfl_xor_sync(0xffffffff, v, 1); x[t] = v;", kCut, nullptr},
    {"BarrierInAFunction", "x[t] = f(s);", kCut,
     "__device__ float f(float *s) { __syncthreads(); return s[1]; }\n"},
    {"AtomicsInALoop", "for (int i = t; i < n; i += 256) atomicAdd(&s[i], 1.0f); __syncthreads(); x[t] = s[t];", kCut, nullptr},
    {"FunctionObject", "__syncthreads(); x[t] = F()(s[n - t]); F f; x[t] += f(s[t]);", kWhole,
     "struct F { __device__ float operator()(float a) const { return a + 1; } };\n"},
    {"StaticConstant", "static constexpr int k = 8; __shared__ int w[k]; w[t % k] = 0; __syncthreads(); x[t] = w[k - 1];",
     kCut, nullptr},
    {"MixedDeclaration", "int i = t * 2, half = n / 2, own = (int)x[t]; __syncthreads(); x[t] = s[i / 2] + half + own;", kCut,
     nullptr},
    {"PointerToArrays", "float (*p)[4] = nullptr; __syncthreads(); x[t] = p == nullptr;", kWhole, nullptr},
    {"StructuredBinding", "int two[2] = {t, 1}; auto [a, b] = two; __syncthreads(); x[t] = a + b;", kWhole, nullptr},
    {"DeclarationInACondition", "float v = 0; if (float w = x[t]) v = w + __shfl_xor_sync(0xffffffff, v, 1); x[t] = v;", kWhole,
     nullptr},
    {"ForcedInline", "x[t] = f(s);", kCut, "__device__ __forceinline__ float f(float *s) { __syncthreads(); return s[1]; }\n"},
    {"ForcedInlineConstructor", "S all; __syncthreads(); x[t] = s[n - t];", kWhole,
     "struct S { __device__ __forceinline__ S() { __syncthreads(); } };\n"},
    {"ConstructorWithABarrier", "S all; __syncthreads(); x[t] = s[n - t];", kWhole,
     "struct S { int a, b; __device__ S() : a(1), b{2} { __syncthreads(); } };\n"},
    {"OperatorWithABarrier", "S all; all += 1; x[t] = s[n - t];", kWhole,
     "struct S { __device__ void operator+=(int) { __syncthreads(); } };\n"},
    {"OperatorWithout", "S all; all += 1; __syncthreads(); x[t] = s[n - t];", kWhole,
     "struct S { int a; __device__ void operator+=(int b) { a += b; } };\n"},
    {"BarrierOfSome", "if (t < n) __syncthreads();", kWhole, nullptr},
    {"LoopOfSome", "for (int i = t; i < n; i += 256) __syncthreads();", kWhole, nullptr},
    {"LoopUntilMemorySays", "while (x[0] > 0) { __syncthreads(); s[t] += 1; }", kWhole, nullptr},
    {"Volatile", "volatile float *v = s; __syncthreads(); v[t] += v[t + 1];", kWhole, nullptr},
    {"Spin", "__syncthreads(); while (atomicAdd(x, 0.0f) == 0) {}", kWhole, nullptr},
    {"Asm", "__syncthreads(); asm volatile(\"membar.gl;\");", kWhole, nullptr},
    {"UnknownCall", "__syncthreads(); g(x);", kWhole, "__device__ void g(float *x);\n"},
    {"AddressOfAKeptNumber", "float v = s[t], *p = &v; __syncthreads(); *p = 1; x[t] = v;", kWhole, nullptr},
    {"ReferenceAcross", "float v = s[t]; float &r = v; __syncthreads(); r = 1; x[t] = v;", kWhole, nullptr},
    {"ShuffleThatMayNotBe", "float v = t > 3 ? __shfl_xor_sync(0xffffffff, s[t], 1) : 0; x[t] = v;", kWhole, nullptr},
    {"HiddenName", "int i = t * 2; { int t = 5; __syncthreads(); x[i / 2] = t; }", kWhole, nullptr},
    {"PointerToANumber", "float v = s[t], *p = &v; __syncthreads(); x[t] = *p;", kWhole, nullptr},
    {"PointerToAnArray", "float a[2] = {1, s[t]}, *p = a + 1; __syncthreads(); x[t] = *p;", kWhole, nullptr},
    {"PointerAmongPhases", "float a[2] = {1, s[t]}, *p = a + 1; float v = *p; __syncthreads(); x[t] = v;", kWhole, nullptr},
    {"PointerInOnePhase", "float a[2] = {1, s[t]}, v = 0; { float *p = a + 1; v = *p; } __syncthreads(); x[t] = v;", kCut, nullptr},
    {"ShuffleAfterAComma", "float v = s[t], w; v += __shfl_xor_sync(0xffffffff, v, 1), w = __shfl_xor_sync(0xffffffff, v, 2); x[t] = w;",
     kWhole, nullptr},
    {"ShuffleOfWhatIsDeclaredWithIt", "float v = s[t], w = __shfl_xor_sync(0xffffffff, v, 2); x[t] = w;", kWhole, nullptr},
    {"ShufflesDeclaredTogether", "float a = s[t]; float v = __shfl_xor_sync(0xffffffff, a, 1), w = __shfl_xor_sync(0xffffffff, a, 2); x[t] = v + w;",
     kCut, nullptr},
    {"FunctionAfterAComma", "float v = s[t], w = f(s); x[t] = v + w;", kWhole,
     "__device__ float f(float *s) { __syncthreads(); s[1] = 2; __syncthreads(); return s[1]; }\n"},
    {"FunctionThatReturnsNothing", "(void)f(s); x[t] = s[n - t];", kWhole, "__device__ void f(float *s) { __syncthreads(); }\n"},
    {"ShuffleAndFunction", "float v = s[t]; x[t] = __shfl_xor_sync(0xffffffff, v, 1) + f(v);", kWhole,
     "__device__ float f(float v) { return __shfl_xor_sync(0xffffffff, v, 2); }\n"},
    {"LaneFromMemoryThatIsWritten", "float v = s[t]; s[t] = __shfl_sync(0xffffffff, v, (int)s[3]); x[t] = s[t];", kWhole, nullptr},
    {"LaneFromMemory", "float v = s[t]; v = __shfl_sync(0xffffffff, v, (int)s[3]); x[t] = v;", kCut, nullptr},
    {"OperationsInBothBranches", "if (t % 32 < 16) { s[t] = 1; __syncwarp(); } else { __syncwarp(); s[t] = 2; } x[t] = s[t];", kWhole, nullptr},
    {"ChangedInParentheses", "int a = n; __syncthreads(); (a) = t; (t & 1 ? a : n) += 1; __syncthreads(); for (int k = 0; k < a; ++k) __syncthreads();",
     kWhole, nullptr},
    {"QualifiedName", "__syncthreads(); x[t] = space::f(s[t]);", kWhole,
     "namespace space { __device__ float f(float v) { return __shfl_xor_sync(0xffffffff, v, 2); } }\n"},
    {"Lambda", "auto f = [&](int i) { return s[i]; }; __syncthreads(); x[t] = f(t);", kWhole, nullptr},
};

INSTANTIATE_TEST_SUITE_P(Kernels, Cut, testing::ValuesIn(kCases),
                         [](const auto &info) { return std::string(info.param.name); });

TEST(CutOrNot, NothingIsCutWhereTheFlagsSaySo) {
  const std::string made = translated("__global__ void k(int *x) { __syncthreads(); x[0] = 1; }\n"
                                      "void go(int *x) { k<<<1, 1>>>(x); }\n", "-DCPU_DEVICE_UNCUT");
  EXPECT_NE(std::string::npos, made.find("launch<::cpu_device::kMayWait>"));
}

/* The second form of a device function comes with the first's lines, for the compiler's messages. */
TEST(CutOrNot, LinesStayWhereTheyAre) {
  const std::string made = translated("__device__ int f(int a) {\n  __syncthreads();\n  return a;\n}\n"
                                      "__global__ void k(int *x) {\n  x[0] = f(1);\n}\nint last;\n");
  const size_t second = made.find("cu_block_f(");
  ASSERT_NE(std::string::npos, second);
  const size_t marker = made.rfind("# 1 \"", second), back = made.find("# 4 \"", second);
  EXPECT_NE(std::string::npos, marker);
  EXPECT_NE(std::string::npos, back);
}

}  // namespace
