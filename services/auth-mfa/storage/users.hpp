#pragma once

#include "core/scope.hpp"
#include "domain/user.hpp"
#include "paging/cursor.hpp"
#include "pg/batch.hpp"
#include "pg/tx.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// The table `users`. The functions run in the caller's transaction, which must be open
/// for the scope: row-level security hides the rows of other scopes.
namespace auth_mfa::users {

struct NewUser {
    UserId id;
    std::string email;
    std::optional<std::string> password_hash;
    Role role = Role::user;
    UserStatus status = UserStatus::active;
    bool email_verified = false;
};

/// Inserts the user. nullopt if the email is taken, or reserved for the user who had it until recently
/// (email_tokens.hpp). Takes the scope's lock (pg::lock_scope), so users are
/// committed in the order of their creation times and no list cursor can skip a user.
std::optional<User> insert(pg::Tx& tx, core::Scope const& scope, NewUser const& user);

/// The key of a user.
struct Key {
    core::ScopeId scope_id{};
    UserId id;
};

/// Finds the users of many callers in one statement; for a Batcher.
pg::Batch<std::optional<User>> find_batch(pg::BatchConnection& connection, std::span<Key const> keys);

std::optional<User> find(pg::Tx& tx, core::Scope const& scope, UserId id);

std::optional<User> find_by_email(pg::Tx& tx, core::Scope const& scope, std::string_view email);

/// The user, locked until the transaction ends; nullopt if there is none. The lock serialises changes of the
/// user's factors.
std::optional<User> lock(pg::Tx& tx, core::Scope const& scope, UserId id);

/// The user, if the session is the user's and live at `now`.
std::optional<User> find_signed_in(
    pg::Tx& tx, core::Scope const& scope, UserId id, core::Uuid session_id, core::Time now);
/// Like find_signed_in, but also locks the user until the transaction ends.
std::optional<User> lock_signed_in(
    pg::Tx& tx, core::Scope const& scope, UserId id, core::Uuid session_id, core::Time now);

/// The filters of `list`. All that are set must match.
struct Filter {
    std::optional<std::string> email; ///< the whole address, ignoring case
    std::optional<std::string> part;  ///< a part of the address, ignoring case
    std::optional<Role> role;
    std::optional<UserStatus> status;
};

/// The members of the scope that match `filter`, newest first, starting after `after`.
std::vector<User> list(pg::Tx& tx, core::Scope const& scope, Filter const& filter,
    std::optional<paging::Position> const& after, std::size_t limit);

/// Whether `email` was the address of a user other than `except` who can still undo the change.
bool is_reserved(pg::Tx& tx, core::Scope const& scope, std::string_view email, UserId except);

/// Replaces the password and increments `credentials_version`. False, without a change, if the version is no
/// longer `seen_version`.
bool set_password(
    pg::Tx& tx, core::Scope const& scope, UserId id, std::string_view hash, std::int64_t seen_version);

/// Replaces the hash of the same password, and leaves `credentials_version` unchanged. False, without a
/// change, if the stored hash is no longer `seen`.
bool replace_hash(
    pg::Tx& tx, core::Scope const& scope, UserId id, std::string_view seen, std::string_view hash);

/// Increments the user's `credentials_version`. Sign-ins and challenges in progress can no longer open a
/// session.
void increment_credentials_version(pg::Tx& tx, core::Scope const& scope, UserId id);

/// Sets the role and returns the user; nullopt if there is no such user.
std::optional<User> set_role(pg::Tx& tx, core::Scope const& scope, UserId id, Role role);

/// Sets the status, and increments `credentials_version`. Returns the user; nullopt if there is no such user.
std::optional<User> set_status(pg::Tx& tx, core::Scope const& scope, UserId id, UserStatus status);

/// Marks the email as verified if it is still `email`. False if nothing changed.
bool set_verified(pg::Tx& tx, core::Scope const& scope, UserId id, std::string_view email);

/// Replaces the email and increments `credentials_version`. False if another user has the new email.
/// Take the scope's lock (pg::lock_scope) first, so that no user is created with this email.
bool set_email(pg::Tx& tx, core::Scope const& scope, UserId id, std::string_view email, bool verified);

/// Sets the password of a user who proved to receive mail at the account's address. Increments
/// `credentials_version` and marks the email as verified. An invited user becomes active.
void set_password_by_email(pg::Tx& tx, core::Scope const& scope, UserId id, std::string_view hash);

/// Whether the scope has an active owner other than `id`. Take the scope's lock (pg::lock_scope) first if you
/// act on the result.
bool has_other_owner(pg::Tx& tx, core::Scope const& scope, UserId id);

/// Deletes the user, with factors and identities. Other rows of the account stay: see account_rows.hpp.
/// Clients in which the user is signed in are told (logout_notices.hpp).
void remove(pg::Tx& tx, core::Scope const& scope, UserId id);

/// How a phone number became the user's SMS factor.
enum class PhoneProof : std::uint8_t {
    none,       ///< it is no factor
    message,    ///< with a code that was sent to it
    fixed_code, ///< with the code of a test phone
};

/// Stores the phone number.
void set_phone(pg::Tx& tx, core::Scope const& scope, UserId id, std::optional<std::string> const& phone,
    PhoneProof proof);

} // namespace auth_mfa::users
