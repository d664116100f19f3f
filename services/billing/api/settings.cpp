#include "api/settings.hpp"

#include "audit/audit.hpp"
#include "core/fields.hpp"
#include "core/secret.hpp"
#include "domain/settings.hpp"
#include "ingest/own_events.hpp"
#include "pg/database.hpp"
#include "storage/lapses.hpp"
#include "storage/syncs.hpp"
#include "tenancy/directory.hpp"
#include "tenancy/origins.hpp"
#include "tenancy/settings.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace billing {

namespace {

namespace json = boost::json;
using settings::SecretEnvironment, settings::WebhookSecret;
using tenancy::settings::Settings;

constexpr std::size_t max_secret = 255;
constexpr std::size_t max_signing_secrets = 10;
constexpr std::int64_t max_renewal_leeway = 86'400;
constexpr std::array names{settings::purchases_secret_name, settings::purchases_previous_secret_name,
    settings::purchases_sandbox_secret_name, settings::payments_secrets_name,
    settings::purchases_api_key_name, settings::payments_api_key_name, settings::past_due_is_active_name,
    settings::renewal_leeway_name, settings::allowed_origins_name};

/// Whether `text` is valid as a header value: visible ASCII characters, and, if `spaces` is true, spaces that
/// are neither first nor last.
bool fits_header(std::string_view text, bool spaces)
{
    bool const visible =
        std::ranges::all_of(text, [spaces](char c) { return (c > ' ' && c <= '~') || (spaces && c == ' '); });
    return visible && !text.starts_with(' ') && !text.ends_with(' ');
}

json::object show(json::object const& document)
{
    auto const has_list = [&](std::string_view name) {
        auto const* value = document.if_contains(name);
        return value != nullptr && value->is_array() && !value->get_array().empty();
    };
    auto const has_text = [&](std::string_view name) {
        auto const* value = document.if_contains(name);
        return value != nullptr && value->is_string();
    };
    auto const access = settings::access_settings(document);
    return {{settings::purchases_secret_name, has_text(settings::purchases_secret_name)},
        {settings::purchases_previous_secret_name, has_text(settings::purchases_previous_secret_name)},
        {settings::purchases_sandbox_secret_name, has_text(settings::purchases_sandbox_secret_name)},
        {settings::payments_secrets_name, has_list(settings::payments_secrets_name)},
        {settings::purchases_api_key_name, has_text(settings::purchases_api_key_name)},
        {settings::payments_api_key_name, has_text(settings::payments_api_key_name)},
        {settings::past_due_is_active_name, access.past_due_is_active},
        {settings::renewal_leeway_name, access.renewal_leeway.count()},
        {settings::allowed_origins_name, settings::allowed_origins(document)}};
}

core::Change<std::string> change_secret(core::Fields& f, std::string_view name, bool spaces)
{
    auto change = f.change_text(name, 1, max_secret);
    if (change.value && !fits_header(*change.value, spaces))
        f.fault(name, "format", "must consist of visible ASCII characters, because it is sent in a header");
    return change;
}

/// Reads an item of `paymentsSigningSecrets`: a text, or an object `{secret, environment}`.
WebhookSecret read_signing_secret(core::Fields& f, json::value const& item, std::size_t index)
{
    std::string const list = '/' + std::string(settings::payments_secrets_name);
    std::string const position = std::to_string(index);
    WebhookSecret secret;
    if (item.is_object()) {
        core::Fields nested(item, list + '/' + position);
        secret.value = core::Secret(nested.text("secret", 1, max_secret));
        secret.environment = nested.one_of<SecretEnvironment>("environment");
        f.absorb(nested);
    } else if (item.is_string()) {
        // The text is read as a member that is named like its position, so that errors have its pointer.
        json::value const holder = json::object{{position, item}};
        core::Fields nested(holder, list);
        secret.value = core::Secret(nested.text(position, 1, max_secret));
        f.absorb(nested);
    } else {
        f.fault_at(settings::payments_secrets_name, index, "type", "must be a string or an object");
    }
    return secret;
}

core::Change<std::vector<WebhookSecret>> change_signing_secrets(core::Fields& f)
{
    core::Change<std::vector<WebhookSecret>> change{f.has(settings::payments_secrets_name), {}};
    auto const* items = f.optional_array(settings::payments_secrets_name, max_signing_secrets);
    if (items == nullptr) return change;
    change.value.emplace();
    for (std::size_t i = 0; i < items->size(); ++i)
        change.value->push_back(read_signing_secret(f, (*items)[i], i));
    return change;
}

struct Changes {
    std::vector<std::string> named; ///< the members of the request
    core::Change<std::string> purchases_secret, purchases_previous_secret, purchases_sandbox_secret,
        purchases_api_key, payments_api_key;
    core::Change<std::vector<WebhookSecret>> payments_secrets;
    core::Change<bool> past_due_is_active;
    core::Change<std::int64_t> renewal_leeway;
    core::Change<std::vector<std::string>> allowed_origins;

