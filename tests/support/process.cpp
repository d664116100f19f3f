#include "support/process.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <grp.h>
#include <linux/close_range.h>
#include <mutex>
#include <netinet/in.h>
#include <pwd.h>
#include <random>
#include <sstream>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace testing {

namespace fs = std::filesystem;

[[noreturn]] static void fail(char const* what)
{
    throw std::system_error(errno, std::generic_category(), what);
}

namespace {

/// The account of the child. It is determined before the fork, because only plain system calls are safe after
/// the fork.
struct Account {
    bool change = false;
    uid_t uid = 0;
    gid_t gid = 0;
};

} // namespace

static Account account_of(std::string const& user)
{
    if (user.empty() || geteuid() != 0) return {};
    passwd const* entry =
        getpwnam(user.c_str()); // NOLINT(concurrency-mt-unsafe): before any other thread calls it
    if (!entry) throw std::runtime_error("there is no account " + user);
    return {true, entry->pw_uid, entry->pw_gid};
}

static std::vector<char*> pointers(std::vector<std::string> const& texts)
{
    std::vector<char*> out;
    for (std::string const& text : texts)
        out.push_back(const_cast<char*>(text.c_str()));
    out.push_back(nullptr);
    return out;
}

static std::vector<std::string> environment_with(std::vector<std::string> const& extra)
{
    std::vector<std::string> out = extra;
    for (char** variable = environ; *variable; ++variable) {
        std::string_view const name(*variable, std::string_view(*variable).find('=') + 1);
        auto const same = [&](std::string const& given) { return given.starts_with(name); };
        if (std::ranges::none_of(extra, same)) out.emplace_back(*variable);
    }
    return out;
}

Process::Process(Options const& options)
{
    Account const account = account_of(options.user);
    std::vector<std::string> const environment = environment_with(options.environment);
    std::vector<char*> const argv = pointers(options.argv);
    std::vector<char*> const envp = pointers(environment);
    int const output = ::open(options.output.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (output < 0) fail(options.output.c_str());
    pid_t const parent = getpid();

    pid_ = fork();
    if (pid_ == 0) {
        dup2(output, STDOUT_FILENO);
        dup2(output, STDERR_FILENO);
        gid_t const group = account.gid;
        bool const changed = !account.change || (setgroups(1, &group) == 0 && setgid(account.gid) == 0 &&
                                                    setuid(account.uid) == 0 && chdir("/") == 0);
        // An inherited listening socket would accept connections that the child never answers.
        close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
        // PR_SET_PDEATHSIG is set after the change of account, because the change clears it. The parent may
        // have died before this call, so the id of the parent is checked.
        if (!changed || prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) _exit(126);
        execvpe(argv[0], argv.data(), envp.data());
        _exit(127);
    }
    ::close(output);
    if (pid_ < 0) fail("fork");
}

Process::~Process()
{
    if (pid_ < 0) return;
    signal(SIGKILL);
    wait();
}

Process& Process::operator=(Process&& other) noexcept
{
    std::swap(pid_, other.pid_);
    std::swap(status_, other.status_);
    return *this;
}

bool Process::running()
{
    return pid_ >= 0 && !wait(std::chrono::milliseconds(0));
}

void Process::signal(int number)
{
    if (pid_ >= 0) ::kill(pid_, number);
}

bool Process::wait(std::chrono::milliseconds limit)
{
    auto const deadline = std::chrono::steady_clock::now() + limit;
    while (pid_ >= 0) {
        int status = 0;
        pid_t const ended = waitpid(pid_, &status, WNOHANG);
        if (ended == pid_ || (ended < 0 && errno == ECHILD)) {
            status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
            pid_ = -1;
        } else if (std::chrono::steady_clock::now() >= deadline) {
            return false;
        } else {
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
    }
    return true;
}

/// Whether a socket could listen on the port now.
static bool is_free(unsigned short port)
{
    int const socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (socket < 0) fail("socket");
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_ANY);
    address.sin_port = htons(port);
    bool const bound = ::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    ::close(socket);
    return bound;
}

/// Reserves the port among the tests that run at the same time: the process that binds the socket with this
/// name has the port until it ends.
static bool reserve(unsigned short port)
{
    int const socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (socket < 0) fail("socket");
    std::string const name = "tetrad.test.port." + std::to_string(port);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::ranges::copy(name, address.sun_path + 1); // an abstract name begins with a zero byte
    auto const size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    if (::bind(socket, reinterpret_cast<sockaddr*>(&address), size) == 0) return true;
    ::close(socket);
    return false;
}

unsigned short free_port()
{
    // Below the ports that the system gives to outgoing connections. One of these could take the port before
    // the caller listens on it.
    constexpr unsigned short first = 10'000, last = 32'000;
    static std::mutex mutex;
    static std::mt19937 random(std::random_device{}());
    std::lock_guard const lock(mutex);
    std::uniform_int_distribution<unsigned> ports(first, last);
    for (int attempt = 0; attempt < 10'000; ++attempt) {
        auto const port = static_cast<unsigned short>(ports(random));
        if (reserve(port) && is_free(port)) return port;
    }
    throw std::runtime_error("no port is free");
}

/// Whether a directory such as `tetrad.1234.AbCdEf` belongs to a process that has ended.
static bool is_left_over(std::string const& name, std::string const& prefix)
{
    if (!name.starts_with(prefix + ".")) return false;
    long const pid = std::strtol(name.c_str() + prefix.size() + 1, nullptr, 10);
    return pid > 0 && ::kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH;
}

std::string folder_in_memory()
{
    constexpr std::uint64_t much = std::uint64_t{4} << 30;
    struct statvfs memory{};
    bool const has_room =
        ::statvfs("/dev/shm", &memory) == 0 && std::uint64_t{memory.f_bavail} * memory.f_frsize >= much;
    return has_room ? "/dev/shm" : "/tmp";
}

TemporaryDirectory::TemporaryDirectory(std::string const& prefix, std::string const& folder)
{
    std::error_code ignored;
    for (auto const& entry : fs::directory_iterator(folder, ignored)) {
        if (is_left_over(entry.path().filename(), prefix)) fs::remove_all(entry.path(), ignored);
    }
    path_ = folder + '/' + prefix + "." + std::to_string(getpid()) + ".XXXXXX";
    if (!mkdtemp(path_.data())) fail("mkdtemp");
}

TemporaryDirectory::~TemporaryDirectory()
{
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

std::string output_of(std::vector<std::string> const& argv, std::chrono::milliseconds limit)
{
    TemporaryDirectory const folder("output");
    std::string const file = folder.path() + "/output";
    Process process({.argv = argv, .output = file});
    bool const ended = process.wait(limit);
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    if (ended && process.status() == 0) return text.str();
    throw std::runtime_error(argv[0] + (ended ? " failed: " : " did not end in time: ") + text.str());
}

} // namespace testing
