/* cu_to_cpp: makes ordinary C++ of a .cu file, for the CPU device.
 *
 *   cu_to_cpp SOURCE.cu OUTPUT.cc -- COMPILER FLAGS...
 *
 * The compiler preprocesses the source; in what comes out this program rewrites, token by
 * token, what is CUDA's alone: the keywords, launches and __shared__ declarations. Lines stay
 * where they were, so messages of the second compilation point at the student's own text.
 * What it cannot translate is an error with file and line.
 *
 *   tokens, arch     the source as tokens
 *   read/            what names mean, where device code is, which functions never wait
 *   refuse/          what nvcc refuses, and what the CPU device lacks
 *   cut/             kernels cut at their barriers
 *   rewrite/         what is CUDA's alone, as C++: one thing a file
 *   edits            the text that comes of it
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "cpu_device/translator/arch.h"
#include "cpu_device/translator/cut/beliefs.h"
#include "cpu_device/translator/cut/phases.h"
#include "cpu_device/translator/edits.h"
#include "cpu_device/translator/read/device_code.h"
#include "cpu_device/translator/read/names.h"
#include "cpu_device/translator/read/program_types.h"
#include "cpu_device/translator/read/volatile_names.h"
#include "cpu_device/translator/read/waits.h"
#include "cpu_device/translator/refuse/features.h"
#include "cpu_device/translator/refuse/problems.h"
#include "cpu_device/translator/rewrite/alignment.h"
#include "cpu_device/translator/rewrite/doubles.h"
#include "cpu_device/translator/rewrite/inline_ptx.h"
#include "cpu_device/translator/rewrite/kernel_table.h"
#include "cpu_device/translator/rewrite/launch_calls.h"
#include "cpu_device/translator/rewrite/leniencies.h"
#include "cpu_device/translator/rewrite/reconvergence.h"
#include "cpu_device/translator/rewrite/shared.h"
#include "cpu_device/translator/rewrite/sites.h"
#include "cpu_device/translator/rewrite/spins.h"
#include "cpu_device/translator/rewrite/steps.h"
#include "cpu_device/translator/rewrite/template_variables.h"
#include "cpu_device/translator/tokens.h"

namespace {

class Translator : private Rewriter {
  public:
    struct Options {
        bool warn_of_double = true, relaxed_constexpr = false;
        bool cut = true;             /* kernels at their barriers, where that can be done */
        bool show_forms = false;     /* which kernels are cut, and why others are not */
        bool show_variables = false; /* what the reader takes names in kernels for */
    };
    Translator(const Source &src, const Options &options, Edits *edits)
        : Rewriter(src, edits),
          names_(src),
          device_(src),
          types_(src),
          waits_(src, types_, device_),
          phases_(src, names_, types_, waits_),
          features_(src, names_, edits),
          doubles_(src, device_, edits),
          inline_ptx_(src, names_, device_, edits),
          kernel_table_(src, device_, edits),
          launches_(src, {names_, phases_, device_}, edits),
          shared_(src, names_, device_, edits),
          alignment_(src, edits),
          reconvergence_(src, edits),
          sites_(src, device_, &reconvergence_, edits),
          spins_(src, device_, edits),
          options_(options) {}

    /* Returns false after reporting errors in the program. */
    bool run() {
        const Problem bracket = unmatched_bracket(src_, names_);
        if (bracket.token) return fail(bracket.token, bracket.message), false;
        for (const Problem &p : problems_of(src_, names_, options_.relaxed_constexpr)) {
            if (src_.foreign.count(t_[p.token].file)) continue;
            p.warning ? warn(p.token, p.message) : fail(p.token, p.message);
        }
        read_device_code();
        kernel_table_.write();
        sites_.write();
        Leniencies(src_, {names_.places(), device_}, &edits_).write();
        TemplateVariables(src_, device_, &edits_).write();
        keep_in_step();
        reconvergence_.write();
        spins_.write();
        for (const DeviceFunction &f : device_.functions()) alignment_.write(f.body, f.body_end);
        if (options_.warn_of_double) doubles_.watch();
        for (size_t i = 0; i + 1 < t_.size(); ++i) {
            kernel_table_.remove_cluster_dims(i); /* to the preprocessor, a system header's */
            if (is(i, "__assert_fail") && device_.contains(i))
                replace(i, i, "::cpu_device::assert_failed");
            if (t_[i].system) continue;
            if (is(i, "__shared__")) i = shared_.declaration(i);
            else if (t_[i].kind == kName) name(i);
            else if (launches_.begins(i)) launches_.rewrite(i);
        }
        limit_constants();
        return !edits_.failed();
    }

    /* The program in C++. */
    std::string result() const { return edits_.text(phases_); }

  private:
    void read_device_code() {
        device_.read();
        waits_.read();
        if (options_.show_variables)
            phases_.watch_readers([this](const Reader &r) { print_beliefs(src_, r); });
        for (const DeviceFunction &f : device_.functions())
            phases_.add({f.name, f.begin, f.body, f.body_end, f.kernel,
                         device_.in_namespace(f.begin, true)},
                        options_.cut);
        if (options_.show_forms) show_forms();
    }

    /* Prints a line for each kernel: whether it is cut and, if not, what keeps it whole. */
    void show_forms() const {
        for (const Phases::Decision &d : phases_.decisions()) {
            const std::string kernel = "kernel '" + d.name + "' ";
            if (d.form == Phases::kNeverWaits)
                edits_.note(d.token, kernel + "never waits: its threads run in a loop");
            if (d.form == Phases::kCut) edits_.note(d.token, kernel + "is cut at its barriers");
            if (d.form == Phases::kGuarded)
                edits_.note(
                    d.token,
                    kernel +
                        "is cut at its barriers, for numbers and pointers as template arguments");
            if (d.form == Phases::kWhole)
                edits_.note(d.token, kernel + "stays whole, its threads on stacks of their own");
            if (d.form == Phases::kWhole) edits_.note(d.why.token, "because of " + d.why.why);
        }
    }

    void keep_in_step() {
        const VolatileNames names(src_);
        Steps steps(src_, names);
        for (const DeviceFunction &f : device_.functions()) steps.read(f.begin, f.body, f.body_end);
        for (const auto &lambda : device_.lambdas())
            if (!device_.function_around(lambda.first))
                steps.read(lambda.first, lambda.first, lambda.second);
        for (const Steps::Write &w : steps.writes()) {
            edits_.add(t_[w.first].begin, t_[w.first].begin,
                       std::string("::cpu_device::in_step<") + (w.anywhere ? "true" : "false") +
                           ">(");
            edits_.add_after(w.last, ", " + reconvergence_.site(w.body, w.name, 0) + ")");
            if (w.anywhere) reconvergence_.add(w.body, w.name);
            alignment_.leave(w.first, w.last);
        }
        for (const Steps::Warning &w : steps.warnings()) warn(w.token, w.message);
    }

    void limit_constants() {
        std::map<size_t, std::string> limits;
        for (const Insertion &c : constant_limits(names_.declarations()))
            limits[c.after] += asserted(c.about, c.text);
        for (const auto &limit : limits) edits_.add_after(limit.first, limit.second);
    }

    /* The first that knows the name at token i does with it what is to be done. */
    void name(size_t i) {
        if (const char *section = device_.section(i))
            return replace(i, i, std::string("__attribute__((section(\"") + section + "\")))");
        if (features_.lacks(i) || device_call(i) || inline_ptx_.rewrite(i)) return;
        if (names_.is_builtin(i)) return replace(i, i, "(" + Names::builtin_call(text(i)) + ")");
        kernel_table_.keep_types(i);
        keyword(i);
    }

    void keyword(size_t i) {
        static const std::set<std::string> gone = {"__global__",  "__host__",
                                                   "__device__",  "__constant__",
                                                   "__managed__", "__grid_constant__"};
        const std::string word = text(i);
        if (gone.count(word)) {
            replace(i, i, "");
        } else if ((word == "__launch_bounds__" || word == "__maxnreg__") && punct(i + 1) == '(') {
            replace(i, closing(i + 1), "");
        } else if (word == "__noinline__" && !(i && (punct(i - 1) == '(' || punct(i - 1) == ','))) {
            replace(i, i, "__attribute__((noinline))");
        }
    }

    /* The program defines a device function of that name. */
    bool is_own_function(const std::string &name) const {
        for (const DeviceFunction &f : device_.functions())
            if (f.name == name) return true;
        return false;
    }

    /* Some functions are the C library's in host code, and the device's own in device code. */
    bool device_call(size_t i) {
        const bool print = is(i, "printf"), clock = is(i, "clock");
        const bool extreme = is(i, "fmaxf") || is(i, "fminf") || is(i, "fmax") || is(i, "fmin");
        if (!(print || clock || extreme) || punct(i + 1) != '(' || (clock && punct(i + 2) != ')'))
            return false;
        if (i == 0 || punct(i - 1) == '.' || is(i - 1, "->") || t_[i - 1].kind == kName) {
            /* A member, or a declaration; but what follows a keyword is a call. */
            static const std::set<std::string> before = {"return", "else", "do"};
            if (i == 0 || !before.count(text(i - 1))) return false;
        }
        if (!device_.contains(i) || is_own_function(text(i))) return false;
        size_t first = i;
        if (is(i - 1, "::")) {
            if (extreme && !is(i - 2, "std") && t_[i - 2].kind == kName)
                return false; /* another space's */
            first = is(i - 2, "std") ? i - 2 : i - 1;
        }
        if (print)
            replace(first, i,
                    doubles_.calmed(first, closing(i + 1), "::cpu_device::device_printf"));
        else replace(first, i, clock ? "::cpu_device::device_clock" : "::cpu_device::" + text(i));
        return true;
    }

    Names names_;
    DeviceCode device_;
    ProgramTypes types_;
    Waits waits_;
    Phases phases_;
    Features features_;
    Doubles doubles_;
    InlinePtx inline_ptx_;
    KernelTable kernel_table_;
    LaunchCalls launches_;
    SharedMemory shared_;
    Alignment alignment_;
    Reconvergence reconvergence_;
    Sites sites_;
    Spins spins_;
    const Options options_;
};

