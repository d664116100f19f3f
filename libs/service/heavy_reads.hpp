#pragma once

#include "core/places.hpp"
#include "http/router.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace service {

namespace asio = boost::asio;

/// Lets a few expensive requests of each scope (searches, statistics, exports) run at once in this process,
/// so that no scope takes the database from the others. Who finds all places taken is told to come back. Safe
/// from any thread.
class HeavyReads {
public:
    explicit HeavyReads(std::size_t places);

    /// A place of the scope, free again when the last copy of this is gone. Throws RATE_LIMITED with
    /// Retry-After when there is none.
    std::shared_ptr<void const> enter(std::int64_t scope_id);

    /// The endpoint; what its `heavy` says is, takes a place until its handler and what that streams have
    /// ended.
    http::Endpoint guard(http::Endpoint endpoint);

private:
    core::Places places_;
};

} // namespace service
