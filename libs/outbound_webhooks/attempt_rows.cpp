#include "outbound_webhooks/attempt_rows.hpp"

#include "pg/row.hpp"

#include <algorithm>
#include <set>

namespace outbound_webhooks::store {

namespace {

using Results = std::vector<Result const*>;

Attempt read_attempt(pg::RowReader& r)
{
    Attempt a;
    a.key.scope_id = r.scope_id();
    a.key.delivery_id = r.uuid();
    a.pending = r.boolean();
    a.payload_bytes = static_cast<std::size_t>(r.integer());
    a.payload = r.optional_text();
    a.traceparent = r.optional_text();
    a.expires_at = r.time();
    a.webhook_exists = r.boolean();
    a.webhook_id = r.uuid();
    a.url = r.text();
    a.enabled = r.boolean();
    a.sealed_secret = r.text();
    a.sealed_previous = r.optional_text();
    return a;
}

DeliveryKey read_key(pg::RowReader& r)
{
    DeliveryKey key;
    key.scope_id = r.scope_id();
    key.delivery_id = r.uuid();
    return key;
}

template <class Member> pg::Param column(Results const& results, Member member)
{
    return pg::column(results, [&](Result const* result) { return pg::Param(member(*result)); });
}

pg::Param scopes(Results const& results)
{
    return column(results, [](Result const& r) { return r.key.scope_id; });
}

pg::Param deliveries(Results const& results)
{
    return column(results, [](Result const& r) { return r.key.delivery_id; });
}

pg::Param webhooks_of(Results const& results)
{
    return column(results, [](Result const& r) { return r.webhook_id; });
}

Results those_of(std::span<Result const* const> results, std::initializer_list<Result::Kind> kinds)
{
    Results out;
    for (auto const* result : results)
        if (std::ranges::find(kinds, result->kind) != kinds.end()) out.push_back(result);
    return out;
}

std::optional<std::int64_t> status_of(Result const& result)
{
    if (result.report.status == 0) return std::nullopt;
    return result.report.status;
}

/// Returns the deliveries that have failed, except deliveries that were reopened during the attempt.
std::vector<DeliveryKey> record_attempts(pg::Tx& tx, Results const& results)
{
    using Kind = Result::Kind;
    auto const status = [](Result const& r) {
        return r.kind == Kind::delivered ? "delivered" : r.kind == Kind::failed ? "failed" : "pending";
    };
    auto const rows = tx.run(R"(
        UPDATE webhook_deliveries d
        SET status = q.status, attempts = d.attempts + q.attempted, next_attempt_at = q.next_attempt_at,
            last_status = CASE q.status WHEN 'failed' THEN coalesce(q.last_status, d.last_status) ELSE q.last_status END,
            last_error = q.error,
            response_excerpt = CASE WHEN d.rewritten THEN NULL
                                    WHEN q.status = 'failed' THEN coalesce(q.excerpt, d.response_excerpt)
                                    ELSE q.excerpt END,
            delivered_at = coalesce(q.delivered_at, d.delivered_at)
        FROM unnest($1::bigint[], $2::uuid[], $3::text[], $4::int[], $5::timestamptz[], $6::int[], $7::text[],
                    $8::text[], $9::timestamptz[], $10::timestamptz[])
            AS q (scope_id, delivery_id, status, attempted, next_attempt_at, last_status, error, excerpt,
                  delivered_at, expires_at)
        WHERE d.scope_id = q.scope_id AND d.delivery_id = q.delivery_id
          AND (q.status <> 'failed' OR d.expires_at = q.expires_at)
        RETURNING d.scope_id, d.delivery_id, d.status = 'failed')",
        {scopes(results), deliveries(results), column(results, status),
            column(results, [](Result const& r) { return r.attempted ? 1 : 0; }),
            column(results,
                [](Result const& r) {
                    return r.kind == Kind::retry ? pg::Param(r.next_attempt_at) : pg::Param(nullptr);
                }),
            column(results, status_of), column(results, [](Result const& r) { return r.report.error; }),
            column(results, [](Result const& r) { return r.report.excerpt; }),
            column(results,
                [](Result const& r) {
                    return r.kind == Kind::delivered ? pg::Param(r.at) : pg::Param(nullptr);
                }),
            column(results, [](Result const& r) { return r.expires_at; })});
    std::vector<DeliveryKey> failed;
    for (auto const& row : rows) {
        pg::RowReader r(row);
        auto const key = read_key(r);
        if (r.boolean()) failed.push_back(key);
    }
    return failed;
}

void record_waits(pg::Tx& tx, Results const& results)
{
    tx.run(R"(
        UPDATE webhook_deliveries d
        SET next_attempt_at = q.next_attempt_at,
            expires_at = d.expires_at + (q.next_attempt_at - coalesce(d.next_attempt_at, q.next_attempt_at))
        FROM unnest($1::bigint[], $2::uuid[], $3::timestamptz[]) AS q (scope_id, delivery_id, next_attempt_at)
        WHERE d.scope_id = q.scope_id AND d.delivery_id = q.delivery_id)",
        {scopes(results), deliveries(results),
            column(results, [](Result const& r) { return r.next_attempt_at; })});
}

void remove(pg::Tx& tx, Results const& results)
{
    tx.run(R"(
        DELETE FROM webhook_deliveries d
        USING unnest($1::bigint[], $2::uuid[]) AS q (scope_id, delivery_id)
        WHERE d.scope_id = q.scope_id AND d.delivery_id = q.delivery_id)",
        {scopes(results), deliveries(results)});
}

