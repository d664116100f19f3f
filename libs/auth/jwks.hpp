#pragma once

#include "crypto/jwt.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace http {
class Client;
}

namespace auth {

namespace asio = boost::asio;

struct JwksOptions {
    std::chrono::milliseconds refresh{300'000};    ///< how often the source is asked without a cause
    std::chrono::milliseconds min_refetch{10'000}; ///< least time between fetches that unknown key ids cause
    std::chrono::milliseconds patience{3'000};     ///< how long one caller waits for a fetch
};

/// A JWK set (RFC 7517) kept up to date on a thread of its own. While its source fails, or has a document
/// that is no JWK set, the last good set stays in use and the source is asked again every few seconds. Safe
/// from any thread.
class Jwks {
public:
    /// Produces the document, or nullopt when it is the one that the last call produced; throws when it
    /// cannot. Runs on this object's thread and may block.
    using Fetch = std::function<std::optional<std::string>()>;
    /// Told of each failed fetch, on this object's thread: of a document that is no JWK set at every look.
    using OnFailure = std::function<void(std::string const& what)>;

    /// Begins to fetch at once, in the background.
    Jwks(Fetch fetch, JwksOptions options, OnFailure on_failure = {});
    ~Jwks();
    Jwks(Jwks const&) = delete;
    Jwks& operator=(Jwks const&) = delete;

    struct Snapshot {
        std::shared_ptr<crypto::JwkSet const> keys; ///< null until a fetch has worked
        std::uint64_t generation =
            0; ///< changes with the set; what was verified under another one no longer counts
    };

    Snapshot snapshot() const;

    /// How long ago the source last answered with a JWK set, the same one included; while it never has, how
    /// long it has been asked.
    std::chrono::nanoseconds age() const;

    /// Whether a fetch for an unknown key id is allowed now, or one is under way.
    bool may_refetch() const;

    /// Waits for the fetch under way, or for one that this causes if it is allowed; returns at once when it
    /// is not. Never longer than `patience`. Resumes on the caller's executor.
    asio::awaitable<void> refetch();

    /// Ends the thread; waiters resume. Once.
    void stop();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// A source that reads a file again whenever its modification time, size or inode changed.
Jwks::Fetch jwks_from_file(std::string path);

/// A source that asks `url`, which answers 200 with the document; no redirects. `client` outlives it.
Jwks::Fetch jwks_from_url(http::Client& client, std::string url);

/// Options for a file: looked at every second.
JwksOptions jwks_file_options();

} // namespace auth
