#pragma once

#include "blobs/address.hpp"
#include "blobs/store.hpp"
#include "core/workers.hpp"

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace blobs {

/// Blobs as files, `<scope id>/<2 hex digits>/<attachment id>.<version>` below one directory; uploads and
/// downloads go through the service under signed addresses (`/uploads/{token}`, `/downloads/{token}`). For
/// one machine, or for several that share a file system with atomic rename.
///
/// No part of a path comes from a request. A file is written under a name that ends in `.part`, synced and
/// renamed, and its folder synced, before anybody is told of it. What blocks runs on the store's own threads.
class LocalStore final : public BlobStore {
public:
    /// Makes `directory` when it is missing; throws std::filesystem::filesystem_error when it cannot. `clock`
    /// outlives the store.
    LocalStore(
        std::filesystem::path directory, Addresses addresses, core::Clock const& clock, unsigned threads = 4);

    std::string upload_url(Upload const& upload, std::string_view origin) override;
    std::string download_url(Download const& download, std::string_view origin) override;
    void erase_except(Key const& keep) override;
    void erase_scope(std::int64_t scope_id) override;

    LocalStore* local() noexcept override { return this; }

    /// What an address allows; nullopt when it is malformed, altered, of the other kind or past its time.
    std::optional<Upload> open_upload(std::string_view token) const;
    std::optional<Download> open_download(std::string_view token) const;

    /// A blob on its way in, used by one coroutine. Outlived by the store.
    class Incoming {
    public:
        Incoming(Incoming&&) noexcept = default;
        Incoming& operator=(Incoming&&) = delete;
        ~Incoming(); ///< leaves nothing behind that was not committed

        /// Appends. What is gathered goes to the file in pieces of 64 KiB, so memory stays flat.
        asio::awaitable<void> write(std::string_view bytes);

        /// Makes it durable and readable under `key()`.
        asio::awaitable<void> commit();

        /// Removes it, committed or not.
        asio::awaitable<void> discard();

        /// Its key, with the version that it alone has.
        Key const& key() const noexcept;

    private:
        friend class LocalStore;
        struct State;

        explicit Incoming(std::shared_ptr<State> state) noexcept : state_(std::move(state)) {}

        std::shared_ptr<State> state_;
    };

    /// Begins an upload for the attachment. Throws CONFLICT while another one is under way in this process.
    asio::awaitable<Incoming> receive(Key key);

    /// A blob on its way out, used by one coroutine at a time. Outlived by the store.
    class Outgoing {
    public:
        /// The next piece, 64 KiB at most; empty at the end.
        asio::awaitable<std::string> next() const;

    private:
        friend class LocalStore;
        struct State;

        explicit Outgoing(std::shared_ptr<State> state) noexcept : state_(std::move(state)) {}

        std::shared_ptr<State> state_;
    };

    /// Opens a blob; nullopt when it is not there, or has not `size_bytes` bytes.
    asio::awaitable<std::optional<Outgoing>> send(Key key, std::int64_t size_bytes);

private:
    std::filesystem::path folder(Key const& key) const; ///< below `directory_`

    /// The attachments that are being uploaded.
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
    Addresses const addresses_;
    core::Clock const& clock_;
    core::Workers workers_;
};

} // namespace blobs