/* ---- files and processes ---- */

/* What `argv` prints; false, its own words on standard error, where it fails. */
bool output_of(char *const argv[], std::string *out) {
    int ends[2];
    if (pipe(ends) != 0) return false;
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execvp(argv[0], argv);
        fprintf(stderr, "cu_to_cpp: cannot run %s: %s\n", argv[0], strerror(errno));
        _exit(127);
    }
    close(ends[1]);
    char buffer[1 << 16];
    for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;) out->append(buffer, (size_t)n);
    close(ends[0]);
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

/* What the command preprocesses, as tokens. */
bool read_source(std::vector<char *> command, Source *source) {
    command.push_back(nullptr);
    if (!output_of(command.data(), &source->text)) return false;
    tokenize(source);
    return true;
}

/* The command line's own macros have done their work: what was inserted since has other names. */
std::string without_macros(const std::vector<char *> &command) {
    std::string lines;
    for (size_t i = 0; i < command.size() && command[i]; ++i) {
        if (strncmp(command[i], "-D", 2) != 0) continue;
        const std::string macro =
            command[i][2] || !command[i + 1] ? command[i] + 2 : command[i + 1];
        const std::string name = macro.substr(0, macro.find_first_of("=("));
        if (!name.empty() && name[0] != '_') lines += "#undef " + name + "\n";
    }
    return lines;
}

