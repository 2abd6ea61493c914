/* What a student reads of a program with a mistake in it: one error, in the program's own words,
 * line and column, whoever finds it, cu_to_cpp or the compiler behind it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <gtest/gtest.h>
#include <stdio.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

namespace {

std::string folder() {
    const char *name = getenv("TEST_TMPDIR");
    return name ? name : "/tmp";
}

/* What a shell command prints; what the compiler says, in English. */
std::string output(const std::string &command) {
    FILE *pipe = popen(("LC_ALL=C " + command + " 2>&1").c_str(), "r");
    std::string text;
    char buffer[4096];
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, n);
    pclose(pipe);
    return text;
}

/* All that is said when the program is built. */
std::string build(const std::string &source, const std::string &more_flags = "",
                  const std::string &compile = "-fsyntax-only") {
    const std::string path = folder() + "/program.cu", cpp = path + ".cc";
    const std::string flags =
        " -std=c++17 -Wall -isystem cpu_device/include -isystem cpu_device/include_forward -isystem cpu_device/include_absent " +
        more_flags + " ";
    remove(cpp.c_str());
    std::ofstream(path) << source;
    const std::string said =
        output("tests/cpu_device/cu_to_cpp " + path + " " + cpp + " -- g++" + flags);
    if (!std::ifstream(cpp)) return said;
    return said + output("g++ " + compile + flags + cpp);
}

struct Case {
    const char *name, *source;
    const char *place;   /* line, or line:column; "": it is built without a word */
    const char *message; /* a part of the error's line */
};

void PrintTo(const Case &c, std::ostream *out) { *out << c.name; }

class Message : public testing::TestWithParam<Case> {};

TEST_P(Message, IsOneErrorAtItsPlace) {
    const std::string got = build(GetParam().source);
    const std::string place = GetParam().place;
    if (place.empty()) {
        EXPECT_EQ("", got);
        return;
    }
    int errors = 0;
    std::string first;
    std::istringstream lines(got);
    for (std::string line; std::getline(lines, line);) {
        if (line.find("error: ") == std::string::npos) continue;
        if (errors++ == 0) first = line;
    }
    EXPECT_EQ(1, errors) << got;
    EXPECT_NE(std::string::npos, first.find("program.cu:" + place + ":")) << got;
    EXPECT_NE(std::string::npos, first.find(GetParam().message)) << got;
    EXPECT_EQ(std::string::npos, got.find("cpu_device/include"))
        << "nothing of the kit's own files:\n"
        << got;
}

#define ADD "__global__ void add(int n, float *x) {\n  x[n] = 1;\n}\n"

