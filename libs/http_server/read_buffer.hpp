#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

namespace http_server {

/// A contiguous buffer of bytes that were read and not consumed yet. Internal to the server.
class ReadBuffer {
public:
    std::string_view data() const noexcept { return {storage_.get() + begin_, end_ - begin_}; }

    bool empty() const noexcept { return begin_ == end_; }

    std::size_t capacity() const noexcept { return capacity_; }

    /// The free space: `space_size()` bytes. `commit` records how many bytes were written.
    char* space() noexcept { return storage_.get() + end_; }

    std::size_t space_size() const noexcept { return capacity_ - end_; }

    void commit(std::size_t size) noexcept { end_ += size; }

    /// Consumes the first `size` bytes. Views of them stay valid until the memory is moved or freed.
    void consume(std::size_t size) noexcept { begin_ += size; }

    void clear() noexcept { begin_ = end_ = 0; }

    /// Moves the bytes to the front of memory that holds at least `capacity` bytes. If new memory is
    /// allocated, returns the old memory, so that the caller can adjust its views.
    std::unique_ptr<char[]> make_room(std::size_t capacity);

    void append(std::string_view bytes);

    /// Frees memory that the bytes do not need.
    void shrink();

private:
    std::unique_ptr<char[]> storage_;
    std::size_t capacity_ = 0;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
};

} // namespace http_server
