#include "api/settings.hpp"

#include "core/fields.hpp"
#include "domain/settings.hpp"
#include "flows/signed_in_user.hpp"
#include "http_client/url.hpp"
#include "pg/database.hpp"
#include "sms/phone.hpp"
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
                      {"brand", nullptr}, {"smsCountries", nullptr}});
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

struct Changes {
    core::Change<json::array> identity_providers;
    core::Change<std::vector<std::string>> allowed_origins, sms_countries;
    core::Change<std::string> brand;

    static Changes parse(http::Request const& req, http_client::AddressPolicy const& addresses)
    {
        static constexpr std::array<std::string_view, 4> names{
            "identityProviders", "allowedOrigins", "brand", "smsCountries"};
        core::Fields f(req.json());
        Changes c;
        c.identity_providers = change_providers(f, addresses);
        c.allowed_origins = tenancy::change_origins(f);
        c.sms_countries = change_countries(f);
        c.brand = change_brand(f);
        f.check_any_of(names);
        return c;
    }

    void apply(json::object& document) const
    {
        settings::set(document, "identityProviders", identity_providers, json::array());
        settings::set(document, "allowedOrigins", allowed_origins, json::array());
        settings::set(document, "smsCountries", sms_countries);
        settings::set(document, "brand", brand);
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
        return settings::answer_patch(
            tx, req, [&](json::object& document) { changes.apply(document); }, to_json, deps.clock.now());
    });
}

} // namespace auth_mfa
