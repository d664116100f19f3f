#include "api/user_id.hpp"

#include "core/error.hpp"
#include "core/fields.hpp"

namespace billing {

core::UserId user_id_of(http::Request const& req)
{
    auto const& id = req.param("userId");
    if (core::count_code_points(id) > max_user_id)
        throw core::Error::validation(
            {{":userId", "too_long", "must be at most " + std::to_string(max_user_id) + " characters"}});
    return core::UserId(id);
}

core::UserId readable_user_id_of(http::Request const& req)
{
    auto user_id = user_id_of(req);
    if (!req.caller().is_staff() && req.caller().id != user_id.text())
        throw core::Error(core::codes::not_found, "You may read only your own data. Check the user's id.");
    return user_id;
}

} // namespace billing
