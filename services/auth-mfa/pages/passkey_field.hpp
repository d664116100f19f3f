#pragma once

#include "pages/page.hpp"

#include <boost/json/value.hpp>

namespace auth_mfa::pages {

/// The form field `credential`, which the script fills with the JSON of a passkey's answer. Null if it is not
/// JSON, so that the API reports it.
boost::json::value passkey_field(Page const& page);

/// The page `view` again after a failure of a call that took the field `credential`. If the passkey was
/// refused, the page says so above the form. Other failures are shown as `Page::show_failure` does.
http::Response show_passkey_failure(
    Page& page, View const& view, std::string_view title, Data data, Failure const& failure);

} // namespace auth_mfa::pages
