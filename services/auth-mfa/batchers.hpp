#pragma once

#include "domain/client.hpp"
#include "domain/session.hpp"
#include "domain/user.hpp"
#include "pg/batcher.hpp"
#include "storage/authorization_codes.hpp"
#include "storage/clients.hpp"
#include "storage/mails.hpp"
#include "storage/passkeys.hpp"
#include "storage/sessions.hpp"
#include "storage/users.hpp"

#include <optional>

namespace auth_mfa {

/// The most frequent single-row operations. pg::Batcher combines concurrent calls into one SQL statement.
struct Batchers {
    pg::Batcher<clients::Key, std::optional<Client>> find_client;
    pg::Batcher<passkeys::Key, std::optional<Passkey>> find_passkey;
    pg::Batcher<users::Key, std::optional<User>> find_user;
    pg::Batcher<authorization_codes::NewCode, bool> insert_code;
    pg::Batcher<sessions::NewSession, sessions::Opened> open;
    pg::Batcher<authorization_codes::Redemption, std::optional<authorization_codes::Redeemed>> redeem_code;
    pg::Batcher<mails::Requested, bool> request_mail;
    pg::Batcher<sessions::Rotation, std::optional<sessions::TokenContents>> rotate;
    pg::Batcher<passkeys::Use, bool> use_passkey;

    /// `db` must outlive this object.
    explicit Batchers(pg::Database& db);
};

} // namespace auth_mfa
