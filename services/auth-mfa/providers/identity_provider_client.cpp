#include "providers/identity_provider_client.hpp"

#include "core/error.hpp"
#include "core/fair_queue.hpp"
#include "core/fields.hpp"
#include "core/json.hpp"
#include "http_client/await.hpp"
#include "http_client/url.hpp"

#include <boost/json/parse.hpp>

#include <chrono>
#include <utility>
#include <variant>

namespace auth_mfa {

namespace {

constexpr std::size_t max_running = 64;
constexpr std::size_t max_documents = 1'000; ///< cached metadata
constexpr std::chrono::minutes kept{10};
constexpr std::chrono::seconds min_refetch{10};
constexpr std::chrono::seconds time_limit{10};
constexpr std::chrono::seconds connect_limit{3};
constexpr std::size_t max_response = 128 << 10;
constexpr std::uint32_t lines_per_second = 1;

/// Calls a function when the scope ends.
template <class F> struct AtEnd {
    F action;

    explicit AtEnd(F f) : action(std::move(f)) {}

    AtEnd(AtEnd const&) = delete;
    AtEnd& operator=(AtEnd const&) = delete;

    ~AtEnd() { action(); }
};

core::Error unavailable()
{
    return core::Error::unavailable("The identity provider does not answer as expected now. Try again later. "
                                    "If the error persists, check the setting `identityProviders`.",
        5);
}

/// Whether a URL in metadata has the form that a URL of the setting must have.
bool permits(http_client::AddressPolicy const& addresses, std::string const& url)
{
    boost::json::value const none = boost::json::object();
    core::Fields fields(none);
    http_client::check_url(fields, "url", url, addresses);
    return fields.ok();
}

/// The `error` of a token endpoint, if it has the form of RFC 6749 (5.2); such a word is no secret.
std::string error_of(std::string_view body)
{
    boost::system::error_code malformed;
    auto const value = boost::json::parse(body, malformed);
    if (malformed || !value.is_object()) return {};
    auto const error = core::text_of(value.get_object(), "error");
    bool const is_word =
        error.size() <= 40 && error.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == error.npos;
    return is_word && !error.empty() ? ", " + std::string(error) : std::string();
}

} // namespace

IdentityProviderClient::IdentityProviderClient(
    http_client::AddressPolicy addresses, std::string ca_file, observe::Logger& logger)
    : addresses_(addresses), logger_(logger), failures_logged_(lines_per_second),
      metadata_(max_documents, kept), failures_(max_documents, min_refetch), running_(max_running, 1, 1),
      client_(std::make_unique<http_client::AsyncClient>(
          http_client::ClientOptions{.addresses = addresses, .ca_file = std::move(ca_file)}))
{
}

IdentityProviderClient::~IdentityProviderClient() = default;

asio::awaitable<ProviderMetadata> IdentityProviderClient::metadata(
    core::ScopeId scope_id, IdentityProvider const& provider)
{
    if (!needs_metadata(provider)) co_return with_settings({}, provider);
    co_return with_settings(co_await fetched(scope_id, provider), provider);
}

asio::awaitable<ProviderMetadata> IdentityProviderClient::fetched(
    core::ScopeId scope_id, IdentityProvider const& provider)
{
    if (auto const known = metadata_.find(provider.issuer)) co_return *known;
    std::string const failure = core::to_string(scope_id) + ' ' + provider.issuer;
    if (failures_.find(failure)) throw unavailable();
    http_client::Request request;
    request.url = metadata_url(provider.issuer);
    request.headers = {{"Accept", "application/json"}};
    std::optional<ProviderMetadata> read;
    try {
        auto const response = co_await send(scope_id, provider, std::move(request));
        if (response.status == 200)
            read = parse_provider_metadata(response.body, provider.issuer,
                [this](std::string const& url) { return permits(addresses_, url); });
    } catch (core::Error const&) {
        failures_.put(failure, std::make_shared<Failure const>());
        throw;
    }
    if (!read) {
        failures_.put(failure, std::make_shared<Failure const>());
        fail(provider, "no metadata of this issuer");
    }
    metadata_.put(provider.issuer, std::make_shared<ProviderMetadata const>(*read));
    co_return *std::move(read);
}

asio::awaitable<std::optional<ProviderTokens>> IdentityProviderClient::exchange(core::ScopeId scope_id,
    IdentityProvider const& provider, ProviderMetadata const& metadata, CodeExchange const& exchange)
{
    auto form = token_request(provider.client.value(), metadata, exchange);
    http_client::Request request;
    request.method = "POST";
    request.url = metadata.token_endpoint;
    // GitHub answers with a form unless JSON is asked for.
    request.headers = {{"Accept", "application/json"}, {"Content-Type", "application/x-www-form-urlencoded"}};
    if (!form.authorization.empty()) request.headers.emplace_back("Authorization", form.authorization);
    request.body = std::move(form.body);
    request.send_once = true; // a code is used once
    auto const response = co_await send(scope_id, provider, std::move(request));
    if (response.status == 200)
        if (auto tokens = parse_provider_tokens(response.body)) co_return tokens;
    if (refuses_code(response.body)) co_return std::nullopt;
    fail(provider, "token endpoint: status " + std::to_string(response.status) + error_of(response.body));
}

asio::awaitable<std::optional<std::string>> IdentityProviderClient::get(core::ScopeId scope_id,
    IdentityProvider const& provider, std::string url, std::string const& access_token)
{
    http_client::Request request;
    request.url = std::move(url);
    request.headers = {{"Accept", "application/json"}, {"Authorization", "Bearer " + access_token}};
    auto response = co_await send(scope_id, provider, std::move(request));
    if (response.status == 403 || response.status == 404) co_return std::nullopt;
    if (response.status != 200) fail(provider, "API: status " + std::to_string(response.status));
    co_return std::move(response.body);
}

asio::awaitable<http_client::Response> IdentityProviderClient::send(
    core::ScopeId scope_id, IdentityProvider const& provider, http_client::Request request)
{
    auto const owner = core::Owner::of(scope_id);
    bool is_admitted = false;
    {
        std::lock_guard const lock(mutex_);
        is_admitted = running_.admits(owner);
        if (is_admitted) running_.take(owner);
    }
    if (!is_admitted) fail(provider, "too many requests at once");
    AtEnd const give_back([&] {
        std::lock_guard const lock(mutex_);
        running_.give_back(owner);
    });
    request.timeout = time_limit;
    request.connect_timeout = connect_limit;
    request.max_response_bytes = max_response;
    auto result = co_await http_client::send(*client_, std::move(request));
    if (auto const* const error = std::get_if<http_client::Error>(&result))
        fail(provider, std::string(http_client::to_string(error->kind())));
    co_return std::get<http_client::Response>(std::move(result));
}

void IdentityProviderClient::fail(IdentityProvider const& provider, std::string const& reason)
{
    if (failures_logged_.admits(observe::LogLimit::Clock::now()))
        logger_.warn("an identity provider does not answer as expected",
            {{"setting", "identityProviders"}, {"issuer", provider.issuer}, {"reason", reason},
                {"omitted", failures_logged_.take_omitted()}});
    throw unavailable();
}

} // namespace auth_mfa
