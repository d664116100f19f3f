#include "code_provider.hpp"

#include "core/text.hpp"
#include "crypto/encoding.hpp"
#include "crypto/hash.hpp"
#include "crypto/random.hpp"
#include "http/form.hpp"

#include <catch2/catch.hpp>

namespace json = boost::json;

namespace {

std::string json_reply(unsigned status, json::value const& body)
{
    return testing::reply(status, json::serialize(body), "Content-Type: application/json\r\n");
}

void apply(json::object& to, json::object const& changes)
{
    for (auto const& [name, value] : changes) {
        if (value.is_null())
            to.erase(name);
        else
            to[name] = value;
    }
}

std::string value_of(Parameters const& parameters, std::string_view name)
{
    auto const found = parameters.find(name);
    return found == parameters.end() ? std::string() : found->second;
}

} // namespace

Parameters parameters_of(std::string_view form)
{
    Parameters found;
    auto const fields = http::parse_form(form).value();
    for (auto const& [name, value] : fields)
        found.emplace(name, value);
    return found;
}

CodeProvider::CodeProvider(World const& world)
    : receiver_([this](testing::Received const& received) { return answer(received); })
{
    signer_.emplace(world.clock, issuer());
}

json::object CodeProvider::setting(json::object const& changes) const
{
    json::object made{{"name", "acme"}, {"displayName", "Acme ID"}, {"issuer", issuer()},
        {"clientId", client_id}, {"clientSecret", client_secret}};
    apply(made, changes);
    return made;
}

std::string CodeProvider::sign_in(
    std::string const& location, std::string const& email, json::object const& claims)
{
    INFO(location);
    auto const query = location.find('?');
    REQUIRE(query != std::string::npos);
    auto request = parameters_of(std::string_view(location).substr(query + 1));
    CHECK(value_of(request, "response_type") == "code");
    CHECK(value_of(request, "client_id") == client_id);
    CHECK(value_of(request, "code_challenge_method") == "S256");
    CHECK(value_of(request, "code_challenge").size() == 43);
    CHECK(value_of(request, "state").size() >= 22);
    auto const redirect = value_of(request, "redirect_uri");
    constexpr std::string_view callback = "/oauth/external/callback";
    REQUIRE(redirect.ends_with(callback));
    auto const code = crypto::random_base62(24);
    std::string path = std::string(callback) + "?code=" + code + "&state=" + value_of(request, "state");
    std::lock_guard const lock(mutex_);
    if (sends_issuer) path += "&iss=" + core::percent_encode(issuer());
    codes_[code] = {std::move(request), email, claims};
    return path;
}

Parameters CodeProvider::last_exchange() const
{
    std::lock_guard const lock(mutex_);
    return last_exchange_;
}

std::string CodeProvider::answer(testing::Received const& received)
{
    std::lock_guard const lock(mutex_);
    auto const& target = received.target;
    if (target == "/.well-known/openid-configuration") return metadata();
    if (target == "/jwks") return testing::reply(200, signer_->jwks());
    if (target == "/token") return exchange(received);
    auto const authorization = received.headers.find("authorization");
    if (authorization == received.headers.end() || !authorization->second.starts_with("Bearer access-"))
        return json_reply(401, json::object());
    if (target == "/userinfo") return json_reply(200, userinfo);
    if (target == "/user") return json_reply(github_user.is_null() ? 404 : 200, github_user);
    if (target == "/user/emails") return json_reply(github_emails.is_null() ? 404 : 200, github_emails);
    return json_reply(404, json::object());
}

std::string CodeProvider::metadata() const
{
    json::object document{{"issuer", issuer()}, {"authorization_endpoint", url("/authorize?realm=1")},
        {"token_endpoint", url("/token")}, {"jwks_uri", url("/jwks")},
        {"userinfo_endpoint", url("/userinfo")},
        {"authorization_response_iss_parameter_supported", sends_issuer}};
    apply(document, metadata_changes);
    return json_reply(200, document);
}

bool CodeProvider::is_authenticated(testing::Received const& received, Parameters const& form) const
{
    auto const basic =
        "Basic " + crypto::base64::encode(std::string(client_id) + ':' + core::percent_encode(client_secret));
    auto const header = received.headers.find("authorization");
    if (!has_secret) return value_of(form, "client_id") == client_id && header == received.headers.end();
    if (wants_basic)
        return header != received.headers.end() && header->second == basic && !form.contains("client_secret");
    return value_of(form, "client_id") == client_id && form.contains("client_secret") &&
           header == received.headers.end();
}

/// RFC 6749, 4.1.3 and 5.2; RFC 7636, 4.6.
std::string CodeProvider::exchange(testing::Received const& received)
{
    auto const form = last_exchange_ = parameters_of(received.body);
    if (token_status != 200) return json_reply(token_status, {{"error", "invalid_client"}});
    if (!is_authenticated(received, form)) return json_reply(401, {{"error", "invalid_client"}});
    auto const issued = codes_.extract(value_of(form, "code"));
    if (issued.empty()) return json_reply(400, {{"error", "invalid_grant"}});
    auto const& [request, email, changes] = issued.mapped();
    auto const challenge =
        crypto::base64url::encode(crypto::view(crypto::sha256(value_of(form, "code_verifier"))));
    bool const right = value_of(form, "grant_type") == "authorization_code" &&
                       value_of(form, "redirect_uri") == value_of(request, "redirect_uri") &&
                       challenge == value_of(request, "code_challenge");
    if (!right) return json_reply(400, {{"error", "invalid_grant"}});
    json::object claims{{"nonce", value_of(request, "nonce")}};
    for (auto const& [name, value] : changes)
        claims[name] = value;
    return json_reply(200, {{"access_token", "access-" + email}, {"token_type", "Bearer"},
                               {"id_token", signer_->token(email, claims)}});
}

std::string begin_at(PageClient& client, std::string const& name, std::string const& query)
{
    auto const page = client.get_raw("/oauth/external/" + name + query);
    INFO(page.body);
    REQUIRE(page.status == 303);
    return page.location;
}
