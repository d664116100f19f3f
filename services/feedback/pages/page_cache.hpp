#pragma once

#include "core/cache.hpp"
#include "core/scope.hpp"
#include "http/message.hpp"

#include <boost/asio/awaitable.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace observe {
class Metrics;
}

namespace prometheus {
class Counter;
}

namespace feedback::pages {

namespace asio = boost::asio;

/// Pages for anonymous readers, kept for a few seconds, so that a busy board costs few queries. A page has no
/// data of the reader, and is the same for all.
///
/// A page is used for `lifetime`, and not after a change of its scope by this process (`changed`). One
/// request then makes it again. Until then, other requests get the old page, for at most another `lifetime`.
///
/// Memory: 32 parts of 64 pages of at most 48 KiB, and their compressed copies. A tenant's pages are in one
/// part, so a tenant can displace the pages of few others. Larger pages are made for each request, and
/// have no ETag.
/// Thread-safe.
class PageCache {
public:
    static constexpr std::chrono::seconds lifetime{3};
    static constexpr std::size_t max_page = std::size_t{48} * 1024;

    /// `metrics` must outlive this object.
    explicit PageCache(observe::Metrics& metrics);

    /// A coroutine that makes a response with status 200. It must live until the call has returned.
    using Render = std::function<asio::awaitable<http::Response>()>;

    /// The page `key` of the request's scope, with an ETag, or 304 if the request names this ETag. The page
    /// is compressed if the reader accepts gzip. The scope need not be in the key. Throws the errors of
    /// `render`.
    asio::awaitable<http::Response> serve(http::Request const& req, std::string key, Render const& render);

    /// A request has changed data of the scope.
    void changed(core::ScopeId scope) noexcept;

private:
    struct Page;
    using Part = core::Cache<std::string, Page>;

    std::atomic<std::uint32_t>& changes_of(core::ScopeId scope) noexcept;
    Part& part_of(core::Scope const& scope) noexcept;

    std::array<std::unique_ptr<Part>, 32> parts_;
    std::array<std::atomic<std::uint32_t>, 4096> changes_{}; ///< counters, each for several scopes
    prometheus::Counter& cached_;
    prometheus::Counter& made_;
};

} // namespace feedback::pages
