#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace blobs {

/// An open file. Everything blocks; failures are std::system_error.
class File {
public:
    File() = default;

    File(File&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

    File& operator=(File&& other) noexcept;
    ~File();

    /// A new file that only this account may read; one that exists already is an error.
    static File create(std::filesystem::path const& path);

    /// For reading; nullopt when there is none.
    static std::optional<File> open(std::filesystem::path const& path);

    void write(std::string_view bytes);

    /// Up to `count` bytes; fewer only at the end of the file.
    std::string read(std::size_t count);

    std::uint64_t size() const;

    /// On disk, contents and length.
    void sync();

    void close() noexcept;

private:
    explicit File(int fd) noexcept : fd_(fd) {}

    int fd_ = -1;
};

/// Puts a folder's entries on disk: what was made in it, renamed into it or removed from it.
void sync_folder(std::filesystem::path const& folder);

/// Makes a folder below `root`, which exists, with those on the way; the new ones are on disk.
void make_folders(std::filesystem::path const& root, std::filesystem::path const& below);

} // namespace blobs
