#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace observe {

/// A request's position in a distributed trace (W3C Trace Context, level 1).
struct Trace {
    std::string trace_id;  ///< 32 lower-case hex digits
    std::string span_id;   ///< 16 lower-case hex digits: this service's part of the trace
    std::string parent_id; ///< the caller's span; empty when the trace starts here
    bool sampled = false;  ///< the caller's choice, passed on

    /// The value of the header for calls that this request causes: `00-<trace>-<span>-<flags>`.
    std::string traceparent() const;
};

/// Parses a `traceparent` header. Returns nullopt if the header is not valid (wrong length, upper case,
/// version ff, ids of zeros only). If the header has a later version, reads the part that version 00 defines,
/// as the recommendation requires. `span_id` stays empty.
std::optional<Trace> parse_traceparent(std::string_view header) noexcept;

/// Returns the trace id in a text made by `Trace::traceparent`, for log lines. The result is a view into the
/// argument, or "" if the argument is not valid.
std::string_view trace_id_of(std::string_view traceparent) noexcept;

/// Continues the caller's trace with a new span, or starts a trace when the header is absent or not valid.
Trace continue_trace(std::optional<std::string_view> traceparent);

/// Returns the caller's `X-Request-Id` if it matches `[A-Za-z0-9._-]{1,64}`, otherwise a new id of 32 hex
/// digits.
std::string request_id(std::optional<std::string_view> header);

} // namespace observe
