#pragma once

#include "domain/identity.hpp"
#include "domain/user_id.hpp"
#include "http/message.hpp"
#include "pg/tx.hpp"

#include <boost/json/value.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace auth_mfa {

/// The result of what was not refused.
inline constexpr std::string_view succeeded = "success";

/// Something that happened to an account: an entry of its activity, and an entry of the audit log.
struct AccountEvent {
    std::optional<UserId> user_id;             ///< nullopt: no account, so there is only an audit entry
    std::string_view type;                     ///< of the activity, such as `sign_in`
    std::string_view result = succeeded;       ///< or the reason of a refusal, such as `wrong_password`
    std::string_view action;                   ///< of the audit log, such as `session.created`
    std::optional<boost::json::value> after{}; ///< of the audit log; no secrets
    std::optional<core::Uuid> session_id{};    ///< the subject of the audit entry; nullopt: the user is it
};

/// Writes the entries. The actor is the caller. For a request without a credential, it is the user if the
/// request succeeded, else `anonymous`. Call it last in the transaction (see audit::record).
void record(pg::Tx& tx, http::Request const& req, AccountEvent const& event);

/// Records that the identity was unlinked from the user.
void record_unlinked(pg::Tx& tx, http::Request const& req, UserId user_id, LinkedIdentity const& identity);

/// The `User-Agent` that sessions, devices and activity show: at most 255 characters, printable ASCII only.
std::string user_agent(http::Request const& req);

} // namespace auth_mfa
