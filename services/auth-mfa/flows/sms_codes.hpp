#pragma once

#include "deps.hpp"
#include "http/message.hpp"
#include "providers/sms_code_sender.hpp"
#include "sms/phone.hpp"
#include "state/rate_limits.hpp"

/// Codes as text messages, with the opt-outs of phone numbers.
namespace auth_mfa {

/// Throws MFA_SMS_UNDELIVERABLE when the number is premium-rate, has opted out, or its country is not in the
/// tenant's setting `smsCountries`.
asio::awaitable<void> require_reachable(http::Request const& req, Deps& deps, sms::PhoneNumber const& phone);

/// Passes a code to the provider (SmsCodeSender::send). Stores the opt-out if the provider reports that the
/// number has opted out. `reserved` is the message's use of the rate limits. A message that was certainly not
/// sent is not counted.
asio::awaitable<SmsDelivery> send_sms_code(http::Request const& req, Deps& deps, Reservation const& reserved,
    sms::PhoneNumber const& phone, std::string const& code, SmsCodeSender::Purpose purpose);

} // namespace auth_mfa