const Case kCases[] = {
    {"NoSemicolon",
     "__global__ void k(int *x) {\n  int i = threadIdx.x + blockIdx.x\n  x[i] = 1;\n}\n", "3:3",
     "expected"},
    {"NoSemicolonAfterALaunch", ADD "int main() {\n  add<<<1, 1>>>(1, nullptr)\n  return 0;\n}\n",
     "5:28", "expected ';' before 'return'"},
    {"NoSemicolonAfterAKernelsVariable",
     "__global__ void k(int *x) {\n  __shared__ int s[4]\n  s[0] = 1;\n  *x = s[0];\n}\n", "2",
     "expected a \";\""},
    {"NoSemicolonBeforeALaunch", ADD "int main() {\n  float *d\n  add<<<1, 1>>>(1, d);\n}\n", "5",
     "expected a \";\""},
    {"NoParenthesisInALaunch", ADD "int main() {\n  add<<<1, 1>>>(1, nullptr;\n}\n", "5",
     "expected a \")\" before \";\""},
    {"NoParenthesisInAKernel",
     "__global__ void k(int *x) {\n  if (*x < 3 {\n    *x = 1;\n  }\n}\nint main() { k<<<1, 1>>>(nullptr); }\n",
     "2", "expected a \")\" before \"}\": the \"(\" of line 2 is not closed"},
    {"SemicolonInAMacro",
     "#define N 16;\n__global__ void k(int *x) {\n  __shared__ int s[N];\n  *x = s[0];\n}\n"
     "int main() { k<<<1, N>>>(nullptr); }\n",
     "3", "expected a \"]\" before \";\""},
    {"MisspeltType",
     "__global__ void k(const flaot *x, int n) { (void)x; }\nint main() { k<<<1, 1>>>(nullptr, 1); }\n",
     "1", "identifier \"flaot\" is undefined"},
    {"MisspeltVariable",
     "__global__ void k(int *x) {\n  x[blockIdx.x * blockDim.x + threadIDx.x] = 1;\n}\n", "2:31",
     "'threadIDx' was not declared"},
    {"MisspeltVariableAfterALaunch",
     ADD "int main() {\n  int n = 1; add<<<1, n>>>(n, 0); m = 2;\n}\n", "5:35",
     "'m' was not declared"},
    {"MisspeltShape", ADD "int main() {\n  add<<<blocks, 1>>>(1, nullptr);\n}\n", "5:9",
     "'blocks' was not declared"},
    {"MisspeltArgument", ADD "int main() {\n  add<<<1, 1>>>(1, d_x);\n}\n", "5:20",
     "'d_x' was not declared"},
    {"MisspeltKernel", ADD "int main() {\n  ad<<<1, 1>>>(1, nullptr);\n}\n", "5",
     "identifier \"ad\" is undefined"},
    {"MisspeltFunction", "int main() {\n  float *d;\n  cudaMaloc(&d, 4);\n}\n", "3:3",
     "'cudaMaloc' was not declared"},
    {"MissingHeader", "#include \"nowhere.h\"\nint main() {}\n", "1:10", "nowhere.h: No such file"},
    {"NoClosingBrace",
     "__global__ void k(int *x) {\n  if (*x) {\n    *x = 1;\n}\n\nint main() {\n  k<<<1, 1>>>(nullptr);\n}\n",
     "6", "expected a \"}\" before this function: the \"{\" of line 1 is not closed"},
    {"NoClosingBraceAtTheEnd", "__device__ int f(int x) {\n  return x;\n", "2",
     "expected a \"}\" at the end of the file"},
    {"TooFewArguments", ADD "int main() {\n  add<<<1, 1>>>(1);\n}\n", "5",
     "too few arguments in function call: kernel \"add\" takes 2, and 1 is given"},
    {"TooManyArguments", ADD "int main() {\n  add<<<1, 1>>>(1, nullptr, 3);\n}\n", "5",
     "too many arguments in function call: kernel \"add\" takes 2, and 3 are given"},
    {"PointerOfAnotherType", ADD "int main() {\n  int *d = nullptr;\n  add<<<1, 1>>>(1, d);\n}\n",
     "6:20", "cannot convert 'int*' to 'float*'"},
    {"ArgumentsInTheWrongOrder",
     ADD "int main() {\n  float *d = nullptr;\n  add<<<1, 1>>>(d, d);\n}\n", "6:17",
     "invalid conversion from 'float*' to 'int'"},
    {"PointerToConst", ADD "int main() {\n  const float *d = nullptr;\n  add<<<1, 1>>>(1, d);\n}\n",
     "6:20", "invalid conversion from 'const float*' to 'float*'"},
    {"TypeOfATemplate",
     "template <class T> __global__ void k(T *x, T y) { *x = y; }\nint main() {\n  int *d = nullptr;\n"
     "  k<float><<<1, 1>>>(d, 1);\n}\n",
     "4:22", "cannot convert 'int*' to 'float*'"},
    {"LambdaOfTheHost",
     "int main() {\n  auto f = [](int *x) { *x = 1; };\n  f<<<1, 1>>>(nullptr);\n}\n", "3",
     "a host function call cannot be configured"},
    {"ArgumentOfAPointer",
     ADD "int main() {\n  void (*table[])(int, float *) = {add};\n  int *d = nullptr;\n"
         "  table[0]<<<1, 1>>>(1, d);\n}\n",
     "7:25", "cannot convert 'int*' to 'float*'"},
    {"FewArgumentsOfAPointer",
     ADD "int main() {\n  void (*table[])(int, float *) = {add};\n  table[0]<<<1, 1>>>(1);\n}\n",
     "6", "too few arguments"},
    {"TooMuchBetweenTheBrackets", ADD "int main() {\n  add<<<1, 1, 0, 0, 0>>>(1, nullptr);\n}\n",
     "5", "too many arguments between <<< and >>>"},
    {"TooMuchShared",
     "__global__ void k(float *x) {\n  __shared__ float s[12289];\n  s[0] = *x;\n  *x = s[1];\n}\n",
     "2", "uses too much shared data"},
    {"TooMuchSharedInAll",
     "__global__ void k(float *x) {\n  __shared__ float s[12000], t[1];\n  __shared__ float u[288];\n"
     "  s[0] = t[0] = u[0] = *x;\n  *x = s[1] + t[0] + u[1];\n}\n",
     "3", "uses too much shared data"},
    {"TooMuchConstant",
     "__constant__ float a[10000];\nnamespace n {\nnamespace {\n__constant__ float b[6385];\n}\n}\n"
     "__constant__ float c[1];\n",
     "4", "uses too much constant data"},
    /* What is at a limit, and launches of all kinds. */
    {"AtTheLimits",
     "namespace a::b { namespace { __constant__ float c[16000]; } extern __constant__ float c2[]; }\n"
     "__constant__ float d[384];\n__global__ void k(float *x) {\n  __shared__ float s[12288], unused[9999];\n"
     "  s[0] = *x;\n  *x = s[1] + d[0];\n}\n__global__ void u(float *x) {\n  __shared__ float unused[20000];\n"
     "  *x = 1;\n}\n",
     "", ""},
};

