#pragma once

#include "core/user_id.hpp"
#include "domain/event.hpp"

#include <boost/json/value.hpp>

#include <string_view>
#include <vector>

namespace billing {

/// All users that an event names, in any role. Distinct, in ascending order.
///
/// - Purchase provider: `app_user_id`, `original_app_user_id`, `aliases`, `transferred_from` and
///   `transferred_to`.
/// - Payments provider: the member `userId` of each object `metadata`, at any depth. An invoice contains the
///   metadata of its subscription. `previous_attributes` may name an earlier user of a subscription.
///
/// Texts that cannot be user ids (empty, longer than 255 code points, or with U+0000) are ignored.
std::vector<core::UserId> named_users(Provider provider, boost::json::value const& document);

/// As the other function, for a body that is not valid JSON: the texts in quotes after the names of these
/// members.
std::vector<core::UserId> named_users(std::string_view malformed);

/// Whether the id stands for a person. False for the ids that apps and the purchase provider generate before
/// the user signs in (`$RCAnonymousID:…`, `anon:…`), and for the pseudonyms of erased users
/// (`deleted:<uuid>`).
bool is_person(core::UserId const& id);

/// Whether the id is one that apps and the purchase provider generate before the user signs in.
bool is_anonymous(core::UserId const& id);

} // namespace billing
