#pragma once

namespace user_data {
class UserData;
}

/// The rows of an account that may be many: sessions, activity, trusted devices and tokens from emails. They
/// have no foreign key to the user, so that the deletion of an account need not delete them in one
/// transaction. Without the user's row they have no effect.
namespace auth_mfa::account_rows {

/// Adds the steps that delete these rows of a deleted user.
void add_steps(user_data::UserData& users);

} // namespace auth_mfa::account_rows
