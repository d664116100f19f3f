#include "api/settings.hpp"

#include "core/fields.hpp"
#include "domain/settings.hpp"
#include "flows/signed_in_user.hpp"
#include "http_client/url.hpp"
#include "pg/database.hpp"
#include "sms/phone.hpp"
#include "storage/sessions.hpp"
#include "tenancy/origins.hpp"
#include "tenancy/settings.hpp"

namespace auth_mfa {

namespace {

namespace settings = tenancy::settings;
namespace json = boost::json;

constexpr auto may_change = core::Access::owner | core::Access::master;
constexpr std::size_t max_providers = 10;
constexpr std::size_t max_url = 2048;
constexpr std::size_t max_audience = 255;
constexpr std::size_t max_brand = 100;
constexpr std::size_t max_countries = 250;

json::object to_json(json::object const& document)
{
    return settings::with_defaults(
        document, {{"identityProviders", json::array()}, {"allowedOrigins", json::array()},
                      {"brand", nullptr}, {"smsCountries", nullptr}, {"emailVerification", "optional"},
                      {"signUp", "open"}, {"mfaPolicy", "optional"}, {"securityEmails", true},
                      {"resetUrl", nullptr}, {"verifyUrl", nullptr}, {"inviteUrl", nullptr}});
}

json::object read_provider(
    core::Fields& f, json::value const& item, std::size_t index, http_client::AddressPolicy const& addresses)
{
    core::Fields nested(item, "/identityProviders/" + std::to_string(index));
    std::string const issuer = nested.text("issuer", 1, IdentityProvider::max_issuer);
    if (!issuer.empty()) http_client::check_url(nested, "issuer", issuer, addresses);
    std::string const audience = nested.text("audience", 1, max_audience);
    std::string const url = nested.text("jwksUrl", 1, max_url);
    if (!url.empty()) http_client::check_url(nested, "jwksUrl", url, addresses);
    f.absorb(nested);
    return {{"issuer", issuer}, {"audience", audience}, {"jwksUrl", url}};
}

core::Change<json::array> change_providers(core::Fields& f, http_client::AddressPolicy const& addresses)
{
    if (!f.has("identityProviders")) return {};
    core::Change<json::array> change{.present = true};
    auto const* items = f.optional_array("identityProviders", max_providers);
    if (items == nullptr) return change;
    change.value.emplace();
    for (auto const& item : *items)
        change.value->push_back(read_provider(f, item, change.value->size(), addresses));
    return change;
}

core::Change<std::string> change_brand(core::Fields& f)
{
    auto change = f.change_text("brand", 1, max_brand);
    bool const breaks = change.value && std::ranges::any_of(*change.value, [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    });
    if (breaks) f.fault("brand", "format", "must not contain line breaks or other control characters");
    return change;
}

core::Change<std::vector<std::string>> change_countries(core::Fields& f)
{
    auto change = f.change_list("smsCountries", max_countries, 2);
    if (!change.value) return change;
    if (change.value->empty())
        f.fault(
            "smsCountries", "too_few", "must list at least one country; to allow all countries, send null");
    for (std::size_t i = 0; i < change.value->size(); ++i) {
        if (!sms::is_country((*change.value)[i]))
            f.fault_at("smsCountries", i, "format", "must be an ISO 3166-1 alpha-2 country code, such as DE");
    }
    return change;
}

/// A choice by its name; `null` restores the default.
core::Change<std::string> change_choice(
    core::Fields& f, std::string_view name, std::span<std::string_view const> allowed)
{
    auto const index = f.change_one_of(name, allowed, true);
    return {index.present, index.value ? std::optional(std::string(allowed[*index.value])) : std::nullopt};
}

/// The page to which links in emails lead. `check_link_origins` checks its origin.
core::Change<std::string> change_link(
    core::Fields& f, std::string_view name, http_client::AddressPolicy const& addresses)
{
    auto change = f.change_text(name, 1, max_url);
    if (change.value) http_client::check_url(f, name, *change.value, addresses);
    if (change.value && change.value->find_first_of("?#") != std::string::npos)
        f.fault(name, "format", "must have no query and no fragment, because `?token=` is appended");
    return change;
}

constexpr std::array<std::string_view, 3> link_settings{"resetUrl", "verifyUrl", "inviteUrl"};

/// The origin of an absolute URL, as browsers send it.
std::optional<std::string> origin_of(std::string_view url)
{
    auto const host = url.find("://");
    if (host == std::string_view::npos) return std::nullopt;
    return tenancy::normalise_origin(url.substr(0, url.find('/', host + 3)));
}

/// Throws VALIDATION_ERROR if the origin of a link is not in `allowedOrigins`.
void check_link_origins(json::object const& document)
{
    auto const* const allowed = document.if_contains("allowedOrigins");
    std::vector<core::FieldError> faults;
    for (auto const name : link_settings) {
        auto const* const link = document.if_contains(name);
        if (link == nullptr || link->is_null()) continue;
        auto const origin = origin_of(std::string_view(link->as_string()));
        bool const listed =
            origin && allowed != nullptr && allowed->is_array() &&
            std::ranges::find(allowed->as_array(), json::value(*origin)) != allowed->as_array().end();
        if (!listed)
            faults.push_back({"/" + std::string(name), "origin",
                "must have an origin that the setting `allowedOrigins` lists"});
    }
    if (!faults.empty()) throw core::Error::validation(std::move(faults));
}

/// The keys of the providers that `before` has and `after` lacks (IdentityProvider::key).
std::vector<std::string> removed_providers(json::object const& before, json::object const& after)
{
    auto const keys = [](json::object const& document) {
        std::vector<std::string> found;
        auto const* const list = document.if_contains("identityProviders");
        if (list == nullptr || !list->is_array()) return found;
        for (auto const& item : list->as_array())
            found.push_back(json::value_to<std::string>(item.at("issuer")) + ' ' +
                            json::value_to<std::string>(item.at("audience")));
        return found;
    };
    auto removed = keys(before);
    auto const kept = keys(after);
    std::erase_if(
        removed, [&](std::string const& key) { return std::ranges::find(kept, key) != kept.end(); });
    return removed;
}

struct Changes {
    core::Change<json::array> identity_providers;
    core::Change<std::vector<std::string>> allowed_origins, sms_countries;
    core::Change<std::string> brand, email_verification, sign_up, mfa_policy;
    std::array<core::Change<std::string>, link_settings.size()> links;
    core::Change<bool> security_emails;

