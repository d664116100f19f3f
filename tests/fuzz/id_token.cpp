// The input is an id token of an identity provider: `{header}` on a line, then `{claims}`.
#include "domain/id_token.hpp"

#include "core/fields.hpp"
#include "fuzz.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>

namespace json = boost::json;
using fuzz::require;

namespace {

core::Time const now{std::chrono::seconds(1'767'225'600)};

std::array<auth_mfa::IdentityProvider, 2> const providers{
    {{"https://accounts.example.com", "client-1", "https://accounts.example.com/keys"},
        {"https://login.example.net/common", "client-2", "https://login.example.net/keys"}}};

std::optional<json::object> read_object(std::string_view text)
{
    boost::system::error_code failed;
    auto const value = json::parse(text, failed);
    if (failed || !value.is_object()) return std::nullopt;
    return value.get_object();
}

void check(auth_mfa::ClaimedIdentity const& claimed, crypto::Jws const& jws)
{
    auto const& [issuer, subject, email, key, issued_at, authenticated_at, token_hash] = claimed.identity;
    auto const named =
        std::ranges::find(providers, claimed.provider, [](auto const& provider) { return &provider; });
    require(named != providers.end() && issuer == named->issuer && !jws.kid().empty());
    require(!subject.empty() && subject.size() <= 255 && core::is_utf8(subject));
    require(key == named->key() && token_hash.size() == 64);
    require(now - issued_at <= auth_mfa::max_id_token_age + std::chrono::seconds(30));
    require(subject.find('\0') == std::string::npos && (!email || core::is_email(*email)));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    fuzz::Input input(data, size);
    auto header = read_object(input.line());
    auto claims = read_object(input.rest());
    if (!header || !claims) return 0;
    crypto::Jws const jws{*std::move(header), *std::move(claims), {}, {}};
    auto const claimed = auth_mfa::validate_id_token_claims(jws, providers, std::nullopt, now);
    if (claimed) check(*claimed, jws);
    require(!auth_mfa::validate_id_token_claims(
        jws, {}, std::nullopt, now)); // a tenant without identity providers
    return 0;
}
