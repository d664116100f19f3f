#include "flows/clients.hpp"

#include "batchers.hpp"
#include "config.hpp"
#include "tokens/tokens.hpp"

namespace auth_mfa {

asio::awaitable<std::optional<Client>> find_client(
    http::Request const& req, Deps& deps, std::string_view client_id)
{
    if (client_id == board_client && deps.config.feedback_base_host.empty()) co_return std::nullopt;
    if (is_built_in_client(client_id))
        co_return built_in_client(
            client_id, deps.tokens.issuer().of(req.scope()), deps.config.board_urls().of(req.scope()));
    if (!is_client_id(client_id)) co_return std::nullopt;
    co_return co_await deps.batchers.find_client.run({req.scope().id, std::string(client_id)});
}

} // namespace auth_mfa
