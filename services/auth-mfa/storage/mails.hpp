#pragma once

#include "domain/mail.hpp"
#include "domain/user.hpp"
#include "pg/batch.hpp"
#include "pg/tx.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

/// The table `mails`: emails that wait to be sent. Each has a job in queue `mails`, whose ref is its id.
namespace auth_mfa::mails {

inline constexpr char const* queue = "mails";

/// Stores the email and enqueues its job, so that it is sent after the commit. The database sets
/// `created_at`.
void enqueue(pg::Tx& tx, core::Scope const& scope, Mail const& mail);

/// An email of a Batcher's caller.
struct Requested {
    core::ScopeId scope_id{};
    Mail mail;
};

/// As `enqueue`, for many callers in one statement.
pg::Batch<bool> enqueue_batch(pg::BatchConnection& connection, std::span<Requested const> rows);

/// The email; nullopt if it was sent or removed.
std::optional<Mail> find(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& id);

/// Marks that the email's token is stored.
void set_has_token(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& id);

void remove(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& id);

/// Removes the emails to a user: those of the user's account, and those that were requested for the address.
void remove_of(pg::Tx& tx, core::Scope const& scope, User const& user);

/// The emails to a user, as in `remove_of`, in the order of their ids, starting after the id `after`.
std::vector<Mail> list(pg::Tx& tx, core::Scope const& scope, User const& user,
    std::optional<core::Uuid> const& after, std::size_t limit);

} // namespace auth_mfa::mails
