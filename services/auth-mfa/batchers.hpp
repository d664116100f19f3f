#pragma once

#include "domain/session.hpp"
#include "domain/user.hpp"
#include "pg/batcher.hpp"
#include "storage/mails.hpp"
#include "storage/passkeys.hpp"
#include "storage/sessions.hpp"
#include "storage/users.hpp"

#include <optional>

namespace auth_mfa {

/// The most frequent single-row operations. pg::Batcher combines concurrent calls into one SQL statement.
struct Batchers {
    pg::Batcher<passkeys::Key, std::optional<Passkey>> find_passkey;
    pg::Batcher<users::Key, std::optional<User>> find_user;
    pg::Batcher<sessions::NewSession, sessions::Opened> open;
    pg::Batcher<mails::Requested, bool> request_mail;
    pg::Batcher<sessions::Rotation, std::optional<sessions::TokenContents>> rotate;
    pg::Batcher<passkeys::Use, bool> use_passkey;

    /// `db` must outlive this object.
    explicit Batchers(pg::Database& db);
};

} // namespace auth_mfa
