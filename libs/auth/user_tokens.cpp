#include "auth/user_tokens.hpp"

#include "core/cache.hpp"
#include "core/error.hpp"
#include "crypto/hash.hpp"
#include "crypto/jwt.hpp"

#include <algorithm>

namespace auth {

namespace {

namespace json = boost::json;

constexpr std::size_t max_token_size = 8192;
constexpr std::size_t max_claim_size = 320; // an email address is the longest claim
constexpr std::chrono::hours max_cached{1};

json::value const* find(json::object const& object, std::string_view name)
{
    return object.if_contains(name);
}

/// The string claim; nullopt if it is absent, of another type, empty, too long, or contains control
/// characters.
std::optional<std::string> text_claim(json::object const& claims, std::string_view name)
{
    auto const* const value = find(claims, name);
    if (value == nullptr || !value->is_string()) return std::nullopt;
    std::string_view const text = value->get_string();
    if (text.empty() || text.size() > max_claim_size) return std::nullopt;
    if (std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }))
        return std::nullopt;
    return std::string(text);
}

/// Whether `aud` contains `audience`. `aud` is a string or an array of strings (RFC 7519, 4.1.3).
bool names_audience(json::object const& claims, std::string_view audience)
{
    auto const* const aud = find(claims, "aud");
    if (aud == nullptr) return false;
    auto const is_ours = [&](json::value const& v) { return v.is_string() && v.get_string() == audience; };
    return is_ours(*aud) || (aud->is_array() && std::ranges::any_of(aud->get_array(), is_ours));
}

/// Whether the claim `amr` is absent, null or an array of strings.
bool has_valid_amr(json::object const& claims)
{
    auto const* const amr = find(claims, "amr");
    if (amr == nullptr || amr->is_null()) return true;
    return amr->is_array() && std::ranges::all_of(amr->get_array(),
                                  [](json::value const& method) { return method.is_string(); });
}

/// Reads the claim `name`. Returns false if the claim is present and not valid.
bool read_optional(json::object const& claims, std::string_view name, std::string& out)
{
    auto const* const value = find(claims, name);
    if (value == nullptr || value->is_null()) return true;
    auto text = text_claim(claims, name);
    if (!text) return false;
    out = std::move(*text);
    return true;
}

std::optional<core::Access> access_of(std::string_view role)
{
    if (role == "user") return core::Access::user;
    if (role == "admin") return core::Access::admin;
    if (role == "owner") return core::Access::owner;
    return std::nullopt;
}

/// Reads the claims that name the user and the scope.
std::optional<UserToken> read_subject(json::object const& claims)
{
    auto subject = text_claim(claims, "sub");
    auto tenant = text_claim(claims, "tenant");
    auto const env = text_claim(claims, "env");
    if (!subject || !tenant || !env || !text_claim(claims, "jti")) return std::nullopt;
    auto const environment = core::parse_enum<core::Environment>(*env);
    if (!environment) return std::nullopt;
    UserToken token;
    token.subject = std::move(*subject);
    token.tenant = std::move(*tenant);
    token.environment = *environment;
    return token;
}

/// Adds the claims of an access token. Returns false if the token is refused.
bool read_access(json::object const& claims, UserTokensOptions const& options, UserToken& token)
{
    auto session = text_claim(claims, "sid");
    auto role = text_claim(claims, "role");
    if (!session || !role || !has_valid_amr(claims)) return false;
    auto const access = access_of(*role);
    if (!access || !read_optional(claims, "email", token.email) ||
        !read_optional(claims, "client_id", token.client_id) || !read_optional(claims, "scope", token.scope))
        return false;
    token.session_id = std::move(*session);
    token.role = std::move(*role);
    bool const apart = options.clients_apart && !token.client_id.empty() &&
                       std::ranges::find(options.own_clients, token.client_id) == options.own_clients.end();
    token.access = apart ? core::Access::client : *access;
    auto const is = [&](std::string_view name, json::value const& wanted) {
        auto const* const value = find(claims, name);
        return value != nullptr && *value == wanted;
    };
    if (auto const* const verified = find(claims, "email_verified");
        verified != nullptr && verified->is_bool())
        token.email_verified = verified->get_bool();
    token.authenticated_at = token::time_claim(claims, "auth_time");
    token.aal2 = is("acr", "aal2");
    if (names_audience(claims, token::audience)) return true;
    token.access = core::Access::enrolment;
    return options.accept_enrolment && names_audience(claims, token::enrolment_audience);
}

