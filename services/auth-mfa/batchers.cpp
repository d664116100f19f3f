#include "batchers.hpp"

namespace auth_mfa {

Batchers::Batchers(pg::Database& db)
    : find_client(db, clients::find_batch), find_passkey(db, passkeys::find_batch),
      find_user(db, users::find_batch), insert_code(db, authorization_codes::insert_batch),
      open(db, sessions::insert_batch), redeem_code(db, authorization_codes::redeem_batch),
      request_mail(db, mails::enqueue_batch), rotate(db, sessions::rotate_batch),
      use_passkey(db, passkeys::use_batch)
{
}

} // namespace auth_mfa
