#include "http/message.hpp"

#include "core/error.hpp"
#include "core/id.hpp"
#include "core/text.hpp"
#include "http/json_memory.hpp"

#include <algorithm>
#include <stdexcept>

namespace http {

namespace {

// Whether the type is `application/json` or `application/<name>+json` (RFC 6839, 3.1), with any parameters.
bool is_json(std::string_view content_type)
{
    constexpr std::string_view tree = "application/";
    constexpr std::string_view suffix = "+json";
    std::string_view type = content_type.substr(0, content_type.find(';'));
    type = type.substr(0, type.find_last_not_of(" \t") + 1);
    if (!core::equal_ignoring_case(type.substr(0, tree.size()), tree)) return false;
    type.remove_prefix(tree.size());
    return core::equal_ignoring_case(type, "json") ||
           (type.size() > suffix.size() &&
               core::equal_ignoring_case(type.substr(type.size() - suffix.size()), suffix));
}

} // namespace

Response&& Response::header(std::string_view name, std::string_view value) &&
{
    headers.emplace_back(name, value);
    return std::move(*this);
}

std::optional<std::string_view> Request::header(std::string_view name) const noexcept
{
    auto const found = std::ranges::find_if(
        headers, [name](Header const& header) { return core::equal_ignoring_case(header.name, name); });
    if (found == headers.end()) return std::nullopt;
    return found->value;
}

std::string const& Request::param(std::string_view name) const
{
    auto const found = std::ranges::find(params, name, [](auto const& param) { return param.first; });
    if (found == params.end())
        throw std::logic_error("the route has no path parameter `" + std::string(name) + "`");
    return found->second;
}

core::Uuid Request::uuid_param(std::string_view name) const
{
    auto const id = core::Uuid::parse(param(name));
    if (!id)
        throw core::Error(core::codes::not_found, "`" + std::string(name) + "` in the path is not a UUID.");
    return *id;
}

boost::json::value Request::json() const
{
    if (!is_json(header("Content-Type").value_or(""))) {
        throw core::Error(
            core::codes::unsupported_media_type, "The Content-Type header must be `application/json`.");
    }
    auto value = parse_json(body, lease);
    if (context.idempotency_key.empty()) drop_body();
    return value;
}

boost::json::storage_ptr Request::json_memory() const
{
    return http::json_memory(body.size(), lease);
}

void Request::drop_body() const noexcept
{
    std::string().swap(body);
    if (lease) lease->hold_body(0);
}

} // namespace http
