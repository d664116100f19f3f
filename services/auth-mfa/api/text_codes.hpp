#pragma once

#include "deps.hpp"
#include "http/message.hpp"

/// Codes as text messages, with the opt-outs of phone numbers.
namespace auth_mfa {

/// Throws MFA_SMS_UNDELIVERABLE when the number is premium-rate, has opted out, or its country is not in the
/// tenant's setting `smsCountries`.
asio::awaitable<void> require_reachable(http::Request const& req, Deps& deps, sms::PhoneNumber const& phone);

/// As `Texts::send_code`. Stores the opt-out if the provider reports that the number has opted out.
asio::awaitable<Delivery> send_text(http::Request const& req, Deps& deps, sms::PhoneNumber const& phone,
    std::string const& code, Texts::Purpose purpose);

} // namespace auth_mfa
