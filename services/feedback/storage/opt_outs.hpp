#pragma once

#include "core/scope.hpp"
#include "domain/mail_key.hpp"
#include "pg/tx.hpp"

#include <set>
#include <span>
#include <string>

/// The tables `thread_opt_outs` and `scope_opt_outs`: recipients who want no emails about a thread, or none
/// of the scope. They outlive the erasure of the user, because they contain only keyed hashes of addresses.
namespace feedback::opt_outs {

/// Ends the recipient's emails about the thread, and about the threads that it was merged into. Does nothing
/// if the thread does not exist any more.
void add_for_thread(pg::Tx& tx, core::Scope const& scope, MailKey::Recipient const& recipient);

/// Ends all emails of the scope to this address.
void add_for_scope(pg::Tx& tx, core::Scope const& scope, std::string const& address_hash);

/// A recipient of a scope.
struct Key {
    core::ScopeId scope_id{};
    MailKey::Recipient recipient;
};

/// The indices of the recipients who want no email, in one statement.
std::set<std::size_t> find(pg::Tx& tx, std::span<Key const> keys);

} // namespace feedback::opt_outs
