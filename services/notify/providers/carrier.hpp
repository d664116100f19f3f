#pragma once
// Private to Push: what FCM and APNs have in common.

#include "http/h2_client.hpp"
#include "providers/push.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace notify {

/// A server as a base address names it.
struct Origin {
    std::string host; ///< without brackets
    std::uint16_t port = 0;
    bool tls = true;
    std::string authority; ///< `:authority`
    std::string prefix;    ///< of every path; no slash at its end

    /// Throws std::invalid_argument when `base_url` is not an http or https address.
    static Origin of(std::string const& base_url);
};

/// What is particular to one push. The memory is used again for the next one.
struct Letter {
    std::array<std::string_view, 3> body{};
    std::string path;
    std::string space;                                 ///< of a token that needs escapes
    std::array<char, 36> id{};                         ///< as text
    std::uint32_t authorization = 0;                   ///< the number of the token it was sent with
    std::optional<std::chrono::seconds> retry_after{}; ///< of the answer
    bool keep_id = true; ///< whether the carrier's name for the message is wanted
};

inline PushAnswer push_answer(
    Verdict verdict, std::string reason = {}, std::optional<std::chrono::seconds> retry_after = {})
{
    PushAnswer answer;
    answer.verdict = verdict;
    answer.reason = std::move(reason);
    answer.retry_after = retry_after;
    return answer;
}

/// What a carrier said to a push.
struct CarrierAnswer {
    PushAnswer answer;
    bool stale = false; ///< its token may have expired: worth one repetition with another
    bool hold = false;  ///< `retry_after` is meant for everything under the credential
};

/// One credential's side of a carrier's protocol. For the thread of Push.
class Carrier {
public:
    virtual ~Carrier() = default;

    virtual Origin const& origin() const noexcept = 0;

    /// Makes or fetches a token when one is due. To be called often.
    virtual void refresh() = 0;

    /// Whether there is a token that can be used.
    virtual bool authorized() const = 0;

    /// Why there is none, as long as asking again would be too soon.
    virtual std::optional<Answer> refusal() const = 0;

    /// The token of that number was refused as too old. Whether there is or will be another one.
    virtual bool renew(std::uint32_t authorization) = 0;

    /// Whether it is small enough for this carrier.
    virtual bool fits(RenderedPush const& push) const noexcept = 0;

    /// Puts a push into `letter`; the fields of its head are valid until the next call. What is put there
    /// refers to both arguments. Precondition: authorized().
    virtual std::span<http::h2::Header const> write(
        RenderedPush const& push, PushTarget const& target, Letter& letter) = 0;

    /// What an answer with this status and body means.
    virtual CarrierAnswer read(Letter const& letter, unsigned status, std::string_view body) = 0;
};

/// The fields of a head, of which the last one is `traceparent`: without it for a push of no trace.
inline std::span<http::h2::Header const> with_trace(
    std::vector<http::h2::Header>& headers, RenderedPush const& push) noexcept
{
    headers.back().value = push.traceparent;
    return std::span(headers).first(headers.size() - (push.traceparent.empty() ? 1 : 0));
}

/// An answer that is not in the carrier's language.
CarrierAnswer unexpected_answer(unsigned status);

} // namespace notify
