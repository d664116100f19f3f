#include "http_server/read_buffer.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace http_server {

std::unique_ptr<char[]> ReadBuffer::make_room(std::size_t capacity)
{
    std::size_t const size = end_ - begin_;
    std::unique_ptr<char[]> old;
    if (capacity > capacity_) {
        auto storage = std::make_unique_for_overwrite<char[]>(capacity);
        if (size > 0) std::memcpy(storage.get(), storage_.get() + begin_, size);
        old = std::exchange(storage_, std::move(storage));
        capacity_ = capacity;
    } else if (begin_ > 0 && size > 0) {
        std::memmove(storage_.get(), storage_.get() + begin_, size);
    }
    begin_ = 0;
    end_ = size;
    return old;
}

void ReadBuffer::shrink()
{
    std::string_view const kept = data();
    if (kept.size() == capacity_) return;
    ReadBuffer smaller;
    if (!kept.empty()) smaller.make_room(kept.size());
    smaller.append(kept);
    *this = std::move(smaller);
}

void ReadBuffer::append(std::string_view bytes)
{
    if (bytes.size() > space_size()) make_room(std::max(capacity_, end_ - begin_ + bytes.size()));
    if (bytes.empty()) return;
    std::memcpy(space(), bytes.data(), bytes.size());
    commit(bytes.size());
}

} // namespace http_server
