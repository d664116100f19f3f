#include "state/client_assertions.hpp"

#include "auth/token_claims.hpp"
#include "crypto/encoding.hpp"
#include "crypto/hash.hpp"
#include "state/times.hpp"

#include <vector>

namespace auth_mfa {

std::string ClientAssertions::prefix(core::Scope const& scope)
{
    return "auth-mfa:assertion:{" + core::to_string(scope.id) + ':';
}

asio::awaitable<bool> ClientAssertions::use(
    core::Scope const& scope, ClientAssertion const& assertion, core::Time now)
{
    // A client's id contains no space, so the text is unambiguous.
    auto const hash = crypto::sha256(assertion.client_id + ' ' + assertion.id);
    auto const key = prefix(scope) + crypto::base64url::encode(crypto::view(hash)) + '}';
    auto const left = assertion.expires_at + auth::token::skew - now;
    auto const expiry = expiry_of(std::chrono::ceil<std::chrono::milliseconds>(left));
    std::vector<std::string_view> const command{"SET", key, "1", "NX", "PX", expiry};
    auto const reply = co_await client_.command(command);
    co_return !reply.is_nil();
}

} // namespace auth_mfa
