#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

namespace http {

/// Bytes that were read and not yet used, in one stretch of memory. Internal to the server.
class ReadBuffer {
public:
    std::string_view data() const noexcept { return {storage_.get() + begin_, end_ - begin_}; }

    bool empty() const noexcept { return begin_ == end_; }

    std::size_t capacity() const noexcept { return capacity_; }

    /// Where the next bytes go; `space_size()` of them fit, and `commit` says how many there are.
    char* space() noexcept { return storage_.get() + end_; }

    std::size_t space_size() const noexcept { return capacity_ - end_; }

    void commit(std::size_t size) noexcept { end_ += size; }

    /// The first `size` bytes are used. Views of them stay valid until the next change of the memory.
    void consume(std::size_t size) noexcept { begin_ += size; }

    void clear() noexcept { begin_ = end_ = 0; }

    /// Moves the bytes to the front of memory for at least `capacity` bytes in all. Answers the memory that
    /// they were in when it is another one, so that views of it can be moved as well.
    std::unique_ptr<char[]> make_room(std::size_t capacity);

    void append(std::string_view bytes);

    /// Keeps no more memory than the bytes need.
    void shrink();

private:
    std::unique_ptr<char[]> storage_;
    std::size_t capacity_ = 0;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
};

} // namespace http
