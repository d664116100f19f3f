#pragma once

#include <chrono>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace testing {

/// A child process that dies with us: the kernel kills it when the thread that started it ends, however that
/// ends.
class Process {
public:
    struct Options {
        std::vector<std::string> argv;             ///< argv[0] is a path or is looked up in PATH
        std::vector<std::string> environment = {}; ///< `NAME=value`, on top of ours
        std::string user = {};                     ///< run as this account (needs root); "" is ours
        std::string output = "/dev/null";          ///< stdout and stderr are appended to this file
    };

    Process() = default; ///< none
    explicit Process(Options const& options);
    ~Process(); ///< SIGKILL, then waits

    Process(Process&& other) noexcept : pid_(std::exchange(other.pid_, -1)), status_(other.status_) {}

    Process& operator=(Process&& other) noexcept;

    pid_t pid() const noexcept { return pid_; } ///< -1 when there is none or it was waited for

    bool running();
    void signal(int number);

    /// Waits for the end; false after `limit`. Afterwards `status()` is the exit code, or 128 + the signal.
    bool wait(std::chrono::milliseconds limit = std::chrono::seconds(30));

    int status() const noexcept { return status_; }

private:
    pid_t pid_ = -1;
    int status_ = 0;
};

/// Runs a program to its end and answers what it wrote to stdout and stderr. Throws std::runtime_error, with
/// that, when it fails or is not done after `limit`.
std::string output_of(std::vector<std::string> const& argv, std::chrono::milliseconds limit);

/// A TCP port on 127.0.0.1 that nobody listens on just now.
unsigned short free_port();

/// A new directory with a short path, `prefix` in its name and the process's id; removed with the object.
/// Those that dead processes left behind with the same prefix are removed first.
class TemporaryDirectory {
public:
    explicit TemporaryDirectory(std::string const& prefix = "tetrad");
    ~TemporaryDirectory();
    TemporaryDirectory(TemporaryDirectory const&) = delete;
    TemporaryDirectory& operator=(TemporaryDirectory const&) = delete;

    std::string const& path() const noexcept { return path_; }

private:
    std::string path_;
};

} // namespace testing
