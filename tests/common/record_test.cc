// SPDX-License-Identifier: Apache-2.0
// JSON records and the files they go to: valid, whole or not there at all.
#include "common/record.h"

#include <dirent.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cjson/cJSON.h>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "common/output_file.h"

namespace {

using Json = std::unique_ptr<cJSON, decltype(&cJSON_Delete)>;

// A folder of its own for each test, and what is in it.
class Folder : public ::testing::Test {
  protected:
    void SetUp() override {
        const char *base = std::getenv("TEST_TMPDIR");
        std::string pattern = std::string(base != nullptr ? base : "/tmp") + "/recordXXXXXX";
        ASSERT_NE(nullptr, mkdtemp(&pattern[0]));
        folder = pattern;
        unsetenv("BUILD_WORKING_DIRECTORY");
    }
    void TearDown() override {
        unsetenv("BUILD_WORKING_DIRECTORY");
        chmod(folder.c_str(), 0700);
        const std::string command = "rm -rf '" + folder + "'";
        EXPECT_EQ(0, std::system(command.c_str()));
    }
    int files() const {
        int count = 0;
        DIR *directory = opendir(folder.c_str());
        while (dirent *entry = readdir(directory)) count += entry->d_name[0] != '.';
        closedir(directory);
        return count;
    }
    std::string path(const std::string &name) const { return folder + "/" + name; }
    static std::string content(const std::string &path) {
        std::ifstream file(path);
        std::stringstream text;
        text << file.rdbuf();
        return text.str();
    }
    std::string folder;
    char message[1024] = "";
};

class OutputFile : public Folder {};

TEST_F(OutputFile, CheckLeavesNothing) {
    EXPECT_TRUE(output_file_check(path("a.json").c_str(), message, sizeof message)) << message;
    EXPECT_EQ(0, files());
}

TEST_F(OutputFile, WriteMakesOneWholeFile) {
    ASSERT_TRUE(output_file_write(path("a.txt").c_str(), "one\n", message, sizeof message))
        << message;
    EXPECT_EQ("one\n", content(path("a.txt")));
    EXPECT_EQ(1, files());
    struct stat status;
    ASSERT_EQ(0, stat(path("a.txt").c_str(), &status));
    const mode_t mask = umask(0);
    umask(mask);
    EXPECT_EQ(0666 & ~mask, status.st_mode & 0777u) << "readable as other new files are";
}

TEST_F(OutputFile, WriteReplacesAndKeepsPermissions) {
    std::ofstream(path("a.txt")) << "a much longer content than before\n";
    chmod(path("a.txt").c_str(), 0640);
    ASSERT_TRUE(output_file_check(path("a.txt").c_str(), message, sizeof message));
    EXPECT_EQ("a much longer content than before\n", content(path("a.txt")));
    ASSERT_TRUE(output_file_write(path("a.txt").c_str(), "two", message, sizeof message));
    EXPECT_EQ("two", content(path("a.txt")));
    struct stat status;
    ASSERT_EQ(0, stat(path("a.txt").c_str(), &status));
    EXPECT_EQ(0640u, status.st_mode & 0777u);
    EXPECT_EQ(1, files());
}

TEST_F(OutputFile, FollowsALink) {
    std::ofstream(path("real.txt")) << "old";
    ASSERT_EQ(0, symlink("real.txt", path("link.txt").c_str()));
    ASSERT_TRUE(output_file_write(path("link.txt").c_str(), "new", message, sizeof message));
    EXPECT_EQ("new", content(path("real.txt")));
    struct stat status;
    ASSERT_EQ(0, lstat(path("link.txt").c_str(), &status));
    EXPECT_TRUE(S_ISLNK(status.st_mode));
}

TEST_F(OutputFile, RefusesWithNameAndReason) {
    EXPECT_FALSE(output_file_check(path("no/such/a.txt").c_str(), message, sizeof message));
    EXPECT_NE(nullptr, std::strstr(message, "no/such/a.txt"));
    EXPECT_NE(nullptr, std::strstr(message, "No such file or directory"));
    EXPECT_FALSE(output_file_check(folder.c_str(), message, sizeof message));
    EXPECT_NE(nullptr, std::strstr(message, "it is a directory"));
    EXPECT_FALSE(output_file_check("", message, sizeof message));
    EXPECT_FALSE(output_file_write(path("no/a.txt").c_str(), "x", message, sizeof message));
    EXPECT_EQ(0, files());
}

TEST_F(OutputFile, FolderWithoutWritePermission) {
    if (geteuid() == 0) GTEST_SKIP() << "root may write anywhere";
    chmod(folder.c_str(), 0500);
    EXPECT_FALSE(output_file_check(path("a.txt").c_str(), message, sizeof message));
    EXPECT_NE(nullptr, std::strstr(message, "Permission denied")) << message;
}

TEST_F(OutputFile, FullDiskLeavesTheOldFile) {
    EXPECT_TRUE(output_file_check("/dev/full", message, sizeof message)) << message;
    EXPECT_FALSE(output_file_write("/dev/full", "x", message, sizeof message));
    EXPECT_NE(nullptr, std::strstr(message, "No space left")) << message;
    EXPECT_TRUE(output_file_write("/dev/null", "x", message, sizeof message)) << message;
    struct stat status;
    ASSERT_EQ(0, stat("/dev/null", &status));
    EXPECT_TRUE(S_ISCHR(status.st_mode)) << "a device must not be replaced";
}

TEST_F(OutputFile, FileThatCannotBeFinishedIsNotLeft) {
    std::ofstream(path("a.txt")) << "old";
    rlimit before;
    ASSERT_EQ(0, getrlimit(RLIMIT_FSIZE, &before));
    signal(SIGXFSZ, SIG_IGN);
    const rlimit small = {10, before.rlim_max};
    ASSERT_EQ(0, setrlimit(RLIMIT_FSIZE, &small));
    const std::string text(100, 'x');
    EXPECT_FALSE(output_file_write(path("a.txt").c_str(), text.c_str(), message, sizeof message));
    EXPECT_FALSE(output_file_write(path("b.txt").c_str(), text.c_str(), message, sizeof message));
    ASSERT_EQ(0, setrlimit(RLIMIT_FSIZE, &before));
    EXPECT_NE(nullptr, std::strstr(message, "File too large")) << message;
    EXPECT_EQ("old", content(path("a.txt")));
    EXPECT_EQ(1, files());
}

TEST_F(OutputFile, RelativePathsFollowBazelRun) {
    setenv("BUILD_WORKING_DIRECTORY", folder.c_str(), 1);
    char full[4096];
    ASSERT_TRUE(output_file_path("out.json", full, sizeof full));
    EXPECT_EQ(path("out.json"), full);
    ASSERT_TRUE(output_file_path("/abs/out.json", full, sizeof full));
    EXPECT_STREQ("/abs/out.json", full);
    EXPECT_FALSE(output_file_path("out.json", full, 5));
    EXPECT_FALSE(output_file_path("", full, sizeof full));
    ASSERT_TRUE(output_file_write("out.json", "here", message, sizeof message)) << message;
    EXPECT_EQ("here", content(path("out.json")));
    unsetenv("BUILD_WORKING_DIRECTORY");
    ASSERT_TRUE(output_file_path("out.json", full, sizeof full));
    EXPECT_STREQ("out.json", full);
}

class RecordTest : public Folder {};

TEST_F(RecordTest, IsValidJsonWithAllValues) {
    Record *record = record_new("03_elementwise");
    ASSERT_NE(nullptr, record);
    record_text(record, "text", "quote \" and \n line, ünïcode");
    record_text(record, "nothing", nullptr);
    record_number(record, "pi", 3.141592653589793);
    record_number(record, "nan", NAN);
    record_number(record, "inf", INFINITY);
    record_count(record, "big", UINT64_MAX);
    record_flag(record, "right", true);
    record_text(record, "twice", "first");
    record_text(record, "twice", "second");
    TimerStats stats = {};
    stats.median_ms = 1.5;
    stats.repeats = 20;
    record_timer(record, "time", &stats);
    for (int i = 0; i < 3; ++i) record_count(record_row(record, "rows"), "i", i);
    record_text(record_object(record, "device"), "name", "H200");
    ASSERT_TRUE(record_write(record, path("r.json").c_str(), message, sizeof message)) << message;
    const std::string text = content(path("r.json"));
    EXPECT_EQ('\n', text.back());
    EXPECT_NE(std::string::npos, text.find("18446744073709551615")) << "digits lost: " << text;
    record_free(record);
    EXPECT_EQ(1, files());

    Json json(cJSON_Parse(text.c_str()), cJSON_Delete);
    ASSERT_NE(nullptr, json) << text;
    const auto item = [&json](const char *key) {
        return cJSON_GetObjectItemCaseSensitive(json.get(), key);
    };
    EXPECT_STREQ("03_elementwise", item("program")->valuestring);
    EXPECT_EQ(1, item("format")->valueint);
    EXPECT_STREQ("quote \" and \n line, ünïcode", item("text")->valuestring);
    EXPECT_TRUE(cJSON_IsNull(item("nothing")));
    EXPECT_EQ(3.141592653589793, item("pi")->valuedouble);
    EXPECT_TRUE(cJSON_IsNull(item("nan")));
    EXPECT_TRUE(cJSON_IsNull(item("inf")));
    EXPECT_TRUE(cJSON_IsTrue(item("right")));
    EXPECT_STREQ("second", item("twice")->valuestring);
    EXPECT_EQ(1.5, cJSON_GetObjectItemCaseSensitive(item("time"), "median_ms")->valuedouble);
    EXPECT_EQ(20, cJSON_GetObjectItemCaseSensitive(item("time"), "repeats")->valueint);
    ASSERT_EQ(3, cJSON_GetArraySize(item("rows")));
    EXPECT_EQ(2,
              cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(item("rows"), 2), "i")->valueint);
    EXPECT_STREQ("H200", cJSON_GetObjectItemCaseSensitive(item("device"), "name")->valuestring);
}

