#include "user_data/user_data.hpp"

#include "audit/audit.hpp"
#include "auth/erased_user_rows.hpp"
#include "auth/erased_users.hpp"
#include "core/error.hpp"
#include "core/wait.hpp"
#include "crypto/keyring.hpp"
#include "idempotency/once.hpp"
#include "jobs/queue.hpp"
#include "outbound_webhooks/outbound_webhooks.hpp"
#include "pg/database.hpp"

#include <array>
#include <stdexcept>
#include <utility>

namespace user_data {

namespace {

namespace rows = auth::erased_user_rows;
using Steady = std::chrono::steady_clock;

/// The tables of libraries. The audit log comes last, because the services' steps may write to it.
Step const shared_steps[] = {
    [](pg::Tx& tx, Erasure const& e, std::size_t limit) {
        return outbound_webhooks::erase_user(tx, e.scope.id, e.user_id, e.pseudonym.text(), limit);
    },
    [](pg::Tx& tx, Erasure const& e, std::size_t limit) {
        return idempotency::erase_user(tx, e.scope.id, e.user_id, limit);
    },
    [](pg::Tx& tx, Erasure const& e, std::size_t limit) {
        return audit::erase_user(tx, e.scope.id, e.user_id, e.pseudonym.text(), {}, limit);
    },
};

/// Identifies the encrypted id of a user (see crypto::Keyring).
std::string aad_of(core::ScopeId scope_id, core::Uuid const& erasure_id)
{
    return "erased_user:" + core::to_string(scope_id) + ":" + erasure_id.to_string();
}

/// Runs a step until no row is left.
asio::awaitable<void> run(
    pg::Database& database, Step const& step, Erasure const& erasure, Steady::time_point deadline)
{
    constexpr auto limit = UserData::rows_a_step;
    for (std::size_t done = limit; done >= limit;) {
        if (Steady::now() > deadline)
            throw core::Error::unavailable("The erasure of this user takes long and is not complete. Repeat "
                                           "the request to continue it.");
        done =
            co_await database.transact(erasure.scope, [&](pg::Tx& tx) { return step(tx, erasure, limit); });
    }
}

} // namespace

core::UserId new_pseudonym()
{
    return core::UserId("deleted:" + core::Uuid::v7().to_string());
}

asio::awaitable<void> UserData::erase(Erasure const& erasure)
{
    auto const deadline = Steady::now() + time_limit;
    for (Step const& step : steps_)
        co_await run(database_, step, erasure, deadline);
    for (Step const& step : shared_steps)
        co_await run(database_, step, erasure, deadline);
    for (Outside const& outside : outside_)
        co_await outside(erasure);
}

bool UserData::mark_deleted(pg::Tx& tx, Erasure const& erasure)
{
    auto const id = core::Uuid::v7();
    core::ScopeId const scope_id = erasure.scope.id;
    bool const first =
        rows::insert(tx, {.scope_id = scope_id,
                             .user_hash = rows::hash_of(scope_id, erasure.user_id.text()),
                             .erasure_id = id,
                             .sealed_user_id = keyring_.seal(erasure.user_id.text(), aad_of(scope_id, id)),
                             .refuse_until = clock_.now() + auth::refusal_time});
    if (first) jobs::enqueue(tx, sweep_queue, scope_id, id, jobs::now(tx) + auth::refusal_time);
    return first;
}

asio::awaitable<void> UserData::erase_deleted(Erasure const& erasure, std::function<void(pg::Tx&)> record)
{
    co_await database_.transact(erasure.scope, [&](pg::Tx& tx) {
        if (mark_deleted(tx, erasure)) record(tx);
    });
    co_await erase(erasure);
}

std::function<asio::awaitable<std::string>()> UserData::export_stream(
    core::Scope scope, core::UserId user_id) const
{
    auto visible = shows_both_environments_ ? pg::Scopes::of_tenant(scope.tenant_id()) : pg::Scopes(scope);
    auto source =
        std::make_shared<Export>(database_, std::move(scope), std::move(user_id), parts_, std::move(visible));
    return [source] { return source->next(); };
}

asio::awaitable<void> UserData::sweep(jobs::Claim const& claim)
{
    auto const pending = co_await database_.transact(
        pg::Scopes(), [&](pg::Tx& tx) { return rows::find_pending(tx, claim.ref); });
    if (!pending) co_return;
    auto user_id = keyring_.open(pending->sealed_user_id, aad_of(pending->scope_id, claim.ref));
    if (!user_id)
        throw std::runtime_error("the id of an erased user cannot be decrypted with the configured keys");
    co_await erase({.scope = {.id = pending->scope_id, .slug = {}},
        .user_id = core::UserId(std::move(*user_id)),
        .pseudonym = new_pseudonym()});
}

jobs::Handler UserData::sweep_handler(asio::any_io_executor io)
{
    return [this, io = std::move(io)](jobs::Claim& claim, std::stop_token const& /*stop*/) {
        core::wait(io, sweep(claim));
        return jobs::Outcome::done([ref = claim.ref](pg::Tx& tx) { rows::finish(tx, ref); });
    };
}

std::size_t reencrypt(pg::Tx& tx, core::Scope const& scope, crypto::Keyring const& keyring)
{
    std::size_t changed = 0;
    for (auto const& [erasure_id, sealed] : rows::lock_pending(tx, scope.id)) {
        if (keyring.is_current(sealed)) continue;
        auto const aad = aad_of(scope.id, erasure_id);
        auto const user_id = keyring.open(sealed, aad);
        if (!user_id)
            throw std::runtime_error("the id of an erased user cannot be decrypted with the configured keys");
        rows::reseal(tx, erasure_id, keyring.seal(*user_id, aad));
        ++changed;
    }
    return changed;
}

} // namespace user_data
