#include "http/json_memory.hpp"

#include "core/error.hpp"

#include <boost/json/parser.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace http {

namespace {

namespace json = boost::json;

constexpr std::size_t depth = 32;
constexpr std::size_t smallest_chunk = 512;
constexpr std::size_t largest_chunk = std::size_t{64} * 1024;

/// Allocates from larger chunks, which are freed together.
class Arena final : public json::memory_resource {
public:
    Arena(std::size_t text_size, std::shared_ptr<BodyLease> lease)
        : lease_(std::move(lease)), limit_(json_tree_limit(text_size)),
          next_chunk_(std::clamp(text_size, smallest_chunk, largest_chunk))
    {
    }

    Arena(Arena const&) = delete;
    Arena& operator=(Arena const&) = delete;

    ~Arena() override
    {
        chunks_.clear();
        if (lease_) lease_->shrink(held_);
    }

private:
    void* do_allocate(std::size_t bytes, std::size_t alignment) override
    {
        if (bytes > limit_ - used_) throw too_dense();
        void* at = std::align(alignment, bytes, free_, free_size_);
        if (at == nullptr) {
            add_chunk(bytes + alignment);
            at = std::align(alignment, bytes, free_, free_size_);
        }
        free_ = static_cast<std::byte*>(at) + bytes;
        free_size_ -= bytes;
        used_ += bytes;
        return at;
    }

    void do_deallocate(void*, std::size_t, std::size_t) override {}

    bool do_is_equal(boost::container::pmr::memory_resource const& other) const noexcept override
    {
        return this == &other;
    }

    void add_chunk(std::size_t least)
    {
        std::size_t const size = std::max(least, next_chunk_);
        if (lease_) lease_->grow(size);
        held_ += size;
        chunks_.push_back(std::make_unique_for_overwrite<std::byte[]>(size));
        free_ = chunks_.back().get();
        free_size_ = size;
        next_chunk_ = std::min(2 * next_chunk_, largest_chunk);
    }

    core::Error too_dense() const
    {
        return {core::codes::payload_too_large,
            "The JSON document has too many small values. Its parsed form would need more than " +
                std::to_string(limit_) +
                " bytes of memory (8 times its length, at least 65536). Send fewer values in one request."};
    }

    std::shared_ptr<BodyLease> const lease_;
    std::size_t const limit_;
    std::size_t next_chunk_;
    std::size_t used_ = 0; ///< bytes allocated from the chunks
    std::size_t held_ = 0; ///< total size of the chunks
    std::vector<std::unique_ptr<std::byte[]>> chunks_;
    void* free_ = nullptr;
    std::size_t free_size_ = 0;
};

/// Heap memory that counts in a lease while it is allocated.
class CountedHeap final : public json::memory_resource {
public:
    explicit CountedHeap(BodyLease* lease) noexcept : lease_(lease) {}

private:
    void* do_allocate(std::size_t bytes, std::size_t alignment) override
    {
        if (lease_ != nullptr) lease_->grow(bytes);
        return ::operator new(bytes, std::align_val_t(alignment));
    }

    void do_deallocate(void* at, std::size_t bytes, std::size_t alignment) override
    {
        ::operator delete(at, bytes, std::align_val_t(alignment));
        if (lease_ != nullptr) lease_->shrink(bytes);
    }

    bool do_is_equal(boost::container::pmr::memory_resource const& other) const noexcept override
    {
        return this == &other;
    }

    BodyLease* lease_;
};

} // namespace

} // namespace http

namespace boost::json {

/// Lets Boost.JSON free a tree without visiting its values.
template <> struct is_deallocate_trivial<http::Arena> : std::true_type {};

} // namespace boost::json

namespace http {

json::storage_ptr json_memory(std::size_t text_size, std::shared_ptr<BodyLease> lease)
{
    return json::make_shared_resource<Arena>(text_size, std::move(lease));
}

json::value parse_json(std::string_view text, std::shared_ptr<BodyLease> const& lease)
{
    CountedHeap heap(lease.get());
    json::parse_options options;
    options.max_depth = depth;
    std::array<unsigned char, BOOST_JSON_STACK_BUFFER_SIZE> stack; // NOLINT: left uninitialised
    json::parser parser(&heap, options, stack.data(), stack.size());
    parser.reset(json_memory(text.size(), lease));
    json::error_code ec;
    parser.write(text.data(), text.size(), ec);
    if (ec)
        throw core::Error(core::codes::malformed_json, "The body is not valid JSON: " + ec.message() + ".");
    return parser.release();
}

} // namespace http
