#include "storage/event_archive.hpp"

#include "core/fields.hpp"
#include "pg/row.hpp"
#include "pg/sql.hpp"
#include "storage/event_claims.hpp"
#include "storage/event_pages.hpp"
#include "storage/event_rows.hpp"
#include "storage/event_users.hpp"
#include "storage/payment_references.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace billing::event_archive {

namespace {

/// The parts of a list's statement that do not depend on its source. The condition is one on row `v`.
struct ListParts {
    std::string condition, position, limit;
};

ListParts list_parts(pg::ParamList& params, Filter const& filter, paging::PageRequest const& asked)
{
    ListParts parts;
    if (filter.type) parts.condition += " AND v.type = " + params.add(*filter.type);
    if (filter.result) parts.condition += " AND v.result = " + params.add(to_string(*filter.result));
    // With the condition of the index as a constant, a plan for any parameters can use the index, too.
    if (filter.result && *filter.result != EventResult::applied)
        parts.condition += " AND v.result <> 'applied'";
    if (filter.event_after) parts.condition += " AND v.event_at >= " + params.add(*filter.event_after);
    if (filter.event_before) parts.condition += " AND v.event_at < " + params.add(*filter.event_before);
    parts.position = "(" + params.add(paging::time_of(asked.after)) + "::timestamptz, " +
                     params.add(paging::id_of(asked.after)) + "::uuid)";
    parts.limit = params.add(asked.rows()) + "::bigint";
    return parts;
}

/// Ends a statement for a page of a list that is ordered by the keys of row `key`.
std::string select_page(ListParts const& parts, std::string const& key)
{
    return parts.condition + " AND (" + key + ".received_at, " + key + ".archive_id) < " + parts.position +
           " ORDER BY " + key + ".received_at DESC, " + key + ".archive_id DESC LIMIT " + parts.limit;
}

/// The statement for a page of the events of scope $1. `user`: a condition on row `v`, or empty.
std::string select_own(ListParts const& parts, std::string const& user = {})
{
    return "SELECT v.* FROM events v WHERE v.scope_id = $1" + user + select_page(parts, "v");
}

/// The statement for a page of the events of scope $1 that name the user in parameter `user`, but belong to
/// another user or to none.
std::string select_named(ListParts const& parts, std::string const& user)
{
    static constexpr auto of_user = pg::sql<event_pages::keyed_event>(R"(
        SELECT v.*
        FROM event_users m
        CROSS JOIN {keyed_event} AS v
        WHERE m.scope_id = $1 AND m.user_id = )");
    return std::string(of_user) + user + " AND v.user_id IS DISTINCT FROM m.user_id" +
           select_page(parts, "m");
}

/// The statement for the rows of a page. Its text depends only on which filters are set.
std::string select_rows(pg::ParamList& params, Filter const& filter, paging::PageRequest const& asked)
{
    auto const parts = list_parts(params, filter, asked);
    if (filter.named_user) return select_named(parts, params.add(*filter.named_user));
    if (filter.user_id) return select_own(parts, " AND v.user_id = " + params.add(*filter.user_id));
    if (!filter.about_user) return select_own(parts);
    // An event is in one of the two lists, never in both. Each list is read in the order of its index.
    auto const user = params.add(*filter.about_user);
    return "(" + select_own(parts, " AND v.user_id = " + user) + ") UNION ALL (" + select_named(parts, user) +
           ") ORDER BY received_at DESC, archive_id DESC LIMIT " + parts.limit;
}

/// Reads the rows of a list. The column after the columns of `read` says whether the event fits into the
/// page. If the event does not fit, its payload is empty.
pg::Rows run_list(
    pg::Tx& tx, core::Scope const& scope, Filter const& filter, paging::PageRequest const& asked)
{
    pg::ParamList params{scope.id};
    auto const rows = select_rows(params, filter, asked);
    std::string const fits = "v.before < " + params.add(page_bytes) + "::bigint";
    std::string sql =
        "SELECT " + std::string(fields) + " CASE WHEN " + fits + " THEN v.payload ELSE '' END, " + fits;
    sql += R"(
        FROM (
            SELECT r.*,
                coalesce(sum(octet_length(r.payload)) OVER (
                    ORDER BY r.received_at DESC, r.archive_id DESC
                    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
                ), 0) AS before
            FROM ()" +
           rows + R"() AS r
        ) AS v
        ORDER BY v.received_at DESC, v.archive_id DESC)";
    return tx.run(sql, params);
}

/// The possible claims of an event with this id.
std::vector<std::string> claims_of(std::string const& event_id)
{
    std::vector<std::string> claims;
    for (auto const provider : {Provider::purchases, Provider::payments})
        claims.push_back(event_claims::claim_of(provider, event_id).to_string());
    if (auto const own = core::Uuid::parse(event_id)) claims.push_back(own->to_string());
    return claims;
}

