#pragma once

#include "deps.hpp"
#include "domain/settings.hpp"
#include "domain/user.hpp"
#include "http/message.hpp"
#include "pg/tx.hpp"
#include "storage/sessions.hpp"

#include <array>
#include <string_view>

/// The changes of accounts that webhooks announce.
namespace auth_mfa {

inline constexpr auto event_types = std::to_array<std::string_view>(
    {"user.created", "user.updated", "user.deleted", "session.created", "mfa.enabled", "mfa.disabled"});

/// Call it first in a transaction that publishes an event. Takes the scope's lock, which `publish` needs,
/// before the locks of rows: so two transactions cannot deadlock.
void begin_account_change(pg::Tx& tx, http::Request const& req);

/// Announces `user.created` or `user.updated`. The data is the user as the API shows it.
void publish_user(pg::Tx& tx, http::Request const& req, std::string_view type, User const& user);

/// Announces a new user: `user.created` to webhooks, and entries in the activity and the audit log. Call it
/// last in the transaction (see audit::record).
void record_created(pg::Tx& tx, http::Request const& req, User const& user);

/// Announces `session.created`: `{sessionId, userId, amr, acr, createdAt}`.
void publish_session(pg::Tx& tx, http::Request const& req, sessions::NewSession const& session);

/// Announces `mfa.enabled` or `mfa.disabled` at `now`: `{userId, factor}`.
void publish_factor(pg::Tx& tx, http::Request const& req, std::string_view type, UserId user_id,
    std::string_view factor, core::Time now);

/// The rules for accounts of the request's scope, from the cached settings.
asio::awaitable<AccountRules> account_rules(http::Request const& req, Deps& deps);

} // namespace auth_mfa