INSTANTIATE_TEST_SUITE_P(All, Message, testing::ValuesIn(kCases),
                         [](const testing::TestParamInfo<Case> &info) {
                             return std::string(info.param.name);
                         });

TEST(Launches, OfAllKindsAreTaken) {
    EXPECT_EQ(
        "",
        build(
            "__global__ void add(int n, float *x) { x[n] = 1; }\n"
            "__global__ void over(int n) {}\n__global__ void over(int n, float x, float *y) {}\n"
            "__global__ void more(int n, float *x = nullptr, dim3 d = dim3(1, 2)) {}\n"
            "template <class T, int N = 2> __global__ void deduced(T *x, T y) { *x = y + N; }\n"
            "template <class... A> __global__ void pack(A... a) {}\n"
            "__global__ void none(void) {}\n"
            "struct Pair { int a, b; };\n__global__ void object(Pair p, const float (&r)[2]) {}\n"
            "void (*pointer)(int, float *) = add;\n"
            "template <class F> __global__ void apply(F f) { f(1); }\n"
            "template <int A, int B> struct Two { enum { V = A < B ? A : B }; };\n"
            "#define LAUNCH(k, ...) k<<<1, 1>>>(__VA_ARGS__)\n"
            "int main(int argc, char **) {\n  float *d = nullptr;\n  const short s = 1;\n"
            "  add<<<1, 1>>>(s, 0);\n  add<<<1, 1>>>(argc++, NULL);\n  add<<<dim3(1), {1, 2}, 0, 0>>>(1.5, d);\n"
            "  over<<<1, 1>>>(1);\n  over<<<1, 1>>>(1, 2, d);\n  more<<<1, 1>>>(1);\n  more<<<1, 1>>>(1, d);\n"
            "  more<<<1, 1>>>(1, d, 3);\n  deduced<<<1, 1>>>(d, 2.f);\n  deduced<float, 3><<<1, 1>>>(d, 2);\n"
            "  pack<<<1, 1>>>(1, 2.f, d);\n  pack<<<1, 1>>>();\n  none<<<1, 1>>>();\n"
            "  float r[2] = {1, 2};\n  object<<<1, 1>>>({1, 2}, r);\n  pointer<<<1, 1>>>(1, d);\n"
            "  if (argc > 1) add<<<1, 1>>>(1, d);\n  else add<<<1, 1>>>(Two<1, 2>::V, d);\n"
            "  for (int i = 0; i < 2; ++i) add<<<1, i + 1>>>(i < 1, d + i);\n"
            "  do add<<<1,\n         1>>>(1,\n              d); while (argc-- > 3);\n"
            "  apply<<<1, 1>>>([=] __device__(int i) { d[i] = s; });\n  LAUNCH(add, 1, d);\n"
            "  argc > 2 ? add<<<1, 1>>>(1, d) : over<<<1, 1>>>(2);\n"
            "  switch (argc) {\n    case 1: add<<<1, 1>>>(1, d); break;\n    default: none<<<1, 1>>>();\n  }\n"
            "  for (int i = 0, n = 2; i < n; ++i)\n    if (int m = i; m)\n      add<<<1, 1>>>(1, d);\n"
            "  if (argc)\n    none<<<1, 1>>>();\n  else\n    none<<<1, 1>>>();\n"
            "  do\n    none<<<1, 1>>>();\n  while (0);\nagain:\n  none<<<1, 1>>>();\n  if (argc > 9) goto again;\n"
            "  auto all = [&](int n) { for (; n; --n) { none<<<1, 1>>>(); } return (n < 2); };\n"
            "  return all(1) + ({ none<<<1, 1>>>(); 3; });\n}\n"));
}

