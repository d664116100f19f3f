#pragma once

#include "core/json_writer.hpp"
#include "domain/activity.hpp"
#include "domain/client.hpp"
#include "domain/identity.hpp"
#include "domain/passkey.hpp"
#include "domain/session.hpp"
#include "domain/trusted_device.hpp"

#include <cstdint>
#include <string>
#include <string_view>

/// Writes the resources of the API as JSON.
namespace auth_mfa {

void write(core::JsonWriter& w, User const& user);

/// As the other `write`, with the user's factors. `recovery_codes`: the number of unused codes.
void write(core::JsonWriter& w, User const& user, std::int64_t recovery_codes);

void write(core::JsonWriter& w, Session const& session);

/// `current` is the id of the caller's session. The member `current` is true if `session` is that session.
void write(core::JsonWriter& w, Session const& session, core::Uuid current);

/// As the first `write`, with the end of the session.
void write_with_end(core::JsonWriter& w, Session const& session);

void write(core::JsonWriter& w, Client const& client);
/// The members of the client, in an object that is open. A client's secret is not a member.
void write_members(core::JsonWriter& w, Client const& client);

void write(core::JsonWriter& w, LinkedIdentity const& identity);
void write(core::JsonWriter& w, TrustedDevice const& device);
void write(core::JsonWriter& w, Passkey const& passkey);
/// The members of the passkey, in an object that is open.
void write_members(core::JsonWriter& w, Passkey const& passkey);

/// `type_name`: the name of the member with the entry's type. A line of an export has another `type`.
void write(core::JsonWriter& w, Activity const& entry, std::string_view type_name = "type");

std::string to_json(User const& user);
std::string to_json(Client const& client);

} // namespace auth_mfa
