#pragma once

#include "blobs/store.hpp"
#include "blobs/type_detector.hpp"
#include "blobs/url_tokens.hpp"
#include "core/scope.hpp"
#include "core/thread_pool.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace blobs {

/// Stores blobs as files `<scope id>/<2 hex digits>/<attachment id>.<version>` below one directory. Uploads
/// and downloads go through the service, with signed URLs (`/uploads/{token}`, `/downloads/{token}`). Use it
/// on one machine, or on several machines that share a file system with atomic rename.
///
/// Paths contain no text from requests. Before an upload is reported as complete, its file is written under a
/// name that ends in `.part`, synced and renamed, and the folder is synced. Blocking calls run on the store's
/// own threads.
class LocalStore final : public BlobStore {
public:
    /// Creates `directory` if it does not exist; throws std::filesystem::filesystem_error if that fails.
    /// `clock` must outlive the store.
    LocalStore(std::filesystem::path directory, UrlTokens url_tokens, core::Clock const& clock);

    std::string upload_url(Upload const& upload, std::string_view origin) override;
    std::string download_url(Download const& download, std::string_view origin) override;
    void erase_except(Key const& keep) override;
    void erase_scope(core::ScopeId scope_id) override;

    LocalStore* local() noexcept override { return this; }

    /// What a token allows; nullopt if the token is malformed or altered, was made for the other kind of URL,
    /// or has expired.
    std::optional<Upload> verify_upload(std::string_view token) const;
    std::optional<Download> verify_download(std::string_view token) const;

    /// A blob that is being uploaded, used by one coroutine. Must not outlive the store.
    class Incoming {
    public:
        Incoming(Incoming&&) noexcept = default;
        Incoming& operator=(Incoming&&) = delete;
        ~Incoming(); ///< removes the file unless it was committed

        /// Appends bytes. They are written in pieces of 64 KiB, so memory use is constant. `write` and
        /// `commit` throw VALIDATION_ERROR if the content does not fit the declared type
        /// (`require_media_type`).
        asio::awaitable<void> write(std::string_view bytes);

        /// Makes the blob durable and readable under `key()`.
        asio::awaitable<void> commit();

        /// Removes the blob, whether or not it was committed.
        asio::awaitable<void> discard();

        /// The key of the blob, with a unique version.
        Key const& key() const noexcept;

    private:
        friend class LocalStore;
        struct State;

        explicit Incoming(std::shared_ptr<State> state) noexcept : state_(std::move(state)) {}

        std::shared_ptr<State> state_;
    };

    /// Starts an upload for the attachment, whose declared type is an entry of `media_types`. Throws CONFLICT
    /// while another upload for the attachment runs in this process.
    asio::awaitable<Incoming> receive(Key key, std::string content_type);

    /// A blob that is being downloaded, used by one coroutine at a time. Must not outlive the store.
    class Outgoing {
    public:
        /// Limits the download to `length` bytes from `offset`. Call it before the first `next`.
        void limit(std::uint64_t offset, std::uint64_t length) noexcept;

        /// The next piece of at most 64 KiB; empty at the end, or if the file has become shorter.
        asio::awaitable<std::string> next() const;

    private:
        friend class LocalStore;
        struct State;

        explicit Outgoing(std::shared_ptr<State> state) noexcept : state_(std::move(state)) {}

        std::shared_ptr<State> state_;
    };

    /// Opens a blob; nullopt if it does not exist or does not have `size_bytes` bytes.
    asio::awaitable<std::optional<Outgoing>> send(Key key, std::int64_t size_bytes);

private:
    std::filesystem::path folder(Key const& key) const; ///< relative to `directory_`

    /// The attachments with a running upload.
    class Underway {
    public:
        bool enter(core::Uuid const& attachment_id);
        void leave(core::Uuid const& attachment_id);

    private:
        std::mutex mutex_;
        std::set<core::Uuid> ids_;
    };

    Underway underway_;
    std::filesystem::path const directory_;
    UrlTokens const url_tokens_;
    core::Clock const& clock_;
    TypeDetector types_;
    core::ThreadPool workers_;
};

} // namespace blobs
