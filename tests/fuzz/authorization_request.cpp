// The input is the query of an authorization request of a public client, as sent.
#include "domain/authorization_request.hpp"

#include "core/text.hpp"
#include "domain/oauth_errors.hpp"
#include "domain/oauth_scope.hpp"
#include "domain/redirect_uri.hpp"
#include "fuzz.hpp"
#include "http/form.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <chrono>

using namespace auth_mfa;
using fuzz::require;

namespace {

core::Time const now{std::chrono::seconds(1'767'225'600)};
UserId const user(core::Uuid::parse("019bb153-8740-7299-952d-a3a6560e239c").value());
constexpr auto errors = std::to_array<std::string_view>(
    {"invalid_request", "unsupported_response_type", "request_not_supported", "registration_not_supported"});
constexpr std::size_t longest_stored = 10'000; ///< bytes, as JSON

Client client_of(ClientType type)
{
    Client client;
    client.id = "app";
    client.type = type;
    client.redirect_uris = {"https://app.example.com/callback?a=b", "http://127.0.0.1/done"};
    return client;
}

/// The parameters of the response, as the client reads them.
Parameters parameters_of(std::string_view uri)
{
    auto const form = http::parse_form(uri.substr(uri.find('?') + 1));
    require(form.has_value());
    return *form;
}

void check(AuthorizationRequest const& request, Client const& client)
{
    require(request.client_id == client.id && request.created_at == now);
    require(fuzz::is_text(request.state) && request.state.size() <= max_state);
    require(fuzz::is_text(request.nonce) && request.nonce.size() <= max_nonce);
    require(request.login_hint.size() <= max_login_hint && request.ui_locales.size() <= max_ui_locales);
    require(request.scope == granted_scope(request.scope));
    require(client.is_confidential() || request.code_challenge.size() == 43);
    require(!request.silent || (!request.signs_in && !request.selects));
    require(!request.max_age || request.max_age->count() >= 0);

    auto const text = boost::json::serialize(to_json(request));
    require(text.size() <= longest_stored);
    auto const again = authorization_request_of(boost::json::parse(text).as_object());
    require(boost::json::serialize(to_json(again)) == text);

    auto const uri = with_parameters(request.redirect_uri, {{"code", "x"}, {"state", request.state}});
    require(uri.starts_with(request.redirect_uri) && uri.find_first_of(" \r\n#<>\"") == std::string::npos);
    require(single_value(parameters_of(uri), "state").value_or("") == request.state);
}

/// No session gets a code with less than the request demands.
void check_steps(AuthorizationRequest const& request)
{
    require(next_step(request, nullptr, true, now) == AuthorizationStep::sign_in);
    BrowserSession const old{.user_id = user, .authenticated_at = now - std::chrono::hours(1)};
    auto const step = next_step(request, &old, true, now);
    bool const demands = request.signs_in || request.selects || request.aal2 ||
                         (request.max_age && *request.max_age < std::chrono::hours(1));
    require((step == AuthorizationStep::issue) == !demands);
    BrowserSession const strong{.user_id = user, .authenticated_at = now, .aal2 = true};
    require(next_step(request, &strong, false, now) == AuthorizationStep::issue);
}

void read(Parameters const& parameters, Client const& client)
{
    auto const uri = single_value(parameters, "redirect_uri");
    if (!uri || !redirect_uri_matches(client, *uri)) return;
    try {
        auto const request = read_authorization_request(parameters, client, *uri, now);
        check(request, client);
        check_steps(request);
    } catch (core::Error const& error) {
        require(std::ranges::find(errors, oauth_code(error)) != errors.end());
        require(oauth_description(error).size() <= 500);
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    auto const parameters = http::parse_form(fuzz::Input(data, size).line());
    if (!parameters) return 0;
    read(*parameters, client_of(ClientType::is_public));
    read(*parameters, client_of(ClientType::confidential));
    return 0;
}
