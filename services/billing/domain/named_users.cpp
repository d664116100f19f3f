#include "domain/named_users.hpp"

#include "core/fields.hpp"
#include "core/id.hpp"
#include "domain/event_fields.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>

namespace billing {

namespace {

namespace json = boost::json;

/// The members of a purchase event whose value is the id of a user or an array of ids.
constexpr std::array<std::string_view, 5> purchase_members{
    "app_user_id", "original_app_user_id", "aliases", "transferred_from", "transferred_to"};
/// The member of `metadata` in the objects of the payments provider.
constexpr std::string_view payment_member = "userId";

/// The user ids that were found. The set makes them distinct.
class Found {
public:
    void add(std::string_view text)
    {
        if (text.empty() || text.find('\0') != std::string_view::npos) return;
        if (core::count_code_points(text) <= event_fields::max_id) ids_.emplace(std::string(text));
    }

    void add(json::value const* value)
    {
        if (value != nullptr && value->is_string()) add(std::string_view(value->get_string()));
    }

    std::vector<core::UserId> list() const { return {ids_.begin(), ids_.end()}; }

private:
    std::set<core::UserId> ids_;
};

void find_in_purchase(json::value const& document, Found& found)
{
    auto const* envelope = document.if_object();
    auto const* event = envelope == nullptr ? nullptr : envelope->if_contains("event");
    auto const* members = event == nullptr ? nullptr : event->if_object();
    if (members == nullptr) return;
    for (auto const name : purchase_members) {
        auto const* value = members->if_contains(name);
        found.add(value);
        if (value == nullptr || !value->is_array()) continue;
        for (auto const& id : value->get_array())
            found.add(&id);
    }
}

/// Searches `value` and all values below it. Their depth is limited by `parse_document`.
void find_in_payment(json::value const& value, Found& found)
{
    if (auto const* array = value.if_array())
        for (auto const& element : *array)
            find_in_payment(element, found);
    auto const* object = value.if_object();
    if (object == nullptr) return;
    for (auto const& member : *object) {
        if (auto const* metadata = member.value().if_object();
            metadata != nullptr && member.key() == "metadata")
            found.add(metadata->if_contains(payment_member));
        find_in_payment(member.value(), found);
    }
}

/// The end of the JSON string that begins with the quote at `begin`, after its closing quote; npos if it has
/// none.
std::size_t end_of_string(std::string_view text, std::size_t begin)
{
    for (std::size_t at = begin + 1; at < text.size(); ++at) {
        if (text[at] == '\\')
            ++at;
        else if (text[at] == '"')
            return at + 1;
    }
    return std::string_view::npos;
}

/// The value of a JSON string with its quotes; empty if it is not valid.
std::string value_of(std::string_view quoted)
{
    boost::system::error_code failed;
    auto const value = json::parse(json::string_view(quoted.data(), quoted.size()), failed);
    return failed || !value.is_string() ? std::string() : std::string(value.get_string());
}

} // namespace

std::vector<core::UserId> named_users(Provider provider, json::value const& document)
{
    Found found;
    if (provider == Provider::purchases)
        find_in_purchase(document, found);
    else
        find_in_payment(document, found);
    return found.list();
}

std::vector<core::UserId> named_users(std::string_view malformed)
{
    Found found;
    bool names_users = false; // whether the last member is one of those that name users
    for (auto begin = malformed.find('"'); begin != std::string_view::npos;) {
        auto const end = end_of_string(malformed, begin);
        if (end == std::string_view::npos) break;
        auto const text = value_of(malformed.substr(begin, end - begin));
        auto const next = malformed.find_first_not_of(" \t\r\n", end);
        if (next != std::string_view::npos && malformed[next] == ':')
            names_users = text == payment_member || std::ranges::count(purchase_members, text) > 0;
        else if (names_users)
            found.add(text);
        begin = malformed.find('"', end);
    }
    return found.list();
}

bool is_anonymous(core::UserId const& id)
{
    return id.text().starts_with("$RCAnonymousID:") || id.text().starts_with("anon:");
}

bool is_person(core::UserId const& id)
{
    constexpr std::string_view pseudonym = "deleted:";
    std::string_view const text = id.text();
    if (is_anonymous(id)) return false;
    return !text.starts_with(pseudonym) || !core::Uuid::parse(text.substr(pseudonym.size()));
}

} // namespace billing
