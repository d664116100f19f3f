#pragma once

#include "config.hpp"
#include "deps.hpp"
#include "service/platform.hpp"
#include "service/run.hpp"

#include <memory>
#include <vector>

namespace auth_mfa {

/// The tables of this service.
pg::Component const& migrations();

/// Everything the service consists of, in construction order.
class App final : public service::Platform {
public:
    App(Config const& config, service::Runtime const& runtime);

    /// The schema: the libraries' parts, then the service's own.
    static std::vector<pg::Component const*> components();

private:
    App(Config const& config, service::Runtime const& runtime, std::shared_ptr<Signer> signer);

    tenancy::ResolveRules const hosts_;
    crypto::PasswordHasher passwords_;
    Tokens tokens_;
    IdentityTokens identity_tokens_;
    Hot hot_;
    Mfa mfa_;
    Deps deps_;
};

/// What main() says about the service.
service::Definition definition();

} // namespace auth_mfa
