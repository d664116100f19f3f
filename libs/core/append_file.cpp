#include "core/append_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace core {

namespace {

std::error_code last_error()
{
    return {errno, std::generic_category()};
}

std::error_code lock(int file)
{
    while (::flock(file, LOCK_EX) != 0)
        if (errno != EINTR) return last_error();
    return {};
}

std::error_code write_all(int file, std::string_view text)
{
    while (!text.empty()) {
        auto const written = ::write(file, text.data(), text.size());
        if (written > 0)
            text.remove_prefix(static_cast<std::size_t>(written));
        else if (errno != EINTR)
            return last_error();
    }
    return {};
}

std::error_code append(int file, std::string_view text)
{
    if (auto const error = lock(file)) return error;
    struct stat before{};
    if (::fstat(file, &before) != 0) return last_error();
    auto const error = write_all(file, text);
    // A device has no size to restore.
    if (error && S_ISREG(before.st_mode) && ::ftruncate(file, before.st_size) != 0) return last_error();
    return error;
}

} // namespace

std::error_code append_to_file(std::string const& path, std::string_view text)
{
    int const file = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (file < 0) return last_error();
    auto const error = append(file, text);
    ::close(file); // also ends the lock
    return error;
}

} // namespace core
