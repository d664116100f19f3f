#include "blobs/local_store.hpp"

#include "blobs/file.hpp"
#include "core/error.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace blobs {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t piece_size = std::size_t{64} * 1024;
constexpr unsigned store_threads = 4; ///< for blocking calls
constexpr std::string_view part_suffix = ".part";

// The type of a file is detected from the first piece.
static_assert(piece_size >= TypeDetector::head_size);

/// The name of a file in its folder. If `key` has no version, the result is the common prefix of all files of
/// the attachment.
std::string file_name(Key const& key)
{
    return key.attachment_id.to_string() + '.' + key.version;
}

/// Runs `work`. If the disk is full or too many files are open, throws UNAVAILABLE.
template <class Work> auto with_room(Work const& work)
{
    try {
        return work();
    } catch (std::system_error const& error) {
        int const value = error.code().value();
        if (value == ENOSPC || value == EDQUOT)
            throw core::Error::unavailable("The disk for uploads is full. Retry later.", 60);
        if (value == EMFILE || value == ENFILE)
            throw core::Error::unavailable("The server cannot open more files now. Retry later.");
        throw;
    }
}

} // namespace

bool LocalStore::Underway::enter(core::Uuid const& attachment_id)
{
    std::lock_guard const lock(mutex_);
    return ids_.insert(attachment_id).second;
}

void LocalStore::Underway::leave(core::Uuid const& attachment_id)
{
    std::lock_guard const lock(mutex_);
    ids_.erase(attachment_id);
}

struct LocalStore::Incoming::State {
    State(LocalStore& store, Key as, std::string type)
        : workers(store.workers_), underway(store.underway_), types(store.types_),
          folder(store.directory_ / store.folder(as)), key(std::move(as)), content_type(std::move(type)),
          entered(underway.enter(key.attachment_id))
    {
        if (!entered)
            throw core::Error(
                core::codes::conflict, "Another upload to this URL is running. Wait for its end.");
    }

    void leave() noexcept
    {
        if (std::exchange(entered, false)) underway.leave(key.attachment_id);
    }

    fs::path path() const { return folder / file_name(key); }

    fs::path part() const { return path() += part_suffix; }

    void flush()
    {
        if (!checked) require_media_type(types.detect(buffer), content_type);
        checked = true;
        with_room([this] { file.write(buffer); });
        buffer.clear();
    }

    void commit()
    {
        flush();
        with_room([this] {
            file.sync();
            file.close();
            fs::rename(part(), path());
            sync_folder(folder);
        });
    }

    void remove() noexcept
    {
        file.close();
        leave();
        std::error_code ignored; // files that cannot be removed now are removed by the expire job
        fs::remove(part(), ignored);
        fs::remove(path(), ignored);
    }

    core::ThreadPool& workers;
    Underway& underway;
    TypeDetector const& types;
    fs::path const folder;
    Key const key;
    std::string const content_type;
    bool checked = false; ///< whether the content fits `content_type`
    bool entered;         ///< whether the attachment is in `underway`
    File file;
    std::string buffer;
    bool done = true; ///< no file to remove: the upload was not started, was committed, or was discarded
};

LocalStore::Incoming::~Incoming()
{
    // Handlers commit or discard the blob on the store's threads. A file is left to remove here only if the
    // service shuts down during an upload, which destroys the coroutine.
    if (!state_) return;
    if (!state_->done) state_->remove();
    // The destructor of the state does not call `leave`, because the store's threads may release the state
    // later, and the next upload would get 409 until then.
    state_->leave();
}

Key const& LocalStore::Incoming::key() const noexcept
{
    return state_->key;
}

asio::awaitable<void> LocalStore::Incoming::write(std::string_view bytes)
{
    state_->buffer.append(bytes);
    if (state_->buffer.size() < piece_size) co_return;
    co_await state_->workers.run([state = state_] { state->flush(); });
}

asio::awaitable<void> LocalStore::Incoming::commit()
{
    co_await state_->workers.run([state = state_] { state->commit(); });
    state_->done = true;
}

