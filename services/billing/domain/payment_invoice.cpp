#include "domain/event_fields.hpp"
#include "domain/payment_fields.hpp"
#include "domain/payment_objects.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace billing {

using namespace payment_fields;

namespace {

constexpr std::size_t max_lines = 1000;

/// The id of an invoice's subscription. Old and new API versions state it in different members.
std::string subscription_of(json::value const& invoice)
{
    std::string id = reference(&invoice, "subscription");
    if (id.empty()) id = reference(find(&invoice, {"parent", "subscription_details"}), "subscription");
    return id;
}

/// The id of an invoice line's price. In old API versions the price is an object, in new ones an id.
std::string product_of(json::value const& line)
{
    PriceIds ids = price_ids_of(line);
    if (ids.product.empty()) ids.product = reference(find(&line, {"pricing", "price_details"}), "price");
    return std::move(ids.product);
}

/// Whether the line gives money back for the rest of a replaced period: its amount is negative.
bool is_credit(json::value const& line)
{
    auto const* amount = find(&line, "amount");
    if (amount == nullptr) return false;
    return (amount->is_int64() && amount->get_int64() < 0) ||
           (amount->is_double() && amount->get_double() < 0);
}

/// Reads the lines and merges them into one line per product, with the latest end. Credits are ignored, and
/// so are lines that name no price. More than `max_items` products are an error.
std::vector<InvoiceLine> read_lines(core::Fields& f)
{
    std::vector<InvoiceLine> lines;
    std::map<std::string, InvoiceLine> by_product;
    auto const* list = f.optional_object("lines");
    if (list == nullptr) return lines;
    core::Fields nested(*list, "/data/object/lines");
    auto const* data = nested.optional_array("data", max_lines);
    for (std::size_t i = 0; data != nullptr && i < data->size(); ++i) {
        auto const& line = (*data)[i];
        auto const* period = find(&line, "period");
        if (period == nullptr || is_credit(line)) continue;
        core::Fields within(*period, "/data/object/lines/data/" + std::to_string(i) + "/period");
        auto const starts = event_fields::optional_seconds(within, "start");
        auto const ends = event_fields::optional_seconds(within, "end");
        auto const product = product_of(line);
        if (ends && !product.empty()) {
            InvoiceLine const read{product, starts, *ends};
            auto& latest = by_product.try_emplace(product, read).first->second;
            if (latest.ends < read.ends) latest = read;
        }
        nested.absorb(within);
    }
    if (by_product.size() > max_items)
        nested.fault("data", "too_many", "must have at most 100 different prices");
    f.absorb(nested);
    for (auto& [product, line] : by_product)
        lines.push_back(std::move(line));
    return lines;
}

} // namespace

void read_invoice(Event& event, core::Fields& f, json::value const& object)
{
    InvoiceEvent data;
    data.subscription_id = subscription_of(object);
    if (data.subscription_id.empty()) {
        event.data = Skipped{"no_subscription"};
        return;
    }
    event.subscription_id = data.subscription_id;
    add_references(event, object);
    data.invoice_id = event_fields::text_if_any(object, "id").value_or("");
    data.lines = read_lines(f);
    core::Time last = core::Time::min();
    for (auto const& line : data.lines)
        last = std::max(last, line.ends);
    data.order = {.at = event.at.value_or(core::Time()),
        .rank = rank_of(PaymentEventType::invoice_paid, SubscriptionStatus::active),
        .period_end = last,
        .event_id = event.id};
    event.data = std::move(data);
}

} // namespace billing
