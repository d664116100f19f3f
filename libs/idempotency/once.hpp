#pragma once

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

/// `Idempotency-Key`: a request that is repeated with the same key is carried out once and answered alike.
namespace idempotency {

namespace asio = boost::asio;

/// Table `idempotency_keys`.
pg::Component const& migrations();

/// The value of an `Idempotency-Key` header: 1 to 255 visible ASCII characters. Throws VALIDATION_ERROR
/// naming the header otherwise.
std::string parse_key(std::string_view header);

/// What `once` runs: writes in the open transaction and says how to answer. It may run again after a
/// rollback.
template <class Work>
concept Writes =
    std::invocable<Work&, pg::Tx&> && std::same_as<std::invoke_result_t<Work&, pg::Tx&>, http::Response>;

/// Runs `work` in one transaction that sees the request's scope. When the request has an Idempotency-Key (and
/// the route honours it), the answer is kept in that transaction for 24 hours, for (scope, caller, method,
/// path, key):
///
/// - repeated with the same query and body, it is answered again with `Idempotent-Replayed: true` and `work`
/// does not run;
/// - with another one: IDEMPOTENCY_KEY_REUSED (422);
/// - while the first is still under way: CONFLICT (409) with `Retry-After`.
///
/// Only 2xx answers are kept, with their ETag and Location; they are JSON and not streamed. What `work`
/// throws rolls everything back, so that the next try is a first one. On a route without a tenant the
/// operator's own scope 0 is used.
///
/// Answers are stored as they are: when one holds a secret, pass `seal`, and its body is stored encrypted.
template <Writes Work>
asio::awaitable<http::Response> once(
    pg::Database& database, http::Request const& request, Work work, crypto::Keyring const* seal = nullptr)
{
    if (request.context.idempotency_key.empty()) {
        co_return co_await database.transact(request.scope(), std::move(work));
    }
    Record const record(request, seal);
    auto kept = [&record, &work](pg::Tx& tx) {
        if (auto replay = record.claim(tx)) return std::move(*replay);
        http::Response response = work(tx);
        record.keep(tx, response);
        return response;
    };
    co_return co_await database.transact(request.scope(), std::move(kept));
}

/// Deletes at most `batch` answers whose 24 hours are over, of all scopes, blocking: a step of a periodic
/// task. True: there may be more.
bool purge(pg::Database& database, std::size_t batch = 5'000);

} // namespace idempotency
