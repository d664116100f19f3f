#include "oauth/errors.hpp"

#include "core/json_writer.hpp"
#include "core/text.hpp"

#include <algorithm>

namespace auth_mfa::oauth {

namespace {

void add_missing(http::Response& response, std::string_view name, std::string_view value)
{
    bool const has = std::ranges::any_of(
        response.headers, [&](auto const& header) { return core::equal_ignoring_case(header.first, name); });
    if (!has) response.headers.emplace_back(name, value);
}

} // namespace

http::Response error_response(http::Request const&, core::Error const& error)
{
    core::JsonWriter w(256);
    w.begin_object()
        .member("error", oauth_code(error))
        .member("error_description", oauth_description(error))
        .end_object();
    http::Response response{
        .status = error.code().status, .body = std::move(w).str(), .headers = error.headers()};
    add_missing(response, "Cache-Control", "no-store");
    if (oauth_code(error) == codes::invalid_token.name) add_missing(response, "WWW-Authenticate", "Bearer");
    if (response.status == core::codes::unavailable.status) add_missing(response, "Retry-After", "1");
    return response;
}

} // namespace auth_mfa::oauth