    static Changes parse(http::Request const& req, http_client::AddressPolicy const& addresses)
    {
        static constexpr std::array<std::string_view, 11> names{"identityProviders", "allowedOrigins",
            "brand", "smsCountries", "emailVerification", "signUp", "mfaPolicy", "securityEmails", "resetUrl",
            "verifyUrl", "inviteUrl"};
        static constexpr std::array<std::string_view, 2> verification{"optional", "required"};
        static constexpr std::array<std::string_view, 2> sign_up{"open", "closed"};
        core::Fields f(req.json());
        Changes c;
        c.identity_providers = change_providers(f, addresses);
        c.allowed_origins = tenancy::change_origins(f);
        c.sms_countries = change_countries(f);
        c.brand = change_brand(f);
        c.email_verification = change_choice(f, "emailVerification", verification);
        c.sign_up = change_choice(f, "signUp", sign_up);
        c.mfa_policy = change_choice(f, "mfaPolicy", core::names_of<MfaPolicy>);
        for (std::size_t i = 0; i < link_settings.size(); ++i)
            c.links[i] = change_link(f, link_settings[i], addresses);
        c.security_emails = {f.has("securityEmails"), f.optional_boolean("securityEmails")};
        f.check_any_of(names);
        return c;
    }

    void apply(json::object& document) const
    {
        settings::set(document, "identityProviders", identity_providers, json::array());
        settings::set(document, "allowedOrigins", allowed_origins, json::array());
        settings::set(document, "smsCountries", sms_countries);
        settings::set(document, "brand", brand);
        settings::set(document, "emailVerification", email_verification, "optional");
        settings::set(document, "signUp", sign_up, "open");
        settings::set(document, "mfaPolicy", mfa_policy, "optional");
        settings::set(document, "securityEmails", security_emails, true);
        for (std::size_t i = 0; i < link_settings.size(); ++i)
            settings::set(document, link_settings[i], links[i]);
    }
};

} // namespace

asio::awaitable<http::Response> get_settings(http::Request const& req, Deps& deps)
{
    co_return co_await deps.db.read(req.scope(), [&](pg::Tx& tx) {
        require_role(tx, req, deps, may_change);
        return settings::answer_get(tx, req, to_json);
    });
}

asio::awaitable<http::Response> update_settings(http::Request const& req, Deps& deps)
{
    Changes const changes = Changes::parse(req, deps.outbound);
    co_return co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        require_role(tx, req, deps, may_change);
        auto const modify = [&](json::object& document) {
            json::object const before = document;
            changes.apply(document);
            check_link_origins(document);
            auto const removed = removed_providers(before, document);
            if (!removed.empty()) sessions::end_of_providers(tx, req.scope(), removed, deps.clock.now());
        };
        return settings::answer_patch(tx, req, modify, to_json, deps.clock.now());
    });
}

} // namespace auth_mfa