bool write_file(const char *path, const std::string &text) {
    FILE *f = fopen(path, "w");
    if (!f) return false;
    const bool written = fwrite(text.data(), 1, text.size(), f) == text.size();
    return fclose(f) == 0 && written;
}

} // namespace

int main(int argc, char **argv) {
    if (argc < 5 || strcmp(argv[3], "--") != 0) {
        fprintf(stderr, "usage: cu_to_cpp SOURCE.cu OUTPUT.cc -- COMPILER FLAGS...\n");
        return 2;
    }
    std::vector<char *> command(argv + 4, argv + argc);
    for (const char *more :
         {"-D__CUDACC__=1", "-D__NVCC__=1", "-DCPU_DEVICE_TRANSLATING=1",
          "-Wno-trigraphs", /* the second compilation warns */
          "-include", "cuda_runtime.h", "-E", "-x", "c++", (const char *)argv[1]})
        command.push_back(const_cast<char *>(more));
    Source source;
    if (!read_source(command, &source)) return 1;
    if (mentions_arch(source)) {
        Source device, host = source;
        command.push_back(const_cast<char *>("-D__CUDA_ARCH__=900"));
        if (!read_source(command, &device)) return 1;
        source = Source();
        source.text = merged_readings(host, device);
        tokenize(&source);
    }
    Translator::Options options;
    for (const char *word : command) {
        if (!word) continue;
        if (!strcmp(word, "-w") || !strcmp(word, "-Wno-double-promotion"))
            options.warn_of_double = false;
        if (!strcmp(word, "-DCPU_DEVICE_RELAXED_CONSTEXPR")) options.relaxed_constexpr = true;
        if (!strcmp(word, "-DCPU_DEVICE_UNCUT")) options.cut = false;
        if (!strcmp(word, "-DCPU_DEVICE_SHOW_CUTS")) options.show_forms = true;
        if (!strcmp(word, "-DCPU_DEVICE_SHOW_VARIABLES")) options.show_variables = true;
    }
    Edits edits(source);
    Translator translator(source, options, &edits);
    if (!translator.run()) return 1;
    if (!write_file(argv[2], without_macros(command) + translator.result())) {
        fprintf(stderr, "cu_to_cpp: cannot write %s: %s\n", argv[2], strerror(errno));
        return 1;
    }
    return 0;
}
