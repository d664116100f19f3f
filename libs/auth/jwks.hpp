#pragma once

#include "crypto/jwt.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace http_client {
class Client;
}

namespace auth {

namespace asio = boost::asio;

struct JwksOptions {
    std::chrono::milliseconds refresh{300'000}; ///< regular interval between fetches
    /// Minimum interval between fetches caused by unknown key ids.
    std::chrono::milliseconds min_refetch{10'000};
    std::chrono::milliseconds patience{3'000}; ///< how long one caller waits for a fetch
};

/// A JWK set (RFC 7517) that a background thread keeps up to date. If a fetch fails or returns a document
/// that is not a JWK set, the last valid set stays in use. The next fetch then follows after at most 5 s.
/// Thread-safe.
class Jwks {
public:
    /// Returns the document, or nullopt if the document is unchanged since the last call. Throws on failure.
    /// Runs on this object's thread and may block.
    using Fetch = std::function<std::optional<std::string>()>;
    /// Called for each failed fetch, on this object's thread. If the last document was not a JWK set, each
    /// later fetch that finds this document unchanged also counts as failed.
    using OnFailure = std::function<void(std::string const& what)>;

    /// Starts the first fetch at once, in the background.
    Jwks(Fetch fetch, JwksOptions options, OnFailure on_failure = {});
    ~Jwks();
    Jwks(Jwks const&) = delete;
    Jwks& operator=(Jwks const&) = delete;

    struct Snapshot {
        std::shared_ptr<crypto::JwkSet const> keys; ///< null until a fetch has succeeded
        /// Increases when the set changes. A token that was verified with an older generation must be
        /// verified again.
        std::uint64_t generation = 0;
    };

    Snapshot snapshot() const;

    /// The time since the source last returned a JWK set, even an unchanged one. If it never returned one,
    /// the time since this object was created.
    std::chrono::nanoseconds age() const;

    /// Whether a fetch is running, or may be started now for an unknown key id.
    bool may_refetch() const;

    /// If a fetch is running, waits for its end. Otherwise starts a fetch and waits for its end, or returns
    /// at once if `min_refetch` does not allow a fetch yet. Waits for at most `patience`. Resumes on the
    /// caller's executor.
    asio::awaitable<void> refetch();

    /// Ends the thread and resumes waiting callers. Call it once.
    void stop();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// A source that reads the file at `path`, and reads it again when the file's modification time, size or
/// inode has changed.
Jwks::Fetch jwks_from_file(std::string path);

/// A source that requests `url`, which must respond with 200 and the document; redirects are not followed.
/// `client` must outlive the source.
Jwks::Fetch jwks_from_url(http_client::Client& client, std::string url);

/// The options for `jwks_from_file`: the file is checked every second.
JwksOptions jwks_file_options();

} // namespace auth
