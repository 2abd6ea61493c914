// SPDX-License-Identifier: Apache-2.0
// Starts a lesson with posix_spawn and collects both its streams.
#include "tests/lessons/lesson_program.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include <cuda_runtime_api.h>

extern char **environ;

const char kUnset[] = "\x01unset";

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

std::vector<std::string> merged_environment(const Environment &changes) {
    std::vector<std::string> merged;
    for (char **entry = environ; *entry != nullptr; entry++) {
        std::string name(*entry, strcspn(*entry, "="));
        bool changed = std::any_of(changes.begin(), changes.end(),
                                   [&](const auto &change) { return change.first == name; });
        if (!changed) merged.push_back(*entry);
    }
    for (const auto &change : changes) {
        if (change.second != kUnset) merged.push_back(change.first + "=" + change.second);
    }
    return merged;
}

std::vector<char *> pointers(std::vector<std::string> &texts) {
    std::vector<char *> result;
    for (std::string &text : texts) result.push_back(text.data());
    result.push_back(nullptr);
    return result;
}

// Reads both pipes until they are closed or the time is over.
bool collect(int out_pipe, int err_pipe, double limit_s, LessonRun *run) {
    Clock::time_point start = Clock::now();
    pollfd files[2] = {{out_pipe, POLLIN, 0}, {err_pipe, POLLIN, 0}};
    std::string *texts[2] = {&run->out, &run->err};
    int open_files = 2;
    while (open_files > 0) {
        double left_s = limit_s - seconds_since(start);
        if (left_s <= 0) return false;
        if (poll(files, 2, static_cast<int>(left_s * 1000) + 1) < 0 && errno != EINTR) return false;
        for (int i = 0; i < 2; i++) {
            if (files[i].fd < 0 || files[i].revents == 0) continue;
            char buffer[4096];
            ssize_t got = read(files[i].fd, buffer, sizeof buffer);
            if (got > 0) {
                texts[i]->append(buffer, static_cast<size_t>(got));
            } else if (got == 0 || errno != EINTR) {
                files[i].fd = -1;
                open_files--;
            }
        }
    }
    return true;
}

std::string &folder_to_remove() {
    static std::string folder;
    return folder;
}

void remove_folder() {
    if (!folder_to_remove().empty()) run_program("rm", {"-rf", folder_to_remove()});
}

} // namespace

std::vector<std::string> LessonRun::lines() const {
    std::vector<std::string> result;
    std::istringstream stream(out);
    for (std::string line; std::getline(stream, line);) result.push_back(line);
    return result;
}

