#pragma once

#include <chrono>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace testing {

/// A child process that does not outlive the test: the kernel kills it when the thread that started it ends,
/// for any reason.
class Process {
public:
    struct Options {
        std::vector<std::string> argv;             ///< argv[0] is a path or is looked up in PATH
        std::vector<std::string> environment = {}; ///< `NAME=value`, in addition to this process's variables
        std::string user = {};                     ///< the account to run as (needs root); "" is ours
        std::string output = "/dev/null";          ///< stdout and stderr are appended to this file
    };

    Process() = default; ///< no process
    explicit Process(Options const& options);
    ~Process(); ///< sends SIGKILL, then waits

    Process(Process&& other) noexcept : pid_(std::exchange(other.pid_, -1)), status_(other.status_) {}

    Process& operator=(Process&& other) noexcept;

    pid_t pid() const noexcept { return pid_; } ///< -1 when there is no process, or it was waited for

    bool running();
    void signal(int number);

    /// Waits until the process has ended. Returns false if it has not ended after `limit`. Afterwards
    /// `status()` is the exit code, or 128 + the number of the signal.
    bool wait(std::chrono::milliseconds limit = std::chrono::seconds(30));

    int status() const noexcept { return status_; }

private:
    pid_t pid_ = -1;
    int status_ = 0;
};

/// Runs a program to its end and returns its stdout and stderr. Throws std::runtime_error, with that output,
/// if the program fails or has not ended after `limit`.
std::string output_of(std::vector<std::string> const& argv, std::chrono::milliseconds limit);

/// Returns a TCP port that is free now. No other test gets it until this process ends, and no outgoing
/// connection does by chance.
unsigned short free_port();

/// A folder in memory with much room if the machine has one, else `/tmp`. For many small files: PostgreSQL
/// creates a database about four times as fast as on a disk.
std::string folder_in_memory();

/// A new directory with a short path that contains `prefix` and the id of the process. The destructor removes
/// it. The constructor removes directories with the same prefix whose processes have ended.
class TemporaryDirectory {
public:
    /// `folder` is `/tmp`, or the result of `folder_in_memory`.
    explicit TemporaryDirectory(std::string const& prefix = "tetrad", std::string const& folder = "/tmp");
    ~TemporaryDirectory();
    TemporaryDirectory(TemporaryDirectory const&) = delete;
    TemporaryDirectory& operator=(TemporaryDirectory const&) = delete;

    std::string const& path() const noexcept { return path_; }

private:
    std::string path_;
};

} // namespace testing
