/* //bazel:cu from a student's side: files in a folder of their own, one command, what it says.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace {

const char kHello[] = R"(#include <stdio.h>
__global__ void fill(int *p) { p[threadIdx.x] = threadIdx.x + 40; }
int main(int argc, char **argv) {
  int *d, h[4];
  char line[80] = "";
  cudaMalloc(&d, sizeof h);
  fill<<<1, 4>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  if (fgets(line, sizeof line, stdin)) printf("read %s", line);
  for (int i = 1; i < argc; i++) printf("[%s]", argv[i]);
  fprintf(stderr, "to stderr\n");
  printf("computed %d\n", h[3]);
  return 7;
}
)";

class Cu : public testing::Test {
  protected:
    void SetUp() override {
        char name[] = "/tmp/cu_test.XXXXXX";
        ASSERT_NE(nullptr, mkdtemp(name));
        top_ = name;
        ASSERT_EQ(0, mkdir((top_ + "/my files").c_str(), 0777));
        ASSERT_EQ(0, mkdir((top_ + "/tmp").c_str(), 0777));
        char here[4096];
        ASSERT_NE(nullptr, getcwd(here, sizeof here));
        tool_ = std::string(here) + "/bazel/cu/cu";
    }
    void TearDown() override {
        EXPECT_EQ("", leftovers());
        if (system(("rm -rf '" + top_ + "'").c_str()) != 0) perror("rm");
    }

    void write(const std::string &name, const std::string &text) {
        std::ofstream(top_ + "/" + name) << text;
    }

    /* `cu ARGUMENTS` as typed in the student's folder; sets out_, err_ and status_. */
    void cu(const std::string &arguments, const std::string &before = "") {
        const std::string command = "cd '" + top_ + "' && " + before + "TMPDIR='" + top_ +
                                    "/tmp' BUILD_WORKING_DIRECTORY='" + top_ + "' '" + tool_ +
                                    "' " + arguments + " >out 2>err </dev/null";
        run(command);
    }
    void run(const std::string &command) {
        const int status = system(command.c_str());
        status_ = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
        out_ = read(top_ + "/out");
        err_ = read(top_ + "/err");
    }
    static std::string read(const std::string &path) {
        std::ifstream file(path);
        return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
    static bool has(const std::string &text, const std::string &part) {
        return text.find(part) != std::string::npos;
    }
    std::string leftovers() const {
        std::string names;
        DIR *folder = opendir((top_ + "/tmp").c_str());
        for (struct dirent *e; folder && (e = readdir(folder));)
            if (e->d_name[0] != '.') names += std::string(e->d_name) + " ";
        if (folder) closedir(folder);
        return names;
    }

    std::string top_, tool_, out_, err_;
    int status_ = -1;
};

TEST_F(Cu, RunsAProgramAndEndsWithItsStatus) {
    write("hello.cu", kHello);
    cu("hello.cu");
    EXPECT_EQ(7, status_) << err_;
    EXPECT_EQ("computed 43\n", out_);
    EXPECT_EQ("to stderr\n", err_);
}

TEST_F(Cu, PassesArgumentsAndInputThrough) {
    write("hello.cu", kHello);
    run("cd '" + top_ + "' && echo a line | BUILD_WORKING_DIRECTORY='" + top_ + "' '" + tool_ +
        "' hello.cu one 'two three' --four '*' >out 2>err");
    EXPECT_EQ("read a line\n[one][two three][--four][*]computed 43\n", out_) << err_;
    cu("hello.cu -- -- other.cu");
    EXPECT_EQ("[--][other.cu]computed 43\n", out_) << err_;
}

TEST_F(Cu, TakesPathsWithSpaces) {
    write("my files/my program.cu", kHello);
    cu("'my files/my program.cu' x");
    EXPECT_EQ(7, status_) << err_;
    EXPECT_EQ("[x]computed 43\n", out_);
    cu("'" + top_ + "/my files/my program.cu'");
    EXPECT_EQ("computed 43\n", out_) << err_;
}

TEST_F(Cu, LinksSeveralFiles) {
    write("my files/main.cu",
          "#include \"part.cuh\"\n#include \"plain.h\"\n"
          "int main() { return run(plain()) - SUBTRACT; }\n");
    write("my files/part.cuh", "int run(int n);\n");
    write(
        "my files/part.cu",
        "#include \"part.cuh\"\n__global__ void k(int *p, int n) { *p = n * 2; }\n"
        "int run(int n) { int *d, h; cudaMalloc(&d, 4); k<<<1, 1>>>(d, n); cudaMemcpy(&h, d, 4, cudaMemcpyDefault); return h; }\n");
    write("my files/plain.h", "#ifdef __cplusplus\nextern \"C\"\n#endif\nint plain(void);\n");
    write("my files/plain.c",
          "#include \"plain.h\"\nint plain(void) { int class = 21; return class; }\n");
    write("more.cpp", "struct More { More() {} };\nstatic More more;\n");
    cu("-DSUBTRACT=2 'my files/main.cu' 'my files/part.cu' 'my files/plain.c' more.cpp ignored");
    EXPECT_EQ(40, status_) << err_;
}

TEST_F(Cu, CompileErrorsPointAtTheLine) {
    write("my files/bad.cu",
          "// one\n// two\n__global__ void k(int *p) { *p = undeclared_name; }\nint main() {}\n");
    cu("'my files/bad.cu'");
    EXPECT_EQ(1, status_);
    EXPECT_TRUE(has(err_, "my files/bad.cu")) << err_;
    EXPECT_TRUE(has(err_, "undeclared_name")) << err_;
    EXPECT_TRUE(has(err_, "bad.cu:3:") || has(err_, "bad.cu(3)")) << err_;
    EXPECT_FALSE(has(err_, "Traceback")) << err_;
}