TEST_F(RecordTest, NullRecordIsHarmless) {
    record_text(nullptr, "a", "b");
    record_number(nullptr, "a", 1);
    record_count(nullptr, "a", 1);
    record_flag(nullptr, "a", true);
    EXPECT_EQ(nullptr, record_row(nullptr, "a"));
    EXPECT_EQ(nullptr, record_object(nullptr, "a"));
    TimerStats stats = {};
    record_timer(nullptr, "a", &stats);
    record_free(nullptr);
    EXPECT_EQ(nullptr, record_print(nullptr));
}

TEST_F(RecordTest, UnwritableFileIsReportedAndNothingIsLeft) {
    Record *record = record_new("x");
    EXPECT_FALSE(record_write(record, path("no/r.json").c_str(), message, sizeof message));
    EXPECT_NE(nullptr, std::strstr(message, "no/r.json"));
    EXPECT_EQ(0, files());
    record_free(record);
}

// Memory runs short at the k-th allocation, for each k: never half a record, no leak.
size_t allocations_left;
bool goes_on; // only that one allocation fails, or all from then on
void *short_malloc(size_t size) {
    if (allocations_left > 0) {
        --allocations_left;
        return std::malloc(size);
    }
    if (goes_on) allocations_left = SIZE_MAX;
    return nullptr;
}