/// The event with one of the claims.
std::optional<ArchivedEvent> find_one_of(
    pg::Tx& tx, core::ScopeId scope_id, std::vector<std::string> const& claims)
{
    auto const result = tx.run(pg::sql<columns, event_pages::keyed_event>(R"(
        SELECT {columns}
        FROM unnest($2::uuid[]) AS k(claim)
        CROSS JOIN LATERAL (
            SELECT *
            FROM event_claims x
            WHERE x.scope_id = $1 AND x.claim = k.claim
            LIMIT 1
        ) AS m
        CROSS JOIN {keyed_event} AS v)"),
        {scope_id, claims});
    return pg::read_first(result, read);
}

} // namespace

bool ArchivedEvent::is_json() const
{
    return result != EventResult::rejected || parse_document(payload);
}

std::uint64_t Filter::hash() const
{
    return paging::FilterHash()
        .add("list", "events")
        .add("type", type)
        .add("result", result)
        .add("userId", user_id)
        .add("namedUser", named_user)
        .add("aboutUser", about_user)
        .add("eventAfter", event_after)
        .add("eventBefore", event_before)
        .value();
}

std::string payload_of(std::string const& body)
{
    if (core::is_utf8(body) && body.find('\0') == std::string::npos) return body;
    constexpr std::string_view replacement = "\xEF\xBF\xBD";
    std::string payload;
    for (std::size_t at = 0; at < body.size();) {
        std::size_t length = 1; // bytes of the character at this position
        while (length <= 4 && !core::is_utf8(std::string_view(body).substr(at, length)))
            ++length;
        bool const fits = length <= 4 && body[at] != '\0';
        payload += fits ? std::string_view(body).substr(at, length) : replacement;
        at += fits ? length : 1;
    }
    return payload;
}

std::vector<core::UserId> other_users(NewEvent const& row)
{
    auto users = row.named_users;
    std::erase_if(users, [&](core::UserId const& id) { return row.user_id == id; });
    return users;
}

core::Time now(pg::Tx& tx)
{
    auto const result = tx.run("SELECT clock_timestamp()");
    return pg::read_first(result, &pg::RowReader::time).value();
}

std::optional<Event> event_of(ArchivedEvent const& archived)
{
    auto const document = parse_document(archived.payload);
    if (!document) return std::nullopt;
    auto parsed = parse_event(archived.provider, *document);
    if (!parsed.faults.empty()) return std::nullopt;
    parsed.event.set_received_at(archived.received_at);
    return std::move(parsed.event);
}

void insert_waiting(pg::Tx& tx, core::ScopeId scope_id, std::string const& subscription_id,
    event_users::EventKey const& event)
{
    // The claim gets the latest row's id and time, so that the claim is dropped together with the last
    // waiting event.
    tx.run(R"(
        INSERT INTO event_claims AS c (scope_id, claim, archive_id, received_at)
        VALUES ($1, $2, $3, $4)
        ON CONFLICT (scope_id, claim) DO UPDATE SET archive_id = excluded.archive_id,
            received_at = excluded.received_at)",
        {scope_id, event_claims::claim_of_waiting(subscription_id), event.archive_id, event.received_at});
}

void insert(pg::Tx& tx, core::ScopeId scope_id, NewEvent const& row)
{
    tx.run("INSERT INTO event_claims (scope_id, claim, archive_id, received_at) VALUES ($1, $2, $3, $4)",
        {scope_id, row.claim, row.archive_id, row.received_at});
    tx.run(R"(
        INSERT INTO events (
            scope_id, received_at, archive_id, provider, event_id, type, result, reason, user_id,
            subject, event_at, payload, erased_at, is_filed
        )
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, true))",
        {scope_id, row.received_at, row.archive_id, to_string(row.provider), row.event_id, row.type,
            to_string(row.outcome.result), row.outcome.stored_reason(), row.user_id, row.subscription_id,
            row.event_at, row.payload, row.is_erased ? std::optional(row.received_at) : std::nullopt});
    std::vector<event_users::Filing> filings;
    for (auto& user : other_users(row))
        filings.push_back({{row.archive_id, row.received_at}, std::move(user)});
    event_users::insert(tx, scope_id, filings);
    PaymentNode node = row.node;
    node.archive_id = row.archive_id;
    node.received_at = row.received_at;
    payment_references::insert(tx, scope_id, node);
    if (row.outcome.result == EventResult::deferred)
        tx.run("INSERT INTO deferred_events (scope_id, received_at, archive_id) VALUES ($1, $2, $3)",
            {scope_id, row.received_at, row.archive_id});
    if (row.outcome.reason == awaiting_subscription)
        insert_waiting(tx, scope_id, *row.subscription_id, {row.archive_id, row.received_at});
}