/// As `read_access`, for an erasure token.
bool read_erasure(json::object const& claims, UserTokensOptions const& options, UserToken& token)
{
    token.access = core::Access::erasure;
    return !options.erasure_audience.empty() && names_audience(claims, options.erasure_audience) &&
           token.expires_at - token.issued_at <= token::max_erasure_lifetime;
}

/// Reads the claims and checks everything except the signature. Returns nullopt if the token is refused.
std::optional<UserToken> read_claims(crypto::Jws const& jws, UserTokensOptions const& options, core::Time now)
{
    auto const& claims = jws.payload;
    auto token = read_subject(claims);
    auto const iss = text_claim(claims, "iss");
    if (!token || !iss || !token::is_timely(claims, now)) return std::nullopt;
    if (!token::is_issuer(*iss, options.issuer_host, token->tenant, token->environment)) return std::nullopt;
    token->issued_at = token::time_claim(claims, "iat").value();
    token->expires_at = token::time_claim(claims, "exp").value();
    auto const* const type = find(jws.header, "typ");
    auto const is = [type](std::string_view wanted) {
        return type != nullptr && type->is_string() && type->get_string() == wanted;
    };
    bool const valid = (is(token::type) && read_access(claims, options, *token)) ||
                       (is(token::erasure_type) && read_erasure(claims, options, *token));
    return valid ? std::move(token) : std::nullopt;
}

/// A verified token, and the generation of the key set that verified it.
struct Verified {
    UserTokens::Token token;
    std::uint64_t generation = 0;
};

} // namespace

struct UserTokens::Impl {
    Impl(Jwks& j, core::Clock const& c, UserTokensOptions o)
        : jwks(j), clock(c), options(std::move(o)), cache(options.cache_capacity, max_cached)
    {
    }

    Token remember(crypto::Digest const& digest, UserToken&& token, std::uint64_t generation, core::Time now)
    {
        auto shared = std::make_shared<UserToken const>(std::move(token));
        auto const left = shared->expires_at + token::skew - now;
        auto const kept = std::min<std::chrono::microseconds>(left, max_cached);
        cache.put(digest, std::make_shared<Verified const>(Verified{shared, generation}),
            std::chrono::steady_clock::now() + kept);
        return shared;
    }

    /// If `last` is true, a token with an unknown key id is refused. Otherwise the result for such a token is
    /// undecided if there is no key set yet, or if a fetch of the key set is allowed.
    Known decide(std::string_view raw, bool last)
    {
        if (!is_candidate(raw) || raw.size() > max_token_size) return {.decided = true};
        core::Time const now = clock.now();
        auto const [keys, generation] = jwks.snapshot();
        crypto::Digest const digest = crypto::sha256(raw);
        if (auto const hit = cache.find(digest); hit && hit->generation == generation) {
            bool const expired = now >= hit->token->expires_at + token::skew;
            return {.decided = true, .token = expired ? nullptr : hit->token};
        }
        auto const jws = crypto::parse_jws(raw);
        if (!jws || jws->kid().empty()) return {.decided = true};
        auto token = read_claims(*jws, options, now);
        if (!token) return {.decided = true};
        auto const* const key = keys ? keys->find(jws->kid()) : nullptr;
        if (key == nullptr) return {.decided = last || (keys && !jwks.may_refetch())};
        if (!crypto::verify_es256(*key, *jws)) return {.decided = true};
        return {.decided = true, .token = remember(digest, std::move(*token), generation, now)};
    }

    Jwks& jwks;
    core::Clock const& clock;
    UserTokensOptions const options;
    core::Cache<crypto::Digest, Verified> cache;
};

UserTokens::UserTokens(Jwks& jwks, core::Clock const& clock, UserTokensOptions options)
    : impl_(std::make_unique<Impl>(jwks, clock, std::move(options)))
{
}

UserTokens::~UserTokens() = default;

bool UserTokens::is_candidate(std::string_view raw) noexcept
{
    // Every JWS header is a JSON object, and `{"` is `eyJ` in base64url.
    return raw.starts_with("eyJ") && std::ranges::count(raw, '.') == 2;
}

UserTokens::Known UserTokens::check(std::string_view raw)
{
    return impl_->decide(raw, false);
}

asio::awaitable<UserTokens::Token> UserTokens::verify(std::string_view raw)
{
    Known known = impl_->decide(raw, false);
    if (known.decided) co_return std::move(known.token);
    co_await impl_->jwks.refetch();
    if (!impl_->jwks.snapshot().keys)
        throw core::Error::unavailable("The keys for user tokens cannot be fetched now. Retry later.");
    co_return impl_->decide(raw, true).token;
}

} // namespace auth
