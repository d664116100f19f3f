#include "providers/id_token_verifier.hpp"

#include "core/error.hpp"
#include "domain/id_token.hpp"
#include "http_client/client.hpp"
#include "providers/identity_provider_client.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <stdexcept>

namespace auth_mfa {

namespace {

constexpr std::size_t max_sets = 1'000; ///< cached key sets
constexpr std::size_t max_set_bytes = 64 * 1024;
constexpr std::size_t max_set_keys = 32;
constexpr unsigned fetching_threads = 16;
constexpr unsigned fetches_of_a_scope = 4; ///< concurrent; one scope's slow URLs must not use all threads
constexpr std::chrono::minutes kept{10};
constexpr std::chrono::seconds min_refetch{10};
constexpr std::chrono::seconds fetch_timeout{3};
constexpr std::chrono::seconds patience{4}; ///< how long a caller waits for a fetch, including the queue

/// Throws http_client::Error, or std::invalid_argument when the response is not a key set.
crypto::JwkSet read_keys(http_client::Client& client, std::string const& url)
{
    http_client::Request request;
    request.url = url;
    request.headers = {{"Accept", "application/jwk-set+json, application/json"}};
    request.timeout = fetch_timeout;
    request.max_response_bytes = max_set_bytes;
    auto const response = client.send(request);
    if (response.status != 200) throw std::invalid_argument("the status of the response is not 200");
    auto set = crypto::parse_foreign_jwk_set(response.body);
    if (set.keys.size() > max_set_keys) throw std::invalid_argument("the key set has too many keys");
    return set;
}

core::Error keys_unavailable()
{
    return core::Error::unavailable(
        "The server cannot fetch the keys of the identity provider now. Try again later. If the error "
        "persists, check `jwksUrl` in the setting `identityProviders`.",
        5);
}

/// Wakes a waiter on the waiter's own executor, even if the waiter has not begun to wait yet.
void wake(std::shared_ptr<asio::steady_timer> const& waiter)
{
    asio::post(waiter->get_executor(),
        [waiter] { waiter->expires_at(std::chrono::steady_clock::time_point::min()); });
}

} // namespace

IdTokenVerifier::IdTokenVerifier(
    http_client::Client& client, IdentityProviderClient& providers, core::Clock const& clock)
    : client_(client), providers_(providers), clock_(clock), sets_(max_sets, kept),
      failures_(max_sets, min_refetch), workers_(fetching_threads)
{
}

asio::awaitable<std::optional<ExternalIdentity>> IdTokenVerifier::verify(core::ScopeId scope_id,
    std::string_view raw, std::span<IdentityProvider const> providers,
    std::optional<std::string> const& nonce)
{
    auto const jws = crypto::parse_jws(raw);
    if (!jws) co_return std::nullopt;
    // The cheap checks come first, so that only plausible tokens cause a fetch of keys.
    auto claimed = validate_id_token_claims(*jws, providers, nonce, clock_.now());
    if (!claimed) co_return std::nullopt;
    std::string url = claimed->provider->jwks_url;
    if (url.empty()) url = (co_await providers_.metadata(scope_id, *claimed->provider)).jwks_url;
    auto const set = co_await keys_for(scope_id, url, jws->kid());
    auto const* const key = set->keys.find(jws->kid());
    if (key == nullptr || !crypto::verify(*key, *jws)) co_return std::nullopt;
    co_return std::move(claimed->identity);
}

asio::awaitable<IdTokenVerifier::Keys> IdTokenVerifier::keys_for(
    core::ScopeId scope_id, std::string const& url, std::string_view kid)
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

asio::awaitable<void> IdTokenVerifier::fetched(core::ScopeId scope_id, std::string url)
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

void IdTokenVerifier::fetch(std::string const& url) noexcept
{
    try {
        auto const begun = Steady::now();
        sets_.put(url, std::make_shared<KeySet const>(KeySet{read_keys(client_, url), begun}));
    } catch (std::exception const&) { // the waiting callers see the failure and throw
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