/* A name in the kit's headers that a program may use for a macro: no word of C++ or of the C library's
 * macros, none of the headers' own macros, and nothing that the program below says. */
bool is_ordinary(const std::string &name, const std::set<std::string> &macros) {
    static const std::set<std::string> words = {"alignas",     "alignof",
                                                "and",         "and_eq",
                                                "asm",         "auto",
                                                "bitand",      "bitor",
                                                "bool",        "break",
                                                "case",        "catch",
                                                "char",        "class",
                                                "compl",       "const",
                                                "const_cast",  "constexpr",
                                                "continue",    "decltype",
                                                "default",     "defined",
                                                "delete",      "do",
                                                "double",      "dynamic_cast",
                                                "else",        "enum",
                                                "explicit",    "extern",
                                                "false",       "float",
                                                "for",         "friend",
                                                "goto",        "if",
                                                "inline",      "int",
                                                "long",        "mutable",
                                                "namespace",   "new",
                                                "noexcept",    "not",
                                                "not_eq",      "nullptr",
                                                "operator",    "or",
                                                "or_eq",       "private",
                                                "protected",   "public",
                                                "register",    "reinterpret_cast",
                                                "return",      "short",
                                                "signed",      "sizeof",
                                                "static",      "static_assert",
                                                "static_cast", "struct",
                                                "switch",      "template",
                                                "this",        "thread_local",
                                                "throw",       "true",
                                                "try",         "typedef",
                                                "typeid",      "typename",
                                                "union",       "unsigned",
                                                "using",       "virtual",
                                                "void",        "volatile",
                                                "while",       "xor",
                                                "xor_eq",      "main",
                                                "override",    "final",
                                                "assert",      "errno",
                                                "fpclassify",  "isfinite",
                                                "isinf",       "isnan",
                                                "isnormal",    "offsetof",
                                                "signbit",     "stderr",
                                                "stdin",       "stdout",
                                                "va_arg",      "va_end",
                                                "va_list",     "va_start",
                                                "threadIdx",   "x",
                                                "atomicAdd",   "printf",
                                                "cudaMalloc",  "cudaDeviceSynchronize"};
    const bool capitals =
        name.size() > 2 && name.find_first_of("abcdefghijklmnopqrstuvwxyz") == std::string::npos;
    return isalpha((unsigned char)name[0]) && !capitals && !words.count(name) &&
           !macros.count(name);
}

/* All such names. */
std::set<std::string> names_of_headers() {
    std::set<std::string> names, macros;
    for (const auto &entry : std::filesystem::recursive_directory_iterator(
             "cpu_device/include", std::filesystem::directory_options::follow_directory_symlink)) {
        if (!entry.is_regular_file() && !entry.is_symlink()) continue;
        std::ifstream in(entry.path());
        std::string word, before;
        for (int c; (c = in.get()) != EOF;) {
            if (isalnum(c) || c == '_') {
                word += (char)c;
                continue;
            }
            if (word.empty()) continue;
            (before == "define" ? macros : names).insert(word);
            before = word;
            word.clear();
        }
    }
    std::set<std::string> ordinary;
    for (const std::string &name : names)
        if (is_ordinary(name, macros)) ordinary.insert(name);
    return ordinary;
}