LessonRun run_program(const std::string &path, const Arguments &arguments,
                      const Environment &environment, double limit_s) {
    LessonRun run;
    int out_pipe[2], err_pipe[2];
    if (pipe2(out_pipe, O_CLOEXEC) != 0 || pipe2(err_pipe, O_CLOEXEC) != 0) {
        ADD_FAILURE() << "no pipe: " << strerror(errno);
        return run;
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out_pipe[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err_pipe[1], STDERR_FILENO);

    std::vector<std::string> argv_texts = {path};
    argv_texts.insert(argv_texts.end(), arguments.begin(), arguments.end());
    std::vector<std::string> env_texts = merged_environment(environment);
    std::vector<char *> argv = pointers(argv_texts), envp = pointers(env_texts);

    Clock::time_point start = Clock::now();
    pid_t process = 0;
    int failed = posix_spawnp(&process, path.c_str(), &actions, nullptr, argv.data(), envp.data());
    posix_spawn_file_actions_destroy(&actions);
    close(out_pipe[1]);
    close(err_pipe[1]);
    if (failed != 0) {
        ADD_FAILURE() << path << " cannot be started: " << strerror(failed);
    } else {
        run.timed_out = !collect(out_pipe[0], err_pipe[0], limit_s, &run);
        if (run.timed_out) kill(process, SIGKILL);
        int status = 0;
        while (waitpid(process, &status, 0) < 0 && errno == EINTR) {}
        run.seconds = seconds_since(start);
        if (WIFEXITED(status)) run.status = WEXITSTATUS(status);
        if (WIFSIGNALED(status)) run.signal = WTERMSIG(status);
    }
    close(out_pipe[0]);
    close(err_pipe[0]);
    return run;
}

LessonRun run_lesson(const std::string &name, const Arguments &arguments,
                     const Environment &environment, double limit_s) {
    std::string path = "lessons/" + name;
    if (!file_exists(path)) {
        const char *root = getenv("TEST_SRCDIR"), *workspace = getenv("TEST_WORKSPACE");
        if (root != nullptr && workspace != nullptr) {
            path = std::string(root) + "/" + workspace + "/" + path;
        }
    }
    return run_program(path.find('/') == 0 ? path : "./" + path, arguments, environment, limit_s);
}

std::string fresh_folder() {
    if (folder_to_remove().empty()) {
        const char *base = getenv("TEST_TMPDIR");
        std::string pattern = std::string(base != nullptr ? base : "/tmp") + "/lessons_XXXXXX";
        if (mkdtemp(pattern.data()) == nullptr) ADD_FAILURE() << pattern << ": " << strerror(errno);
        folder_to_remove() = pattern;
        atexit(remove_folder);
    }
    static int number = 0;
    std::string folder = folder_to_remove() + "/" + std::to_string(number++);
    if (mkdir(folder.c_str(), 0777) != 0) ADD_FAILURE() << folder << ": " << strerror(errno);
    return folder;
}

bool file_exists(const std::string &path) { return access(path.c_str(), F_OK) == 0; }

std::string read_file(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

std::vector<std::string> folder_entries(const std::string &path) {
    std::vector<std::string> names;
    DIR *folder = opendir(path.c_str());
    if (folder == nullptr) return names;
    while (dirent *entry = readdir(folder)) {
        std::string name = entry->d_name;
        if (name != "." && name != "..") names.push_back(name);
    }
    closedir(folder);
    std::sort(names.begin(), names.end());
    return names;
}

int visible_devices() {
    int count = 0;
    return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

const cJSON *Json::at(const std::vector<std::string> &path) const {
    const cJSON *item = root_;
    for (const std::string &name : path)
        item = cJSON_GetObjectItemCaseSensitive(item, name.c_str());
    return item;
}

size_t count_of(const std::string &text, const std::string &part) {
    size_t count = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        count++;
    return count;
}

void expect_well_behaved(const LessonRun &run, size_t width) {
    EXPECT_FALSE(run.timed_out) << run.all();
    EXPECT_EQ(run.signal, 0) << run.all();
    EXPECT_EQ(run.all().find('\033'), std::string::npos) << "escape sequence in\n" << run.all();
    std::vector<std::string> lines = run.lines();
    for (const std::string &line : lines) {
        if (line.find("/lessons_") == std::string::npos) { // a path is as long as it is
            EXPECT_LE(line.size(), width) << line;
        }
        EXPECT_TRUE(line.empty() || line.back() != ' ') << "trailing blank: '" << line << "'";
    }
}

namespace {

// What the CPU device says of launches that cannot be, which lesson 05 makes on purpose.
std::string without_refused_launches(const std::string &text) {
    std::istringstream lines(text);
    std::string kept;
    for (std::string line; std::getline(lines, line);) {
        if (line.find("CPU device: kernel ") != 0 ||
            line.find(", does not run: ") == std::string::npos)
            kept += line + "\n";
    }
    return kept;
}

} // namespace

void expect_success(const std::string &name, const LessonRun &run) {
    LessonRun told = run;
    if (name.compare(0, 3, "05_") == 0) told.err = without_refused_launches(run.err);
    expect_well_behaved(told);
    EXPECT_EQ(run.status, 0) << run.all();
    EXPECT_EQ(told.err, "");
    std::vector<std::string> lines = run.lines();
    ASSERT_FALSE(lines.empty());
    EXPECT_EQ(lines.front().find(name + " on "), 0u) << lines.front();
    EXPECT_NE(lines.front().find(kCpuDevice ? "CPU device" : "device "), std::string::npos)
        << lines.front();
    EXPECT_EQ(lines.back(), "OK");
}

void expect_picture(const LessonRun &run, const std::string &path) {
    const char *parse = "import sys, xml.dom.minidom as m; m.parse(sys.argv[1])";
    EXPECT_NE(run.out.find("Picture: " + path + "\n"), std::string::npos) << run.out;
    EXPECT_EQ(run_program("python3", {"-c", parse, path}).status, 0) << read_file(path);
    EXPECT_NE(read_file(path).find("prefers-color-scheme: dark"), std::string::npos) << path;
}

void expect_one_line_error(const LessonRun &run, int status,
                           const std::vector<std::string> &words) {
    expect_well_behaved(run);
    EXPECT_EQ(run.status, status) << run.all();
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
    for (const std::string &word : words) {
        EXPECT_NE(run.err.find(word), std::string::npos) << "no '" << word << "' in: " << run.err;
    }
}
