#include "providers/payments_responses.hpp"

#include "core/json.hpp"
#include "domain/event_fields.hpp"
#include "domain/payment_fields.hpp"
#include "http/retry_after.hpp"
#include "providers/provider_api_error.hpp"
#include "providers/provider_client.hpp"

#include <utility>

namespace billing::payments_responses {

namespace {

namespace json = boost::json;
using Kind = ProviderApiError::Kind;

constexpr std::size_t max_cursor = 4096; // bytes

/// Reads a page whose `object` is `type`, with objects of the type `of`.
Page read_page(http_client::Response const& response, std::string_view type, std::string_view of)
{
    auto document = read_object(response);
    if (auto const object = core::text_of(document, "object"); !object.empty() && object != type)
        malformed("no " + std::string(type));
    auto* data = document.if_contains("data");
    auto const* has_more = document.if_contains("has_more");
    if (data == nullptr || !data->is_array()) malformed("no array `data`");
    if (has_more != nullptr && !has_more->is_bool()) malformed("`has_more` is not a boolean");
    Page page{.has_more = has_more != nullptr && has_more->get_bool(), .platform_time = date_of(response)};
    if (page.has_more && data->get_array().empty()) malformed("an empty page that is not the last");
    for (auto& object : data->get_array()) {
        page.last_id = id_of(object, of);
        page.data.push_back(std::move(object));
    }
    page.next_page = core::text_of(document, "next_page");
    return page;
}

/// The objects of a list of which only references are read.
json::array read_objects(http_client::Response const& response)
{
    auto document = read_object(response);
    auto* data = document.if_contains("data");
    if (data == nullptr || !data->is_array()) malformed("no array `data`");
    return std::move(data->get_array());
}

} // namespace

void malformed(std::string const& what)
{
    throw ProviderApiError(Kind::nonsense, "not a response of the payments API: " + what);
}

json::object read_object(http_client::Response const& response)
{
    if (response.status != 200) throw_status(response);
    boost::system::error_code failed;
    auto document = json::parse(json::string_view(response.body.data(), response.body.size()), failed);
    if (failed) malformed("invalid JSON");
    if (!document.is_object()) malformed("not an object");
    return std::move(document.get_object());
}

std::optional<core::Time> date_of(http_client::Response const& response)
{
    auto const date = response.header("date");
    return date ? http::parse_date(*date) : std::nullopt;
}

bool is_missing(http_client::Response const& response)
{
    if (response.status != 400 && response.status != 404) return false;
    boost::system::error_code failed;
    auto const document = json::parse(json::string_view(response.body.data(), response.body.size()), failed);
    if (failed) return false;
    auto const* error = payment_fields::find(&document, "error");
    return error != nullptr && event_fields::text_if_any(*error, "code") == "resource_missing";
}

std::string id_of(json::value const& object, std::string_view type)
{
    auto const id = event_fields::text_if_any(object, "id");
    if (event_fields::text_if_any(object, "object").value_or(std::string(type)) != type)
        malformed("no " + std::string(type));
    if (!id) malformed("an object has no valid id");
    return *id;
}

Page read_subscriptions(http_client::Response const& response)
{
    if (is_missing(response)) throw ProviderApiError(Kind::unknown_user, "an object does not exist");
    return read_page(response, "list", "subscription");
}

std::optional<Page> read_search(http_client::Response const& response)
{
    if (response.status == 400 || response.status == 404 || response.status == 405) return std::nullopt;
    auto page = read_page(response, "search_result", "subscription");
    auto const& cursor = page.next_page;
    bool const valid =
        !cursor.empty() && cursor.size() <= max_cursor && cursor.find('\0') == std::string::npos;
    if (page.has_more && !valid) malformed("no valid `next_page`");
    return page;
}

std::optional<Page> read_items(http_client::Response const& response)
{
    if (is_missing(response)) return std::nullopt;
    return read_page(response, "list", "subscription_item");
}

std::optional<std::string> read_invoice(
    http_client::Response const& response, std::string const& payment_intent_id)
{
    if (is_missing(response)) return std::nullopt;
    std::optional<std::string> found;
    for (auto const& payment : read_objects(response)) {
        auto const* intent = payment_fields::find(&payment, "payment");
        if (payment_fields::reference(intent, "payment_intent") != payment_intent_id) continue;
        auto invoice = payment_fields::reference(&payment, "invoice");
        if (invoice.empty()) malformed("a payment has no valid `invoice`");
        if (event_fields::text_if_any(payment, "status") == "paid") return invoice;
        if (!found) found = std::move(invoice);
    }
    return found;
}

} // namespace billing::payments_responses
