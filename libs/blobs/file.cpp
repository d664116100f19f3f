#include "blobs/file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace blobs {

namespace {

[[noreturn]] void fail(char const* what)
{
    throw std::system_error(errno, std::generic_category(), what);
}

} // namespace

File& File::operator=(File&& other) noexcept
{
    std::swap(fd_, other.fd_);
    return *this;
}

File::~File()
{
    close();
}

void File::close() noexcept
{
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

File File::create(std::filesystem::path const& path)
{
    int const fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) fail("creating a blob");
    return File(fd);
}

std::optional<File> File::open(std::filesystem::path const& path)
{
    int const fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd >= 0) return File(fd);
    if (errno == ENOENT) return std::nullopt;
    fail("opening a blob");
}

void File::write(std::string_view bytes)
{
    while (!bytes.empty()) {
        ssize_t const written = ::write(fd_, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) fail("writing a blob");
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}

std::string File::read(std::uint64_t offset, std::size_t count) const
{
    std::string bytes(count, '\0');
    std::size_t filled = 0;
    while (filled < count) {
        ssize_t const got =
            ::pread(fd_, bytes.data() + filled, count - filled, static_cast<off_t>(offset + filled));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) fail("reading a blob");
        if (got == 0) break;
        filled += static_cast<std::size_t>(got);
    }
    bytes.resize(filled);
    return bytes;
}

std::uint64_t File::size() const
{
    struct stat status{};
    if (::fstat(fd_, &status) != 0) fail("reading the size of a blob");
    return static_cast<std::uint64_t>(status.st_size);
}

void File::sync()
{
    if (::fsync(fd_) != 0) fail("syncing a blob");
}

void sync_folder(std::filesystem::path const& folder)
{
    int const fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) fail("opening a folder of blobs");
    int const result = ::fsync(fd);
    int const error = errno;
    ::close(fd);
    errno = error;
    if (result != 0) fail("syncing a folder of blobs");
}

void make_folders(std::filesystem::path const& root, std::filesystem::path const& below)
{
    std::filesystem::path folder = root;
    for (std::filesystem::path const& part : below) {
        std::filesystem::path const parent = folder;
        folder /= part;
        if (::mkdir(folder.c_str(), 0700) == 0) {
            sync_folder(parent);
        } else if (errno != EEXIST) {
            fail("creating a folder of blobs");
        }
    }
}

} // namespace blobs
