#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace blobs {

/// An open file. All functions block and throw std::system_error.
class File {
public:
    File() = default;

    File(File&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

    File& operator=(File&& other) noexcept;
    ~File();

    /// Creates a file that only the user of this process may read and write. Throws if the file exists.
    static File create(std::filesystem::path const& path);

    /// Opens a file for reading; nullopt if it does not exist.
    static std::optional<File> open(std::filesystem::path const& path);

    void write(std::string_view bytes);

    /// Reads up to `count` bytes at `offset`; fewer only at the end of the file.
    std::string read(std::uint64_t offset, std::size_t count) const;

    std::uint64_t size() const;

    /// Syncs content and length to disk.
    void sync();

    void close() noexcept;

private:
    explicit File(int fd) noexcept : fd_(fd) {}

    int fd_ = -1;
};

/// Syncs a folder's entries to disk: files that were created in it, renamed into it or removed from it.
void sync_folder(std::filesystem::path const& folder);

/// Creates the folder `root`/`below` and its missing parents. `root` must exist. Syncs new folders to disk.
void make_folders(std::filesystem::path const& root, std::filesystem::path const& below);

} // namespace blobs
