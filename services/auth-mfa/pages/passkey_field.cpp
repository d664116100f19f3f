#include "pages/passkey_field.hpp"

#include "domain/errors.hpp"

#include <boost/json/parse.hpp>

namespace auth_mfa::pages {

boost::json::value passkey_field(Page const& page)
{
    boost::system::error_code failed;
    auto value = boost::json::parse(page.field("credential"), failed);
    return failed ? boost::json::value(nullptr) : value;
}

http::Response show_passkey_failure(
    Page& page, View const& view, std::string_view title, Data data, Failure const& failure)
{
    bool const refused = is(failure, codes::invalid_credentials) || is(failure, codes::mfa_invalid_code) ||
                         !failure.faults().empty();
    if (!refused) return page.show_failure(view, title, std::move(data), failure);
    data.set("alert", page.language().text("passkey.refused"));
    return page.show(view, title, std::move(data), failure.code().status);
}

} // namespace auth_mfa::pages
