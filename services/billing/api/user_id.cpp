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

} // namespace billing