TEST_F(Cu, LaunchErrorsPointAtTheLine) {
    write("bad.cu",
          "__global__ void k(int *p) {}\nint main() {\n  int *p = 0;\n  k<<<1, 1>>(p);\n}\n");
    cu("bad.cu");
    EXPECT_EQ(1, status_);
    EXPECT_TRUE(has(err_, "bad.cu:4:") || has(err_, "bad.cu(4)")) << err_;
}

TEST_F(Cu, LinkErrorsEndWithOne) {
    write("half.cu", "void elsewhere();\nint main() { elsewhere(); }\n");
    cu("half.cu");
    EXPECT_EQ(1, status_);
    EXPECT_TRUE(has(err_, "elsewhere")) << err_;
}

TEST_F(Cu, SaysWhatIsWrongWithTheCommand) {
    for (const char *arguments : {"", "--"}) {
        cu(arguments);
        EXPECT_EQ(2, status_);
        EXPECT_TRUE(has(err_, "no program was named")) << err_;
        EXPECT_TRUE(has(err_, "bazel run //bazel:cu -- ")) << err_;
    }
    cu("missing.cu");
    EXPECT_EQ(2, status_);
    EXPECT_TRUE(has(err_, "missing.cu: no such file")) << err_;
    cu("'my files'");
    EXPECT_EQ(2, status_);
    EXPECT_TRUE(has(err_, "my files is a folder")) << err_;
    write("notes.txt", "");
    cu("notes.txt");
    EXPECT_EQ(2, status_);
    EXPECT_TRUE(has(err_, "notes.txt is no CUDA program")) << err_;
    EXPECT_EQ("", out_);
}

TEST_F(Cu, HelpIsNoError) {
    cu("--help");
    EXPECT_EQ(0, status_);
    EXPECT_TRUE(has(out_, "bazel run //bazel:cu -- ")) << out_;
}

TEST_F(Cu, ProgramThatIsKilledCounts128AndTheSignal) {
    write("abort.cu", "#include <stdlib.h>\nint main() { abort(); }\n");
    cu("abort.cu");
    EXPECT_EQ(134, status_);
    EXPECT_TRUE(has(err_, "SIGABRT")) << err_;
}

TEST_F(Cu, EndsTheProgramWhenItIsEndedItself) {
    write(
        "long.cu",
        "#include <stdio.h>\n#include <unistd.h>\nint main() { puts(\"up\"); fflush(stdout); sleep(100); }\n");
    run("cd '" + top_ + "' && { TMPDIR='" + top_ + "/tmp' BUILD_WORKING_DIRECTORY='" + top_ +
        "' '" + tool_ +
        "' long.cu >out 2>err & cu=$!; until grep -q up out; do sleep 0.1; done; kill $cu; wait $cu; }");
    EXPECT_EQ(143, status_) << err_;
}

TEST_F(Cu, FlagsOfNvccAreNoObstacle) {
    write("hello.cu", kHello);
    cu("-arch=native -O2 -std=c++17 -lm --expt-relaxed-constexpr -I . hello.cu");
    EXPECT_EQ(7, status_) << err_;
}

TEST_F(Cu, RelaxedConstexprIsAskedFor) {
    write(
        "most.cu",
        "#include <algorithm>\n__global__ void k(int *p) { *p = std::max(*p, 3); }\nint main() { return 5; }\n");
    cu("most.cu");
    EXPECT_EQ(1, status_);
    EXPECT_TRUE(has(err_, "--expt-relaxed-constexpr")) << err_;
    cu("--expt-relaxed-constexpr most.cu");
    EXPECT_EQ(5, status_) << err_;
}

TEST_F(Cu, PutsTheProgramWhereItIsTold) {
    write("hello.cu", kHello);
    cu("-o greeting hello.cu");
    EXPECT_EQ(0, status_) << err_;
    EXPECT_EQ("", out_);
    run("cd '" + top_ + "' && ./greeting >out 2>err </dev/null");
    EXPECT_EQ(7, status_) << err_;
    EXPECT_EQ("computed 43\n", out_);
    cu("-o hello.cu");
    EXPECT_EQ(2, status_);
    EXPECT_NE(std::string::npos, err_.find("-o: a file's name is missing")) << err_;
}

TEST_F(Cu, SaysNothingThatATerminalObeys) {
    cu("\"$(printf 'a\\033[31mb')\"");
    EXPECT_EQ(2, status_);
    EXPECT_EQ(std::string::npos, err_.find('\033')) << err_;
}

TEST_F(Cu, FindsDeviceCodeOfAnotherFile) {
    write("part.cu",
          "__device__ int offset = 40;\n__device__ int moved(int x) { return x + offset; }\n");
    write("main.cu",
          "#include <stdio.h>\nextern __device__ int offset;\n__device__ int moved(int x);\n"
          "__global__ void k(int *x) { *x = moved(2) + offset; }\n"
          "int main() {\n  int *d, x = 0;\n  cudaMalloc(&d, 4);\n  k<<<1, 1>>>(d);\n"
          "  cudaMemcpy(&x, d, 4, cudaMemcpyDeviceToHost);\n  printf(\"%d\\n\", x);\n}\n");
    cu("main.cu part.cu");
    EXPECT_EQ(0, status_) << err_;
    EXPECT_EQ("82\n", out_);
}

} // namespace
