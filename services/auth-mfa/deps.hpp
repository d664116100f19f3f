#pragma once

#include "core/clock.hpp"
#include "crypto/keyring.hpp"
#include "crypto/password.hpp"
#include "domain/settings.hpp"
#include "domain/user.hpp"
#include "http_client/address.hpp"
#include "mfa.hpp"
#include "observe/log.hpp"
#include "pg/coalescer.hpp"
#include "pg/database.hpp"
#include "providers/identity_tokens.hpp"
#include "storage/sessions.hpp"
#include "storage/users.hpp"
#include "tenancy/admin.hpp"
#include "tenancy/directory.hpp"
#include "tenancy/resolve.hpp"
#include "tokens.hpp"

#include <optional>
#include <string>
#include <vector>

namespace auth_mfa {

namespace asio = boost::asio;

/// The most frequent single-row operations. pg::Coalescer combines concurrent calls into one SQL statement.
struct Hot {
    pg::Coalescer<users::Key, std::optional<User>> find_user;
    pg::Coalescer<sessions::NewSession, sessions::Opened> open;
    pg::Coalescer<sessions::Rotation, std::optional<sessions::Rotated>> rotate;

    explicit Hot(pg::Database& db)
        : find_user(db, users::find_batch), open(db, sessions::insert_batch),
          rotate(db, sessions::rotate_batch)
    {
    }
};

/// The objects that handlers use. App owns them.
struct Deps {
    pg::Database& db;
    Hot& hot;
    tenancy::Tenants& tenants;
    tenancy::Directory& directory;
    tenancy::ResolveRules const& hosts;
    http::AddressPolicy outbound; ///< the IP addresses that tenants' identity providers may have
    crypto::Keyring const& keyring;
    crypto::PasswordHasher& passwords;
    Tokens& tokens;
    IdentityTokens& identity_tokens;
    core::Clock const& clock;
    observe::Logger& logger;
    Mfa& mfa;
};

} // namespace auth_mfa
