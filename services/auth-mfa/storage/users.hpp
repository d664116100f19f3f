#pragma once

#include "domain/user.hpp"
#include "paging/cursor.hpp"
#include "pg/database.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// The table `users`. The caller owns the transaction, which sees the scope.
namespace auth_mfa::users {

struct NewUser {
    core::Uuid id;
    std::string email;
    std::optional<std::string> password_hash;
    Role role = Role::user;
};

/// Inserts in the scope's commit order, so that no user can appear behind a cursor. nullopt: the address is
/// taken.
std::optional<User> insert(pg::Tx& tx, core::Scope const& scope, NewUser const& user);

/// What a user is looked up by.
struct Key {
    std::int64_t scope_id{};
    core::Uuid id;
};

/// For a Coalescer: many callers' users at once.
pg::Batch<std::optional<User>> find_batch(pg::Session& session, std::span<Key const> keys);

std::optional<User> find_by_email(pg::Tx& tx, core::Scope const& scope, std::string_view email);

/// The user, locked until the transaction ends: what orders changes of their factors.
std::optional<User> lock(pg::Tx& tx, core::Scope const& scope, core::Uuid id);

/// The user, if the session is theirs and lives at `now`: one statement for who is asking and whether they
/// still may.
std::optional<User> find_signed_in(
    pg::Tx& tx, core::Scope const& scope, core::Uuid id, core::Uuid session_id, core::Time now);
/// The same, locked until the transaction ends.
std::optional<User> lock_signed_in(
    pg::Tx& tx, core::Scope const& scope, core::Uuid id, core::Uuid session_id, core::Time now);

/// The members of the scope, newest first, those after `after`.
std::vector<User> list(
    pg::Tx& tx, core::Scope const& scope, std::optional<paging::Position> const& after, std::size_t limit);

/// Replaces the password unless the credentials have changed since `seen_version`; false when they have.
bool set_password(
    pg::Tx& tx, core::Scope const& scope, core::Uuid id, std::string_view hash, std::int64_t seen_version);

/// What the user has proved up to now no longer opens a session: challenges under way come to nothing.
void revoke_credentials(pg::Tx& tx, core::Scope const& scope, core::Uuid id);

/// The user with their new role; nullopt when there is no such user.
std::optional<User> set_role(pg::Tx& tx, core::Scope const& scope, core::Uuid id, Role role);

/// Whether somebody else is an owner. Take the scope's lock (pg::serialise) before acting on it.
bool has_other_owner(pg::Tx& tx, core::Scope const& scope, core::Uuid id);

/// Stores the number and whether it is the SMS factor now.
void set_phone(pg::Tx& tx, core::Scope const& scope, core::Uuid id, std::optional<std::string> const& phone,
    bool verified);

} // namespace auth_mfa::users
