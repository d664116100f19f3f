#pragma once

#include "core/id.hpp"
#include "core/scope.hpp"

#include <cstdint>
#include <string>
#include <string_view>

/// The addresses of the board's pages.
namespace feedback::board_url {

/// The origin of a scope's board below `base_host`, such as `https://demo-sandbox.feedback.example.com`. If
/// `base_host` is `localhost` or a subdomain of it, the scheme is `http`, and `local_port` is the port in the
/// URL (0 and 80: none).
std::string origin(std::string_view base_host, std::uint16_t local_port, core::Scope const& scope);

/// The path of a thread's page: `/board/posts/{feedbackId}`.
std::string post(core::Uuid id);

/// The URL of a thread's page at the board with this origin.
std::string post(std::string_view board_origin, core::Uuid id);

} // namespace feedback::board_url