paging::Page<ArchivedEvent> list(
    pg::Tx& tx, core::Scope const& scope, Filter const& filter, paging::PageRequest asked)
{
    std::size_t fitting = 0;
    auto const read_one = [&](pg::RowReader& r) {
        ArchivedEvent event = read(r);
        if (r.boolean()) ++fitting;
        return event;
    };
    auto rows = pg::read_rows(run_list(tx, scope, filter, asked), read_one);
    asked.limit = std::min(asked.limit, std::max<std::size_t>(fitting, 1));
    return asked.page(std::move(rows),
        [](ArchivedEvent const& event) { return paging::Position{event.received_at, event.archive_id}; });
}

std::optional<ArchivedEvent> find(pg::Tx& tx, core::ScopeId scope_id, std::string const& event_id)
{
    return find_one_of(tx, scope_id, claims_of(event_id));
}

std::optional<ArchivedEvent> find_claimed(pg::Tx& tx, core::ScopeId scope_id, core::Uuid claim)
{
    return find_one_of(tx, scope_id, {claim.to_string()});
}

void set_outcome(pg::Tx& tx, core::ScopeId scope_id, ArchivedEvent const& event, EventOutcome const& outcome,
    std::optional<core::UserId> const& user_id)
{
    tx.run(R"(
        UPDATE events
        SET result = $4, reason = $5, user_id = coalesce($6, user_id)
        WHERE scope_id = $1 AND received_at = $2 AND archive_id = $3)",
        {scope_id, event.received_at, event.archive_id, to_string(outcome.result), outcome.stored_reason(),
            user_id});
}

void mark_applied(
    pg::Tx& tx, core::ScopeId scope_id, std::string const& subscription_id, core::UserId const& user_id)
{
    tx.run(R"(
        UPDATE events
        SET result = 'applied', reason = NULL, user_id = $4
        WHERE scope_id = $1 AND subject = $2 AND reason = $3)",
        {scope_id, subscription_id, awaiting_subscription, user_id});
}

void mark_reversal_applied(
    pg::Tx& tx, core::ScopeId scope_id, PaymentNode const& reversal, core::UserId const& user_id)
{
    tx.run(R"(
        UPDATE events
        SET result = 'applied', reason = NULL, user_id = $4
        WHERE scope_id = $1 AND received_at = $2 AND archive_id = $3 AND erased_at IS NULL)",
        {scope_id, reversal.received_at, reversal.archive_id, user_id});
}

std::vector<core::ScopeId> scopes_with_deferred(pg::Tx& tx, std::span<core::ScopeId const> scopes)
{
    auto const result = tx.run(R"(
        SELECT k.scope_id
        FROM unnest($1::bigint[]) AS k(scope_id)
        CROSS JOIN LATERAL (
            SELECT
            FROM deferred_events x
            WHERE x.scope_id = k.scope_id
            LIMIT 1
        ) AS waiting
        ORDER BY 1)",
        {scopes});
    return pg::read_rows(result, &pg::RowReader::scope_id);
}

std::optional<ArchivedEvent> next_deferred(pg::Tx& tx, core::ScopeId scope_id)
{
    for (;;) {
        auto const waiting = tx.run(R"(
            SELECT x.archive_id, x.received_at
            FROM deferred_events x
            WHERE x.scope_id = $1
            ORDER BY x.received_at, x.archive_id
            LIMIT 1)",
            {scope_id});
        auto const key = pg::read_first(waiting, event_users::read_key);
        if (!key) return std::nullopt;
        auto const found = tx.run(pg::sql<columns>(R"(
            SELECT {columns}
            FROM events v
            WHERE v.scope_id = $1 AND v.received_at = $2 AND v.archive_id = $3)"),
            {scope_id, key->received_at, key->archive_id});
        if (auto event = pg::read_first(found, read)) return event;
        remove_deferred(tx, scope_id, *key); // the archive has dropped the event
    }
}

void remove_deferred(pg::Tx& tx, core::ScopeId scope_id, event_users::EventKey const& event)
{
    tx.run("DELETE FROM deferred_events WHERE scope_id = $1 AND received_at = $2 AND archive_id = $3",
        {scope_id, event.received_at, event.archive_id});
}

bool maintain(pg::Tx& tx, unsigned months)
{
    auto const result = tx.run("SELECT maintain_events($1::integer, 10000)", {months});
    return pg::read_first(result, &pg::RowReader::boolean).value_or(false);
}

std::int64_t months_ahead(pg::Tx& tx)
{
    auto const result = tx.run(R"(
        SELECT count(*)
        FROM pg_inherits i
        JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'events'::regclass AND c.relname ~ '^events_\d{4}_\d{2}$'
            AND c.relname > to_char(now() AT TIME ZONE 'UTC', '"events_"YYYY_MM'))");
    return pg::read_first(result, &pg::RowReader::integer).value_or(0);
}

} // namespace billing::event_archive
