#pragma once

#include "core/json_writer.hpp"
#include "domain/session.hpp"

#include <string>

/// Writes the resources of the API as JSON.
namespace auth_mfa {

void write(core::JsonWriter& w, User const& user);

/// `current` is the id of the caller's session. The member `current` is true if `session` is that session.
void write(core::JsonWriter& w, Session const& session, core::Uuid current);

std::string to_json(User const& user);

} // namespace auth_mfa
