/* Runs clang.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/cpu_device/oracle/front_end.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <vector>

namespace oracle {
namespace {

/* The program stands in a namespace of this name, so that clang prints it and none of the headers. */
const char *const kNamespace = "cu_oracle_program";

std::string text_of_file(const std::string &path) {
    std::ifstream in(path);
    return std::string(std::istreambuf_iterator<char>(in), {});
}

/* What the command prints; false: it failed. */
bool run(const std::string &command, std::string *out) {
    FILE *pipe = popen(command.c_str(), "r");
    if (!pipe) return false;
    std::vector<char> buffer(1 << 16);
    for (size_t n; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
        out->append(buffer.data(), n);
    const int status = pclose(pipe);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* The lines that include what the program includes from elsewhere than the kit, itself or through the
 * kit's headers. */
void collect_includes(const std::string &path, std::set<std::string> *seen, std::string *lines) {
    if (!seen->insert(path).second) return;
    std::istringstream in(text_of_file(path));
    for (std::string line; std::getline(in, line);) {
        if (line.compare(0, 8, "#include") != 0) continue;
        const size_t open = line.find_first_of("<\"");
        if (open == std::string::npos) continue;
        const size_t close = line.find_first_of(">\"", open + 1);
        if (line[open] == '<') *lines += line + "\n";
        else collect_includes(line.substr(open + 1, close - open - 1), seen, lines);
    }
}

std::string command_for(const std::string &clang, const std::string &source,
                        const std::string &log) {
    return clang +
           " -x cuda --cuda-host-only -nocudainc -nocudalib -Wno-unknown-cuda-version -Xclang -fcuda-allow-variadic-functions"
           " -D__CUDACC__=1 -D__NVCC__=1 -std=c++17 -fsyntax-only -w -isystem cpu_device/include"
           " -isystem cpu_device/include_forward -isystem cpu_device/include_absent -I."
           " -include tests/cpu_device/oracle/prelude.h -Xclang -ast-dump=json -Xclang -ast-dump-filter=" +
           kNamespace + " " + source + " 2> " + log;
}

std::string first_error(const std::string &log) {
    const std::string text = text_of_file(log);
    const size_t error = text.find("error:");
    if (error == std::string::npos) return text.substr(0, 500);
    const size_t line = text.rfind('\n', error) + 1;
    return text.substr(line, text.find('\n', error) - line);
}

} // namespace

std::string text_of(const Place &p) {
    return p.file + ":" + std::to_string(p.line) + ":" + std::to_string(p.column);
}

std::string without_dot(const std::string &file) {
    return file.compare(0, 2, "./") == 0 ? file.substr(2) : file;
}

bool read_program(const std::string &clang, const std::string &program, const std::string &scratch,
                  Facts *facts, std::string *why) {
    const std::string source = scratch + "/oracle.cu", log = scratch + "/oracle.log";
    std::set<std::string> seen;
    std::string includes;
    collect_includes(program, &seen, &includes);
    std::ofstream(source) << includes << "namespace " << kNamespace << " {\n#include \"" << program
                          << "\"\n}\n";
    std::string json;
    if (!run(command_for(clang, source, log), &json)) return *why = first_error(log), false;
    *facts = facts_of(json);
    return true;
}

std::string find_clang(std::string *why) {
    for (const char *name : {"clang++", "clang++-14", "clang++-15", "clang++-16", "clang++-17",
                             "clang++-18", "clang++-19"}) {
        std::string out;
        if (run(std::string(name) + " --version 2> /dev/null", &out)) return name;
    }
    *why = "no clang++ here (Debian: apt-get install clang)";
    return "";
}

} // namespace oracle
