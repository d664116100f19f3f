#include "providers/identity_tokens.hpp"

#include "auth/token_claims.hpp"
#include "core/error.hpp"
#include "core/fields.hpp"
#include "http/client.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace auth_mfa {

namespace {

namespace json = boost::json;

constexpr std::size_t max_subject = 255;
constexpr std::size_t max_sets = 1'000; ///< that are remembered
constexpr std::size_t max_set_bytes = 64 * 1024;
constexpr std::size_t max_set_keys = 32;
constexpr unsigned fetching_threads = 16;
constexpr unsigned fetches_of_a_scope = 4; ///< at once: nobody's dead addresses take all threads
constexpr std::chrono::minutes kept{10};
constexpr std::chrono::seconds min_refetch{10};
constexpr std::chrono::seconds fetch_timeout{3};
constexpr std::chrono::seconds patience{4}; ///< of who waits for a fetch: its turn may not have come
constexpr double max_numeric_date = 253'402'300'799.0; // the end of the year 9999

/// The string claim; empty when it is absent or something else.
std::string_view text_of(json::object const& claims, std::string_view name)
{
    auto const* value = claims.if_contains(name);
    auto const* text = value == nullptr ? nullptr : value->if_string();
    return text == nullptr ? std::string_view() : std::string_view(*text);
}

/// A NumericDate (RFC 7519, 2).
std::optional<core::Time> time_of(json::object const& claims, std::string_view name)
{
    auto const* value = claims.if_contains(name);
    if (value == nullptr || !value->is_number()) return std::nullopt;
    double const seconds = value->to_number<double>();
    if (!(seconds >= 0.0 && seconds <= max_numeric_date)) return std::nullopt;
    return core::Time(std::chrono::seconds(static_cast<std::int64_t>(std::floor(seconds))));
}

/// `aud` is the client alone, or a list with it that names it as the authorized party (OpenID Connect Core,
/// 3.1.3.7).
bool is_for(json::object const& claims, std::string_view audience)
{
    auto const* aud = claims.if_contains("aud");
    auto const* list = aud == nullptr ? nullptr : aud->if_array();
    bool const named = list == nullptr ? text_of(claims, "aud") == audience
                                       : std::ranges::find(*list, json::value(audience)) != list->end();
    bool const others = list != nullptr && list->size() > 1;
    if (claims.contains("azp") || others) return named && text_of(claims, "azp") == audience;
    return named;
}

bool is_timely(json::object const& claims, core::Time now)
{
    using auth::token::skew;
    auto const expires = time_of(claims, "exp");
    auto const issued = time_of(claims, "iat");
    if (!expires || !issued || now >= *expires + skew || *issued > now + skew) return false;
    auto const from = time_of(claims, "nbf");
    return !claims.contains("nbf") || (from && *from <= now + skew);
}

/// Whether it is an id token and not one of the provider's access tokens (RFC 9068, 2.1).
bool is_id_token(crypto::Jws const& jws)
{
    return !jws.header.contains("typ") || text_of(jws.header, "typ") == "JWT";
}

IdentityProvider const* provider_of(json::object const& claims, std::span<IdentityProvider const> providers)
{
    auto const it = std::ranges::find_if(providers, [&](IdentityProvider const& p) {
        return p.issuer.size() <= IdentityProvider::max_issuer && text_of(claims, "iss") == p.issuer &&
               is_for(claims, p.audience);
    });
    return it == providers.end() ? nullptr : &*it;
}

/// An address that the provider does not deny having verified.
std::optional<std::string> email_of(json::object const& claims)
{
    std::string_view const email = text_of(claims, "email");
    auto const* verified = claims.if_contains("email_verified");
    bool const denied =
        verified != nullptr && *verified != json::value(true) && *verified != json::value("true");
    if (denied || !core::is_email(email)) return std::nullopt;
    return std::string(email);
}

/// Whether it can be stored and compared.
bool is_subject(std::string_view text)
{
    return !text.empty() && text.size() <= max_subject && text.find('\0') == std::string_view::npos &&
           core::is_utf8(text);
}

/// Throws http::OutboundError, or std::invalid_argument when what is answered is no key set.
crypto::JwkSet read_keys(http::Client& client, std::string const& url)
{
    http::OutboundRequest request;
    request.url = url;
    request.headers = {{"Accept", "application/jwk-set+json, application/json"}};
    request.timeout = fetch_timeout;
    request.max_response_bytes = max_set_bytes;
    auto const response = client.send(request);
    if (response.status != 200) throw std::invalid_argument("not answered with 200");
    auto set = crypto::parse_foreign_jwk_set(response.body);
    if (set.keys.size() > max_set_keys) throw std::invalid_argument("too many keys");
    return set;
}

core::Error keys_unavailable()
{
    return core::Error::unavailable("The identity provider's keys cannot be fetched right now.", 5);
}

/// On the waiter's own executor, whether it has begun to wait or not.
void wake(std::shared_ptr<asio::steady_timer> const& waiter)
{
    asio::post(waiter->get_executor(),
        [waiter] { waiter->expires_at(std::chrono::steady_clock::time_point::min()); });
}

} // namespace

