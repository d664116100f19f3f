#pragma once
// Only PushSender uses this header: the parts that FCM and APNs have in common.

#include "http2_client/client.hpp"
#include "providers/push_batch.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace notify {

/// The parts of a carrier's base URL.
struct BaseUrl {
    std::string host; ///< without brackets
    std::uint16_t port = 0;
    bool tls = true;
    std::string authority; ///< `:authority`
    std::string prefix;    ///< prefix of every path, without a slash at the end

    /// Such as `https://fcm.googleapis.com`.
    std::string origin() const { return (tls ? "https://" : "http://") + authority; }

    /// Throws std::invalid_argument if `text` is not an http or https URL.
    static BaseUrl parse(std::string const& text);
};

/// The parts of a request that differ per push. Reused for later pushes.
struct CarrierRequest {
    std::array<std::string_view, 3> body{};
    std::string path;
    std::string space;                                 ///< buffer for a token that needs escapes
    std::array<char, 36> id{};                         ///< the apns-id, as text
    std::uint32_t authorization = 0;                   ///< number of the request's access token
    std::optional<std::chrono::seconds> retry_after{}; ///< stated in the response
    bool keep_id = true;                               ///< whether the carrier's message id is wanted
};

/// A carrier's response to a push.
struct CarrierResponse {
    PushResult result;
    bool stale = false; ///< the access token may have expired: repeat the push once with a new token
    /// Whether `retry_after` applies to all pushes of the credential. If false, `throttled` concerns only the
    /// device.
    bool hold = false;
};

/// The protocol of a carrier, for one credential. Used only on PushSender's thread.
class CarrierProtocol {
public:
    virtual ~CarrierProtocol() = default;

    virtual BaseUrl const& base_url() const noexcept = 0;

    /// Makes or fetches an access token if a new token is due. Call this function often, because a protocol
    /// has no timer.
    virtual void refresh() = 0;

    /// Whether there is a usable access token.
    virtual bool authorized() const = 0;

    /// Why the last request for an access token failed, if there is no usable token and it is too early to
    /// request one again; else nullopt.
    virtual std::optional<SendResult> refusal() const = 0;

    /// Forgets why the last request for an access token failed, so that a token can be requested now.
    virtual void forget_refusal() = 0;

    /// Reports that the access token with this number was refused as too old. Returns true if there is a
    /// newer token, or if a newer token is being fetched.
    virtual bool renew(std::uint32_t authorization) = 0;

    /// Whether the push is small enough for this carrier.
    virtual bool fits(RenderedPush const& push) const noexcept = 0;

    /// Writes a push into `request` and returns the header fields, which are valid until the next call.
    /// `request` then refers to memory of `push` and `target`, so both must outlive the use of `request`.
    /// Precondition: authorized().
    virtual std::span<http2_client::Header const> write(
        RenderedPush const& push, PushTarget const& target, CarrierRequest& request) = 0;

    /// Interprets a response with this status and body.
    virtual CarrierResponse read(CarrierRequest const& request, unsigned status, std::string_view body) = 0;
};

/// The header fields to send. The last field, `traceparent`, is left out if the push has no trace.
inline std::span<http2_client::Header const> with_trace(
    std::vector<http2_client::Header>& headers, RenderedPush const& push) noexcept
{
    headers.back().value = push.traceparent;
    return std::span(headers).first(headers.size() - (push.traceparent.empty() ? 1 : 0));
}

/// The meaning of a response that does not follow the carrier's protocol.
CarrierResponse unexpected_response(unsigned status);

} // namespace notify
