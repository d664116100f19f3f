#include "core/append_file.hpp"

#include "support/file.hpp"
#include "support/process.hpp"

#include <catch2/catch.hpp>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sys/resource.h>
#include <thread>
#include <vector>

namespace fs = std::filesystem;

namespace {

/// While this object exists, files of this process cannot grow beyond `bytes`. A write that reaches the limit
/// is cut short, and the next write fails with EFBIG.
struct FileSizeLimit {
    explicit FileSizeLimit(rlim_t bytes) : previous_handler(std::signal(SIGXFSZ, SIG_IGN))
    {
        ::getrlimit(RLIMIT_FSIZE, &previous);
        rlimit const limit{bytes, previous.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }

    ~FileSizeLimit()
    {
        ::setrlimit(RLIMIT_FSIZE, &previous);
        std::signal(SIGXFSZ, previous_handler);
    }

    FileSizeLimit(FileSizeLimit const&) = delete;
    FileSizeLimit& operator=(FileSizeLimit const&) = delete;

    rlimit previous{};
    void (*previous_handler)(int);
};

} // namespace

TEST_CASE("text is appended to a file that only its owner can read")
{
    testing::TemporaryDirectory const directory;
    std::string const path = directory.path() + "/file";
    CHECK_FALSE(core::append_to_file(path, "a\n"));
    CHECK_FALSE(core::append_to_file(path, ""));
    CHECK_FALSE(core::append_to_file(path, "b\n"));
    CHECK(testing::read_file(path) == "a\nb\n");
    CHECK(fs::status(path).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
}

TEST_CASE("texts that several threads append do not mix")
{
    testing::TemporaryDirectory const directory;
    std::string const path = directory.path() + "/file";
    std::vector<std::thread> threads;
    for (char c = 'a'; c < 'e'; ++c)
        threads.emplace_back([&path, line = std::string(10'000, c) + '\n'] {
            for (int i = 0; i < 20; ++i)
                static_cast<void>(core::append_to_file(path, line));
        });
    for (auto& thread : threads)
        thread.join();
    std::ifstream in(path);
    int count = 0;
    for (std::string line; std::getline(in, line); ++count)
        CHECK(line == std::string(10'000, line.at(0)));
    CHECK(count == 80);
}

TEST_CASE("a text that cannot be written whole leaves the file as it was")
{
    testing::TemporaryDirectory const directory;
    std::string const path = directory.path() + "/file";
    REQUIRE_FALSE(core::append_to_file(path, "a\n"));
    {
        FileSizeLimit const limit(100);
        CHECK(core::append_to_file(path, std::string(1'000, 'x')) == std::errc::file_too_large);
    }
    CHECK(testing::read_file(path) == "a\n");
    CHECK_FALSE(core::append_to_file(path, "b\n"));
    CHECK(testing::read_file(path) == "a\nb\n");
}

TEST_CASE("an append reports why it failed")
{
    CHECK(core::append_to_file("/no-such-folder/file", "a") == std::errc::no_such_file_or_directory);
    CHECK(core::append_to_file("/", "a") == std::errc::is_a_directory);
    CHECK(core::append_to_file("/dev/full", "a") == std::errc::no_space_on_device);
}