IdentityTokens::IdentityTokens(http::Client& client, core::Clock const& clock)
    : client_(client), clock_(clock), sets_(max_sets, kept), failures_(max_sets, min_refetch),
      workers_(fetching_threads)
{
}

asio::awaitable<std::optional<ExternalIdentity>> IdentityTokens::verify(
    std::int64_t scope_id, std::string_view raw, std::span<IdentityProvider const> providers)
{
    auto const jws = crypto::parse_jws(raw);
    if (!jws || jws->kid().empty() || !is_id_token(*jws)) co_return std::nullopt;
    auto const& claims = jws->payload;
    auto const* const provider = provider_of(claims, providers);
    std::string_view const subject = text_of(claims, "sub");
    // All that costs nothing comes first, so that only what may be good fetches keys.
    if (provider == nullptr || !is_subject(subject) || !is_timely(claims, clock_.now()))
        co_return std::nullopt;
    auto const set = co_await keys_for(scope_id, provider->jwks_url, jws->kid());
    auto const* const key = set->keys.find(jws->kid());
    if (key == nullptr || !crypto::verify(*key, *jws)) co_return std::nullopt;
    co_return ExternalIdentity{provider->issuer, std::string(subject), email_of(claims)};
}

asio::awaitable<IdentityTokens::Keys> IdentityTokens::keys_for(
    std::int64_t scope_id, std::string const& url, std::string_view kid)
{
    auto const usable = [&] {
        auto known = sets_.find(url);
        bool const good =
            known && (known->keys.find(kid) != nullptr || Steady::now() - known->fetched < min_refetch);
        return good ? known : nullptr;
    };
    if (auto known = usable()) co_return known;
    if (!failures_.find(url)) co_await fetched(scope_id, url);
    if (auto known = usable()) co_return known;
    throw keys_unavailable();
}

asio::awaitable<void> IdentityTokens::fetched(std::int64_t scope_id, std::string url)
{
    auto const waiter = std::make_shared<asio::steady_timer>(co_await asio::this_coro::executor, patience);
    {
        std::lock_guard const lock(mutex_);
        auto known = under_way_.find(url);
        if (known == under_way_.end()) {
            if (fetches_[scope_id] >= fetches_of_a_scope) throw keys_unavailable();
            ++fetches_[scope_id];
            known = under_way_.emplace(url, Fetch{scope_id, {}}).first;
            workers_.post([this, url] { fetch(url); });
        }
        known->second.waiters.push_back(waiter);
    }
    co_await waiter->async_wait(asio::as_tuple(asio::use_awaitable));
}

void IdentityTokens::fetch(std::string const& url) noexcept
{
    try {
        auto const begun = Steady::now();
        sets_.put(url, std::make_shared<KeySet const>(KeySet{read_keys(client_, url), begun}));
    } catch (std::exception const&) { // who waits says what that means
        failures_.put(url, std::make_shared<Failure const>());
    }
    std::lock_guard const lock(mutex_);
    auto const ended = under_way_.extract(url);
    auto const& [scope_id, waiters] = ended.mapped();
    if (--fetches_[scope_id] == 0) fetches_.erase(scope_id);
    for (auto const& waiter : waiters)
        wake(waiter);
}

} // namespace auth_mfa
