#pragma once

#include "core/json_writer.hpp"
#include "domain/session.hpp"

#include <string>

/// The resources as they travel.
namespace auth_mfa {

void write(core::JsonWriter& w, User const& user);

/// `current`: the session of whoever asks.
void write(core::JsonWriter& w, Session const& session, core::Uuid current);

std::string to_json(User const& user);

} // namespace auth_mfa
