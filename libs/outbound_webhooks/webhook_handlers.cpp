#include "outbound_webhooks/webhook_handlers.hpp"

#include "audit/audit.hpp"
#include "core/error.hpp"
#include "core/fields.hpp"
#include "core/json_writer.hpp"
#include "crypto/keyring.hpp"
#include "http/etag.hpp"
#include "http/query.hpp"
#include "http_client/url.hpp"
#include "idempotency/once.hpp"
#include "jobs/queue.hpp"
#include "outbound_webhooks/outbound_webhooks.hpp"
#include "outbound_webhooks/policy.hpp"
#include "outbound_webhooks/signature.hpp"
#include "outbound_webhooks/test_sender.hpp"
#include "outbound_webhooks/webhook_rows.hpp"
#include "paging/cursor.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>

namespace outbound_webhooks {

namespace {

namespace asio = boost::asio;
namespace json = boost::json;

constexpr std::size_t max_url = 2048;
constexpr std::size_t max_event = 100;
constexpr std::size_t max_description = 200;
constexpr std::string_view statuses[] = {"pending", "delivered", "failed"};
constexpr std::string_view changeable[] = {"url", "events", "description", "enabled"};

// --- reading requests

/// Records errors for unknown event types. Returns the known types, sorted and without duplicates.
std::vector<std::string> checked_events(core::Fields& fields, std::vector<std::string> events, Api const& api)
{
    for (std::size_t i = 0; i < events.size(); ++i) {
        if (std::ranges::find(api.events, events[i]) == api.events.end()) {
            fields.fault_at("events", i, "not_allowed",
                "must be one of the event types that the API documentation of this service lists");
        }
    }
    std::ranges::sort(events);
    auto const repeated = std::ranges::unique(events);
    events.erase(repeated.begin(), repeated.end());
    return events;
}

/// Reads the webhook to create, without its times.
store::Webhook parse_new_webhook(http::Request const& request, Api const& api)
{
    core::Fields fields(request.json());
    store::Webhook webhook;
    webhook.url = fields.text("url", 1, max_url);
    if (!webhook.url.empty()) http_client::check_url(fields, "url", webhook.url, api.addresses);
    webhook.events =
        checked_events(fields, fields.optional_list("events", api.events.size(), max_event), api);
    webhook.description = fields.optional_text("description", 1, max_description);
    webhook.enabled = fields.optional_boolean("enabled").value_or(true);
    fields.check();
    webhook.id = core::Uuid::v7();
    return webhook;
}

struct Changes {
    core::Change<std::string> url;
    core::Change<std::vector<std::string>> events;
    core::Change<std::string> description;
    std::optional<bool> enabled;
};

Changes parse_changes(http::Request const& request, Api const& api)
{
    core::Fields fields(request.json());
    Changes changes;
    changes.url = fields.change_text("url", 1, max_url);
    if (changes.url.present && !changes.url.value && fields.is_null("url")) {
        fields.fault("url", "required", "must not be null");
    }
    if (changes.url.value && !changes.url.value->empty())
        http_client::check_url(fields, "url", *changes.url.value, api.addresses);
    changes.events = fields.change_list("events", api.events.size(), max_event);
    if (changes.events.value) {
        changes.events.value = checked_events(fields, std::move(*changes.events.value), api);
    }
    changes.description = fields.change_text("description", 1, max_description);
    changes.enabled = fields.optional_boolean("enabled");
    fields.check_any_of(changeable);
    return changes;
}

void apply(Changes const& changes, store::Webhook& webhook, core::Time now)
{
    if (changes.url.value) webhook.url = *changes.url.value;
    if (changes.events) webhook.events = changes.events.value.value_or(std::vector<std::string>());
    if (changes.description) webhook.description = changes.description.value;
    if (changes.enabled) {
        webhook.enabled = *changes.enabled;
        webhook.disabled_reason.reset();
    }
    ++webhook.version;
    webhook.updated_at = now;
}

// --- writing responses

std::string to_json(store::Webhook const& webhook, core::Secret const* secret = nullptr)
{
    core::JsonWriter w(512);
    w.begin_object()
        .member("webhookId", webhook.id.to_string())
        .member("url", webhook.url)
        .member("events", webhook.events)
        .member("description", webhook.description)
        .member("enabled", webhook.enabled)
        .member("disabledReason", webhook.disabled_reason);
    if (secret != nullptr) w.member("secret", secret->reveal());
    w.member("createdAt", webhook.created_at)
        .member("updatedAt", webhook.updated_at)
        .member("version", webhook.version)
        .end_object();
    return std::move(w).str();
}

std::string to_json(store::Delivery const& delivery)
{
    core::JsonWriter w(512);
    w.begin_object()
        .member("deliveryId", delivery.id.to_string())
        .member("webhookId", delivery.webhook_id.to_string())
        .member("eventType", delivery.event_type)
        .member("status", delivery.status)
        .member("attempts", delivery.attempts)
        .member("nextAttemptAt", delivery.next_attempt_at)
        .member("lastStatus", delivery.last_status)
        .member("lastError", delivery.last_error)
        .member("responseExcerpt", delivery.response_excerpt)
        .member("createdAt", delivery.created_at)
        .member("deliveredAt", delivery.delivered_at);
    if (delivery.payload) w.key("payload").raw(*delivery.payload);
    w.end_object();
    return std::move(w).str();
}

std::string to_json(core::Uuid const& message_id, TestSender::Outcome const& outcome)
{
    auto const& report = outcome.result.report;
    core::JsonWriter w(256);
    w.begin_object()
        .member("status", outcome.result.accepted() ? "delivered" : "failed")
        .member("messageId", message_id.to_string())
        .member("durationMs", static_cast<std::int64_t>(outcome.took.count()));
    if (report.status == 0)
        w.member("responseCode", nullptr);
    else
        w.member("responseCode", report.status);
    w.member("error", report.error).member("responseExcerpt", report.excerpt).end_object();
    return std::move(w).str();
}

template <class Item> std::string to_json(paging::Page<Item> const& page)
{
    return paging::to_json(page, [](core::JsonWriter& w, Item const& item) { w.raw(to_json(item)); });
}

/// A response with a secret must not be cached.
http::Response with_secret(http::Response response, store::Webhook const& webhook)
{
    return std::move(response)
        .header("ETag", http::etag(webhook.version))
        .header("Cache-Control", "no-store");
}

json::value audited(store::Webhook const& webhook)
{
    json::array events(webhook.events.begin(), webhook.events.end());
    json::object out{{"url", webhook.url}, {"events", std::move(events)}, {"enabled", webhook.enabled}};
    out["description"] = webhook.description ? json::value(*webhook.description) : json::value();
    return out;
}

// --- shared steps

store::Webhook find_named(pg::Tx& tx, http::Request const& request)
{
    return core::require_found(
        store::find(tx, request.scope().id, request.uuid_param("webhookId")), "webhook");
}

/// Returns the webhook in the request's path. Locks its row and checks If-Match.
store::Webhook lock_named(pg::Tx& tx, http::Request const& request)
{
    auto webhook = core::require_found(
        store::find_for_update(tx, request.scope().id, request.uuid_param("webhookId")), "webhook");
    http::check_if_match(request, webhook.version);
    return webhook;
}

std::string seal(
    Api const& api, core::ScopeId scope_id, core::Uuid const& webhook_id, core::Secret const& secret)
{
    return api.keyring.seal(secret.reveal(), store::secret_aad(scope_id, webhook_id));
}

} // namespace

asio::awaitable<http::Response> create_webhook(http::Request const& request, Api& api)
{
    store::Webhook const draft = parse_new_webhook(request, api);
    core::Secret const secret = new_secret();
    auto const scope_id = request.scope().id;
    std::string const sealed = seal(api, scope_id, draft.id, secret);
    auto work = [&](pg::Tx& tx) {
        // The scope's lock keeps concurrent requests from exceeding the limit together. It also keeps a new
        // webhook from appearing on a page that a cursor has already passed.
        pg::lock_scope(tx, scope_id);
        if (store::count(tx, scope_id) >= static_cast<std::int64_t>(max_per_scope)) {
            throw core::Error(core::codes::conflict,
                "The limit of " + std::to_string(max_per_scope) + " webhooks is reached. Delete one first.");
        }
        store::Webhook webhook = draft;
        webhook.created_at = webhook.updated_at = api.clock.now();
        store::insert(tx, scope_id, webhook, sealed);
        audit::record(tx, request.context, audit::created("webhook", webhook.id, audited(webhook)));
        return with_secret(http::Response::created(to_json(webhook, &secret)), webhook);
    };
    co_return co_await idempotency::once(api.db, request, work, &api.keyring);
}

asio::awaitable<http::Response> list_webhooks(http::Request const& request, Api& api)
{
    auto const asked =
        paging::PageRequest::read(request, paging::FilterHash().add("list", "webhooks").value());
    auto work = [&](pg::Tx& tx) { return store::list(tx, request.scope().id, asked.after, asked.rows()); };
    auto rows = co_await api.db.read(request.scope(), work);
    co_return http::Response::ok(to_json(asked.page(std::move(rows))));
}

asio::awaitable<http::Response> get_webhook(http::Request const& request, Api& api)
{
    auto work = [&](pg::Tx& tx) { return find_named(tx, request); };
    store::Webhook const webhook = co_await api.db.read(request.scope(), work);
    co_return http::Response::ok(to_json(webhook)).header("ETag", http::etag(webhook.version));
}

asio::awaitable<http::Response> update_webhook(http::Request const& request, Api& api)
{
    Changes const changes = parse_changes(request, api);
    auto work = [&](pg::Tx& tx) {
        store::Webhook webhook = lock_named(tx, request);
        json::value before = audited(webhook);
        apply(changes, webhook, api.clock.now());
        store::update(tx, request.scope().id, webhook);
        audit::record(
            tx, request.context, audit::updated("webhook", webhook.id, std::move(before), audited(webhook)));
        return webhook;
    };
    store::Webhook const webhook = co_await api.db.transact(request.scope(), work);
    co_return http::Response::ok(to_json(webhook)).header("ETag", http::etag(webhook.version));
}

asio::awaitable<http::Response> delete_webhook(http::Request const& request, Api& api)
{
    auto work = [&](pg::Tx& tx) {
        store::Webhook const webhook = lock_named(tx, request);
        store::remove(tx, request.scope().id, webhook.id);
        audit::record(tx, request.context, audit::deleted("webhook", webhook.id, audited(webhook)));
    };
    co_await api.db.transact(request.scope(), work);
    co_return http::Response::deleted();
}

asio::awaitable<http::Response> rotate_webhook_secret(http::Request const& request, Api& api)
{
    core::Secret const secret = new_secret();
    auto work = [&](pg::Tx& tx) {
        auto const scope_id = request.scope().id;
        store::Webhook webhook = lock_named(tx, request);
        core::Time const now = api.clock.now();
        ++webhook.version;
        webhook.updated_at = now;
        store::replace_secret(
            tx, scope_id, webhook, seal(api, scope_id, webhook.id, secret), now + rotation_overlap);
        audit::record(tx, request.context,
            {.action = "webhook.secret_rotated",
                .subject_type = "webhook",
                .subject_id = webhook.id.to_string()});
        return webhook;
    };
    store::Webhook const webhook = co_await api.db.transact(request.scope(), work);
    co_return with_secret(http::Response::ok(to_json(webhook, &secret)), webhook);
}

asio::awaitable<http::Response> list_deliveries(http::Request const& request, Api& api)
{
    auto const id = request.uuid_param("webhookId");
    http::Query query(request);
    auto const chosen = query.one_of("status", statuses);
    auto const status = chosen ? std::optional(statuses[*chosen]) : std::nullopt;
    auto const asked = paging::PageRequest::read(
        query, paging::FilterHash().add("webhook", id.to_string()).add("status", status).value());
    query.check();
    auto work = [&](pg::Tx& tx) {
        find_named(tx, request);
        return store::list_deliveries(tx, request.scope().id, id, status, asked.after, asked.rows());
    };
    auto rows = co_await api.db.read(request.scope(), work);
    co_return http::Response::ok(to_json(asked.page(std::move(rows))));
}

asio::awaitable<http::Response> get_delivery(http::Request const& request, Api& api)
{
    auto const webhook_id = request.uuid_param("webhookId");
    auto const delivery_id = request.uuid_param("deliveryId");
    auto work = [&](pg::Tx& tx) {
        return store::find_delivery(tx, request.scope().id, webhook_id, delivery_id);
    };
    auto const delivery =
        core::require_found(co_await api.db.read(request.scope(), work), "delivery", "webhook");
    co_return http::Response::ok(to_json(delivery));
}

asio::awaitable<http::Response> redeliver(http::Request const& request, Api& api)
{
    auto const webhook_id = request.uuid_param("webhookId");
    auto const delivery_id = request.uuid_param("deliveryId");
    auto work = [&](pg::Tx& tx) {
        auto const scope_id = request.scope().id;
        if (!find_named(tx, request).enabled) {
            throw core::Error(core::codes::conflict, "The webhook is disabled. Enable it first.");
        }
        core::Time const now = api.clock.now();
        auto const delivery = core::require_found(
            store::reopen_delivery(tx, scope_id, webhook_id, delivery_id, now, now + retry_window),
            "delivery", "webhook");
        jobs::enqueue(tx, queue, scope_id, delivery_id);
        audit::record(tx, request.context,
            {.action = "webhook.redelivered",
                .subject_type = "webhook",
                .subject_id = webhook_id.to_string(),
                .after = json::object{{"deliveryId", delivery_id.to_string()}}});
        return delivery;
    };
    store::Delivery const delivery = co_await api.db.transact(request.scope(), work);
    co_return http::Response{.status = 202, .body = to_json(delivery)};
}

asio::awaitable<http::Response> test_webhook(http::Request const& request, Api& api)
{
    auto const webhook_id = request.uuid_param("webhookId");
    auto const scope_id = request.scope().id;
    auto const place = api.tests->enter(scope_id, webhook_id);
    auto load = [&](pg::Tx& tx) {
        return core::require_found(
            store::load_test_attempt(tx, scope_id, webhook_id, api.clock.now()), "webhook");
    };
    store::Attempt attempt = co_await api.db.read(request.scope(), load);
    co_await api.tests->count(scope_id);
    auto const message_id = core::Uuid::v7();
    auto note = [&](pg::Tx& tx) {
        audit::record(tx, request.context,
            {.action = "webhook.tested",
                .subject_type = "webhook",
                .subject_id = webhook_id.to_string(),
                .after = json::object{{"messageId", message_id.to_string()}}});
    };
    co_await api.db.transact(request.scope(), note);
    std::string const data = R"({"webhookId":")" + webhook_id.to_string() + R"("})";
    attempt.key.delivery_id = message_id;
    attempt.payload = payload_of({.type = test_event, .data_json = data, .at = api.clock.now()});
    if (!request.context.traceparent.empty()) attempt.traceparent = request.context.traceparent;
    auto const outcome = co_await api.tests->send(std::move(attempt));
    co_return http::Response::ok(to_json(message_id, outcome));
}

} // namespace outbound_webhooks
