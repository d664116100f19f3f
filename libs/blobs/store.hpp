#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace blobs {

namespace asio = boost::asio;

class LocalStore;
class UnseenUploads;

/// Names what is stored for an attachment. Nothing that counts is ever overwritten: each upload that is taken
/// has a version of its own, and the attachment's row says which one it is.
struct Key {
    std::int64_t scope_id = 0;
    core::Uuid attachment_id;
    std::string version; ///< letters and digits; empty: of no version

    /// `<scope id>/<attachment id>`, followed by `.<version>` when there is one.
    std::string name() const;
};

/// What an upload address allows: one body of exactly this length and type, until then.
struct Upload {
    Key key; ///< of no version: the store makes it
    std::int64_t size_bytes = 0;
    std::string content_type;
    core::Time expires;
};

/// What a download address gives: this blob, to be saved under this name.
struct Download {
    Key key; ///< with its version
    std::int64_t size_bytes = 0;
    std::string content_type;
    std::string filename; ///< UTF-8 without control characters
    core::Time expires;
};

/// Where blobs are kept. Safe from any thread; the awaitables resume the caller on its own executor. A store
/// that cannot be reached or has no room is `core::Error` UNAVAILABLE. Destroyed before the io_contexts of
/// its callers.
class BlobStore {
public:
    virtual ~BlobStore() = default;

    /// An absolute address to which the bytes are PUT. `origin` is scheme and authority as the client reached
    /// the service (`https://demo.example.com`), for stores whose addresses lead back to it. Does no I/O.
    virtual std::string upload_url(Upload const& upload, std::string_view origin) = 0;

    /// An absolute address from which the bytes are fetched, answered as an attachment (RFC 6266). Does no
    /// I/O.
    virtual std::string download_url(Download const& download, std::string_view origin) = 0;

    /// Removes whatever was uploaded for the attachment except `keep`'s version, blocking. Nothing there is
    /// no error.
    virtual void erase_except(Key const& keep) = 0;

    /// Removes everything of a scope, blocking. Nothing there is no error.
    virtual void erase_scope(std::int64_t scope_id) = 0;

    /// The store as one whose uploads pass the service by; null for others.
    virtual UnseenUploads* unseen() noexcept { return nullptr; }

    /// The store as one that takes uploads through the service; null for others.
    virtual LocalStore* local() noexcept { return nullptr; }
};

/// What was PUT to an upload address.
struct Stat {
    std::int64_t size_bytes = 0;
    std::string head; ///< the first 16 bytes, or all of fewer
    std::string tag;  ///< the store's name for exactly these bytes
};

/// Uploads that the service has to ask about.
class UnseenUploads {
public:
    virtual ~UnseenUploads() = default;

    /// What was last PUT to the upload address of the attachment; nullopt when nothing was.
    virtual asio::awaitable<std::optional<Stat>> stat(Key key) = 0;

    /// Makes the upload that `stat` told of permanent, under a version of its own, which is returned: what is
    /// PUT to the address afterwards does not change it. nullopt when something else was PUT there meanwhile.
    virtual asio::awaitable<std::optional<std::string>> adopt(Key key, Stat stat) = 0;
};

} // namespace blobs
