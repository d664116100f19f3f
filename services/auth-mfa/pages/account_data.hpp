#pragma once

#include "pages/page.hpp"

#include <boost/json/object.hpp>

namespace auth_mfa::pages {

/// The values of the account's page. Calls the API once per list.
asio::awaitable<Data> account_data(Page const& page);

/// The values `activity`, a page of the account's activity, and `more`, the cursor of the next page if there
/// is one. `query` is that of the API's request.
asio::awaitable<Data> activity_data(Page const& page, std::string_view query);

/// The name of a second factor, such as the masked phone number. `factors` is the body of GET /v1/auth/mfa.
std::string factor_name(
    Language const& language, boost::json::object const& factors, std::string_view factor);

/// Whether the user has this second factor. `factors` is the body of GET /v1/auth/mfa.
bool has_factor(boost::json::object const& factors, std::string_view factor);

} // namespace auth_mfa::pages