    static Changes parse(http::Request const& req)
    {
        core::Fields f(req.json());
        Changes c;
        c.purchases_secret = change_secret(f, settings::purchases_secret_name, true);
        c.purchases_previous_secret = change_secret(f, settings::purchases_previous_secret_name, true);
        c.purchases_sandbox_secret = change_secret(f, settings::purchases_sandbox_secret_name, true);
        c.payments_secrets = change_signing_secrets(f);
        c.purchases_api_key = change_secret(f, settings::purchases_api_key_name, false);
        c.payments_api_key = change_secret(f, settings::payments_api_key_name, false);
        c.past_due_is_active = {
            f.has(settings::past_due_is_active_name), f.optional_boolean(settings::past_due_is_active_name)};
        c.renewal_leeway = {f.has(settings::renewal_leeway_name),
            f.optional_integer(settings::renewal_leeway_name, 0, max_renewal_leeway)};
        c.allowed_origins = tenancy::change_origins(f, settings::allowed_origins_name);
        f.check_any_of(names);
        for (auto const name : names)
            if (f.has(name)) c.named.emplace_back(name);
        return c;
    }

    /// Writes the changes into the document. Secrets are sealed (encrypted) first.
    void apply(json::object& document, core::TenantId tenant_id, crypto::Keyring const& keyring) const
    {
        auto const set_secret = [&](std::string_view name, core::Change<std::string> const& change) {
            if (!change) return;
            document[name] = nullptr;
            if (change.value)
                document[name] = settings::seal(core::Secret(*change.value), name, tenant_id, keyring);
        };
        set_secret(settings::purchases_secret_name, purchases_secret);
        set_secret(settings::purchases_previous_secret_name, purchases_previous_secret);
        set_secret(settings::purchases_sandbox_secret_name, purchases_sandbox_secret);
        set_secret(settings::purchases_api_key_name, purchases_api_key);
        set_secret(settings::payments_api_key_name, payments_api_key);
        if (payments_secrets)
            document[settings::payments_secrets_name] = settings::seal_signing_secrets(
                payments_secrets.value.value_or(std::vector<WebhookSecret>()), tenant_id, keyring);
        tenancy::settings::set(document, settings::past_due_is_active_name, past_due_is_active, false);
        tenancy::settings::set(document, settings::renewal_leeway_name, renewal_leeway);
        tenancy::settings::set(document, settings::allowed_origins_name, allowed_origins, json::array());
    }
};

/// Records the settings that decide access in the archives of both environments, if the request has changed
/// them.
void record_access_settings(pg::Tx& tx, core::TenantId tenant_id, json::object const& before,
    json::object const& after, core::Time now)
{
    auto const old = settings::access_settings(before), current = settings::access_settings(after);
    if (old == current) return;
    for (auto const scope_id : core::scopes_of(tenant_id))
        ingest::record_settings(tx, scope_id, {.settings = current, .previous = old}, now);
    lapses::enqueue_reopening(tx, tenant_id);
}

/// The members of `shown` that the request contains. A secret is shown only as true or false (set or not
/// set), so a replaced secret looks unchanged.
json::object named_of(json::object const& shown, Changes const& changes)
{
    json::object named;
    for (auto const& name : changes.named)
        named[name] = shown.at(name);
    return named;
}

/// Adds an audit entry in both environments, because the settings apply to both. Call it last in the
/// transaction (see audit::record).
void record(pg::Tx& tx, http::Request const& req, Changes const& changes, Settings const& before,
    Settings const& after)
{
    http::Context context = req.context;
    for (auto const environment : {core::Environment::production, core::Environment::sandbox}) {
        context.scope = core::Scope::of(req.scope().tenant_id(), environment, req.scope().slug);
        audit::record(tx, context,
            {.action = "settings.updated",
                .subject_type = "settings",
                .subject_id = {},
                .before = named_of(show(before.document), changes),
                .after = named_of(show(after.document), changes)});
    }
}

} // namespace

asio::awaitable<http::Response> get_settings(http::Request const& req, Deps& deps)
{
    auto const home = req.scope().production();
    co_return co_await deps.db.read(
        home, [&](pg::Tx& tx) { return tenancy::settings::answer(tenancy::settings::read(tx, home), show); });
}

asio::awaitable<http::Response> update_settings(http::Request const& req, Deps& deps)
{
    Changes const changes = Changes::parse(req);
    auto const home = req.scope().production();
    auto response =
        co_await deps.db.transact(pg::Scopes::of_tenant(req.scope().tenant_id()), [&](pg::Tx& tx) {
            auto const [before, after] = tenancy::settings::change(
                tx, home, req,
                [&](json::object& document) { changes.apply(document, home.tenant_id(), deps.keyring); },
                deps.clock.now());
            if (changes.purchases_api_key) syncs::resume(tx, home.tenant_id(), Source::purchases);
            if (changes.payments_api_key) syncs::resume(tx, home.tenant_id(), Source::payments);
            record_access_settings(tx, home.tenant_id(), before.document, after.document, deps.clock.now());
            record(tx, req, changes, before, after);
            return tenancy::settings::answer(after, show);
        });
    // Applies the change in this process at once, because the database's notification may arrive after the
    // response.
    deps.directory.on_notify(req.scope().slug);
    co_return response;
}

} // namespace billing
