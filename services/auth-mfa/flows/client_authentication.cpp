#include "flows/client_authentication.hpp"

#include "core/text.hpp"
#include "crypto/compare.hpp"
#include "crypto/encoding.hpp"
#include "crypto/hash.hpp"
#include "domain/client_assertion.hpp"
#include "domain/oauth_errors.hpp"
#include "flows/clients.hpp"
#include "state/client_assertions.hpp"
#include "state/rate_limits.hpp"
#include "tokens/tokens.hpp"

#include <array>
#include <utility>

namespace auth_mfa {

namespace {

enum class Method : std::uint8_t { none, secret_basic, secret_post, private_key_jwt };

/// What a request contains to authenticate its client.
struct Presented {
    Method method = Method::none;
    std::string client_id;
    std::string secret;                         ///< for `secret_basic` and `secret_post`
    std::optional<crypto::Jws> jws{};           ///< for `private_key_jwt`
    std::optional<ClientAssertion> assertion{}; ///< for `private_key_jwt`
};

core::Error invalid_client(std::string detail, bool used_header)
{
    core::Error error(codes::invalid_client, std::move(detail));
    if (used_header) error.header("WWW-Authenticate", R"(Basic realm="oauth", charset="UTF-8")");
    return error;
}

core::Error refused(Presented const& presented)
{
    return invalid_client("The client is unknown, its authentication failed, or it is registered for another "
                          "method of authentication.",
        presented.method == Method::secret_basic);
}

/// The only header Authorization; nullopt if there is none.
std::optional<std::string_view> authorization_of(http::Request const& req)
{
    std::optional<std::string_view> found;
    for (auto const& header : req.headers) {
        if (!core::equal_ignoring_case(header.name, "Authorization")) continue;
        if (found) throw invalid_request("The request must have at most one header Authorization.");
        found = header.value;
    }
    return found;
}

/// Reads `Basic …`, whose id and secret are encoded as in a form (RFC 6749, 2.3.1).
Presented read_basic(std::string_view header)
{
    std::string_view const scheme = header.substr(0, header.find(' '));
    if (!core::equal_ignoring_case(scheme, "Basic"))
        throw invalid_client("The header Authorization must have the scheme Basic.", true);
    auto const pair = crypto::base64::decode(core::trim(header.substr(scheme.size())));
    auto const colon = pair ? pair->find(':') : std::string::npos;
    if (colon != std::string::npos) {
        auto id = core::percent_decode(std::string_view(*pair).substr(0, colon), true);
        auto secret = core::percent_decode(std::string_view(*pair).substr(colon + 1), true);
        if (id && secret) return {Method::secret_basic, *std::move(id), *std::move(secret)};
    }
    throw invalid_client(
        "The header Authorization is malformed. Send Basic and the base64 of the client's id, "
        "a colon and its secret.",
        true);
}

/// The URLs that name this server in an assertion: the issuer, the token endpoint, and the requested
/// endpoint.
std::array<std::string, 3> audiences_of(http::Request const& req, Deps const& deps)
{
    auto const issuer = deps.tokens.issuer().of(req.scope());
    return {issuer, issuer + "/oauth/token", issuer + std::string(req.path)};
}

Presented read_assertion(http::Request const& req, Deps const& deps, http::Form const& form)
{
    if (http::find(form, "client_assertion_type") != assertion_type)
        throw invalid_request("client_assertion_type: must be " + std::string(assertion_type));
    Presented presented{.method = Method::private_key_jwt, .client_id = {}, .secret = {}};
    presented.jws = crypto::parse_jws(http::find(form, "client_assertion"));
    if (presented.jws)
        presented.assertion =
            read_client_assertion(*presented.jws, audiences_of(req, deps), deps.clock.now());
    if (presented.assertion) presented.client_id = presented.assertion->client_id;
    return presented;
}

/// Throws `invalid_request` if there is no client, or more than one method (RFC 6749, 2.3).
Presented read(http::Request const& req, Deps const& deps, http::Form const& form)
{
    auto const header = authorization_of(req);
    bool const has_secret = !http::find(form, "client_secret").empty();
    bool const has_assertion = !http::find(form, "client_assertion").empty();
    if (int{header.has_value()} + int{has_secret} + int{has_assertion} > 1)
        throw invalid_request("The request must use one method of client authentication only.");
    std::string_view const client_id = http::find(form, "client_id");
    Presented presented;
    if (header)
        presented = read_basic(*header);
    else if (has_assertion)
        presented = read_assertion(req, deps, form);
    else
        presented = {has_secret ? Method::secret_post : Method::none, std::string(client_id),
            std::string(http::find(form, "client_secret"))};
    if (!client_id.empty() && !presented.client_id.empty() && client_id != presented.client_id)
        throw invalid_request("client_id: must be the client that authenticates");
    if (!header && !has_assertion && client_id.empty()) throw invalid_request("client_id: is required");
    return presented;
}

bool is_secret_of(Client const& client, std::string_view secret, core::Time now)
{
    auto const hash = crypto::sha256(secret);
    auto const matches = [&](std::optional<crypto::Digest> const& stored) {
        return stored && crypto::equal_constant_time(crypto::view(hash), crypto::view(*stored));
    };
    bool const old_counts = client.old_secret_until && now < *client.old_secret_until;
    return matches(client.secret_hash) || (old_counts && matches(client.old_secret_hash));
}

asio::awaitable<bool> is_authentic(
    http::Request const& req, Deps& deps, Client const& client, Presented const& presented)
{
    core::Time const now = deps.clock.now();
    switch (presented.method) {
    case Method::none:
        co_return !client.is_confidential();
    case Method::secret_basic:
    case Method::secret_post:
        co_return client.is_confidential() && is_secret_of(client, presented.secret, now);
    case Method::private_key_jwt:
        if (!client.jwks || !presented.assertion || !is_signed_by(*presented.jws, *client.jwks))
            co_return false;
        co_return co_await deps.client_assertions.use(req.scope(), *presented.assertion, now);
    }
    co_return false;
}

} // namespace

asio::awaitable<Client> require_client(http::Request const& req, Deps& deps, http::Form const& form)
{
    Presented const presented = read(req, deps, form);
    auto client = co_await find_client(req, deps, presented.client_id);
    if (client && co_await is_authentic(req, deps, *client, presented)) co_return *std::move(client);
    // Only failures count. Secrets have 256 bits, so the limit protects the service, not the secrets.
    auto const reserved = co_await deps.rate_limits.require(
        {RateLimits::refused_clients_from_network(req.scope(), req.remote_address)}, too_many_attempts);
    throw with_rate_limit(refused(presented), reserved);
}

} // namespace auth_mfa
