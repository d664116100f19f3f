#pragma once

#include "http_client/address.hpp"
#include "service/forward_declarations.hpp"

#include <boost/asio/awaitable.hpp>

namespace crypto {
class PasswordHasher;
}

namespace tenancy {
class ResolveRules;
}

namespace auth_mfa {

namespace asio = boost::asio;

struct Batchers;       // batchers.hpp
class BreachCheck;     // providers/breach_check.hpp
class Challenges;      // state/challenges.hpp
class EmailTokens;     // tokens/email_tokens.hpp
struct Config;         // config.hpp
class IdTokenVerifier; // providers/id_token_verifier.hpp
class KeyedHash;       // state/keyed_hash.hpp
class RateLimits;      // state/rate_limits.hpp
class SmsCodeSender;   // providers/sms_code_sender.hpp
class SmsEnrolments;   // state/sms_enrolments.hpp
class Tokens;          // tokens/tokens.hpp

/// The objects that handlers use. App owns them.
struct Deps {
    Config const& config;
    pg::Database& db;
    Batchers& batchers;
    auth::ApiKeys& keys;
    outbound_webhooks::Api& webhooks;
    tenancy::TenantAdmin& tenants;
    tenancy::Directory& directory;
    tenancy::ResolveRules const& hosts;
    http_client::AddressPolicy outbound; ///< the IP addresses that tenants' identity providers may have
    crypto::Keyring const& keyring;
    crypto::PasswordHasher& passwords;
    BreachCheck& breaches;
    Tokens& tokens;
    EmailTokens const& email_tokens;
    IdTokenVerifier& id_token_verifier;
    KeyedHash const& keyed_hash;
    Challenges& challenges;
    SmsEnrolments& sms_enrolments;
    RateLimits& rate_limits;
    SmsCodeSender& sms_codes;
    core::Clock const& clock;
    observe::Logger& logger;
};

} // namespace auth_mfa
