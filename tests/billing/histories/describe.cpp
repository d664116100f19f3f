#include "events.hpp"
#include "histories/generator.hpp"

#include <initializer_list>
#include <string_view>

namespace histories {

namespace {

constexpr std::int64_t second = 1'000'000; // in microseconds

std::string two_digits(std::int64_t number)
{
    return (number < 10 ? "0" : "") + std::to_string(number);
}

std::string_view text(json::object const& object, std::string_view name)
{
    auto const* value = object.if_contains(name);
    auto const* found = value == nullptr ? nullptr : value->if_string();
    return found == nullptr ? std::string_view("-") : std::string_view(*found);
}

/// The member as a time, if it is a number. `unit`: its unit in microseconds.
std::string time(json::object const& object, std::string_view name, std::int64_t unit)
{
    auto const* value = object.if_contains(name);
    if (value == nullptr || !value->is_int64()) return "-";
    return describe_time(value->get_int64() * unit);
}

/// ` name=value` for each member that is present and not null.
std::string members(json::object const& object, std::initializer_list<std::string_view> names)
{
    std::string all;
    for (auto const name : names) {
        auto const* value = object.if_contains(name);
        if (value == nullptr || value->is_null()) continue;
        all += ' ' + std::string(name) + '=' + json::serialize(*value);
    }
    return all;
}

std::string describe_purchase(json::object const& event)
{
    auto const& e = event.at("event").as_object();
    std::string line = time(e, "event_timestamp_ms", 1000) + "  " + std::string(text(e, "type")) + ' ' +
                       std::string(text(e, "app_user_id")) + ' ' + std::string(text(e, "product_id")) + ' ' +
                       std::string(text(e, "store")) + " until " + time(e, "expiration_at_ms", 1000);
    if (auto const grace = time(e, "grace_period_expiration_at_ms", 1000); grace != "-")
        line += " grace " + grace;
    return line + members(e, {"new_product_id", "cancel_reason", "transaction_id", "aliases", "id"});
}

/// The prices of a subscription's items or of an invoice's lines, with the ends of their periods.
std::string describe_lines(json::object const& list)
{
    std::string all;
    for (auto const& each : list.at("data").as_array()) {
        auto const& line = each.as_object();
        auto const* price = line.if_contains("price");
        std::string const name(price != nullptr
                                   ? text(price->as_object(), "id")
                                   : text(line.at("pricing").at("price_details").as_object(), "price"));
        auto const* period = line.if_contains("period");
        auto const& holder = period != nullptr ? period->as_object() : line;
        all += ' ' + name + '[' + time(holder, period != nullptr ? "start" : "current_period_start", second) +
               ", " + time(holder, period != nullptr ? "end" : "current_period_end", second) + ']';
    }
    auto const* has_more = list.if_contains("has_more");
    return all + (has_more != nullptr && has_more->get_bool() ? " ..." : "");
}

std::string describe_payment(json::object const& event)
{
    auto const& data = event.at("data").as_object();
    auto const& o = data.at("object").as_object();
    std::string line = time(event, "created", second) + "  " + std::string(text(event, "type")) + ' ' +
                       std::string(text(o, "id"));
    for (auto const* const name : {"items", "lines"})
        if (auto const* list = o.if_contains(name)) line += describe_lines(list->as_object());
    if (auto const end = time(o, "current_period_end", second); end != "-") line += " until " + end;
    if (auto const at = time(o, "cancel_at", second); at != "-") line += " cancel_at " + at;
    if (auto const at = time(o, "ended_at", second); at != "-") line += " ended_at " + at;
    line += members(
        o, {"status", "cancel_at_period_end", "metadata", "latest_invoice", "subscription", "parent",
               "invoice", "payment", "charge", "payment_intent", "refunded", "mode", "payment_status"});
    if (auto const* previous = data.if_contains("previous_attributes"))
        for (auto const& member : previous->as_object())
            line += " before:" + std::string(member.key()) + '=' +
                    (member.key() == "items" ? "..." : json::serialize(member.value()));
    return line + members(event, {"id"});
}

} // namespace

std::string describe_time(std::int64_t microseconds)
{
    auto const after = microseconds - events::start_s * second;
    auto const whole = (after < 0 ? -after : after) / second;
    auto const of_day = whole % events::day;
    std::string text = (after < 0 ? '-' : '+') + std::to_string(whole / events::day) + "d " +
                       two_digits(of_day / 3600) + ':' + two_digits(of_day / 60 % 60) + ':' +
                       two_digits(of_day % 60);
    if (auto const rest = (after < 0 ? -after : after) % second / 1000; rest != 0)
        text += '.' + std::to_string(1000 + rest).substr(1);
    return text;
}

std::string describe(History const& history)
{
    std::string all = "history " + std::to_string(history.seed) + ": pastDueIsActive " +
                      (history.settings.past_due_is_active ? "true" : "false") + ", renewalLeewaySeconds " +
                      std::to_string(history.settings.leeway_s) + ", users";
    for (auto const& user : history.users)
        all += ' ' + user;
    all += '\n';
    for (std::size_t i = 0; i < history.events.size(); ++i) {
        auto const& [payment, event] = history.events[i];
        all +=
            std::to_string(i) + "  " + (payment ? describe_payment(event) : describe_purchase(event)) + '\n';
    }
    return all;
}

} // namespace histories
