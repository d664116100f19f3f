#include "providers/oauth.hpp"

#include "core/json.hpp"
#include "core/text.hpp"
#include "http_client/client.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>

namespace notify::oauth {

namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

constexpr std::string_view scope = "https://www.googleapis.com/auth/firebase.messaging";
constexpr std::string_view grant_type = "urn:ietf:params:oauth:grant-type:jwt-bearer";
constexpr std::chrono::seconds assertion_life = 1h; ///< the maximum that Google accepts
constexpr std::chrono::seconds longest_token_life = 24h;
constexpr std::chrono::milliseconds timeout = 10s;
constexpr std::size_t max_answer = 16'384;
constexpr std::size_t max_token = 8'192;
constexpr std::string_view nonsense = "TOKEN_UNEXPECTED_ANSWER";

/// Whether `text` is a valid header field value.
bool is_token(std::string_view text)
{
    return !text.empty() && text.size() <= max_token &&
           std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; });
}

std::optional<AccessToken> read_token(json::object const& object, core::Time now)
{
    std::string_view const value = core::text_of(object, "access_token");
    auto const* const seconds = object.if_contains("expires_in");
    if (!is_token(value) || seconds == nullptr || !seconds->is_int64() || seconds->get_int64() <= 0)
        return std::nullopt;
    auto const life = std::min(std::chrono::seconds(seconds->get_int64()), longest_token_life);
    return AccessToken{core::Secret(std::string(value)), now + life};
}

/// Whether the error code (of RFC 6749 or of Google) means a temporary error of the server. The HTTP status
/// does not show this, because errors of the account have the same status.
bool is_passing(std::string_view error)
{
    constexpr std::array<std::string_view, 4> passing{
        "temporarily_unavailable", "server_error", "internal_failure", "rate_limit_exceeded"};
    return std::ranges::find(passing, error) != passing.end();
}

TokenResult failed(
    Verdict verdict, std::string_view reason, std::optional<std::chrono::seconds> retry_after = {})
{
    return {std::nullopt, {verdict, reason_of(reason), {}, retry_after}};
}

} // namespace

std::string assertion(FcmAccount const& account, std::string_view audience, core::Time now)
{
    json::object header{{"typ", "JWT"}};
    if (!account.private_key_id.empty()) header["kid"] = account.private_key_id;
    json::object const claims{{"iss", account.client_email}, {"scope", scope}, {"aud", audience},
        {"iat", core::unix_seconds(now)}, {"exp", core::unix_seconds(now + assertion_life)}};
    return account.key.sign(std::move(header), claims);
}

TokenResult fetch(http_client::Client& client, std::string const& url, FcmAccount const& account,
    core::Clock const& clock, std::stop_token const& stop)
{
    http_client::Request request;
    request.method = "POST";
    request.url = url;
    request.headers = {{"Content-Type", "application/x-www-form-urlencoded"}, {"Accept", "application/json"}};
    request.body = "grant_type=" + core::percent_encode(grant_type) +
                   "&assertion=" + assertion(account, url, clock.now());
    request.timeout = timeout;
    request.max_response_bytes = max_answer;
    request.stop = stop;
    try {
        return read_response(client.send(request), clock.now());
    } catch (http_client::Error const& error) {
        return failed(Verdict::transient, "TOKEN_" + core::upper(http_client::to_string(error.kind())));
    }
}

TokenResult read_response(http_client::Response const& response, core::Time now)
{
    boost::system::error_code fault;
    auto const document = json::parse(response.body, fault);
    auto const* const object = fault ? nullptr : document.if_object();
    if (response.status == 200) {
        auto token = object == nullptr ? std::nullopt : read_token(*object, now);
        if (!token) return failed(Verdict::transient, nonsense);
        return {std::move(token), {Verdict::accepted, {}, {}}};
    }
    if (response.status == 429) return failed(Verdict::throttled, "TOKEN_THROTTLED", response.retry_after);
    std::string_view const error = object == nullptr ? std::string_view() : core::text_of(*object, "error");
    bool const refused =
        response.status >= 400 && response.status <= 403 && !error.empty() && !is_passing(error);
    if (!refused)
        return failed(
            Verdict::transient, "TOKEN_HTTP_" + std::to_string(response.status), response.retry_after);
    std::string_view const description = core::text_of(*object, "error_description");
    return failed(Verdict::credential,
        description.empty() ? std::string(error) : std::string(error).append(": ").append(description));
}

} // namespace notify::oauth
