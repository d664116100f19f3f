#include "support/json.hpp"

#include <stdexcept>

namespace testing {

std::string body(boost::json::object const& members)
{
    return boost::json::serialize(members);
}

std::string text(boost::json::value const& value, std::string_view member)
{
    auto const& found = value.as_object().at(member);
    return found.is_string() ? std::string(found.as_string()) : boost::json::serialize(found);
}

std::string error_of(HttpResponse const& response)
{
    return response.status < 400 || response.body.empty() ? "" : text(response.json(), "error");
}

std::string faults_of(HttpResponse const& response)
{
    std::string found;
    auto const json = response.json();
    auto const* errors = json.as_object().if_contains("errors");
    if (errors == nullptr) return error_of(response);
    for (auto const& fault : errors->as_array())
        found += (found.empty() ? "" : "\n") + text(fault, "pointer") + ' ' + text(fault, "code");
    return found;
}

boost::json::array all_items(HttpClient& client, std::string const& path, int limit)
{
    boost::json::array items;
    std::string cursor;
    do {
        std::string const separator = path.find('?') == std::string::npos ? "?" : "&";
        auto const r = client.get(path + separator + "limit=" + std::to_string(limit) +
                                  (cursor.empty() ? "" : "&cursor=" + cursor));
        if (r.status != 200) throw std::runtime_error(path + ": " + r.body);
        auto const page = r.json();
        auto const& found = page.at("items").as_array();
        if (found.size() > static_cast<std::size_t>(limit))
            throw std::runtime_error(path + ": the page is too long");
        items.insert(items.end(), found.begin(), found.end());
        cursor = page.at("cursor").is_null() ? "" : text(page, "cursor");
    } while (!cursor.empty());
    return items;
}

std::string without_request_id(HttpResponse const& response)
{
    auto document = response.json();
    document.as_object().erase("requestId");
    return boost::json::serialize(document);
}

} // namespace testing
