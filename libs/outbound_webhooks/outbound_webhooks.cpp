#include "outbound_webhooks/outbound_webhooks.hpp"

#include "core/json_writer.hpp"
#include "crypto/keyring.hpp"
#include "jobs/queue.hpp"
#include "outbound_webhooks/policy.hpp"
#include "outbound_webhooks/webhook_rows.hpp"
#include "pg/row.hpp"

#include <stdexcept>

namespace outbound_webhooks {

namespace {

struct SealedSecrets {
    core::Uuid webhook_id;
    std::string current;
    std::optional<std::string> previous;
};

SealedSecrets read_secrets(pg::RowReader& r)
{
    SealedSecrets s;
    s.webhook_id = r.uuid();
    s.current = r.text();
    s.previous = r.optional_text();
    return s;
}

std::vector<SealedSecrets> lock_secrets(pg::Tx& tx, core::ScopeId scope_id)
{
    auto const rows = tx.run(R"(
        SELECT webhook_id, secret, previous_secret FROM webhooks
        WHERE scope_id = $1 ORDER BY webhook_id FOR NO KEY UPDATE)",
        {scope_id});
    return pg::read_rows(rows, read_secrets);
}

std::string seal_anew(crypto::Keyring const& keyring, std::string const& sealed, std::string const& aad)
{
    if (keyring.is_current(sealed)) return sealed;
    auto opened = keyring.open(sealed, aad);
    if (!opened) throw std::runtime_error("a webhook secret cannot be decrypted with the configured keys");
    core::Secret const secret(std::move(*opened));
    return keyring.seal(secret.reveal(), aad);
}

} // namespace

std::string payload_of(Event const& event)
{
    core::JsonWriter body(event.data_json.size() + event.type.size() + 64);
    body.begin_object().member("type", event.type).member("timestamp", event.at).key("data");
    body.raw(event.data_json).end_object();
    return std::move(body).str();
}

std::size_t publish(pg::Tx& tx, http::Context const& context, Event const& event)
{
    return publish(tx, EventContext{context.scope.id, context.traceparent}, event);
}

std::size_t publish(pg::Tx& tx, EventContext const& origin, Event const& event)
{
    if (!store::any_enabled(tx, origin.scope_id)) return 0;
    OriginatedEvent const one{origin, event};
    return publish_all(tx, {&one, 1});
}

std::set<core::ScopeId> listening(pg::Tx& tx, std::span<core::ScopeId const> scopes)
{
    return store::with_enabled(tx, scopes);
}

std::size_t publish_all(pg::Tx& tx, std::span<OriginatedEvent const> events)
{
    if (events.empty()) return 0;
    std::set<core::ScopeId> scopes;
    std::vector<store::Event> rows;
    rows.reserve(events.size());
    for (auto const& [origin, event] : events) {
        scopes.insert(origin.scope_id);
        rows.push_back({.scope_id = origin.scope_id,
            .type = event.type,
            .payload = payload_of(event),
            .traceparent = origin.traceparent,
            .at = event.at,
            .expires_at = event.at + retry_window,
            .user_id = event.user_id,
            .other_user_id = event.other_user_id});
    }
    for (auto const scope_id : scopes) // so that no delivery appears on a page that a cursor has passed
        pg::lock_scope(tx, scope_id);
    return store::insert_deliveries(tx, rows);
}

std::size_t erase_user(pg::Tx& tx, core::ScopeId scope_id, core::UserId const& user_id,
    std::string_view pseudonym, std::size_t limit)
{
    if (store::file_deliveries(tx, scope_id, limit) == limit) return limit;
    auto const count = store::erase_deliveries_of(tx, scope_id, user_id, limit);
    return count + store::erase_from_deliveries(tx, scope_id, user_id, pseudonym, limit - count);
}

std::size_t reencrypt(pg::Tx& tx, core::Scope const& scope, crypto::Keyring const& keyring)
{
    std::size_t changed = 0;
    for (auto const& sealed : lock_secrets(tx, scope.id)) {
        std::string const aad = store::secret_aad(scope.id, sealed.webhook_id);
        std::string const current = seal_anew(keyring, sealed.current, aad);
        std::optional<std::string> previous;
        if (sealed.previous) previous = seal_anew(keyring, *sealed.previous, aad);
        if (current == sealed.current && previous == sealed.previous) continue;
        tx.run(
            "UPDATE webhooks SET secret = $3, previous_secret = $4 WHERE scope_id = $1 AND webhook_id = $2",
            {scope.id, sealed.webhook_id, current, previous});
        ++changed;
    }
    return changed;
}

std::size_t purge(pg::Tx& tx, std::span<core::ScopeId const> scopes, core::Time before, std::size_t limit)
{
    auto const result = tx.run(R"(
        DELETE FROM webhook_deliveries d
        USING (SELECT scope_id, delivery_id FROM webhook_deliveries
               WHERE scope_id = ANY ($1::bigint[]) AND created_at < $2 AND status <> 'pending'
               LIMIT $3::bigint) AS old
        WHERE d.scope_id = old.scope_id AND d.delivery_id = old.delivery_id)",
        {scopes, before, limit});
    return result.affected_rows();
}

} // namespace outbound_webhooks