TEST_F(RecordTest, ShortMemoryNeverGivesHalfARecord) {
    cJSON_Hooks hooks = {short_malloc, std::free};
    cJSON_InitHooks(&hooks);
    bool whole = false;
    int turns = 0;
    for (size_t k = 0; k < 400 && !whole; ++k, ++turns) {
        allocations_left = k / 2;
        goes_on = k % 2 == 0;
        Record *record = record_new("x");
        for (int i = 0; i < 3; ++i) record_count(record_row(record, "rows"), "i", i);
        record_text(record_object(record, "o"), "name", "value");
        char *text = record_print(record);
        if (text != nullptr) {
            whole = !goes_on; // then none was short
            for (const char *part :
                 {"\"program\"", "\"format\"", "\"rows\"", "\"i\":\t2", "value"}) {
                EXPECT_NE(nullptr, std::strstr(text, part)) << text << "\nlacks " << part;
            }
        } else if (!goes_on) {
            EXPECT_FALSE(record_write(record, path("r.json").c_str(), message, sizeof message));
            EXPECT_EQ(0, files());
        }
        std::free(text);
        record_free(record);
    }
    cJSON_InitHooks(nullptr);
    EXPECT_TRUE(whole);
    EXPECT_GT(turns, 10);
}

} // namespace
