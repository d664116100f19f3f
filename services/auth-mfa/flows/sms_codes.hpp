#pragma once

#include "deps.hpp"
#include "domain/user_id.hpp"
#include "http/message.hpp"
#include "providers/sms_code_sender.hpp"
#include "sms/phone.hpp"
#include "state/rate_limits.hpp"

/// Codes as text messages, with the opt-outs of phone numbers.
namespace auth_mfa {

/// Passes a sign-in code to the provider (SmsCodeSender::send). Stores the opt-out if the provider reports
/// that the number has opted out. `reserved` is the message's use of the rate limits. A message that was
/// certainly not sent is not counted.
asio::awaitable<SmsDelivery> send_sms_code(http::Request const& req, Deps& deps, Reservation const& reserved,
    sms::PhoneNumber const& phone, SmsCodeSender::NewCode const& code);

/// Passes a code to the provider, as `send_sms_code`, and stores it as the code that confirms the user's new
/// phone. Throws unless the provider accepted it, or the number has opted out. If the code cannot arrive, an
/// earlier code of the user stays valid. Records in the audit log that enrolment codes to a country are
/// refused, once a day.
///
/// Opt-outs hold for all tenants, and the phone may belong to another person. So an opt-out must not show: it
/// counts like a message and takes as long, and the function returns, or throws, as if the message had been
/// passed to the provider. An entry of the audit log records that it was not sent.
asio::awaitable<void> send_enrolment_code(http::Request const& req, Deps& deps, Reservation const& reserved,
    UserId user_id, sms::PhoneNumber const& phone, SmsCodeSender::NewCode const& code);

} // namespace auth_mfa
