// The input is a user token that no key has signed, or `{header}` and `{claims}` on one line each. This
// program signs header and claims with a key of the set.
#include "crypto/jwt.hpp"

#include "auth/user_tokens.hpp"
#include "core/clock.hpp"
#include "crypto/encoding.hpp"
#include "fuzz.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>

namespace json = boost::json;
using fuzz::require;

namespace {

class FixedClock final : public core::Clock {
public:
    core::Time now() const override { return core::Time(std::chrono::seconds(1'767'225'600)); } // 2026
};

/// The one verifier of the process. The key set is loaded before the first check.
struct Verifier {
    FixedClock clock;
    crypto::SigningKey key = crypto::SigningKey::generate();
    auth::Jwks jwks{[this] {
                        return std::optional(
                            json::serialize(json::object{{"keys", json::array{key.public_jwk("k1")}}}));
                    },
        {.refresh = std::chrono::hours(100), .min_refetch = std::chrono::hours(100)}};
    auth::UserTokens tokens{jwks, clock, {.issuer_host = "auth.example.com", .cache_capacity = 64}};

    Verifier()
    {
        while (!jwks.snapshot().keys)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
};

Verifier& verifier()
{
    static auto* const made = new Verifier; // never destroyed, so that no thread is joined at exit
    return *made;
}

bool is_claim(std::string const& text)
{
    return !text.empty() && text.size() <= 320 &&
           std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

void check_accepted(auth::UserToken const& token, core::Time now)
{
    require(is_claim(token.subject) && is_claim(token.session_id));
    require(is_claim(token.tenant) && (token.email.empty() || is_claim(token.email)));
    require(token.role == "user" || token.role == "admin" || token.role == "owner");
    require(token.expires_at + auth::token::skew > now && token.issued_at <= now + auth::token::skew);
    require(token.expires_at <= core::max_time && token.issued_at >= core::Time());
}

/// A token has only one encoding.
void check_parts(std::string_view raw)
{
    auto const jws = crypto::parse_jws(raw);
    if (!jws) return;
    require(jws->signing_input + '.' + crypto::base64url::encode(jws->signature) == raw);
    require(std::ranges::count(raw, '.') == 2 && !jws->signature.empty());
}

void check_raw(std::string_view raw)
{
    check_parts(raw);
    require(verifier().tokens.check(raw).token == nullptr);
}

void check_signed(fuzz::Input input)
{
    boost::system::error_code failed;
    json::value header = json::parse(input.line(), failed);
    if (failed || !header.is_object()) return;
    json::value const claims = json::parse(input.rest(), failed);
    if (failed || !claims.is_object()) return;
    header.get_object().erase("alg");
    std::string const raw = verifier().key.sign(std::move(header.get_object()), claims.get_object());
    check_parts(raw);
    auto const known = verifier().tokens.check(raw);
    if (!known.token) return;
    check_accepted(*known.token, verifier().clock.now());
    require(verifier().tokens.check(raw).token == known.token); // from the cache
    require(verifier().tokens.check(raw.substr(0, raw.size() - 2)).token == nullptr);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    fuzz::Input const input(data, size);
    if (input.rest().starts_with('{'))
        check_signed(input);
    else
        check_raw(input.rest());
    return 0;
}
