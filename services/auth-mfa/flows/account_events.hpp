#pragma once

#include "deps.hpp"
#include "domain/mail.hpp"
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

/// A change of a factor, as it is announced.
struct FactorChange {
    std::string_view event;    ///< of webhooks
    std::string_view activity; ///< the type of the activity
    std::string_view action;   ///< of the audit log
    MailKind notice{};
};

inline constexpr FactorChange factor_added{
    "mfa.enabled", "factor_added", "factor.enabled", MailKind::factor_added};
inline constexpr FactorChange factor_removed{
    "mfa.disabled", "factor_removed", "factor.disabled", MailKind::factor_removed};

/// Announces the change of `factor` (`sms`, `totp`, `passkey`) at `now`: `{userId, factor}` to webhooks, a
/// notice if the rules permit it, and entries in the activity and the audit log. Call it last in the
/// transaction (see audit::record).
void announce_factor(pg::Tx& tx, http::Request const& req, FactorChange const& change, User const& user,
    std::string_view factor, AccountRules const& rules, core::Time now);

/// Announces the removal of every factor that `user` had.
void announce_no_factors(
    pg::Tx& tx, http::Request const& req, User const& user, AccountRules const& rules, core::Time now);

/// The rules for accounts of the request's scope, from the cached settings.
asio::awaitable<AccountRules> account_rules(http::Request const& req, Deps& deps);

} // namespace auth_mfa
