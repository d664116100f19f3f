#pragma once

#include "core/clock.hpp"
#include "pg/database.hpp"
#include "sms/phone.hpp"

/// The table `sms_opt_outs`: who has told the shared sender to stop, over all tenants.
namespace auth_mfa::sms_opt_outs {

bool contains(pg::Tx& tx, sms::PhoneNumber const& phone);

/// Notes that they did; nothing changes when they had before.
void insert(pg::Tx& tx, sms::PhoneNumber const& phone, core::Time now);

/// Lets messages reach them again; false when they could.
bool remove(pg::Tx& tx, sms::PhoneNumber const& phone);

} // namespace auth_mfa::sms_opt_outs