const char kWithEveryHeader[] =
    "#include <cooperative_groups.h>\n#include <cooperative_groups/memcpy_async.h>\n#include <cooperative_groups/reduce.h>\n"
    "#include <cuComplex.h>\n#include <cuda/atomic>\n#include <cuda/barrier>\n#include <cuda/latch>\n#include <cuda/pipeline>\n"
    "#include <cuda/semaphore>\n#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n#include <cuda_pipeline.h>\n"
    "#include <curand_kernel.h>\n#include <nvtx3/nvToolsExt.h>\n__constant__ float zz_c[4];\n"
    "template <class ZzT> __global__ void zz_k(ZzT *zz_p, int zz_n) {\n  __shared__ ZzT zz_s[32];\n"
    "  zz_s[threadIdx.x] = zz_n;\n  __syncthreads();\n  if (threadIdx.x < 3)\n"
    "    zz_p[threadIdx.x] = zz_s[31 - threadIdx.x] + __shfl_xor_sync(~0u, zz_n, 1) + zz_c[0];\n"
    "  atomicAdd(zz_p, 1);\n  printf(\"%d\\n\", zz_n);\n}\n"
    "int main() {\n  int *zz_d = nullptr;\n  void (*zz_f)(int *, int) = zz_k<int>;\n  cudaMalloc(&zz_d, 128);\n"
    "  zz_k<<<1, 32>>>(zz_d, 4);\n  zz_f<<<1, 32>>>(zz_d, 4);\n  return cudaDeviceSynchronize();\n}\n";

TEST(Macros, OfTheCommandLineDoNotReachTheKitsHeaders) {
    const std::set<std::string> names = names_of_headers();
    EXPECT_LT(1000u, names.size());
    std::string flags;
    for (const std::string &name : names) flags += " -D" + name + "=4";
    EXPECT_EQ("", build(kWithEveryHeader, flags));
    EXPECT_EQ("",
              build(kWithEveryHeader, "-DS=4 -DA=1 -DB -DP -DT=float -DN=16 -Dblock=16 -D n=3"));
}

TEST(Macros, OfTheProgramAreBackBehindTheHeaders) {
    EXPECT_EQ(
        "",
        build(
            "#define block 16\n#define S (n + 1)\n#define X 7\n#include <cuda_fp16.h>\n#include <cooperative_groups.h>\n"
            "#define n 3\nstatic_assert(block == 16 && S == 4 && X == 7 && N == 5 + 1, \"\");\nint main() {}\n",
            "-DN=5+1"));
}

TEST(Macros, OfTheCommandLineAreExpandedOnce) {
    EXPECT_EQ(
        "",
        build(
            "constexpr int (f)(int n) { return n; }\nstatic_assert(f(1) == 2, \"\");\nint main() {}\n",
            "'-Df(x)=f((x) + 1)'"));
}

const char kOptimized[] = "-O3 -c -o /dev/null";

TEST(Warnings, OfDoublesAreOfDeviceCodeAlone) {
    const std::string got = build(
        "struct A {\n  float v;\n  __device__ float get() const { return v * 2; }\n"
        "  float on_the_host() const { return v * 2.0; }\n  __device__ void set(float x) { v = x; }\n};\n"
        "float half(float x) { return x * 0.5; }\n"
        "struct B {\n  float v;\n  __device__ float one() const { return v * 3; }\n"
        "  __device__ float two() const { return v * 2.0; }\n};\n"
        "float third(float x) { return x / 3.0; }\nint main() {}\n");
    EXPECT_NE(std::string::npos, got.find("program.cu:11:")) << got;
    for (const char *line : {":3:", ":4:", ":5:", ":7:", ":10:", ":13:"})
        EXPECT_EQ(std::string::npos, got.find(std::string("program.cu") + line)) << got;
}

/* Only lane 0 has a value, and what it passes on is used: nvcc says nothing. */
TEST(Warnings, AreNotOfTheKitsHeaders) {
    const char source[] =
        "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
        "__device__ int pad() {\n  volatile int pad[8];\n  pad[threadIdx.x & 7] = 1;\n  return pad[0];\n}\n"
        "__global__ void k(int *next, int *out) {\n  auto warp = cg::tiled_partition<32>(cg::this_thread_block());\n"
        "  int lane = threadIdx.x, i;\n  if (lane == 0) i = atomicAdd(next, 1);\n  i = __shfl_sync(~0u, i, 0);\n"
        "  double d;\n  if (lane == 0) d = 2;\n  d = warp.shfl(d, 0);\n  out[i] = (int)d + pad();\n}\n"
        "int main() { k<<<1, 32>>>(nullptr, nullptr); }\n";
    EXPECT_EQ("", build(source, "", kOptimized));
    EXPECT_EQ("", build(source, "-DCPU_DEVICE_UNCUT", kOptimized));
}

