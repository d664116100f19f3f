#pragma once

#include "http_client/address.hpp"
#include "service/forward_declarations.hpp"

#include <boost/asio/awaitable.hpp>

namespace crypto {
class PasswordHasher;
}

namespace auth {
class UserTokens;
}

namespace tenancy {
class ResolveRules;
}

namespace gateway {
class RequestLimit;
}

namespace auth_mfa {

namespace asio = boost::asio;

class AuthorizationRequests;  // state/authorization_requests.hpp
struct Batchers;              // batchers.hpp
class BreachCheck;            // providers/breach_check.hpp
class Challenges;             // state/challenges.hpp
class ClientAssertions;       // state/client_assertions.hpp
struct Config;                // config.hpp
class EmailTokens;            // tokens/email_tokens.hpp
class IdTokenVerifier;        // providers/id_token_verifier.hpp
class IdentityProviderClient; // providers/identity_provider_client.hpp
class KeyedHash;              // state/keyed_hash.hpp
class PageTokens;             // tokens/page_tokens.hpp
class PasskeyChallenges;      // state/passkey_challenges.hpp
class RateLimits;             // state/rate_limits.hpp
class SmsCodeSender;          // providers/sms_code_sender.hpp
class SmsEnrolments;          // state/sms_enrolments.hpp
class Tokens;                 // tokens/tokens.hpp

/// The objects that handlers use. App owns them.
struct Deps {
    Config const& config;
    pg::Database& db;
    Batchers& batchers;
    auth::ApiKeys& keys;
    outbound_webhooks::Api& webhooks;
    tenancy::TenantAdmin& tenants;
    user_data::UserData& users;
    tenancy::Directory& directory;
    tenancy::ResolveRules const& hosts;
    /// The IP addresses that tenants' identity providers and the `backchannelLogoutUri` of clients may have.
    http_client::AddressPolicy outbound;
    crypto::Keyring const& keyring;
    crypto::PasswordHasher& passwords;
    BreachCheck& breaches;
    Tokens& tokens;
    EmailTokens const& email_tokens;
    PageTokens const& page_tokens;
    auth::UserTokens& user_tokens; ///< verifies the tokens that `tokens` creates
    IdTokenVerifier& id_token_verifier;
    IdentityProviderClient& identity_providers;
    KeyedHash const& keyed_hash;
    Challenges& challenges;
    PasskeyChallenges& passkey_challenges;
    ClientAssertions& client_assertions;
    AuthorizationRequests& authorization_requests;
    SmsEnrolments& sms_enrolments;
    RateLimits& rate_limits;
    gateway::RequestLimit const& requests; ///< counts the requests of pages; the gateway counts all others
    SmsCodeSender& sms_codes;
    core::ThreadPool& image_checks;
    core::Clock const& clock;
    observe::Logger& logger;
};

} // namespace auth_mfa
