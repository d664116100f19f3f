#include "domain/board_links.hpp"

#include "auth/tenant_urls.hpp"

namespace feedback::board_url {

std::string origin(std::string_view base_host, std::uint16_t local_port, core::Scope const& scope)
{
    return auth::TenantUrls(std::string(base_host), local_port).of(scope);
}

std::string post(core::Uuid id)
{
    return "/board/posts/" + id.to_string();
}

std::string post(std::string_view board_origin, core::Uuid id)
{
    return std::string(board_origin) + post(id);
}

} // namespace feedback::board_url
