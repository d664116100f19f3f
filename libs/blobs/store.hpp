#pragma once

#include "blobs/media_type.hpp"
#include "core/clock.hpp"
#include "core/id.hpp"
#include "core/scope.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace blobs {

namespace asio = boost::asio;

class LocalStore;
class DirectUploads;

/// Identifies a blob of an attachment. Blobs are never overwritten: each upload gets its own version, and the
/// attachment's row names the valid version.
struct Key {
    core::ScopeId scope_id{};
    core::Uuid attachment_id;
    std::string version; ///< letters and digits; empty if there is no version

    /// `<scope id>/<attachment id>`, followed by `.<version>` if there is one.
    std::string name() const;
};

/// A new random version of a blob.
std::string new_version();

/// What an upload URL allows: one body of exactly this length and type, until `expires`.
struct Upload {
    Key key; ///< without a version, which the store generates
    std::int64_t size_bytes = 0;
    std::string content_type;
    core::Time expires;
};

/// What a download URL allows: to fetch this blob, and save it under this name.
struct Download {
    Key key; ///< with its version
    std::int64_t size_bytes = 0;
    std::string content_type;
    std::string filename; ///< UTF-8 without control characters
    core::Time expires;
};

/// Stores blobs. Thread-safe; awaitables resume the caller on its own executor. If a store cannot be reached
/// or is full, its functions throw `core::Error` UNAVAILABLE. Destroy the store before the io_contexts of its
/// callers.
class BlobStore {
public:
    virtual ~BlobStore() = default;

    /// An absolute URL to which the bytes are PUT. `origin` is the scheme and authority with which the client
    /// reached the service (`https://demo.example.com`). Only stores whose URLs point to the service use
    /// `origin`. Does no I/O.
    virtual std::string upload_url(Upload const& upload, std::string_view origin) = 0;

    /// An absolute URL for fetching the bytes, which are served as an attachment (RFC 6266). Does no I/O.
    virtual std::string download_url(Download const& download, std::string_view origin) = 0;

    /// Removes all blobs of the attachment `keep.attachment_id` except the version `keep.version`. Does
    /// nothing if there are none. Blocking.
    virtual void erase_except(Key const& keep) = 0;

    /// Removes all blobs of a scope. Does nothing if there are none. Blocking.
    virtual void erase_scope(core::ScopeId scope_id) = 0;

    /// This store, if clients upload to it directly; null for others.
    virtual DirectUploads* direct_uploads() noexcept { return nullptr; }

    /// This store, if it takes uploads through the service; null for others.
    virtual LocalStore* local() noexcept { return nullptr; }
};

/// Properties of an upload.
struct Stat {
    std::int64_t size_bytes = 0;
    Content content;
    std::string tag; ///< the store's identifier of this content (ETag)
};

/// A store to which clients upload directly, so that the service must ask the store whether an upload exists.
class DirectUploads {
public:
    virtual ~DirectUploads() = default;

    /// The last upload to the attachment's upload URL; nullopt if there is none.
    virtual asio::awaitable<std::optional<Stat>> stat(Key key) = 0;

    /// Makes the upload that `stat` described permanent under a new version, and returns the version. A later
    /// PUT to the URL does not change the blob. Returns nullopt if the upload was replaced or removed since
    /// `stat`.
    virtual asio::awaitable<std::optional<std::string>> finalize(Key key, Stat stat) = 0;
};

} // namespace blobs
