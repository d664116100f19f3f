#include "domain/event_erasure.hpp"

#include "domain/named_users.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <utility>

namespace billing {

namespace {

namespace json = boost::json;

bool contains(std::span<core::UserId const> users, core::UserId const& id)
{
    return std::ranges::find(users, id) != users.end();
}

/// Replaces ids of users by a pseudonym in a JSON document.
class Replacement {
public:
    Replacement(std::span<core::UserId const> erased, core::UserId const& pseudonym)
        : erased_(erased), pseudonym_(pseudonym)
    {
    }

    /// Replaces values and names of members.
    void apply_to(json::value& value) const
    {
        if (auto* text = value.if_string(); text != nullptr && is_erased(*text)) *text = pseudonym_.text();
        if (auto* array = value.if_array())
            for (auto& element : *array)
                apply_to(element);
        if (auto* object = value.if_object()) apply_to(*object);
    }

private:
    bool is_erased(json::string_view text) const
    {
        return std::ranges::any_of(
            erased_, [&](core::UserId const& id) { return json::string_view(id.text()) == text; });
    }

    void apply_to(json::object& object) const
    {
        std::vector<std::string> names;
        for (auto& member : object) {
            apply_to(member.value());
            if (is_erased(member.key())) names.emplace_back(member.key());
        }
        for (auto const& name : names) {
            json::value value = std::move(object.at(name));
            object.erase(name);
            object[pseudonym_.text()] = std::move(value);
        }
    }

    std::span<core::UserId const> erased_;
    core::UserId const& pseudonym_;
};

/// Removes the attributes of the purchase provider's subscriber, such as the email.
void remove_attributes(json::value& document)
{
    auto* envelope = document.if_object();
    auto* event = envelope == nullptr ? nullptr : envelope->if_contains("event");
    if (event != nullptr && event->is_object()) event->get_object().erase("subscriber_attributes");
}

} // namespace

ErasedEvent erase_from_event(Provider provider, std::optional<core::UserId> const& user_id,
    std::string const& payload, std::span<core::UserId const> erased, core::UserId const& pseudonym)
{
    bool const owner_erased = user_id && contains(erased, *user_id);
    auto document = parse_document(payload);
    auto named = document ? named_users(provider, *document) : named_users(payload);
    auto const is_other = [&](core::UserId const& id) { return is_person(id) && !contains(erased, id); };
    bool const names_others = (user_id && is_other(*user_id)) || std::ranges::any_of(named, is_other);
    bool const describes_owner = owner_erased && provider != Provider::purchases;
    if (!document || !names_others || describes_owner)
        return {.user_id = pseudonym,
            .payload = std::string(removed_payload),
            .is_erased = true,
            .unfiled = std::move(named)};
    Replacement(erased, pseudonym).apply_to(*document);
    if (owner_erased || !user_id) remove_attributes(*document);
    return {.user_id = owner_erased ? pseudonym : user_id,
        .payload = json::serialize(*document),
        .is_erased = owner_erased,
        .unfiled = {erased.begin(), erased.end()}};
}

} // namespace billing
