#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace observe {

/// Where a request stands in a distributed trace (W3C Trace Context, level 1).
struct Trace {
    std::string trace_id;  ///< 32 lower-case hex digits
    std::string span_id;   ///< 16 lower-case hex digits: this service's part of the trace
    std::string parent_id; ///< the caller's span; empty when the trace starts here
    bool sampled = false;  ///< the caller's choice, passed on

    /// The header for calls made on behalf of this request: `00-<trace>-<span>-<flags>`.
    std::string traceparent() const;
};

/// Reads a `traceparent` header: nullopt when it is not valid (wrong length, upper case, version ff, zero
/// ids). Of later versions the known part is read, as the recommendation asks. `span_id` is left empty.
std::optional<Trace> parse_traceparent(std::string_view header) noexcept;

/// The trace id of what `Trace::traceparent` has made, as log lines have it: a view into it, "" when it is
/// not valid.
std::string_view trace_id_of(std::string_view traceparent) noexcept;

/// Continues the caller's trace with a new span, or starts one when the header is absent or not valid.
Trace continue_trace(std::optional<std::string_view> traceparent);

/// The caller's `X-Request-Id` when it matches `[A-Za-z0-9._-]{1,64}`, else a new one of 32 hex digits.
std::string request_id(std::optional<std::string_view> header);

} // namespace observe
