#pragma once

#include "testing/http_client.hpp"

#include <boost/json.hpp>

#include <string>
#include <string_view>

namespace testing {

/// A JSON object with these members, serialised: `body({{"email", e}, {"password", p}})`.
std::string body(boost::json::object const& members);

/// `value.at(member)` as text; "null" for null. Throws when there is no such member.
std::string text(boost::json::value const& value, std::string_view member);

/// The stable code of an error, "" when the answer is none.
std::string error_of(HttpResponse const& response);

/// What is wrong with a request, as `pointer code`, one a line, in the answer's order; the error's code when
/// it names no faults.
std::string faults_of(HttpResponse const& response);

/// Every item of a list, page by page, each of at most `limit`. Throws when a page is not answered with 200.
boost::json::array all_items(HttpClient& client, std::string const& path, int limit = 100);

/// The body but for the request's id: equal for answers that must not differ.
std::string without_request_id(HttpResponse const& response);

} // namespace testing