/// Updates a webhook's row at most once per `acceptance_precision`. Locks the rows in the order of their
/// keys, so that two replicas do not deadlock.
void note_acceptance(pg::Tx& tx, Results const& delivered)
{
    core::Time at = core::Time::min();
    for (auto const* result : delivered)
        at = std::max(at, result->at);
    tx.run(R"(
        UPDATE webhooks w SET accepted_at = $3
        FROM (SELECT DISTINCT scope_id, webhook_id FROM unnest($1::bigint[], $2::uuid[]) AS q (scope_id, webhook_id)
              ORDER BY scope_id, webhook_id) AS q
        WHERE w.scope_id = q.scope_id AND w.webhook_id = q.webhook_id
          AND (w.accepted_at IS NULL OR w.accepted_at <= $4))",
        {scopes(delivered), webhooks_of(delivered), at, at - acceptance_precision});
}

void disable(pg::Tx& tx, Results const& failed)
{
    tx.run(R"(
        UPDATE webhooks w
        SET enabled = false, disabled_reason = q.reason, version = w.version + 1, updated_at = q.at
        FROM (SELECT DISTINCT ON (scope_id, webhook_id, url) *
              FROM unnest($1::bigint[], $2::uuid[], $3::text[], $4::text[], $5::timestamptz[], $6::timestamptz[])
                  AS q (scope_id, webhook_id, url, reason, at, not_since)
              ORDER BY scope_id, webhook_id, url, not_since DESC) AS q
        WHERE w.scope_id = q.scope_id AND w.webhook_id = q.webhook_id AND w.url = q.url AND w.enabled
          AND (w.accepted_at IS NULL OR w.accepted_at <= q.not_since))",
        {scopes(failed), webhooks_of(failed), column(failed, [](Result const& r) { return r.url; }),
            column(failed, [](Result const& r) { return r.disable_reason; }),
            column(failed, [](Result const& r) { return r.at; }), column(failed, [](Result const& r) {
                return r.disable == Disable::now ? core::Time::max()
                                                 : r.at - retry_window - acceptance_precision;
            })});
}

} // namespace

std::vector<Attempt> load_attempts(
    pg::Tx& tx, std::span<DeliveryKey const> keys, std::size_t payload_limit, core::Time now)
{
    auto const rows = tx.run(R"(
        SELECT d.scope_id, d.delivery_id, d.pending, d.bytes,
               CASE WHEN d.pending AND (d.bytes_so_far <= $4 OR d.bytes_so_far = d.bytes) THEN d.payload END,
               d.traceparent, d.expires_at, w.webhook_id IS NOT NULL, d.webhook_id, coalesce(w.url, ''),
               coalesce(w.enabled, false), coalesce(w.secret, ''),
               CASE WHEN w.previous_until > $3 THEN w.previous_secret END
        FROM (SELECT q.n, d.scope_id, d.delivery_id, d.status = 'pending' AS pending, d.payload, d.traceparent,
                     d.expires_at, d.webhook_id, octet_length(d.payload) AS bytes,
                     sum(octet_length(d.payload)) OVER (ORDER BY q.n) AS bytes_so_far
              FROM unnest($1::bigint[], $2::uuid[]) WITH ORDINALITY AS q (scope_id, delivery_id, n)
              JOIN webhook_deliveries d ON d.scope_id = q.scope_id AND d.delivery_id = q.delivery_id) AS d
        LEFT JOIN webhooks w ON w.scope_id = d.scope_id AND w.webhook_id = d.webhook_id
        ORDER BY d.n)",
        {pg::column(keys, [](DeliveryKey const& key) { return key.scope_id; }),
            pg::column(keys, [](DeliveryKey const& key) { return pg::Param(key.delivery_id); }), now,
            payload_limit});
    return pg::read_rows(rows, read_attempt);
}

std::optional<Attempt> load_test_attempt(
    pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& webhook_id, core::Time now)
{
    auto const rows = tx.run(R"(
        SELECT url, enabled, secret, CASE WHEN previous_until > $3 THEN previous_secret END
        FROM webhooks
        WHERE scope_id = $1 AND webhook_id = $2)",
        {scope_id, webhook_id, now});
    return pg::read_first(rows, [&](pg::RowReader& r) {
        Attempt a;
        a.key.scope_id = scope_id;
        a.webhook_exists = true;
        a.webhook_id = webhook_id;
        a.url = r.text();
        a.enabled = r.boolean();
        a.sealed_secret = r.text();
        a.sealed_previous = r.optional_text();
        return a;
    });
}

void record(pg::Tx& tx, std::span<Result const* const> results)
{
    using Kind = Result::Kind;
    std::set<std::pair<core::ScopeId, core::Uuid>> failed;
    if (auto const tried = those_of(results, {Kind::delivered, Kind::retry, Kind::failed}); !tried.empty()) {
        for (auto const& key : record_attempts(tx, tried))
            failed.emplace(key.scope_id, key.delivery_id);
    }
    if (auto const waiting = those_of(results, {Kind::waits}); !waiting.empty()) record_waits(tx, waiting);
    if (auto const removed = those_of(results, {Kind::removed}); !removed.empty()) remove(tx, removed);
    if (auto const accepted = those_of(results, {Kind::delivered}); !accepted.empty())
        note_acceptance(tx, accepted);
    auto disabling = those_of(results, {Kind::failed});
    std::erase_if(disabling, [&](Result const* r) {
        return r->disable == Disable::no || !failed.contains({r->key.scope_id, r->key.delivery_id});
    });
    if (!disabling.empty()) disable(tx, disabling);
}

} // namespace outbound_webhooks::store
