#pragma once

#include "http/message.hpp"
#include "http/router.hpp"

#include <atomic>
#include <cstddef>
#include <memory>

namespace service {

/// Lets a few requests at once have large bodies, so that what this process holds in memory has a bound.
/// Small ones, and routes that take no more than others do (`RouteOptions::body_limit`), need no place. Safe
/// from any thread.
class LargeBodies {
public:
    /// In bytes: what is longer, or of a length that nobody has declared, is large.
    static constexpr std::size_t threshold = std::size_t{256} * 1024;

    explicit LargeBodies(std::size_t places) : free_(std::make_shared<std::atomic<std::size_t>>(places)) {}

    /// Before the body is read: a place for it, free again when the last copy of this is gone; null where
    /// none is needed. Throws UNAVAILABLE with Retry-After when all are taken.
    std::shared_ptr<void const> enter(http::RouteOptions const& route, http::BodyReader const& body) const;

private:
    std::shared_ptr<std::atomic<std::size_t>> free_;
};

} // namespace service
