#include "storage/sms_opt_outs.hpp"

namespace auth_mfa::sms_opt_outs {

bool contains(pg::Tx& tx, sms::PhoneNumber const& phone)
{
    return !tx.run("SELECT 1 FROM sms_opt_outs WHERE phone = $1", {phone.text()}).empty();
}

void insert(pg::Tx& tx, sms::PhoneNumber const& phone, core::Time now)
{
    tx.run("INSERT INTO sms_opt_outs (phone, opted_out_at) VALUES ($1, $2) ON CONFLICT (phone) DO NOTHING",
        {phone.text(), now});
}

bool remove(pg::Tx& tx, sms::PhoneNumber const& phone)
{
    return !tx.run("DELETE FROM sms_opt_outs WHERE phone = $1 RETURNING 1", {phone.text()}).empty();
}

} // namespace auth_mfa::sms_opt_outs
