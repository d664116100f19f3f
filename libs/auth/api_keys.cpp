#include "auth/api_keys.hpp"

#include "auth/api_key_format.hpp"
#include "auth/api_key_rows.hpp"
#include "auth/api_key_usage.hpp"
#include "core/cache.hpp"
#include "core/hex.hpp"
#include "crypto/hash.hpp"
#include "pg/batcher.hpp"
#include "pg/database.hpp"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

namespace auth {

namespace {

/// A cached key. `marked_at` is the time of the last ApiKeyUsage::mark. One mark per second is enough, so
/// most requests do not take the lock of ApiKeyUsage.
struct Entry {
    ApiKey key;
    mutable std::atomic<std::int64_t> marked_at{std::numeric_limits<std::int64_t>::min()};
};

struct Refused {};

constexpr std::int64_t mark_every_us = 1'000'000;
constexpr std::size_t flush_batch = 500;

bool has_ended(ApiKey const& key, core::Time now)
{
    return key.expires_at && *key.expires_at <= now;
}

void check_kinds(std::vector<ApiKeyKind> const& kinds)
{
    std::set<std::string> prefixes;
    for (auto const& kind : kinds) {
        if (kind.prefix.size() < 2 || kind.prefix.size() > 4 || !prefixes.insert(kind.prefix).second)
            throw std::invalid_argument(
                "key prefixes must have 2 to 4 characters and differ from each other");
    }
}

} // namespace

struct ApiKeys::Impl {
    Impl(pg::Database& db, core::Clock const& c, ApiKeysOptions o, std::function<bool()> l)
        : database(db), clock(c), options(std::move(o)), live(std::move(l)),
          valid(options.cache_capacity, options.cache_ttl),
          refused(options.refused_capacity, options.cache_ttl), usage(options.usage_interval),
          lookup(db, &api_key_rows::find)
    {
    }

    ApiKeyKind const* kind_named(std::string_view name) const
    {
        for (auto const& kind : options.kinds)
            if (kind.name == name) return &kind;
        return nullptr;
    }

    /// The kind of key whose format `raw` has; null if `raw` has no such format.
    ApiKeyKind const* kind_of(std::string_view raw) const
    {
        for (auto const& kind : options.kinds)
            if (api_key_format::is_well_formed(raw, kind.prefix)) return &kind;
        return nullptr;
    }

    std::optional<ApiKey> admit(Entry const& entry)
    {
        core::Time const now = clock.now();
        if (has_ended(entry.key, now)) return std::nullopt;
        std::int64_t const us = now.time_since_epoch().count();
        std::int64_t last = entry.marked_at.load(std::memory_order_relaxed);
        bool const due = last == std::numeric_limits<std::int64_t>::min() || us - last >= mark_every_us;
        if (due && entry.marked_at.compare_exchange_strong(last, us, std::memory_order_relaxed))
            usage.mark(entry.key.scope_id, entry.key.prefix, now);
        return entry.key;
    }

    /// Caches the result of a look-up. If a notification arrived during the look-up, the result may be out of
    /// date and is not cached.
    void remember(crypto::Digest const& digest, std::shared_ptr<Entry const> entry, std::uint64_t seen)
    {
        std::lock_guard const lock(fill_mutex);
        if (generation.load(std::memory_order_relaxed) == seen) valid.put(digest, std::move(entry));
    }

    template <class Drop> void invalidate(Drop const& drop)
    {
        std::lock_guard const lock(fill_mutex);
        generation.fetch_add(1, std::memory_order_relaxed);
        drop();
    }

    void flush_loop(std::stop_token const& stop)
    {
        std::unique_lock lock(flush_mutex);
        while (!stop.stop_requested()) {
            flush_wake.wait_for(lock, stop, options.flush_interval, [] { return false; });
            if (stop.stop_requested()) return;
            lock.unlock();
            flush(false);
            lock.lock();
        }
    }

    std::size_t flush(bool all)
    {
        // One flush at a time. Otherwise two flushes could write the same use of a key.
        std::lock_guard const lock(writing_mutex);
        core::Time const now = clock.now();
        auto const uses = usage.due(now, all);
        std::size_t done = 0;
        for (std::size_t first = 0; first < uses.size(); first += flush_batch) {
            std::size_t const count = std::min(flush_batch, uses.size() - first);
            std::vector<api_key_rows::Use> const batch(uses.begin() + static_cast<std::ptrdiff_t>(first),
                uses.begin() + static_cast<std::ptrdiff_t>(first + count));
            if (!write(batch)) break;
            usage.written(batch, now);
            done += count;
        }
        return done;
    }

