#include "domain/client.hpp"

#include "auth/token_claims.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <array>

namespace auth_mfa {

bool is_built_in_client(std::string_view client_id) noexcept
{
    return client_id == console_client || client_id == board_client;
}

bool is_reserved_client_id(std::string_view text)
{
    constexpr auto audiences =
        std::to_array<std::string_view>({auth::token::enrolment_audience, "feedback", "notify", "billing"});
    auto const id = core::lower(text);
    return id.starts_with(auth::token::audience) || std::ranges::find(audiences, id) != audiences.end();
}

bool is_client_id(std::string_view text) noexcept
{
    constexpr std::string_view others = "._~-";
    return !text.empty() && text.size() <= max_client_id && std::ranges::all_of(text, [&](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               others.find(c) != std::string_view::npos;
    });
}

Client built_in_client(std::string_view client_id, std::string const& issuer, std::string const& board)
{
    bool const is_console = client_id == console_client;
    std::string const home = is_console ? issuer + "/console" : board + "/board";
    Client client;
    client.id = client_id;
    client.name = is_console ? "Tetrad Console" : "Tetrad Board";
    client.redirect_uris = {home + "/callback"};
    client.post_logout_redirect_uris = {home};
    return client;
}

} // namespace auth_mfa
