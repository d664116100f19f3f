#pragma once

#include "deps.hpp"
#include "domain/client.hpp"
#include "http/message.hpp"

#include <optional>
#include <string_view>

namespace auth_mfa {

/// The client of the request's environment with this id, stored or built in; nullopt if there is none. The
/// redirect URIs of the built-in clients are those of the environment.
asio::awaitable<std::optional<Client>> find_client(
    http::Request const& req, Deps& deps, std::string_view client_id);

} // namespace auth_mfa
