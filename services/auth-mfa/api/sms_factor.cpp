#include "api/sms_factor.hpp"

#include "core/fields.hpp"
#include "core/json_writer.hpp"
#include "domain/errors.hpp"
#include "domain/mfa_method.hpp"
#include "flows/fresh_authentication.hpp"
#include "flows/guess_origin.hpp"
#include "flows/signed_in_user.hpp"
#include "flows/sms_codes.hpp"
#include "state/sms_enrolments.hpp"
#include "storage/users.hpp"

namespace auth_mfa {

namespace {

sms::PhoneNumber parse_phone(http::Request const& req)
{
    core::Fields f(req.json());
    auto const phone = sms::PhoneNumber::parse(f.text("phone", 1, 32));
    if (!phone) f.fault("phone", "format", "must be a phone number in E.164 form, such as +14155550100");
    f.check();
    return *phone;
}

/// The phone that `code` confirms. Throws MFA_INVALID_CODE if the code is wrong, MFA_SETUP_REQUIRED if
/// no phone number waits for confirmation. Only wrong codes count against the account's limit.
asio::awaitable<SmsEnrolments::Attempt> require_confirmed(
    http::Request const& req, Deps& deps, UserId user_id, std::string const& code)
{
    using Verdict = SmsEnrolments::Attempt::Verdict;
    auto& limits = deps.rate_limits;
    auto const origin = co_await guess_origin(req, deps, user_id);
    auto const reserved = co_await limits.require(
        RateLimits::wrong_codes_of_user(req.scope(), user_id, MfaMethod::sms, origin));
    auto const attempt = co_await deps.sms_enrolments.try_code(req.scope(), user_id, code);
    if (attempt.verdict == Verdict::wrong) throw invalid_code(attempt.remaining);
    co_await limits.give_back(reserved);
    if (attempt.verdict == Verdict::absent)
        throw setup_required("No phone number waits for confirmation, or its code has expired. Start with "
                             "POST /v1/auth/mfa/sms/setup.");
    if (attempt.verdict == Verdict::limited) throw rate_limited(sms_enrolment_lifetime);
    if (attempt.counted_on)
        co_await deps.sms_codes.conversions().confirm(
            req.scope(), attempt.phone.value(), *attempt.counted_on);
    co_return attempt;
}

} // namespace

asio::awaitable<http::Response> set_up_sms(http::Request const& req, Deps& deps)
{
    auto const phone = parse_phone(req);
    auto& limits = deps.rate_limits;
    User const user = co_await signed_in_user(req, deps);
    co_await require_fresh(req, deps, user);
    require_password(user);
    if (user.phone_verified) throw already_enabled();
    auto const code = co_await deps.sms_codes.new_code(req.scope(), phone);
    auto const reserved = co_await limits.require(
        RateLimits::enrolment_code_sends(req.scope(), user.id, phone, code.destination, req.remote_address));
    co_await send_enrolment_code(req, deps, reserved, user.id, phone, code);
    core::JsonWriter w;
    w.begin_object().member("message", "A code was sent by SMS.").member("phone", phone.text()).end_object();
    co_return http::Response::ok(std::move(w).str());
}

asio::awaitable<Enrolled> enrol_sms(http::Request const& req, Deps& deps)
{
    std::string const code = parse_code(req);
    User const user = co_await signed_in_user(req, deps);
    HashingTurn turn = hashing_turn_for_recovery_codes(deps, req.scope(), user);
    auto const confirmed = co_await require_confirmed(req, deps, user.id, code);
    auto const proof = confirmed.fixed ? users::PhoneProof::fixed_code : users::PhoneProof::message;
    co_return co_await enrol_factor(req, deps, "sms", std::move(turn), [&](pg::Tx& tx, User const& locked) {
        if (locked.phone_verified) throw already_enabled();
        users::set_phone(tx, req.scope(), locked.id, confirmed.phone->text(), proof);
    });
}

asio::awaitable<http::Response> confirm_sms(http::Request const& req, Deps& deps)
{
    co_return enrolled_response(req, deps, co_await enrol_sms(req, deps));
}

asio::awaitable<http::Response> disable_sms(http::Request const& req, Deps& deps)
{
    return disable_factor(
        req, deps, "sms", [](User const& user) { return user.phone_verified; },
        [](pg::Tx& tx, core::Scope const& scope, User const& user) {
            users::set_phone(tx, scope, user.id, user.phone, users::PhoneProof::none);
        });
}

} // namespace auth_mfa
