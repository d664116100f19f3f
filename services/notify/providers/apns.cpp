#include "providers/apns.hpp"

#include "core/text.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <array>

namespace notify::apns {

namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

constexpr std::string_view production = "https://api.push.apple.com";
constexpr std::string_view sandbox = "https://api.sandbox.push.apple.com";
constexpr std::chrono::minutes token_life = 40min; ///< Apple permits 20 to 60 minutes
constexpr std::chrono::minutes shortest_life = 20min;

/// Indexes in the header fields.
enum Field : std::uint8_t {
    path = 3,
    authorization = 4,
    push_type = 6,
    priority = 7,
    expiration = 8,
    collapse_id = 9,
    id = 10
};

struct Meaning {
    std::string_view reason;
    Verdict verdict;
};

constexpr std::array<Meaning, 22> meanings{{
    {"BadDeviceToken", Verdict::gone},
    {"DeviceTokenNotForTopic", Verdict::gone},
    {"ExpiredToken", Verdict::gone},
    {"MissingDeviceToken", Verdict::gone},
    {"Unregistered", Verdict::gone},
    {"BadCertificate", Verdict::credential},
    {"BadCertificateEnvironment", Verdict::credential},
    {"BadEnvironmentKeyIdInToken", Verdict::credential},
    {"BadTopic", Verdict::credential},
    {"ExpiredProviderToken", Verdict::credential},
    {"Forbidden", Verdict::credential},
    {"InvalidProviderToken", Verdict::credential},
    {"MissingProviderToken", Verdict::credential},
    {"MissingTopic", Verdict::credential},
    {"TopicDisallowed", Verdict::credential},
    {"UnrelatedKeyIdInToken", Verdict::credential},
    {"TooManyProviderTokenUpdates", Verdict::throttled},
    {"TooManyRequests", Verdict::throttled},
    {"IdleTimeout", Verdict::transient},
    {"InternalServerError", Verdict::transient},
    {"ServiceUnavailable", Verdict::transient},
    {"Shutdown", Verdict::transient},
}};

/// `{"reason": …, "timestamp": …}`
struct Fault {
    std::string reason;
    std::optional<core::Time> since;
};

std::optional<core::Time> time_of(json::value const* milliseconds)
{
    if (milliseconds == nullptr || !milliseconds->is_int64()) return std::nullopt;
    constexpr auto most =
        std::chrono::floor<std::chrono::milliseconds>(core::max_time).time_since_epoch().count();
    std::int64_t const count = milliseconds->get_int64();
    if (count < 0 || count > most) return std::nullopt;
    return core::Time(std::chrono::milliseconds(count));
}

std::optional<Fault> read_fault(std::string_view body)
{
    boost::system::error_code error;
    auto const document = json::parse(body, error);
    auto const* const object = error ? nullptr : document.if_object();
    auto const* const reason = object == nullptr ? nullptr : object->if_contains("reason");
    if (reason == nullptr || !reason->is_string()) return std::nullopt;
    return Fault{
        reason_of(std::string_view(reason->get_string())), time_of(object->if_contains("timestamp"))};
}

Verdict verdict_of(unsigned status, std::string_view reason)
{
    auto const* const known = std::ranges::find(meanings, reason, &Meaning::reason);
    if (known != meanings.end()) return known->verdict;
    if (status == 403) return Verdict::credential;
    if (status == 410) return Verdict::gone;
    if (status == 429) return Verdict::throttled;
    return status >= 500 ? Verdict::transient : Verdict::refused;
}

} // namespace

std::string base_url_for(ApnsKey const& key, PushOptions const& options)
{
    if (!options.apns_base_url.empty()) return options.apns_base_url;
    return std::string(key.sandbox ? sandbox : production);
}

CarrierResponse read_response(
    unsigned status, std::string_view body, std::optional<std::chrono::seconds> retry_after)
{
    if (status == 200) return {.result = push_result(Verdict::accepted)};
    auto fault = read_fault(body);
    bool const speaks = status == 403 || status == 429 || status >= 500; // known without a body
    if (!fault && !speaks) return unexpected_response(status);
    if (!fault) fault.emplace(Fault{"HTTP_" + std::to_string(status), {}});
    CarrierResponse read{
        .result = push_result(verdict_of(status, fault->reason), fault->reason, retry_after)};
    if (read.result.verdict == Verdict::gone) read.result.gone_since = fault->since;
    read.stale = fault->reason == "ExpiredProviderToken";
    // TooManyRequests concerns one device, so its Retry-After does not apply to pushes to other devices.
    read.hold = (retry_after && status >= 500) || fault->reason == "TooManyProviderTokenUpdates";
    return read;
}

Protocol::Protocol(Credential::Ptr credential, PushOptions const& options, core::Clock const& clock)
    : credential_(std::move(credential)),
      base_url_(BaseUrl::parse(base_url_for(credential_->apns(), options))),
      path_(base_url_.prefix + "/3/device/"), clock_(clock),
      headers_{{":method", "POST"}, {":scheme", base_url_.tls ? "https" : "http"},
          {":authority", base_url_.authority}, {":path", {}, true}, {"authorization", {}},
          {"apns-topic", credential_->apns().bundle_id}, {"apns-push-type", {}}, {"apns-priority", {}},
          {"apns-expiration", {}}, {"apns-collapse-id", {}}, {"apns-id", {}, true}, {"traceparent", {}, true}}
{
}

void Protocol::refresh()
{
    core::Time const now = clock_.now();
    bool const due = number_ == 0 || now >= issued_ + token_life || now < issued_;
    if (due) make_token(now);
}

bool Protocol::renew(std::uint32_t authorization)
{
    core::Time const now = clock_.now();
    if (authorization != number_) return true;
    if (now < forced_ + shortest_life) return false;
    forced_ = now;
    make_token(now);
    return true;
}

void Protocol::make_token(core::Time now)
{
    auto const& key = credential_->apns();
    authorization_ = "bearer " + key.key.sign({{"kid", key.key_id}},
                                     {{"iss", key.team_id}, {"iat", core::unix_seconds(now)}});
    headers_[Field::authorization].value = authorization_;
    issued_ = now;
    ++number_;
}

std::span<http2_client::Header const> Protocol::write(
    RenderedPush const& push, PushTarget const& target, CarrierRequest& request)
{
    request.path.assign(path_);
    // Apple's tokens are hexadecimal. Another registered token must not change the path.
    request.path.append(core::percent_encode(target.token));
    push_id(push.id, target.device_id).write(request.id.data());
    request.body = {push.apns_body, {}, {}};
    request.authorization = number_;
    headers_[Field::path].value = request.path;
    headers_[Field::push_type].value = push.apns_push_type;
    headers_[Field::priority].value = push.apns_priority;
    headers_[Field::expiration].value = push.apns_expiration;
    headers_[Field::collapse_id].value = push.collapse_id;
    headers_[Field::id].value = {request.id.data(), request.id.size()};
    return with_trace(headers_, push);
}

CarrierResponse Protocol::read(CarrierRequest const& request, unsigned status, std::string_view body)
{
    auto read = read_response(status, body, request.retry_after);
    if (read.result.verdict == Verdict::accepted)
        read.result.provider_id.assign(request.id.data(), request.id.size());
    return read;
}

} // namespace notify::apns
