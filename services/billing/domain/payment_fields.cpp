#include "domain/payment_fields.hpp"

#include <utility>

namespace billing::payment_fields {

json::value const* find(json::value const* object, std::string_view name)
{
    auto const* members = object == nullptr ? nullptr : object->if_object();
    auto const* value = members == nullptr ? nullptr : members->if_contains(name);
    return value == nullptr || value->is_null() ? nullptr : value;
}

json::value const* find(json::value const* object, std::initializer_list<std::string_view> path)
{
    for (auto const name : path)
        object = find(object, name);
    return object;
}

std::optional<core::Environment> environment_of(json::value const* livemode)
{
    if (livemode == nullptr || !livemode->is_bool()) return std::nullopt;
    return livemode->get_bool() ? core::Environment::production : core::Environment::sandbox;
}

std::string reference(json::value const* holder, std::string_view name)
{
    if (auto const* value = find(holder, name)) {
        if (value->is_string()) return event_fields::text_if_any(*holder, name).value_or("");
        return event_fields::text_if_any(*value, "id").value_or("");
    }
    return {};
}

PriceIds price_ids_of(json::value const& holder)
{
    for (auto const* const name : {"price", "plan"}) {
        auto const* price = find(&holder, name);
        if (price == nullptr) continue;
        PriceIds ids{reference(&holder, name), reference(price, "product")};
        if (ids.product.empty()) std::swap(ids.product, ids.alternative);
        if (!ids.product.empty()) return ids;
    }
    return {};
}

core::UserId read_user(core::Fields& f)
{
    auto const* metadata = f.optional_object("metadata");
    if (metadata == nullptr) return {};
    core::Fields nested(*metadata, "/data/object/metadata");
    core::UserId user(event_fields::id_or_empty(nested, "userId"));
    f.absorb(nested);
    return user;
}

} // namespace billing::payment_fields
