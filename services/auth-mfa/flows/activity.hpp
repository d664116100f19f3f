#pragma once

#include "deps.hpp"
#include "domain/identity.hpp"
#include "domain/user_id.hpp"
#include "http/message.hpp"
#include "pg/tx.hpp"

#include <boost/json/value.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace auth_mfa {

/// The `result` of an event that was not refused.
inline constexpr std::string_view succeeded = "success";

/// An event of an account. It becomes an entry of the activity and an entry of the audit log.
struct AccountEvent {
    std::optional<UserId> user_id;             ///< nullopt: no account, so there is only an audit entry
    std::string_view type;                     ///< of the activity, such as `sign_in`
    std::string_view result = succeeded;       ///< or the reason of a refusal, such as `wrong_password`
    std::string_view action;                   ///< of the audit log, such as `session.created`
    std::optional<boost::json::value> after{}; ///< of the audit log; no secrets
    std::optional<core::Uuid> session_id{};    ///< the subject of the audit entry; if nullopt, the user
};

/// Writes the entries. The actor is the caller. For a request without a credential, it is the user if the
/// request succeeded, else `anonymous`. Call it last in the transaction (see audit::record).
void record(pg::Tx& tx, http::Request const& req, AccountEvent const& event);

/// The names of a refusal: the type of the activity, and the action of the audit log.
struct RefusedEvent {
    std::string_view type, action;
};

inline constexpr RefusedEvent refused_sign_in{"sign_in", "sign_in.refused"};

/// Records a refusal in a transaction of its own. `user_id` nullopt: no account has the email; the audit log
/// has an entry nevertheless, so that both cases take the same time.
asio::awaitable<void> record_refusal(http::Request const& req, Deps& deps, std::optional<UserId> user_id,
    std::string_view reason, RefusedEvent event = refused_sign_in);

/// Records that the identity was unlinked from the user.
void record_unlinked(pg::Tx& tx, http::Request const& req, UserId user_id, LinkedIdentity const& identity);

/// The `User-Agent` that sessions, devices and activity show: at most 255 characters, printable ASCII only.
std::string user_agent(http::Request const& req);

} // namespace auth_mfa