/* The program is built, with one line that names what nvcc warns of. */
void expect_warning(const std::string &source, const std::string &warning) {
    const std::string got = build(source, "-Wno-error=narrowing", kOptimized);
    EXPECT_EQ(std::string::npos, got.find("error: ")) << source << got;
    EXPECT_NE(std::string::npos, got.find(warning)) << source << got;
}

TEST(Warnings, WhereNvccBuildsAndTheCompilerWouldNot) {
    const std::string main = "int main() { k<<<1, 1>>>(nullptr, 1); }\n",
                      jump = "transfer of control bypasses initialization of";
    expect_warning(
        "__global__ void k(int *x, int n) {\n  switch (n) {\n    case 0: int a = 3; *x = a; break;\n    case 1: *x = 2; break;\n"
        "    default: *x = 5;\n  }\n}\n" +
            main,
        "program.cu:3: warning: " + jump + " \"a\"");
    expect_warning(
        "__global__ void k(int *x, int n) {\n  switch (n) {\n    case 0:\n      const int a = n * 2, *p = x;\n"
        "      float3 v = make_float3(1, 2, 3);\n      *x = a + p[0] + v.x;\n      break;\n    case 1: { int b = 3; *x = b; } break;\n"
        "    case 2: int c = n; int d[2] = {c, 1}; *x = d[1];\n    case 3: int e = 3; *x = e;\n  }\n}\n" +
            main,
        "program.cu:9: warning: " + jump + " \"c\"");
    expect_warning(
        "template <class T> __global__ void k(T *x, int n) {\n  switch (n) {\n    case 0: T a = 3; x[0] = a; break;\n"
        "    default: T b = 4; x[1] = b;\n  }\n}\nint main() { k<int><<<1, 1>>>(nullptr, 1); }\n",
        jump);
    expect_warning(
        "__global__ void k(int *x, int n) {\n  switch (n) {\n    case 0: int a = 3, *p = x; *p = a; break;\n"
        "    case 1: a = 2; *x = a; break;\n  }\n}\n" +
            main,
        jump);
    expect_warning("__global__ void k(int *x, int n) {\n  if (n) goto end;\n  *x = 2;\nend:\n}\n" +
                       main,
                   "program.cu:4: warning: expected a statement");
    expect_warning("__global__ void k(const int const *x, const const int n) {}\n" + main,
                   "\"const\" specified more than once");
    expect_warning(
        "__global__ void k(int *x, int n) {\n  char c[2] = {300, 1};\n  unsigned u[1] = {-1};\n  *x = c[0] + u[0];\n}\n" +
            main,
        "program.cu:2:16: warning: narrowing conversion");
}

/* As Boost's do: a system header that writes CUDA's keywords where it sees nvcc. */
TEST(SystemHeaders, WithCudasKeywordsAreTranslatedAndNothingIsSaidOfThem) {
    std::filesystem::create_directories(folder() + "/system");
    std::ofstream(folder() + "/system/vendor.h")
        << "#pragma once\n#ifdef __CUDACC__\n#define VENDOR_BOTH __host__ __device__\n#else\n#define VENDOR_BOTH\n#endif\n"
           "inline int vendor_host(int x) { return x; }\nstruct Vendor {\n  int a;\n  VENDOR_BOTH int sum() const { return vendor_host(a) * 2.0; }\n};\n"
           "template <class T> VENDOR_BOTH inline T vendor_twice(T x) { return x + x; }\n"
           "#ifdef __CUDACC__\n__device__ inline int vendor_index(unsigned unused) { return (int)threadIdx.x; }\n"
           "template <class T> __global__ void vendor_kernel(T *x) { x[threadIdx.x] = vendor_twice(x[threadIdx.x]); }\n#endif\n";
    EXPECT_EQ(
        "",
        build(
            "#include <vendor.h>\n__global__ void k(int *x) {\n  Vendor v = {1};\n  x[0] = vendor_twice(v.sum()) + vendor_index(1);\n}\n"
            "int main() {\n  int *d = nullptr;\n  k<<<1, 1>>>(d);\n  vendor_kernel<<<1, 1>>>(d);\n  return vendor_twice(1);\n}\n",
            "-Wextra -isystem " + folder() + "/system"));
}

} // namespace
