#include "providers/fcm.hpp"

#include "core/json.hpp"
#include "http_client/client.hpp"

#include <boost/asio/post.hpp>
#include <boost/json.hpp>

#include <algorithm>
#include <exception>
#include <utility>

namespace notify::fcm {

namespace {

namespace json = boost::json;
using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;

// The refresh and expiry margins are reduced for access tokens with a short lifetime (`part_of`).
constexpr std::chrono::seconds refresh_ahead = 300s;
constexpr std::chrono::seconds expiry_margin = 10s;
constexpr std::chrono::seconds first_pause = 1s; ///< after a failed request for a token; doubles
constexpr std::chrono::seconds longest_pause = 30s;
constexpr std::chrono::seconds pause_after_refusal = 60s;
constexpr std::chrono::seconds least_token_life = 60s; ///< a token that FCM refuses earlier is not replaced

constexpr std::size_t authorization_field = 5; ///< index in the header fields

constexpr std::string_view invalid_token = "The registration token is not a valid FCM registration token";

/// The `error` of a response (google.rpc.Status in Google's REST form).
struct Fault {
    std::string code; ///< FCM's error code from the details; else the canonical code
    std::string message;
    bool about_token = false;
};

json::array const& list_of(json::object const& object, std::string_view name)
{
    static json::array const none;
    auto const* const value = object.if_contains(name);
    return value != nullptr && value->is_array() ? value->get_array() : none;
}

bool violates_token(json::object const& detail)
{
    return std::ranges::any_of(list_of(detail, "fieldViolations"), [](json::value const& violation) {
        return violation.is_object() && core::text_of(violation.get_object(), "field") == "message.token";
    });
}

std::optional<Fault> read_fault(std::string_view body)
{
    boost::system::error_code error;
    auto const document = json::parse(body, error);
    auto const* const outer = error ? nullptr : document.if_object();
    auto const* const member = outer == nullptr ? nullptr : outer->if_contains("error");
    auto const* const object = member == nullptr ? nullptr : member->if_object();
    if (object == nullptr) return std::nullopt;
    Fault fault{.code = std::string(core::text_of(*object, "status")),
        .message = std::string(core::text_of(*object, "message"))};
    fault.about_token = fault.message.starts_with(invalid_token);
    for (auto const& item : list_of(*object, "details")) {
        if (!item.is_object()) continue;
        auto const& detail = item.get_object();
        if (auto const code = core::text_of(detail, "errorCode"); !code.empty()) fault.code = code;
        fault.about_token = fault.about_token || violates_token(detail);
    }
    return fault;
}

Verdict verdict_of(unsigned status, Fault const& fault)
{
    std::string_view const code = fault.code;
    if (code == "UNREGISTERED") return Verdict::gone;
    if (code == "INVALID_ARGUMENT") return fault.about_token ? Verdict::gone : Verdict::refused;
    // The registration token belongs to another project, or its browser uses another key. This error must not
    // pause the credential, because any client that may register devices could then stop all pushes.
    if (code == "SENDER_ID_MISMATCH" || code == "THIRD_PARTY_AUTH_ERROR") return Verdict::refused;
    if (code == "QUOTA_EXCEEDED" || code == "RESOURCE_EXHAUSTED" || status == 429) return Verdict::throttled;
    if (code == "UNAVAILABLE" || code == "INTERNAL" || code == "UNSPECIFIED_ERROR" || status >= 500)
        return Verdict::transient;
    if (status == 401 || status == 403) return Verdict::credential;
    return Verdict::refused;
}

/// The error code. The message is appended if the verdict needs an explanation.
std::string reason_of(Verdict verdict, Fault const& fault)
{
    bool const explained = verdict == Verdict::refused || verdict == Verdict::credential;
    if (fault.code.empty() || !explained || fault.message.empty())
        return notify::reason_of(fault.code.empty() ? fault.message : fault.code);
    return notify::reason_of(fault.code + ": " + fault.message);
}

/// `name` of `{"name": "projects/…/messages/…"}`, which never needs an escape; empty if the body has another
/// form.
std::string_view message_name(std::string_view body)
{
    constexpr std::string_view key = "\"name\"", blank = " \t\r\n";
    auto at = body.find(key);
    if (at == std::string_view::npos) return {};
    at = body.find_first_not_of(blank, at + key.size());
    if (at == std::string_view::npos || body[at] != ':') return {};
    at = body.find_first_not_of(blank, at + 1);
    if (at == std::string_view::npos || body[at] != '"') return {};
    std::string_view const name = body.substr(at + 1, body.find('"', at + 1) - at - 1);
    bool const closed = at + 1 + name.size() < body.size();
    return closed && is_provider_id(name) ? name : std::string_view();
}

std::chrono::seconds part_of(std::chrono::seconds life, int divisor, std::chrono::seconds most)
{
    return std::min(life / divisor, most);
}

} // namespace

CarrierResponse read_response(
    unsigned status, std::string_view body, std::optional<std::chrono::seconds> retry_after)
{
    if (status == 200) {
        std::string_view const name = message_name(body);
        if (name.empty()) return unexpected_response(status);
        CarrierResponse read{.result = push_result(Verdict::accepted)};
        read.result.provider_id = name;
        return read;
    }
    auto fault = read_fault(body);
    // These statuses have this meaning even if the response has no body.
    bool const speaks = status == 401 || status == 403 || status == 429 || status >= 500;
    if (!fault && !speaks) return unexpected_response(status);
    if (!fault) fault.emplace(Fault{.code = "HTTP_" + std::to_string(status), .message = {}});
    Verdict const verdict = verdict_of(status, *fault);
    CarrierResponse read{.result = push_result(verdict, reason_of(verdict, *fault), retry_after)};
    read.stale = status == 401 && fault->code != "THIRD_PARTY_AUTH_ERROR";
    // FCM's quota belongs to the project, so a 429 response stops all pushes of the project.
    read.hold = verdict == Verdict::throttled || (retry_after && verdict == Verdict::transient);
    return read;
}

Protocol::Protocol(
    Credential::Ptr credential, PushOptions const& options, ProtocolDeps deps, std::function<void()> changed)
    : credential_(std::move(credential)), base_url_(BaseUrl::parse(options.fcm_base_url)),
      token_url_(options.fcm_token_url),
      path_(base_url_.prefix + "/v1/projects/" + credential_->fcm().project_id + "/messages:send"),
      deps_(std::move(deps)), changed_(std::move(changed)),
      headers_{{":method", "POST"}, {":scheme", base_url_.tls ? "https" : "http"},
          {":authority", base_url_.authority}, {":path", path_}, {"content-type", "application/json"},
          {"authorization", {}}, {"traceparent", {}, true}}
{
}

void Protocol::refresh()
{
    if (fetching_ || deps_.clock.now() < refresh_from_ || Steady::now() < ask_again_) return;
    fetching_ = true;
    deps_.workers.post([weak = weak_from_this(), credential = credential_, url = token_url_, deps = deps_] {
        oauth::TokenResult result;
        try {
            result = oauth::fetch(deps.client, url, credential->fcm(), deps.clock, deps.stop);
        } catch (std::exception const&) { // out of memory
            result.failure = {Verdict::transient, "TOKEN_FAILED", {}};
        }
        asio::post(deps.executor, [weak, result = std::move(result)]() mutable {
            if (auto const self = weak.lock()) self->take(std::move(result));
        });
    });
}

void Protocol::take(oauth::TokenResult result)
{
    fetching_ = false;
    if (result.token) {
        core::Time const now = deps_.clock.now();
        auto const life = std::chrono::floor<std::chrono::seconds>(result.token->expires - now);
        authorization_ = "Bearer " + result.token->value.reveal();
        headers_[authorization_field].value = authorization_;
        ++number_;
        usable_until_ = result.token->expires - part_of(life, 10, expiry_margin);
        refresh_from_ = result.token->expires - part_of(life, 2, refresh_ahead);
        refusal_.reset();
        failures_ = 0;
    } else {
        bool const refused = result.failure.verdict == Verdict::credential;
        auto const own =
            refused ? pause_after_refusal : std::min(first_pause * (1 << failures_), longest_pause);
        auto const pause = std::max(own, result.failure.retry_after.value_or(own));
        failures_ = std::min(failures_ + 1, 5U);
        ask_again_ = Steady::now() + pause;
        refusal_ = std::move(result.failure);
        refusal_->retry_after = pause;
    }
    changed_();
}

bool Protocol::authorized() const
{
    return deps_.clock.now() < usable_until_;
}

std::optional<SendResult> Protocol::refusal() const
{
    return !authorized() && Steady::now() < ask_again_ ? refusal_ : std::nullopt;
}

void Protocol::forget_refusal()
{
    refusal_.reset();
    ask_again_ = renew_again_ = {};
}

bool Protocol::renew(std::uint32_t authorization)
{
    if (authorization != number_) return true;
    auto const now = Steady::now();
    if (now < renew_again_) return fetching_; // other pushes in flight had the same token
    renew_again_ = now + least_token_life;
    usable_until_ = refresh_from_ = core::Time();
    refresh();
    return true;
}

std::span<http2_client::Header const> Protocol::write(
    RenderedPush const& push, PushTarget const& target, CarrierRequest& request)
{
    request.body = {push.fcm_head, json_escaped(target.token, request.space), push.fcm_tail};
    request.authorization = number_;
    return with_trace(headers_, push);
}

CarrierResponse Protocol::read(CarrierRequest const& request, unsigned status, std::string_view body)
{
    if (status == 200 && !request.keep_id && !message_name(body).empty())
        return {.result = push_result(Verdict::accepted)};
    return read_response(status, body, request.retry_after);
}

} // namespace notify::fcm
