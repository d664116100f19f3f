#include "api/settings.hpp"

#include "api/identity_provider_settings.hpp"
#include "auth/token_claims.hpp"
#include "core/fields.hpp"
#include "core/text.hpp"
#include "domain/brand.hpp"
#include "domain/rp_id.hpp"
#include "domain/settings.hpp"
#include "domain/sms_code.hpp"
#include "flows/signed_in_user.hpp"
#include "hosted_pages/brand_colors.hpp"
#include "http_client/url.hpp"
#include "pg/database.hpp"
#include "sms/phone.hpp"
#include "storage/sessions.hpp"
#include "tenancy/origins.hpp"
#include "tenancy/resolve.hpp"
#include "tenancy/settings.hpp"

#include <set>

namespace auth_mfa {

namespace {

namespace settings = tenancy::settings;
namespace json = boost::json;

constexpr auto may_change = core::Access::owner | core::Access::master;
constexpr std::size_t max_url = 2048;
constexpr std::size_t max_brand = 100;
constexpr std::size_t max_host_name = 253;
constexpr std::size_t max_color = 32; // longer than a colour, so that a wrong form has one kind of fault
constexpr std::size_t max_countries = 250;
constexpr std::size_t max_test_phones = 10;

json::object to_json(json::object const& document)
{
    json::object shown = settings::with_defaults(document,
        {{"identityProviders", json::array()}, {"allowedOrigins", json::array()}, {"brand", nullptr},
            {"smsCountries", nullptr}, {"emailVerification", "optional"}, {"signUp", "open"},
            {"mfaPolicy", "optional"}, {"securityEmails", true}, {"resetUrl", nullptr},
            {"verifyUrl", nullptr}, {"inviteUrl", nullptr}, {"testPhones", json::array()},
            {"accentColor", nullptr}, {"passkeyRpId", nullptr}, {"logo", nullptr}});
    auto& providers = shown.at("identityProviders");
    if (providers.is_array()) providers = shown_identity_providers(providers.get_array());
    return shown;
}

/// As `to_json`, for the audit log, which must not contain codes and full phone numbers.
json::object to_audited_json(json::object const& document)
{
    json::object shown = to_json(document);
    for (auto& item : shown.at("testPhones").as_array()) {
        auto const phone = sms::PhoneNumber::parse(json::value_to<std::string>(item.at("phone")));
        item = {{"phone", phone ? phone->masked() : std::string()}};
    }
    return shown;
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

core::Change<std::string> change_accent(core::Fields& f)
{
    auto change = f.change_text("accentColor", 1, max_color);
    if (!change.value) return change;
    change.value = core::lower(*change.value);
    if (!hosted_pages::brand_colors::is_color(*change.value))
        f.fault("accentColor", "format", "must be `#` and six hexadecimal digits, such as #1d4ed8");
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
            f.fault_at("smsCountries", i, "format",
                "must be the ISO 3166-1 alpha-2 code of a country with its own phone numbers, such as DE");
    }
    return change;
}

json::object read_test_phone(core::Fields& f, json::value const& item, std::size_t index)
{
    core::Fields nested(item, "/testPhones/" + std::to_string(index));
    std::string const phone = nested.text("phone", 1, 32);
    if (!sms::PhoneNumber::parse(phone))
        nested.fault("phone", "format", "must be a phone number in E.164 form, such as +14155550100");
    std::string const code = nested.text("code", 1, 32);
    if (!is_sms_code(code)) nested.fault("code", "format", "must have exactly 6 digits, such as 123456");
    f.absorb(nested);
    return {{"phone", phone}, {"code", code}};
}

/// Only a sandbox has test phones. In production, an empty list is accepted.
core::Change<json::array> change_test_phones(core::Fields& f, core::Environment environment)
{
    if (!f.has("testPhones")) return {};
    core::Change<json::array> change{.present = true};
    auto const* items = f.optional_array("testPhones", max_test_phones);
    if (items == nullptr || items->empty()) return change;
    if (environment == core::Environment::production) {
        f.fault("testPhones", "environment",
            "must be empty in production, because fixed codes are no secret; use the sandbox");
        return change;
    }
    std::set<std::string> phones;
    change.value.emplace();
    for (auto const& item : *items) {
        std::size_t const index = change.value->size();
        change.value->push_back(read_test_phone(f, item, index));
        if (!phones.insert(json::value_to<std::string>(change.value->back().at("phone"))).second)
            f.fault_at("testPhones", index, "duplicate", "must not have a phone that an earlier entry has");
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

/// Adds a fault for each link whose origin is not in `allowedOrigins`.
void check_link_origins(json::object const& document, std::vector<core::FieldError>& faults)
{
    auto const* const allowed = document.if_contains("allowedOrigins");
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
}

/// Adds a fault if `passkeyRpId` does not fit `allowedOrigins` and the hosts of the service.
void check_rp_id(
    json::object const& document, ServiceHosts const& hosts, std::vector<core::FieldError>& faults)
{
    auto const* const rp_id = document.if_contains("passkeyRpId");
    if (rp_id == nullptr || rp_id->is_null()) return;
    std::vector<std::string> origins;
    if (auto const* const allowed = document.if_contains("allowedOrigins"))
        origins = json::value_to<std::vector<std::string>>(*allowed);
    if (auto const fault = rp_id_fault(std::string_view(rp_id->as_string()), origins, hosts))
        faults.push_back({"/passkeyRpId", std::string(fault->code), std::string(fault->detail)});
}

/// Checks the new brand in `document`, and records whether the operator set it. The operator may set any
/// brand. An owner may repeat such a brand; any other brand of an owner must have no fault.
void check_brand(json::object const& before, json::object& document, bool by_operator,
    std::vector<core::FieldError>& faults)
{
    json::value const brand = document.at("brand");
    auto const* const old = before.if_contains("brand");
    if (old == nullptr || *old != brand) document.erase(brand_by_operator);
    if (brand.is_null()) return;
    if (by_operator) document[brand_by_operator] = true;
    if (document.contains(brand_by_operator)) return;
    if (auto const fault = brand_fault(std::string_view(brand.as_string())))
        faults.push_back({"/brand", std::string(fault->code),
            std::string(fault->detail) + ". Only the operator may set such a brand."});
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
    core::Change<std::vector<GivenProvider>> identity_providers;
    core::Change<json::array> test_phones;
    core::Change<std::vector<std::string>> allowed_origins, sms_countries;
    core::Change<std::string> brand, email_verification, sign_up, mfa_policy, accent_color, passkey_rp_id;
    std::array<core::Change<std::string>, link_settings.size()> links;
    core::Change<bool> security_emails;

    static Changes parse(http::Request const& req, http_client::AddressPolicy const& addresses)
    {
        static constexpr std::array<std::string_view, 14> names{"identityProviders", "allowedOrigins",
            "brand", "smsCountries", "emailVerification", "signUp", "mfaPolicy", "securityEmails", "resetUrl",
            "verifyUrl", "inviteUrl", "testPhones", "accentColor", "passkeyRpId"};
        static constexpr std::array<std::string_view, 2> verification{"optional", "required"};
        static constexpr std::array<std::string_view, 2> sign_up{"open", "closed"};
        core::Fields f(req.json());
        Changes c;
        c.identity_providers = change_identity_providers(f, addresses);
        c.allowed_origins = tenancy::change_origins(f);
        c.sms_countries = change_countries(f);
        c.test_phones = change_test_phones(f, req.scope().environment());
        c.brand = change_brand(f);
        c.accent_color = change_accent(f);
        c.passkey_rp_id = f.change_text("passkeyRpId", 1, max_host_name);
        c.email_verification = change_choice(f, "emailVerification", verification);
        c.sign_up = change_choice(f, "signUp", sign_up);
        c.mfa_policy = change_choice(f, "mfaPolicy", core::names_of<MfaPolicy>);
        for (std::size_t i = 0; i < link_settings.size(); ++i)
            c.links[i] = change_link(f, link_settings[i], addresses);
        c.security_emails = {f.has("securityEmails"), f.optional_boolean("securityEmails")};
        f.check_any_of(names);
        return c;
    }

    /// Changes the document. Throws VALIDATION_ERROR if the settings do not fit together, or if the brand is
    /// one that only the operator may set.
    void apply(json::object& document, bool by_operator, ServiceHosts const& hosts,
        SecretSealing const& sealing) const
    {
        json::object const before = document;
        std::vector<core::FieldError> faults;
        set_providers(document, sealing, faults);
        settings::set(document, "allowedOrigins", allowed_origins, json::array());
        settings::set(document, "smsCountries", sms_countries);
        settings::set(document, "testPhones", test_phones, json::array());
        settings::set(document, "brand", brand);
        settings::set(document, "accentColor", accent_color);
        settings::set(document, "passkeyRpId", passkey_rp_id);
        settings::set(document, "emailVerification", email_verification, "optional");
        settings::set(document, "signUp", sign_up, "open");
        settings::set(document, "mfaPolicy", mfa_policy, "optional");
        settings::set(document, "securityEmails", security_emails, true);
        for (std::size_t i = 0; i < link_settings.size(); ++i)
            settings::set(document, link_settings[i], links[i]);
        if (brand) check_brand(before, document, by_operator, faults);
        check_link_origins(document, faults);
        check_rp_id(document, hosts, faults);
        if (!faults.empty()) throw core::Error::validation(std::move(faults));
    }

    /// Seals the new secrets of the providers.
    void set_providers(
        json::object& document, SecretSealing const& sealing, std::vector<core::FieldError>& faults) const
    {
        if (!identity_providers) return;
        auto const* const stored = document.if_contains("identityProviders");
        json::array const before =
            stored != nullptr && stored->is_array() ? stored->get_array() : json::array();
        auto const& given = identity_providers.value;
        document["identityProviders"] =
            given ? store_identity_providers(*given, before, sealing, faults) : json::array();
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
    std::string const own =
        auth::token::authority(deps.hosts.base_host(), req.scope().slug, req.scope().environment());
    co_return co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        bool const by_operator = require_role(tx, req, deps, may_change) == core::Access::master;
        auto const modify = [&](json::object& document) {
            json::object const before = document;
            changes.apply(
                document, by_operator, {deps.hosts.base_host(), own}, {deps.keyring, req.scope().id});
            auto const removed = removed_providers(before, document);
            if (!removed.empty()) sessions::end_of_providers(tx, req.scope(), removed, deps.clock.now());
        };
        return settings::answer_patch(tx, req, modify, to_json, deps.clock.now(), to_audited_json);
    });
}

} // namespace auth_mfa
