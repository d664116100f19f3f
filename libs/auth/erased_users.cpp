#include "auth/erased_users.hpp"

#include "auth/erased_user_rows.hpp"
#include "core/hex.hpp"
#include "crypto/hash.hpp"
#include "pg/batcher.hpp"
#include "pg/database.hpp"

#include <algorithm>
#include <exception>
#include <map>
#include <mutex>
#include <shared_mutex>

namespace auth {

namespace {

using erased_user_rows::Refusal;

using Steady = std::chrono::steady_clock;
using namespace std::chrono_literals;

} // namespace

struct ErasedUsers::Impl {
    Impl(pg::Database& db, core::Clock const& c, std::function<bool()> l, ErasedUsersOptions const& o)
        : database(db), clock(c), live(std::move(l)), options(o),
          look_ups(db, &erased_user_rows::find_refusals)
    {
    }

    std::optional<bool> check(core::ScopeId scope_id, std::string_view user_id)
    {
        if (!live()) return std::nullopt;
        std::shared_lock const lock(mutex);
        if (!complete) return std::nullopt;
        if (refused.empty()) return false; // usual, so most requests compute no hash
        auto const it = refused.find(erased_user_rows::hash_of(scope_id, user_id));
        return it != refused.end() && it->second > clock.now();
    }

    /// Reads all users whose tokens are refused, unless another caller is reading them. If an erasure is
    /// announced during the read, the result may lack the erased user and is discarded.
    asio::awaitable<void> load()
    {
        std::uint64_t before = 0;
        {
            std::unique_lock const lock(mutex);
            if (complete || loading || Steady::now() < next_load) co_return;
            loading = true;
            next_load = Steady::now() + 1s;
            before = changes;
        }
        std::optional<std::vector<Refusal>> rows;
        try {
            rows = co_await database.read(pg::Scopes(), [this](pg::Tx& tx) {
                return erased_user_rows::list_refused(tx, clock.now(), options.capacity + 1);
            });
        } catch (std::exception const&) { // NOLINT(bugprone-empty-catch): a later call reads them
        }
        std::unique_lock const lock(mutex);
        loading = false;
        if (rows && rows->size() > options.capacity) next_load = Steady::now() + 1min;
        if (!rows || changes != before || rows->size() > options.capacity) co_return;
        refused.clear();
        for (auto const& [hash, until] : *rows)
            refused.emplace(hash, until);
        complete = true;
    }

    void forget()
    {
        ++changes;
        complete = false;
        refused.clear();
    }

    pg::Database& database;
    core::Clock const& clock;
    std::function<bool()> const live;
    ErasedUsersOptions const options;
    pg::Batcher<crypto::Digest, std::optional<core::Time>> look_ups;

    std::shared_mutex mutex;                      ///< protects the following members
    std::map<crypto::Digest, core::Time> refused; ///< until when the user's tokens are refused
    bool complete = false;                        ///< whether `refused` has all users
    bool loading = false;
    Steady::time_point next_load; ///< the earliest time of the next call of `load` that reads
    std::uint64_t changes = 0;    ///< number of notifications and gaps
};

ErasedUsers::ErasedUsers(
    pg::Database& database, core::Clock const& clock, std::function<bool()> live, ErasedUsersOptions options)
    : impl_(std::make_unique<Impl>(database, clock, std::move(live), options))
{
}

ErasedUsers::~ErasedUsers() = default;

std::optional<bool> ErasedUsers::check(core::ScopeId scope_id, std::string_view user_id)
{
    return impl_->check(scope_id, user_id);
}

asio::awaitable<bool> ErasedUsers::contains(core::ScopeId scope_id, std::string_view user_id)
{
    if (auto const known = impl_->check(scope_id, user_id)) co_return *known;
    if (impl_->live()) co_await impl_->load();
    auto const until = co_await impl_->look_ups.run(erased_user_rows::hash_of(scope_id, user_id));
    co_return until && *until > impl_->clock.now();
}

void ErasedUsers::on_notify(std::string const& payload)
{
    auto const bytes = core::hex::decode(payload);
    crypto::Digest hash{};
    if (!bytes || bytes->size() != hash.size()) return on_gap();
    std::ranges::copy(*bytes, hash.begin());
    std::unique_lock const lock(impl_->mutex);
    ++impl_->changes;
    if (!impl_->complete) return;
    core::Time const now = impl_->clock.now();
    auto& refused = impl_->refused;
    if (refused.size() >= impl_->options.capacity)
        std::erase_if(refused, [now](auto const& entry) { return entry.second <= now; });
    if (refused.size() >= impl_->options.capacity) return impl_->forget();
    refused.insert_or_assign(hash, now + refusal_time);
}

void ErasedUsers::on_gap()
{
    std::unique_lock const lock(impl_->mutex);
    impl_->forget();
}

} // namespace auth
