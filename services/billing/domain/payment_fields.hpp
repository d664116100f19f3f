#pragma once

#include "core/scope.hpp"
#include "core/user_id.hpp"
#include "domain/event_fields.hpp"

#include <boost/json/value.hpp>

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

/// Helpers that read the payments provider's objects.
namespace billing::payment_fields {

namespace json = boost::json;

/// Maximum number of items of a subscription, and of different prices of an invoice. The provider permits at
/// most 20 items in a subscription.
inline constexpr std::size_t max_items = 100;

/// The member; null if it is absent or JSON null, or `object` is not an object.
json::value const* find(json::value const* object, std::string_view name);
json::value const* find(json::value const* object, std::initializer_list<std::string_view> path);

/// The environment that `livemode` names; nullopt if it is not a boolean.
std::optional<core::Environment> environment_of(json::value const* livemode);

/// The id of a referenced object. The member `name` may be the id or the whole object. If it is neither, the
/// result is empty.
std::string reference(json::value const* holder, std::string_view name);

/// The two ids that identify what an item sells. `product` is the id of the item's price, or, in old API
/// versions, of its plan. `alternative` is the id of the price's product. If the price has no id, `product`
/// is the id of the price's product.
struct PriceIds {
    std::string product, alternative;
};

PriceIds price_ids_of(json::value const& holder);

/// `metadata.userId`; empty if there is none.
core::UserId read_user(core::Fields& f);

} // namespace billing::payment_fields
