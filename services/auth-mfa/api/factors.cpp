#include "api/factors.hpp"

#include "api/enrolment.hpp"
#include "api/session.hpp"
#include "audit/audit.hpp"
#include "core/json_writer.hpp"
#include "domain/errors.hpp"
#include "paging/cursor.hpp"
#include "sms/phone.hpp"
#include "storage/recovery_codes.hpp"
#include "storage/trusted_devices.hpp"

namespace auth_mfa {

namespace {

void require_factor(User const& user)
{
    if (!user.has_factor())
        throw setup_required("Your account has no second factor. Enrol one with POST /v1/auth/mfa/totp/setup "
                             "or POST /v1/auth/mfa/sms/setup.");
}

std::optional<std::string> masked_phone(User const& user)
{
    auto const phone = sms::PhoneNumber::parse(user.phone.value_or(""));
    return phone ? std::optional(phone->masked()) : std::nullopt;
}

void write(core::JsonWriter& w, Device const& device)
{
    w.begin_object()
        .member("deviceId", device.id.to_string())
        .member("userAgent", device.user_agent.empty() ? std::nullopt : std::optional(device.user_agent))
        .member("createdAt", device.created_at)
        .member("lastUsedAt", device.last_used_at)
        .member("expiresAt", device.expires_at)
        .end_object();
}

/// Call it last in the transaction (see audit::record).
void record(pg::Tx& tx, http::Request const& req, std::string action, std::string type, std::string id)
{
    audit::record(tx, req.context,
        {.action = std::move(action),
            .subject_type = std::move(type),
            .subject_id = std::move(id),
            .before = std::nullopt,
            .after = std::nullopt});
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
    if (user.phone_verified) w.value(to_string(Method::sms));
    if (user.totp) w.value(to_string(Method::totp));
    w.end_array().member("phone", masked_phone(user)).member("recoveryCodesLeft", codes_left).end_object();
    co_return http::Response::ok(std::move(w).str());
}

asio::awaitable<http::Response> replace_recovery_codes(http::Request const& req, Deps& deps)
{
    std::string const code = parse_code(req);
    User const user =
        co_await deps.db.read(req.scope(), [&](pg::Tx& tx) { return signed_in_user(tx, req, deps); });
    require_factor(user);
    Proof const proof = co_await require_proof(deps, req.scope(), user.id, code);
    auto const codes = co_await NewRecoveryCodes::make(deps, deps.passwords.enter(req.scope().id));
    co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        User const locked = lock_signed_in_user(tx, req, deps);
        require_factor(locked);
        core::Time const now = deps.clock.now();
        if (!use(tx, req.scope(), locked.id, proof, now)) throw invalid_code();
        recovery_codes::replace(tx, req.scope(), locked.id, codes.hashed, now);
        record(tx, req, "recovery_codes.replaced", "user", req.caller().id);
    });
    co_return recovery_codes_answer(codes.texts);
}

asio::awaitable<http::Response> list_devices(http::Request const& req, Deps& deps)
{
    auto const asked = paging::PageRequest::read(
        req, paging::FilterHash().add("list", "devices").add("userId", req.caller().id).value());
    auto rows = co_await deps.db.read(req.scope(), [&](pg::Tx& tx) {
        User const user = signed_in_user(tx, req, deps);
        return trusted_devices::list(tx, req.scope(), user.id, deps.clock.now(), asked.after, asked.rows());
    });
    co_return http::Response::ok(paging::to_json(asked.page(std::move(rows)), write));
}

asio::awaitable<http::Response> forget_devices(http::Request const& req, Deps& deps)
{
    co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        User const user = lock_signed_in_user(tx, req, deps);
        trusted_devices::revoke_all(tx, req.scope(), user.id);
        record(tx, req, "devices.forgotten", "user", req.caller().id);
    });
    co_return http::Response::ok(R"({"deleted":true})");
}

asio::awaitable<http::Response> forget_device(http::Request const& req, Deps& deps)
{
    core::Uuid const id = req.uuid_param("deviceId");
    co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        User const user = lock_signed_in_user(tx, req, deps);
        if (!trusted_devices::revoke(tx, req.scope(), user.id, id, deps.clock.now()))
            throw core::Error(core::codes::not_found, "You have no trusted device with this id. Get the ids "
                                                      "of your devices from GET /v1/auth/mfa/devices.");
        record(tx, req, "device.forgotten", "device", id.to_string());
    });
    co_return http::Response::ok(R"({"deleted":true})");
}

} // namespace auth_mfa
