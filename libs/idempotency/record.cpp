#include "idempotency/record.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "pg/row.hpp"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string_view>

namespace idempotency {

namespace {

constexpr std::string_view replayed_header = "Idempotent-Replayed";

/// Hashes the parts, each with its length before it, so that different lists of parts have different hashes.
crypto::Digest digest_of(std::initializer_list<std::string_view> parts)
{
    std::string text;
    for (std::string_view const part : parts) {
        text += std::to_string(part.size());
        text += ':';
        text += part;
    }
    return crypto::sha256(text);
}

/// The number of the PostgreSQL advisory lock for a key.
std::int64_t lock_of(core::ScopeId scope_id, crypto::Digest const& key)
{
    crypto::Digest const digest = digest_of({"idempotency", core::to_string(scope_id), crypto::view(key)});
    std::uint64_t lock = 0;
    for (std::size_t i = 0; i < sizeof lock; ++i)
        lock = lock << 8 | digest.at(i);
    return static_cast<std::int64_t>(lock);
}

std::optional<std::string> header(http::Response const& response, std::string_view name)
{
    for (auto const& [key, value] : response.headers)
        if (core::equal_ignoring_case(key, name)) return value;
    return std::nullopt;
}

std::string caller_of(core::Caller const& caller)
{
    return std::to_string(static_cast<unsigned>(caller.kind)) + ' ' + caller.id;
}

} // namespace

bool was_replayed(http::Response const& response) noexcept
{
    return std::ranges::any_of(
        response.headers, [](auto const& header) { return header.first == replayed_header; });
}

Record::Record(http::Request const& request, crypto::Keyring const* seal)
    : scope_id_(request.scope().id), key_(digest_of({caller_of(request.caller()), request.method_text,
                                         request.path, request.context.idempotency_key})),
      fingerprint_(digest_of({request.query, request.body})),
      user_id_(request.caller().is_jwt() ? request.caller().id : std::string()), seal_(seal)
{
}

std::optional<http::Response> Record::replay_or_lock(pg::Tx& tx) const
{
    auto const locked = tx.run("SELECT pg_try_advisory_xact_lock($1)", {lock_of(scope_id_, key_)});
    if (!pg::RowReader(locked.front()).boolean())
        throw core::Error(
            core::codes::conflict, "A request with this Idempotency-Key is still in progress. Retry later.")
            .header("Retry-After", "1");
    return replay(tx);
}

/// This statement is separate from the lock, because only a statement that begins after the lock was taken
/// sees the row that the previous holder of the lock has committed.
std::optional<http::Response> Record::replay(pg::Tx& tx) const
{
    auto const rows = tx.run(
        R"(
        SELECT fingerprint, status, etag, location, body, sealed
        FROM idempotency_keys
        WHERE scope_id = $1 AND key_hash = $2 AND created_at > clock_timestamp() - interval '24 hours')",
        {scope_id_, pg::Param::bytes(crypto::view(key_))});
    if (rows.empty()) return std::nullopt;
    pg::RowReader r(rows.front());
    if (r.bytes() != crypto::view(fingerprint_))
        throw core::Error(core::codes::idempotency_key_reused,
            "This Idempotency-Key was used for a request with another query or body. Use a new key.");
    http::Response response;
    response.status = static_cast<unsigned>(r.integer());
    auto etag = r.optional_text();
    auto location = r.optional_text();
    std::string body = r.text();
    response.body = r.boolean() ? unseal(body) : std::move(body);
    if (etag) response.headers.emplace_back("ETag", std::move(*etag));
    if (location) response.headers.emplace_back("Location", std::move(*location));
    response.headers.emplace_back(replayed_header, "true");
    return response;
}

void Record::store(pg::Tx& tx, http::Response const& response) const
{
    if (response.status < 200 || response.status > 299) return;
    // Overwrites a row that has expired but was not purged yet.
    tx.run(
        R"(
        INSERT INTO idempotency_keys (
            scope_id, key_hash, fingerprint, status, etag, location, body, sealed, user_id, about_user_id,
            created_at
        )
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, nullif($9, ''), nullif($10, ''), clock_timestamp())
        ON CONFLICT (scope_id, key_hash) DO UPDATE SET fingerprint = excluded.fingerprint,
            status = excluded.status, etag = excluded.etag, location = excluded.location,
            body = excluded.body, sealed = excluded.sealed, user_id = excluded.user_id,
            about_user_id = excluded.about_user_id, created_at = excluded.created_at)",
        {scope_id_, pg::Param::bytes(crypto::view(key_)), pg::Param::bytes(crypto::view(fingerprint_)),
            response.status, header(response, "ETag"), header(response, "Location"),
            seal_ == nullptr ? response.body : seal_->seal(response.body, sealed_for()), seal_ != nullptr,
            user_id_, response.about_user});
}

/// Throws if the response cannot be decrypted any more. In that case the work is not repeated, because it has
/// been done already.
std::string Record::unseal(std::string const& body) const
{
    auto opened = seal_ == nullptr ? std::nullopt : seal_->open(body, sealed_for());
    if (!opened)
        throw core::Error(core::codes::conflict,
            "The stored response for this Idempotency-Key can no longer be decrypted. "
            "Check the result of the first request, then use a new key.");
    return std::move(*opened);
}

std::string Record::sealed_for() const
{
    return "idempotency:" + core::to_string(scope_id_) + ":" + std::string(crypto::view(key_));
}

} // namespace idempotency
