#include "blobs/local_store.hpp"

#include "blobs/file.hpp"
#include "core/error.hpp"
#include "crypto/random.hpp"

#include <cerrno>
#include <system_error>

namespace blobs {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t piece_size = 64 * 1024;
constexpr std::size_t version_length = 16;
constexpr std::string_view part_suffix = ".part";

/// The name of a file in its folder; with no version the beginning that all files of the attachment share.
std::string file_name(Key const& key)
{
    return key.attachment_id.to_string() + '.' + key.version;
}

/// Runs `work`; a full disk is a state of the service, not a fault of it.
template <class Work> auto with_room(Work const& work)
{
    try {
        return work();
    } catch (std::system_error const& error) {
        int const value = error.code().value();
        if (value != ENOSPC && value != EDQUOT) throw;
        throw core::Error::unavailable("There is no room for uploads at the moment.", 60);
    }
}

} // namespace

struct LocalStore::Incoming::State {
    State(Workers& threads, fs::path in, Key as) : workers(threads), folder(std::move(in)), key(std::move(as))
    {
    }

    fs::path path() const { return folder / file_name(key); }

    fs::path part() const { return path() += part_suffix; }

    void flush()
    {
        with_room([this] { file.write(buffer); });
        buffer.clear();
    }

    void commit()
    {
        flush();
        with_room([this] { file.sync(); });
        file.close();
        fs::rename(part(), path());
        sync_folder(folder);
    }

    void remove() noexcept
    {
        file.close();
        std::error_code ignored; // what cannot be removed now goes when the attachment expires
        fs::remove(part(), ignored);
        fs::remove(path(), ignored);
    }

    Workers& workers;
    fs::path const folder;
    Key const key;
    File file;
    std::string buffer;
    bool done = false; ///< committed or discarded
};

LocalStore::Incoming::~Incoming()
{
    // Handlers commit or discard on the store's threads; only a coroutine that is destroyed in the middle,
    // when the service goes down, comes here with work to do.
    if (state_ && !state_->done) state_->remove();
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
    State(Workers& threads, File&& opened) : workers(threads), file(std::move(opened)) {}

    Workers& workers;
    File file;
};

asio::awaitable<std::string> LocalStore::Outgoing::next() const
{
    co_return co_await state_->workers.run([state = state_] { return state->file.read(piece_size); });
}

LocalStore::LocalStore(fs::path directory, Addresses addresses, core::Clock const& clock, unsigned threads)
    : directory_(std::move(directory)), addresses_(std::move(addresses)), clock_(clock), workers_(threads)
{
    fs::create_directories(directory_);
}

fs::path LocalStore::folder(Key const& key) const
{
    // The last digits of a version 7 UUID are random: folders fill evenly and stay small enough to list.
    std::string const id = key.attachment_id.to_string();
    return fs::path(std::to_string(key.scope_id)) / id.substr(id.size() - 2);
}

std::string LocalStore::upload_url(Upload const& upload, std::string_view origin)
{
    return std::string(origin) + "/uploads/" + addresses_.seal(upload);
}

std::string LocalStore::download_url(Download const& download, std::string_view origin)
{
    return std::string(origin) + "/downloads/" + addresses_.seal(download);
}

std::optional<Upload> LocalStore::open_upload(std::string_view token) const
{
    return addresses_.open_upload(token, clock_.now());
}

std::optional<Download> LocalStore::open_download(std::string_view token) const
{
    return addresses_.open_download(token, clock_.now());
}

asio::awaitable<LocalStore::Incoming> LocalStore::receive(Key key)
{
    key.version = crypto::random_base62(version_length);
    auto state = std::make_shared<Incoming::State>(workers_, directory_ / folder(key), key);
    co_await workers_.run([this, state, &key] {
        with_room([&] {
            make_folders(directory_, folder(key));
            state->file = File::create(state->part());
        });
    });
    co_return Incoming(std::move(state));
}

asio::awaitable<std::optional<LocalStore::Outgoing>> LocalStore::send(Key key, std::int64_t size_bytes)
{
    fs::path const path = directory_ / folder(key) / file_name(key);
    auto file = co_await workers_.run([&path] { return File::open(path); });
    if (!file || file->size() != static_cast<std::uint64_t>(size_bytes)) co_return std::nullopt;
    co_return Outgoing(std::make_shared<Outgoing::State>(workers_, std::move(*file)));
}

asio::awaitable<std::optional<std::string>> LocalStore::read(Key key, std::size_t limit)
{
    fs::path const path = directory_ / folder(key) / file_name(key);
    co_return co_await workers_.run([&path, limit]() -> std::optional<std::string> {
        auto file = File::open(path);
        if (!file || file->size() > limit) return std::nullopt;
        return file->read(file->size());
    });
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

void LocalStore::erase_scope(std::int64_t scope_id)
{
    fs::remove_all(directory_ / std::to_string(scope_id));
}

} // namespace blobs