    bool write(std::vector<api_key_rows::Use> const& batch)
    {
        std::vector<core::ScopeId> scopes;
        for (auto const& use : batch)
            scopes.push_back(use.scope_id);
        try {
            database.transact_blocking(pg::Scopes::distinct(std::move(scopes)), [&](pg::Tx& tx) {
                api_key_rows::touch(tx, batch);
                return true;
            });
            return true;
        } catch (std::exception const&) {
            return false; // the uses are kept and written later
        }
    }

    pg::Database& database;
    core::Clock const& clock;
    ApiKeysOptions const options;
    std::function<bool()> const live;

    core::Cache<crypto::Digest, Entry> valid;
    core::Cache<crypto::Digest, Refused> refused;
    std::mutex fill_mutex;
    std::atomic<std::uint64_t> generation{0};

    ApiKeyUsage usage;
    pg::Batcher<crypto::Digest, std::optional<api_key_rows::Found>> lookup;

    std::mutex writing_mutex;
    std::mutex flush_mutex;
    std::condition_variable_any flush_wake;
    std::jthread flusher;
};

ApiKeys::ApiKeys(
    pg::Database& database, core::Clock const& clock, ApiKeysOptions options, std::function<bool()> live)
{
    check_kinds(options.kinds);
    impl_ = std::make_unique<Impl>(database, clock, std::move(options), std::move(live));
    if (impl_->options.flush_interval.count() > 0)
        impl_->flusher =
            std::jthread([impl = impl_.get()](std::stop_token const& stop) { impl->flush_loop(stop); });
}

ApiKeys::~ApiKeys() = default;

bool ApiKeys::is_candidate(std::string_view raw) const
{
    return impl_->kind_of(raw) != nullptr;
}

ApiKeys::Known ApiKeys::check(std::string_view raw)
{
    if (impl_->kind_of(raw) == nullptr) return {.decided = true};
    crypto::Digest const digest = crypto::sha256(raw);
    // A refused key never becomes valid again, so this cache needs no notifications.
    if (impl_->refused.find(digest)) return {.decided = true};
    if (!impl_->live()) return {};
    auto const entry = impl_->valid.find(digest);
    if (!entry) return {};
    return {.decided = true, .key = impl_->admit(*entry)};
}

asio::awaitable<std::optional<ApiKey>> ApiKeys::verify(std::string_view raw)
{
    Known known = check(raw);
    if (known.decided) co_return std::move(known.key);

    crypto::Digest const digest = crypto::sha256(raw);
    bool const live = impl_->live();
    std::uint64_t const seen = impl_->generation.load();
    auto found = co_await impl_->lookup.run(digest);
    ApiKeyKind const* const kind = found ? impl_->kind_named(found->kind) : nullptr;
    if (kind == nullptr) {
        impl_->refused.put(digest, std::make_shared<Refused const>());
        co_return std::nullopt;
    }
    auto entry = std::make_shared<Entry>();
    entry->key = {found->scope_id, std::move(found->prefix), kind->access, found->expires_at};
    if (live) impl_->remember(digest, entry, seen);
    co_return impl_->admit(*entry);
}

void ApiKeys::on_notify(std::string const& payload)
{
    auto const bytes = core::hex::decode(payload);
    crypto::Digest digest{};
    if (!bytes || bytes->size() != digest.size()) return on_gap();
    std::ranges::copy(*bytes, digest.begin());
    impl_->invalidate([&] { impl_->valid.erase(digest); });
}

void ApiKeys::on_gap()
{
    impl_->invalidate([&] { impl_->valid.clear(); });
}

std::size_t ApiKeys::flush_usage()
{
    return impl_->flush(false);
}

void ApiKeys::stop()
{
    if (impl_->flusher.joinable()) {
        impl_->flusher.request_stop();
        impl_->flusher.join();
    }
    impl_->flush(true);
}

std::vector<ApiKeyKind> const& ApiKeys::kinds() const noexcept
{
    return impl_->options.kinds;
}

pg::Database& ApiKeys::database() const noexcept
{
    return impl_->database;
}

core::Clock const& ApiKeys::clock() const noexcept
{
    return impl_->clock;
}

} // namespace auth
