#pragma once

#include "core/scope.hpp"
#include "core/user_id.hpp"
#include "crypto/keyring.hpp"
#include "pg/tx.hpp"
#include "user_data/export.hpp"

#include <string>

/// The lines of `GET /v1/users/{userId}/export`. The functions are for user_data::ExportPart.
namespace notify {

/// Lines of type `device`, newest first. A device for Web Push has its subscription, without the secret
/// `auth`.
user_data::ExportPage export_devices(pg::Tx& tx, crypto::Keyring const& keyring, core::Scope const& scope,
    core::UserId const& user_id, std::string const& position);

/// Lines of type `notification`, newest first, each with its content, deliveries, history and files.
user_data::ExportPage export_notifications(
    pg::Tx& tx, core::Scope const& scope, core::UserId const& user_id, std::string const& position);

} // namespace notify
