#pragma once

#include <boost/json/object.hpp>

#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace core {

/// A stable error code and its HTTP status. Libraries and services add constants of their own.
struct ErrorCode {
    std::string_view name;
    unsigned status;
};

namespace codes {
inline constexpr ErrorCode validation{"VALIDATION_ERROR", 400};
inline constexpr ErrorCode malformed_json{"MALFORMED_JSON", 400};
inline constexpr ErrorCode bad_request{"BAD_REQUEST", 400};
inline constexpr ErrorCode tenant_mismatch{"TENANT_MISMATCH", 400};
inline constexpr ErrorCode unauthorized{"UNAUTHORIZED", 401};
inline constexpr ErrorCode forbidden{"FORBIDDEN", 403};
inline constexpr ErrorCode tenant_suspended{"TENANT_SUSPENDED", 403};
inline constexpr ErrorCode not_found{"NOT_FOUND", 404};
inline constexpr ErrorCode tenant_not_found{"TENANT_NOT_FOUND", 404};
inline constexpr ErrorCode method_not_allowed{"METHOD_NOT_ALLOWED", 405};
inline constexpr ErrorCode request_timeout{"REQUEST_TIMEOUT", 408};
inline constexpr ErrorCode conflict{"CONFLICT", 409};
inline constexpr ErrorCode length_required{"LENGTH_REQUIRED", 411};
inline constexpr ErrorCode precondition_failed{"PRECONDITION_FAILED", 412};
inline constexpr ErrorCode payload_too_large{"PAYLOAD_TOO_LARGE", 413};
inline constexpr ErrorCode uri_too_long{"URI_TOO_LONG", 414};
inline constexpr ErrorCode unsupported_media_type{"UNSUPPORTED_MEDIA_TYPE", 415};
inline constexpr ErrorCode idempotency_key_reused{"IDEMPOTENCY_KEY_REUSED", 422};
inline constexpr ErrorCode rate_limited{"RATE_LIMITED", 429};
inline constexpr ErrorCode headers_too_large{"HEADERS_TOO_LARGE", 431};
inline constexpr ErrorCode internal{"INTERNAL", 500};
inline constexpr ErrorCode unavailable{"UNAVAILABLE", 503};
} // namespace codes

/// One error in a request. `pointer` names the invalid part: a JSON pointer into the body (RFC 6901,
/// `/title`), `?name` for a query parameter, `:name` for a path parameter, or the name of a header.
struct FieldError {
    std::string pointer;
    std::string code; ///< `required`, `type`, `too_long`, `too_short`, `not_allowed`, `format`, `range`, ...
    std::string detail;
};

/// An error that ends a request with a response that the caller can act on. Any other exception is a bug or a
/// failure of the system, and the response is a 500 without details. Only http/problem.hpp converts errors to
/// HTTP responses.
class Error : public std::exception {
public:
    Error(ErrorCode code, std::string detail);

    // Not inline, because every handler throws errors: inline code would make handlers slow to compile.
    Error(Error const&);
    Error(Error&&) noexcept;
    Error& operator=(Error const&);
    Error& operator=(Error&&) noexcept;
    ~Error() override;

    /// Limits of a `VALIDATION_ERROR`: the maximum number of errors, and the maximum length in bytes of each
    /// name in a pointer. Clients choose some of these names, and a response must not repeat long input.
    static constexpr std::size_t max_faults = 100;
    static constexpr std::size_t max_name = 64;

    /// A `VALIDATION_ERROR` with the first `max_faults` errors. Names longer than `max_name` bytes are cut
    /// and end in `…`. `faults` must not be empty.
    static Error validation(std::vector<FieldError> faults);

    /// The `INTERNAL` error that stands for an exception of any other type.
    static Error internal();

    /// An `UNAVAILABLE` error with `Retry-After: <retry_after_seconds>`.
    static Error unavailable(std::string detail, unsigned retry_after_seconds = 1);

    /// Adds a response header, e.g. `Retry-After`.
    Error& header(std::string_view name, std::string_view value) &;
    Error&& header(std::string_view name, std::string_view value) &&;

    /// Adds a member to the problem document, e.g. `attemptsRemaining`.
    Error& member(std::string_view name, boost::json::value value) &;
    Error&& member(std::string_view name, boost::json::value value) &&;

    ErrorCode code() const noexcept { return code_; }

    std::string const& detail() const noexcept { return detail_; }

    std::vector<FieldError> const& faults() const noexcept { return faults_; }

    std::vector<std::pair<std::string, std::string>> const& headers() const noexcept { return headers_; }

    boost::json::object const& members() const noexcept { return members_; }

    char const* what() const noexcept override { return detail_.c_str(); }

private:
    ErrorCode code_;
    std::string detail_;
    std::vector<FieldError> faults_;
    std::vector<std::pair<std::string, std::string>> headers_;
    boost::json::object members_;
};

/// Returns the value. If there is none, throws NOT_FOUND for the id in the request's path. `what` names the
/// resource, in lower case ("delivery"), and `owner` what it belongs to ("webhook").
template <class T>
T require_found(std::optional<T> found, std::string_view what, std::string_view owner = "environment")
{
    if (found) return *std::move(found);
    throw Error(
        codes::not_found, "This " + std::string(owner) + " has no " + std::string(what) + " with this id.");
}

} // namespace core
