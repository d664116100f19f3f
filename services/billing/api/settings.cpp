#include "api/settings.hpp"

#include "audit/audit.hpp"
#include "core/fields.hpp"
#include "core/secret.hpp"
#include "domain/settings.hpp"
#include "pg/database.hpp"
#include "storage/syncs.hpp"
#include "tenancy/directory.hpp"
#include "tenancy/origins.hpp"
#include "tenancy/settings.hpp"

#include <algorithm>
#include <array>

namespace billing {

namespace {

namespace json = boost::json;
using tenancy::settings::Settings;

constexpr std::size_t max_secret = 255;
constexpr std::size_t max_signing_secrets = 10;
constexpr std::array names{settings::purchases_secret_name, settings::payments_secrets_name,
    settings::purchases_api_key_name, settings::past_due_is_active_name, settings::allowed_origins_name};

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
    auto const secrets = [&] {
        auto const* value = document.if_contains(settings::payments_secrets_name);
        return value != nullptr && value->is_array() && !value->get_array().empty();
    };
    auto const is_text = [&](std::string_view name) {
        auto const* value = document.if_contains(name);
        return value != nullptr && value->is_string();
    };
    return {{settings::purchases_secret_name, is_text(settings::purchases_secret_name)},
        {settings::payments_secrets_name, secrets()},
        {settings::purchases_api_key_name, is_text(settings::purchases_api_key_name)},
        {settings::past_due_is_active_name, settings::payment_settings(document).past_due_is_active},
        {settings::allowed_origins_name, settings::allowed_origins(document)}};
}

core::Change<std::string> change_secret(core::Fields& f, std::string_view name, bool spaces)
{
    auto change = f.change_text(name, 1, max_secret);
    if (change.value && !fits_header(*change.value, spaces))
        f.fault(name, "format", "must consist of visible ASCII characters, because it is sent in a header");
    return change;
}

struct Changes {
    std::vector<std::string> named; ///< the members of the request
    core::Change<std::string> purchases_secret, purchases_api_key;
    core::Change<std::vector<std::string>> payments_secrets, allowed_origins;
    core::Change<bool> past_due_is_active;

    static Changes parse(http::Request const& req)
    {
        core::Fields f(req.json());
        Changes c;
        c.purchases_secret = change_secret(f, settings::purchases_secret_name, true);
        c.payments_secrets = f.change_list(settings::payments_secrets_name, max_signing_secrets, max_secret);
        c.purchases_api_key = change_secret(f, settings::purchases_api_key_name, false);
        c.past_due_is_active = {
            f.has(settings::past_due_is_active_name), f.optional_boolean(settings::past_due_is_active_name)};
        c.allowed_origins = tenancy::change_origins(f, settings::allowed_origins_name);
        f.check_any_of(names);
        for (auto const name : names)
            if (f.has(name)) c.named.emplace_back(name);
        return c;
    }

    /// Writes the changes into the document. Secrets are sealed (encrypted) first.
    void apply(json::object& document, core::TenantId tenant_id, crypto::Keyring const& keyring) const
    {
        auto const sealed = [&](std::string const& secret, std::string_view name) {
            return json::value(settings::seal(core::Secret(secret), name, tenant_id, keyring));
        };
        auto const set = [&](std::string_view name, core::Change<std::string> const& change) {
            if (!change) return;
            document[name] = change.value ? sealed(*change.value, name) : json::value(nullptr);
        };
        set(settings::purchases_secret_name, purchases_secret);
        set(settings::purchases_api_key_name, purchases_api_key);
        if (payments_secrets) {
            json::array list;
            for (auto const& secret : payments_secrets.value.value_or(std::vector<std::string>()))
                list.push_back(sealed(secret, settings::payments_secrets_name));
            document[settings::payments_secrets_name] = std::move(list);
        }
        if (past_due_is_active)
            document[settings::past_due_is_active_name] = past_due_is_active.value.value_or(false);
        tenancy::settings::set(document, settings::allowed_origins_name, allowed_origins, json::array());
    }
};

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
            if (changes.purchases_api_key) syncs::resume(tx, home.tenant_id());
            record(tx, req, changes, before, after);
            return tenancy::settings::answer(after, show);
        });
    // Applies the change in this process at once, because the database's notification may arrive after the
    // response.
    deps.directory.on_notify(req.scope().slug);
    co_return response;
}

} // namespace billing
