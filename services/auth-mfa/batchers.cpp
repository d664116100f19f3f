#include "batchers.hpp"

namespace auth_mfa {

Batchers::Batchers(pg::Database& db)
    : find_passkey(db, passkeys::find_batch), find_user(db, users::find_batch),
      open(db, sessions::insert_batch), request_mail(db, mails::enqueue_batch),
      rotate(db, sessions::rotate_batch), use_passkey(db, passkeys::use_batch)
{
}

} // namespace auth_mfa
