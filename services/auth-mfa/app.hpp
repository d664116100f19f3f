#pragma once

#include "batchers.hpp"
#include "config.hpp"
#include "core/thread_pool.hpp"
#include "crypto/password.hpp"
#include "definition.hpp"
#include "deps.hpp"
#include "mail/mailer.hpp"
#include "providers/breach_check.hpp"
#include "providers/id_token_verifier.hpp"
#include "providers/identity_provider_client.hpp"
#include "providers/sms_code_sender.hpp"
#include "service/service_base.hpp"
#include "state/authorization_requests.hpp"
#include "state/challenges.hpp"
#include "state/client_assertions.hpp"
#include "state/keyed_hash.hpp"
#include "state/passkey_challenges.hpp"
#include "state/rate_limits.hpp"
#include "state/sms_enrolments.hpp"
#include "tokens/email_tokens.hpp"
#include "tokens/page_tokens.hpp"
#include "tokens/signing_key_cache.hpp"
#include "tokens/tokens.hpp"
#include "workers/backchannel_logout.hpp"
#include "workers/erasures.hpp"
#include "workers/mails.hpp"

#include <memory>
#include <vector>

namespace auth_mfa {

/// The schema component with the tables of this service.
pg::Component const& migrations();

/// The service. It owns its parts. A part uses only parts that are declared before it.
class App final : public service::ServiceBase {
public:
    App(Config const& config, service::Runtime const& runtime);

    /// The schema components, in order: the components of the libraries, then the service's own.
    static std::vector<pg::Component const*> components();

private:
    App(Config const& config, service::Runtime const& runtime, std::shared_ptr<SigningKeyCache> keys);

    /// Removes the phone that waits for the user's confirmation, and the sign-ins that wait for a second
    /// factor.
    asio::awaitable<void> forget_in_redis(user_data::Erasure const& erasure);

    Config const config_;
    tenancy::ResolveRules const hosts_;
    crypto::PasswordHasher passwords_;
    core::ThreadPool image_checks_{1}; ///< one thread, because a check needs much memory
    BreachCheck breaches_;
    Tokens tokens_;
    IdentityProviderClient identity_providers_;
    IdTokenVerifier id_tokens_;
    Batchers batchers_;
    KeyedHash const keyed_hash_;
    Challenges challenges_;
    PasskeyChallenges passkey_challenges_;
    ClientAssertions client_assertions_;
    AuthorizationRequests authorization_requests_;
    SmsEnrolments sms_enrolments_;
    RateLimits rate_limits_;
    SmsCodeSender sms_codes_;
    EmailTokens const email_tokens_;
    PageTokens const page_tokens_;
    std::unique_ptr<mail::Mailer> const mailer_;
    MailWorker mail_worker_;
    ErasureWorker erasure_worker_;
    BackchannelLogout backchannel_logout_;
    Deps deps_;
};

} // namespace auth_mfa
