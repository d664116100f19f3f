#pragma once

#include "core/user_id.hpp"
#include "crypto/keyring.hpp"
#include "http/message.hpp"
#include "idempotency/record.hpp"
#include "pg/database.hpp"
#include "pg/migrate.hpp"

#include <boost/asio/awaitable.hpp>

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

/// `Idempotency-Key`: a request that is repeated with the same key is carried out once; repeats get the same
/// response.
namespace idempotency {

namespace asio = boost::asio;

/// Table `idempotency_keys`.
pg::Component const& migrations();

/// The value of an `Idempotency-Key` header: 1 to 255 visible ASCII characters. Otherwise throws
/// VALIDATION_ERROR that names the header.
std::string parse_key(std::string_view header);

/// The work of `once`: writes in the open transaction and returns the response. It may run again after a
/// rollback.
template <class Work>
concept Writes =
    std::invocable<Work&, pg::Tx&> && std::same_as<std::invoke_result_t<Work&, pg::Tx&>, http::Response>;

/// Runs `work` in one transaction that sees the request's scope. If the request has an Idempotency-Key and
/// the route is idempotent, the same transaction stores the response for 24 hours, for (scope, caller,
/// method, path, key). A repeat of the request:
///
/// - with the same query and body gets the stored response with `Idempotent-Replayed: true`; `work` does not
/// run;
/// - with another query or body throws IDEMPOTENCY_KEY_REUSED (422);
/// - while the first request is still in progress throws CONFLICT (409) with `Retry-After`.
///
/// Only 2xx responses are stored, with their ETag and Location. These responses must be JSON and not
/// streamed. An exception of `work` rolls everything back, so the next request with the key runs `work`
/// again. On a route without a tenant the scope is 0.
///
/// Bodies are stored in plain text. If a body contains a secret, pass `seal`, so that the body is stored
/// encrypted.
template <Writes Work>
asio::awaitable<http::Response> once(
    pg::Database& database, http::Request const& request, Work work, crypto::Keyring const* seal = nullptr)
{
    if (request.context.idempotency_key.empty()) {
        co_return co_await database.transact(request.scope(), std::move(work));
    }
    Record const record(request, seal);
    auto stored = [&record, &work](pg::Tx& tx) {
        if (auto replay = record.replay_or_lock(tx)) return std::move(*replay);
        http::Response response = work(tx);
        record.store(tx, response);
        return response;
    };
    co_return co_await database.transact(request.scope(), std::move(stored));
}

/// Deletes at most `limit` stored responses that the user got or that are about the user. Returns their
/// number. If it is less than `limit`, no such response is left.
std::size_t erase_user(pg::Tx& tx, core::ScopeId scope_id, core::UserId const& user_id, std::size_t limit);

/// Deletes at most `batch` stored responses older than 24 hours, of all scopes. Blocks. Returns true if there
/// may be more such responses. For a periodic task.
bool purge(pg::Database& database, std::size_t batch = 5'000);

} // namespace idempotency
