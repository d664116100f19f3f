#pragma once

#include "core/clock.hpp"
#include "pg/tx.hpp"
#include "sms/phone.hpp"

/// The table `sms_opt_outs`: the phone numbers that have opted out of the shared sender, for all tenants.
namespace auth_mfa::sms_opt_outs {

bool contains(pg::Tx& tx, sms::PhoneNumber const& phone);

/// Stores the opt-out. Does nothing if the number has already opted out.
void insert(pg::Tx& tx, sms::PhoneNumber const& phone, core::Time now);

/// Removes the opt-out; false when the number has not opted out.
bool remove(pg::Tx& tx, sms::PhoneNumber const& phone);

} // namespace auth_mfa::sms_opt_outs
