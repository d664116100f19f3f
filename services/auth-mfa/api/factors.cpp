#include "api/factors.hpp"

#include "core/json_writer.hpp"
#include "domain/mfa_method.hpp"
#include "flows/signed_in_user.hpp"
#include "pg/database.hpp"
#include "sms/phone.hpp"
#include "storage/recovery_codes.hpp"

namespace auth_mfa {

namespace {

std::optional<std::string> masked_phone(User const& user)
{
    auto const phone = sms::PhoneNumber::parse(user.phone.value_or(""));
    return phone ? std::optional(phone->masked()) : std::nullopt;
}

} // namespace

asio::awaitable<http::Response> get_factors(http::Request const& req, Deps& deps)
{
    std::int64_t codes_left = 0;
    User const user = co_await deps.db.read(req.scope(), [&](pg::Tx& tx) {
        User found = signed_in_user(tx, req, deps);
        codes_left = recovery_codes::count(tx, req.scope(), found.id);
        return found;
    });
    core::JsonWriter w;
    w.begin_object().key("factors").begin_array();
    if (user.phone_verified) w.value(to_string(MfaMethod::sms));
    if (user.totp) w.value(to_string(MfaMethod::totp));
    if (user.passkey) w.value(to_string(MfaMethod::passkey));
    w.end_array().member("phone", masked_phone(user)).member("recoveryCodesLeft", codes_left).end_object();
    co_return http::Response::ok(std::move(w).str());
}

} // namespace auth_mfa
