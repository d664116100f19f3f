// What identity providers answer. The first line of the input names the kind: `metadata`, `tokens`,
// `userinfo` or `github`. The rest is the answer; for `github` one line with the user, then the emails.
#include "core/fields.hpp"
#include "domain/external_request.hpp"
#include "domain/provider_metadata.hpp"
#include "fuzz.hpp"

#include <algorithm>

using fuzz::require;

namespace {

constexpr std::string_view issuer = "https://id.example.com";
core::Time const now{std::chrono::seconds(1'767'225'600)};

bool is_permitted(std::string const& url)
{
    return url.starts_with("https://");
}

auth_mfa::IdentityProvider provider(auth_mfa::ProviderType type)
{
    return auth_mfa::IdentityProvider::from_json({{"name", "acme"}, {"type", auth_mfa::to_string(type)},
        {"issuer", issuer}, {"audience", "app"}, {"clientId", "app"}});
}

void check_metadata(std::string_view text)
{
    auto const read = auth_mfa::parse_provider_metadata(text, issuer, is_permitted);
    if (!read) return;
    for (auto const& url : {read->authorization_endpoint, read->token_endpoint, read->jwks_url})
        require(is_permitted(url) && url.size() <= 4 * 2048);
    require(read->userinfo_endpoint.empty() || is_permitted(read->userinfo_endpoint));
    auto const oidc = provider(auth_mfa::ProviderType::oidc);
    auto const sign_in = auth_mfa::ExternalSignIn::begin(oidc, now);
    auto const url = auth_mfa::authorization_url(oidc, *read, sign_in, "https://x.example/");
    require(url.starts_with(read->authorization_endpoint) && url.ends_with("&code_challenge_method=S256"));
    require(!auth_mfa::is_from_provider(oidc, *read, "https://other.example"));
    require(!auth_mfa::parse_provider_metadata(text, "https://other.example", is_permitted));
}

void check_tokens(std::string_view text)
{
    auto const tokens = auth_mfa::parse_provider_tokens(text);
    if (!tokens) return;
    for (char const c : {'\r', '\n', '\0'})
        require(tokens->access_token.find(c) == std::string::npos);
    require(!tokens->access_token.empty() && tokens->access_token.size() <= 8192);
    require(tokens->id_token.size() <= 8192);
}

void check_github(std::string_view user, std::string_view emails)
{
    auto const github = provider(auth_mfa::ProviderType::github);
    auto const identity = auth_mfa::github_identity(github, user, emails, "code", now);
    if (!identity) return;
    require(std::ranges::all_of(identity->subject, [](char c) { return c >= '0' && c <= '9'; }));
    require(!identity->subject.empty() && identity->subject.front() != '0');
    require(!identity->email || core::is_email(*identity->email));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    fuzz::Input input(data, size);
    auto const kind = input.line();
    if (kind == "metadata") {
        check_metadata(input.rest());
    } else if (kind == "tokens") {
        auto const text = input.rest();
        check_tokens(text);
        auth_mfa::refuses_code(text);
    } else if (kind == "userinfo") {
        auto const email = auth_mfa::email_in_userinfo(input.rest(), "ada");
        require(!email || core::is_email(*email));
    } else if (kind == "github") {
        auto const user = input.line();
        check_github(user, input.rest());
    }
    return 0;
}
