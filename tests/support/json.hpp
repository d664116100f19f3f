#pragma once

#include "support/http_client.hpp"

#include <boost/json.hpp>

#include <string>
#include <string_view>

namespace testing {

/// A JSON object with these members, serialised: `body({{"email", e}, {"password", p}})`.
std::string body(boost::json::object const& members);

/// Returns `value.at(member)` as text, and "null" for null. Throws if the member does not exist.
std::string text(boost::json::value const& value, std::string_view member);

/// Returns the stable code of an error, or "" if the response is not an error.
std::string error_of(HttpResponse const& response);

/// Returns the errors of a request as `pointer code`, one per line, in the order of the response. If the
/// response lists none, returns the error's code.
std::string faults_of(HttpResponse const& response);

/// Returns all items of a list, read in pages of at most `limit`. Throws if the status of a page is not 200.
boost::json::array all_items(HttpClient& client, std::string const& path, int limit = 100);

/// Returns the body without the request's id, so that a test can check that two responses do not differ.
std::string without_request_id(HttpResponse const& response);

} // namespace testing
