#pragma once

#include "core/scope.hpp"
#include "core/user_id.hpp"
#include "pg/tx.hpp"
#include "user_data/export.hpp"

#include <string>

/// The lines of `GET /v1/users/{userId}/export`. Each function is a user_data::ExportPart.
namespace notify {

/// Lines of type `device`, newest first.
user_data::ExportPage export_devices(
    pg::Tx& tx, core::Scope const& scope, core::UserId const& user_id, std::string const& position);

/// Lines of type `notification`, newest first, each with its content, deliveries, history and files.
user_data::ExportPage export_notifications(
    pg::Tx& tx, core::Scope const& scope, core::UserId const& user_id, std::string const& position);

} // namespace notify
