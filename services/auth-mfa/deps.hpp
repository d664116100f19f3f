#pragma once

#include "config.hpp"
#include "core/clock.hpp"
#include "crypto/keyring.hpp"
#include "crypto/password.hpp"
#include "domain/settings.hpp"
#include "domain/user.hpp"
#include "http_client/address.hpp"
#include "observe/log.hpp"
#include "pg/batcher.hpp"
#include "pg/database.hpp"
#include "providers/id_tokens.hpp"
#include "providers/sms_code_sender.hpp"
#include "state/challenges.hpp"
#include "state/keyed_hash.hpp"
#include "state/rate_limits.hpp"
#include "state/sms_enrolments.hpp"
#include "storage/sessions.hpp"
#include "storage/users.hpp"
#include "tenancy/directory.hpp"
#include "tenancy/resolve.hpp"
#include "tenancy/tenant_handlers.hpp"
#include "tokens/tokens.hpp"

#include <optional>
#include <string>
#include <vector>

namespace auth_mfa {

namespace asio = boost::asio;

/// The most frequent single-row operations. pg::Batcher combines concurrent calls into one SQL statement.
struct Hot {
    pg::Batcher<users::Key, std::optional<User>> find_user;
    pg::Batcher<sessions::NewSession, sessions::Opened> open;
    pg::Batcher<sessions::Rotation, std::optional<sessions::TokenContents>> rotate;

    explicit Hot(pg::Database& db)
        : find_user(db, users::find_batch), open(db, sessions::insert_batch),
          rotate(db, sessions::rotate_batch)
    {
    }
};

/// The objects that handlers use. App owns them.
struct Deps {
    Config const& config;
    pg::Database& db;
    Hot& hot;
    tenancy::TenantAdmin& tenants;
    tenancy::Directory& directory;
    tenancy::ResolveRules const& hosts;
    http_client::AddressPolicy outbound; ///< the IP addresses that tenants' identity providers may have
    crypto::Keyring const& keyring;
    crypto::PasswordHasher& passwords;
    Tokens& tokens;
    IdTokens& id_tokens;
    KeyedHash const& keyed_hash;
    Challenges& challenges;
    SmsEnrolments& sms_enrolments;
    RateLimits& rate_limits;
    SmsCodeSender& sms_codes;
    core::Clock const& clock;
    observe::Logger& logger;
};

} // namespace auth_mfa
