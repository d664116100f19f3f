#include "pages/account_data.hpp"

#include "api/activity.hpp"
#include "api/factors.hpp"
#include "api/identities.hpp"
#include "api/passkeys.hpp"
#include "api/sessions.hpp"
#include "api/trusted_devices.hpp"
#include "domain/user_agent.hpp"
#include "flows/activity.hpp"
#include "pages/external.hpp"
#include "pages/signed_in_page.hpp"
#include "pg/database.hpp"
#include "storage/clients.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace auth_mfa::pages {

namespace json = boost::json;

namespace {

/// The query for the longest page of a list.
constexpr std::string_view longest = "limit=100";

/// The query for the activity on the account's page.
constexpr std::string_view latest = "limit=6";

std::string text(json::object const& item, std::string_view name)
{
    auto const* const value = item.if_contains(name);
    return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

/// A time of the API as the page shows it; empty for null.
std::string time(json::object const& item, std::string_view name)
{
    auto const time = core::parse_rfc3339(text(item, name));
    return time ? Language::date(*time) : std::string();
}

std::string browser(Language const& language, json::object const& item)
{
    auto name = browser_name(text(item, "userAgent"));
    return name.empty() ? language.text("account.unknown_browser") : name;
}

/// The items of a list of the API as the template's list `name`, with the values that `show` adds to each.
void add_list(Data& data, std::string const& name, json::object const& list, auto const& show)
{
    Data items(Data::type::list);
    for (auto const& value : list.at("items").as_array()) {
        Data item;
        show(item, value.as_object());
        items << item;
    }
    if (items.is_empty_list()) return;
    data.set(name, items);
    data.set("has_" + name, "true");
}

using Names = std::map<std::string, std::string>; ///< of clients, by id

asio::awaitable<Names> names_of_clients(Page const& page, json::object const& sessions)
{
    std::vector<std::string> ids;
    for (auto const& session : sessions.at("items").as_array())
        if (auto id = text(session.as_object(), "clientId"); !id.empty()) ids.push_back(std::move(id));
    if (ids.empty()) co_return Names();
    auto const& scope = page.request().scope();
    co_return co_await page.deps().db.read(scope, [&](pg::Tx& tx) { return clients::names(tx, scope, ids); });
}

/// Where the session is: the client, if it is a client's, and the browser. A client that has been deleted is
/// shown with its id.
std::string place(Language const& language, json::object const& session, Names const& names)
{
    auto const id = text(session, "clientId");
    if (id.empty()) return browser(language, session);
    auto const found = names.find(id);
    auto const& app = found == names.end() ? id : found->second;
    auto const name = browser_name(text(session, "userAgent"));
    return name.empty() ? app : language.text("account.app_on", {{"app", app}, {"browser", name}});
}

void add_sessions(Data& data, Language const& language, json::object const& list, Names const& names)
{
    add_list(data, "sessions", list, [&](Data& shown, json::object const& session) {
        shown.set("id", text(session, "sessionId"));
        shown.set("browser", place(language, session, names));
        set(shown, "address", text(session, "address"));
        set(shown, "last_used", time(session, "lastUsedAt"));
        shown.set(session.at("current").as_bool() ? "current" : "elsewhere", "true");
    });
    auto const& sessions = list.at("items").as_array();
    bool const others = std::ranges::any_of(
        sessions, [](json::value const& session) { return !session.at("current").as_bool(); });
    if (others) data.set("other_sessions", "true");
}

void add_devices(Data& data, Language const& language, json::object const& list)
{
    add_list(data, "devices", list, [&](Data& shown, json::object const& device) {
        shown.set("id", text(device, "deviceId"));
        shown.set("browser", browser(language, device));
        set(shown, "last_used", time(device, "lastUsedAt"));
        set(shown, "until", time(device, "expiresAt"));
    });
}

void add_identities(Data& data, json::object const& list)
{
    add_list(data, "identities", list, [](Data& shown, json::object const& identity) {
        shown.set("id", text(identity, "identityId"));
        shown.set("issuer", text(identity, "issuer"));
        set(shown, "identity_email", text(identity, "email"));
    });
}

void add_passkeys(Data& data, json::object const& list)
{
    add_list(data, "passkeys", list, [](Data& shown, json::object const& passkey) {
        shown.set("id", text(passkey, "passkeyId"));
        shown.set("passkey", text(passkey, "name"));
        auto const used = time(passkey, "lastUsedAt");
        set(shown, "used", used);
        set(shown, "added", used.empty() ? time(passkey, "createdAt") : "");
    });
}

void add_factors(Data& data, json::object const& factors)
{
    for (std::string const factor : {"sms", "totp"})
        data.set((has_factor(factors, factor) ? "has_" : "no_") + factor, "true");
    set(data, "phone", text(factors, "phone"));
    if (factors.at("factors").as_array().empty()) return;
    auto const left = factors.at("recoveryCodesLeft").as_int64();
    data.set("has_codes", "true");
    data.set("codes_left", std::to_string(left));
    if (left <= 2) data.set("few_codes", "true");
}

/// The text `PREFIX.NAME`, or the text `PREFIX.other` for names that this version does not know.
std::string known(Language const& language, std::string const& prefix, std::string const& name)
{
    auto const key = prefix + '.' + name;
    return language.text(language.contains(key) ? key : prefix + ".other");
}

} // namespace

bool has_factor(json::object const& factors, std::string_view factor)
{
    auto const& enrolled = factors.at("factors").as_array();
    return std::ranges::find(enrolled, json::value(factor)) != enrolled.end();
}

std::string factor_name(Language const& language, json::object const& factors, std::string_view factor)
{
    auto name = language.text("method." + std::string(factor));
    // The characters isolate the number from text that is written from right to left.
    if (factor == "sms") name += " (\u2068" + text(factors, "phone") + "\u2069)";
    return name;
}

asio::awaitable<Data> activity_data(Page const& page, std::string_view query)
{
    auto const& language = page.language();
    auto const list = co_await read_api(page, list_activity, query);
    Data data;
    add_list(data, "activity", list, [&](Data& shown, json::object const& entry) {
        auto const result = text(entry, "result");
        shown.set("event", known(language, "activity", text(entry, "type")));
        if (result != succeeded) shown.set("refused", known(language, "refused", result));
        set(shown, "at", time(entry, "at"));
        set(shown, "address", text(entry, "ip"));
        shown.set("browser", browser(language, entry));
    });
    set(data, "more", text(list, "cursor"));
    co_return data;
}

asio::awaitable<Data> account_data(Page const& page)
{
    auto const& language = page.language();
    auto data = co_await activity_data(page, latest);
    auto const factors = co_await read_api(page, get_factors, "");
    add_factors(data, factors);
    if (has_factor(factors, "passkey")) add_passkeys(data, co_await read_api(page, list_passkeys, ""));
    auto const sessions = co_await read_api(page, list_sessions, longest);
    add_sessions(data, language, sessions, co_await names_of_clients(page, sessions));
    add_devices(data, language, co_await read_api(page, list_devices, longest));
    add_identities(data, co_await read_api(page, list_identities, ""));
    co_await add_providers(page, data);
    data.set("link_token", page.external_token(ExternalPurpose::link));
    if (data.get("has_identities") != nullptr || data.get("has_providers") != nullptr)
        data.set("identities_section", "true");
    data.set(page.session()->email_verified ? "verified" : "unverified", "true");
    co_return data;
}

} // namespace auth_mfa::pages
