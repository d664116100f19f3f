#include "domain/subscriber.hpp"

#include "core/text.hpp"
#include "domain/event_fields.hpp"
#include "domain/source.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace billing {

namespace {

namespace json = boost::json;

[[noreturn]] void malformed(std::string const& what)
{
    throw std::invalid_argument("not a subscriber document: " + what);
}

json::object const& as_object(json::value const& value, char const* what)
{
    if (!value.is_object()) malformed(std::string(what) + " is not an object");
    return value.get_object();
}

/// The member; null if it is absent or JSON null.
json::value const* find(json::object const& object, std::string_view name)
{
    auto const* value = object.if_contains(name);
    return value == nullptr || value->is_null() ? nullptr : value;
}

/// A string member. Must not contain U+0000, which the database cannot store.
std::optional<std::string> text(json::object const& object, std::string_view name)
{
    auto const* value = find(object, name);
    if (value == nullptr) return std::nullopt;
    if (!value->is_string() || value->get_string().find('\0') != json::string::npos)
        malformed(std::string(name) + " is not valid text");
    return std::string(value->get_string());
}

std::optional<core::Time> time(json::object const& object, std::string_view name)
{
    auto const written = text(object, name);
    if (!written) return std::nullopt;
    auto const parsed = core::parse_rfc3339(*written);
    if (!parsed) malformed(std::string(name) + " is not a time");
    return parsed;
}

bool is_sandbox(json::object const& purchase)
{
    auto const* value = find(purchase, "is_sandbox");
    if (value == nullptr || !value->is_bool()) malformed("is_sandbox is not a boolean");
    return value->get_bool();
}

/// Throws if the id is longer than webhooks allow.
std::string check_length(std::string id)
{
    if (core::count_code_points(id) > event_fields::max_id) malformed("an id is too long");
    return id;
}

std::string check_product(std::string_view key)
{
    if (key.empty() || key.find('\0') != std::string_view::npos) malformed("a product has no id");
    return check_length(std::string(key));
}

/// The product id in the form that webhooks use. Google subscriptions have base plans. The document states
/// the base plan in `product_plan_identifier`, but webhooks state it in the product id.
std::string product_of(std::string_view key, json::object const& purchase)
{
    std::string product = check_product(key);
    auto const plan = text(purchase, "product_plan_identifier");
    if (plan && !plan->empty() && !product.ends_with(':' + *plan)) product += ':' + *plan;
    return check_length(std::move(product));
}

/// nullopt if the document states no price, or one that is not valid: no decision depends on it.
std::optional<Price> price_of(json::object const& purchase)
{
    auto const* price = find(purchase, "price");
    if (price == nullptr) return std::nullopt;
    auto const amount = event_fields::number_if_any(*price, "amount");
    auto const currency = event_fields::text_if_any(*price, "currency");
    if (!amount || !currency) return std::nullopt;
    return event_fields::price(*amount, *currency);
}

std::optional<PeriodType> period_type_of(json::object const& purchase)
{
    auto const name = text(purchase, "period_type");
    if (!name) return std::nullopt;
    return core::parse_enum<PeriodType>(core::lower(*name)).value_or(PeriodType::normal);
}

Purchase read_purchase(json::object const& purchase)
{
    Purchase p;
    p.store = store_of(text(purchase, "store").value_or(""));
    p.period_type = period_type_of(purchase);
    p.price = price_of(purchase);
    p.sandbox = is_sandbox(purchase);
    p.purchased_at = time(purchase, "purchase_date");
    p.expires_at = time(purchase, "expires_date");
    p.unsubscribed_at = time(purchase, "unsubscribe_detected_at");
    p.billing_issue_at = time(purchase, "billing_issues_detected_at");
    p.grace_ends_at = time(purchase, "grace_period_expires_date");
    p.refunded_at = time(purchase, "refunded_at");
    p.resumes_at = time(purchase, "auto_resume_date");
    return p;
}

/// The store's transaction id, which webhooks use too. Old documents have only the provider's own id of the
/// purchase.
std::string transaction_of(json::object const& purchase)
{
    auto transaction = text(purchase, "store_transaction_id");
    if (!transaction || transaction->empty()) transaction = text(purchase, "id");
    if (!transaction || transaction->empty()) malformed("a purchase has no id");
    return check_length(*std::move(transaction));
}

std::vector<Purchase> read_subscriptions(json::object const& products)
{
    std::vector<Purchase> found;
    for (auto const& product : products) {
        auto const& purchase = as_object(product.value(), "a subscription");
        found.push_back(read_purchase(purchase));
        found.back().product = product_of(product.key(), purchase);
        // A value that is not text is ignored, because no subscription is found by it.
        if (auto const* id = find(purchase, "store_transaction_id"); id != nullptr && id->is_string())
            found.back().store_transaction = check_length(*text(purchase, "store_transaction_id"));
    }
    return found;
}

/// When the provider received the request. nullopt if the document does not state a valid time.
std::optional<core::Time> request_time(json::value const& document)
{
    if (auto const at = event_fields::milliseconds_if_any(document, "request_date_ms")) return at;
    auto const written = event_fields::text_if_any(document, "request_date");
    return written ? core::parse_rfc3339(*written) : std::nullopt;
}

std::vector<Purchase> read_consumables(json::object const& products)
{
    std::vector<Purchase> found;
    for (auto const& product : products) {
        if (!product.value().is_array()) malformed("the purchases of a product are not an array");
        for (auto const& item : product.value().get_array()) {
            auto const& purchase = as_object(item, "a purchase");
            found.push_back(read_purchase(purchase));
            found.back().product = check_product(product.key());
            found.back().transaction = transaction_of(purchase);
        }
    }
    return found;
}

} // namespace

Subscriber parse_subscriber(std::string_view text)
{
    boost::system::error_code failed;
    json::value const document = json::parse(json::string_view(text.data(), text.size()), failed);
    if (failed) malformed("invalid JSON");
    auto const* subscriber = find(as_object(document, "the document"), "subscriber");
    if (subscriber == nullptr) malformed("subscriber is missing");
    auto const& said = as_object(*subscriber, "subscriber");
    auto const* subscriptions = find(said, "subscriptions");
    if (subscriptions == nullptr) malformed("subscriptions is missing");
    Subscriber s;
    s.subscriptions = read_subscriptions(as_object(*subscriptions, "subscriptions"));
    if (auto const* consumables = find(said, "non_subscriptions"))
        s.consumables = read_consumables(as_object(*consumables, "non_subscriptions"));
    s.requested_at = request_time(document);
    return s;
}

} // namespace billing
