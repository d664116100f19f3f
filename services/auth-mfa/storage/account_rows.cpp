#include "storage/account_rows.hpp"

#include "pg/parts.hpp"
#include "user_data/user_data.hpp"

#include <array>

namespace auth_mfa::account_rows {

namespace {

constexpr std::array tables{pg::Parts{"sessions", "user_id", "session_id"},
    pg::Parts{"activity", "user_id", "activity_id"}, pg::Parts{"trusted_devices", "user_id", "device_id"},
    pg::Parts{"email_tokens", "user_id", "token_hash"}};

} // namespace

void add_steps(user_data::UserData& users)
{
    for (auto const& table : tables)
        users.add_step([&table](pg::Tx& tx, user_data::Erasure const& erasure, std::size_t limit) {
            auto const id = core::Uuid::parse(erasure.user_id.text()).value();
            return pg::delete_parts(tx, erasure.scope.id, table, {&id, 1}, limit);
        });
}

} // namespace auth_mfa::account_rows