asio::awaitable<void> LocalStore::Incoming::discard()
{
    co_await state_->workers.run([state = state_] { state->remove(); });
    state_->done = true;
}

struct LocalStore::Outgoing::State {
    State(core::ThreadPool& threads, File&& opened, std::uint64_t size)
        : workers(threads), file(std::move(opened)), left(size)
    {
    }

    std::string read()
    {
        auto piece = file.read(offset, std::min<std::uint64_t>(left, piece_size));
        offset += piece.size();
        left -= piece.size();
        return piece;
    }

    core::ThreadPool& workers;
    File const file;
    std::uint64_t offset = 0;
    std::uint64_t left;
};

void LocalStore::Outgoing::limit(std::uint64_t offset, std::uint64_t length) noexcept
{
    state_->offset = offset;
    state_->left = length;
}

asio::awaitable<std::string> LocalStore::Outgoing::next() const
{
    co_return co_await state_->workers.run([state = state_] { return state->read(); });
}

LocalStore::LocalStore(fs::path directory, UrlTokens url_tokens, core::Clock const& clock)
    : directory_(std::move(directory)), url_tokens_(std::move(url_tokens)), clock_(clock),
      workers_(store_threads)
{
    fs::create_directories(directory_);
}

fs::path LocalStore::folder(Key const& key) const
{
    // The last digits of a version 7 UUID are random, so folders fill evenly and stay small enough to list.
    std::string const id = key.attachment_id.to_string();
    return fs::path(core::to_string(key.scope_id)) / id.substr(id.size() - 2);
}

std::string LocalStore::upload_url(Upload const& upload, std::string_view origin)
{
    return std::string(origin) + "/uploads/" + url_tokens_.sign(upload);
}

std::string LocalStore::download_url(Download const& download, std::string_view origin)
{
    return std::string(origin) + "/downloads/" + url_tokens_.sign(download);
}

std::optional<Upload> LocalStore::verify_upload(std::string_view token) const
{
    return url_tokens_.verify_upload(token, clock_.now());
}

std::optional<Download> LocalStore::verify_download(std::string_view token) const
{
    return url_tokens_.verify_download(token, clock_.now());
}

asio::awaitable<LocalStore::Incoming> LocalStore::receive(Key key, std::string content_type)
{
    key.version = new_version();
    auto const state = std::make_shared<Incoming::State>(*this, key, std::move(content_type));
    Incoming incoming(state);
    co_await workers_.run([this, state, &key] {
        with_room([&] {
            make_folders(directory_, folder(key));
            state->file = File::create(state->part());
            state->done = false;
        });
    });
    co_return incoming;
}

asio::awaitable<std::optional<LocalStore::Outgoing>> LocalStore::send(Key key, std::int64_t size_bytes)
{
    fs::path const path = directory_ / folder(key) / file_name(key);
    auto const size = static_cast<std::uint64_t>(size_bytes);
    auto file = co_await workers_.run([&path] { return with_room([&path] { return File::open(path); }); });
    if (!file || file->size() != size) co_return std::nullopt;
    co_return Outgoing(std::make_shared<Outgoing::State>(workers_, std::move(*file), size));
}

void LocalStore::erase_except(Key const& keep)
{
    std::error_code error;
    fs::directory_iterator entries(directory_ / folder(keep), error);
    if (error == std::errc::no_such_file_or_directory) return;
    if (error) throw std::system_error(error, "listing a folder of blobs");

    Key const any{keep.scope_id, keep.attachment_id, {}};
    std::string const beginning = file_name(any);
    std::string const kept = keep.version.empty() ? std::string{} : file_name(keep);
    for (fs::directory_entry const& entry : entries) {
        std::string const name = entry.path().filename().string();
        if (name.starts_with(beginning) && name != kept) fs::remove(entry.path());
    }
}

void LocalStore::erase_scope(core::ScopeId scope_id)
{
    fs::remove_all(directory_ / core::to_string(scope_id));
}

} // namespace blobs
