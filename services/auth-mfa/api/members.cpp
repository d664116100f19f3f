#include "api/members.hpp"

#include "api/credentials.hpp"
#include "audit/audit.hpp"
#include "core/fields.hpp"
#include "crypto/password.hpp"
#include "domain/errors.hpp"
#include "domain/json.hpp"
#include "flows/account_events.hpp"
#include "flows/mail_requests.hpp"
#include "flows/member_rules.hpp"
#include "flows/signed_in_user.hpp"
#include "http/etag.hpp"
#include "http/query.hpp"
#include "idempotency/once.hpp"
#include "paging/cursor.hpp"
#include "pg/database.hpp"
#include "state/keyed_hash.hpp"
#include "state/rate_limits.hpp"
#include "storage/email_tokens.hpp"
#include "storage/factors.hpp"
#include "storage/identities.hpp"
#include "storage/sessions.hpp"
#include "storage/users.hpp"

#include <array>

namespace auth_mfa {

namespace {

constexpr auto owners_and_keys = core::Access::owner | core::Access::key | core::Access::master;

/// The body of POST /v1/members.
struct NewMember {
    std::string email;
    Role role = Role::user;
    std::optional<core::Secret> password;
    std::optional<std::string> password_hash;
    bool email_verified = false;
    bool invite = false;

    static NewMember parse(http::Request const& req)
    {
        core::Fields f(req.json());
        NewMember m;
        m.email = read_new_email(f);
        m.role = f.optional_one_of<Role>("role").value_or(Role::user);
        if (f.has("password")) m.password = read_new_password(f, "password");
        m.password_hash = f.optional_text("passwordHash", 1, max_hash);
        m.email_verified = f.optional_boolean("emailVerified").value_or(false);
        m.invite = f.optional_boolean("invite").value_or(false);
        if (m.password_hash && !crypto::is_importable_hash(*m.password_hash))
            f.fault("passwordHash", "format",
                "must be a PHC string of argon2id (at most m=65536, t=10, p=4), or a $2b$ or $2y$ string of "
                "bcrypt (at most cost 14)");
        if (m.invite && (m.password || m.password_hash))
            f.fault("invite", "conflict", "cannot be combined with a password: the invited user chooses one");
        if (m.password && m.password_hash)
            f.fault("passwordHash", "conflict", "cannot be combined with `password`");
        f.check();
        return m;
    }

    static constexpr std::size_t max_hash = 255;
};

/// The body of PATCH /v1/members/{userId}.
struct MemberChange {
    std::optional<Role> role;
    std::optional<UserStatus> status;

    static MemberChange parse(http::Request const& req)
    {
        static constexpr std::array<std::string_view, 2> fields{"role", "status"};
        static constexpr std::array<std::string_view, 2> states{"active", "disabled"};
        core::Fields f(req.json());
        MemberChange change;
        change.role = f.optional_one_of<Role>("role");
        if (auto const index = f.optional_one_of("status", states))
            change.status = *index == 0 ? UserStatus::active : UserStatus::disabled;
        f.check_any_of(fields);
        return change;
    }
};

users::Filter read_filter(http::Query& query)
{
    users::Filter filter;
    filter.email = query.text("email", 1, 254);
    filter.part = query.text("q", 1, 254);
    filter.role = query.one_of<Role>("role");
    filter.status = query.one_of<UserStatus>("status");
    return filter;
}

std::uint64_t hash_of(users::Filter const& filter)
{
    return paging::FilterHash()
        .add("list", "members")
        .add("email", filter.email)
        .add("q", filter.part)
        .add("role", filter.role)
        .add("status", filter.status)
        .value();
}

/// The ETag of a member. It is derived from `updated_at`, which every change of a field in the member's JSON
/// sets, under the lock on the user's row.
std::string etag(User const& member)
{
    return http::etag(member.updated_at.time_since_epoch().count());
}

http::Response respond(User const& member)
{
    return http::Response::ok(to_json(member)).header("ETag", etag(member));
}

void record(pg::Tx& tx, http::Request const& req, std::string action, User const& member,
    std::optional<boost::json::value> before, std::optional<boost::json::value> after)
{
    audit::record(tx, req.context,
        {.action = std::move(action),
            .subject_type = "member",
            .subject_id = member.id.to_string(),
            .before = std::move(before),
            .after = std::move(after)});
}

/// Throws FORBIDDEN if the caller may not reset the member's factors. Callers may not reset their own
/// factors, because a stolen access token would then be enough to remove them.
void check_may_reset(http::Request const& req, core::Access caller, User const& member)
{
    if (req.caller().id == member.id.to_string())
        throw core::Error(core::codes::forbidden,
            "You cannot reset your own factors. Disable SMS and the authenticator app with a code, and "
            "remove your "
            "passkeys with DELETE /v1/auth/passkeys/{passkeyId} instead.");
    require_may_act_on(member.role, caller);
}

/// Throws EMAIL_NOT_VERIFIED if the role is admin or owner and the email is not verified.
void require_verified_for(Role role, bool verified)
{
    if (role != Role::user && !verified)
        throw core::Error(codes::member_not_verified,
            "The email of an admin or owner must be verified. Ask the user to verify it first, or send "
            "`invite` true when you create the member.");
}

/// Changes the role of `member`, which must be locked together with the scope. Returns the changed member.
User change_role(pg::Tx& tx, http::Request const& req, core::Access caller, User const& member, Role role)
{
    if (role == member.role) return member;
    require_may_act_on(role, caller);
    require_verified_for(role, member.email_verified);
    if (role != Role::owner) require_other_owner(tx, req, member);
    return users::set_role(tx, req.scope(), member.id, role).value();
}

/// Disabling a user withdraws the tokens with these purposes. A token that undoes a change of the email stays
/// valid, because the change may have been an attacker's.
constexpr std::array withdrawn{TokenPurpose::verify_email, TokenPurpose::reset_password,
    TokenPurpose::confirm_email, TokenPurpose::invitation};

/// Whether the user has a password, a passkey or an identity. A user who was invited and has not accepted has
/// none of them.
bool has_credential(pg::Tx& tx, core::Scope const& scope, User const& user)
{
    return user.has_password() || user.passkey || !identities::list(tx, scope, user.id).empty();
}

/// Enables or disables `member`, which must be locked together with the scope. Disabling ends every session
/// and withdraws the tokens that were sent by email. A user who never accepted an invitation is invited
/// again. Returns the changed member.
User change_status(
    pg::Tx& tx, http::Request const& req, User const& member, UserStatus status, core::Time now)
{
    if (status == member.status) return member;
    if (status == UserStatus::active && member.status == UserStatus::invited)
        throw core::Error(core::codes::conflict,
            "The user has not accepted the invitation yet. The user becomes active by accepting it.");
    if (status == UserStatus::disabled) {
        require_other_owner(tx, req, member);
        sessions::end_others(tx, req.scope(), member.id, std::nullopt, now);
        email_tokens::remove(tx, req.scope(), member.id, withdrawn);
    }
    bool const accepts = status == UserStatus::active && !has_credential(tx, req.scope(), member);
    if (accepts) mail_user(tx, req, MailKind::invitation, member);
    return users::set_status(tx, req.scope(), member.id, accepts ? UserStatus::invited : status).value();
}

/// Writes the audit entries of a PATCH. Call it last in the transaction (see audit::record).
void record_change(pg::Tx& tx, http::Request const& req, User const& before, User const& after)
{
    if (before.role != after.role)
        record(tx, req, "member.role", after, boost::json::object{{"role", to_string(before.role)}},
            boost::json::object{{"role", to_string(after.role)}});
    if (before.status != after.status)
        record(tx, req, "member.status", after, boost::json::object{{"status", to_string(before.status)}},
            boost::json::object{{"status", to_string(after.status)}});
}

/// Changes the member and returns it.
asio::awaitable<User> apply(http::Request const& req, Deps& deps, UserId id, MemberChange const& change)
{
    co_return co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        // The lock of the scope serialises changes of roles and states. So if two owners demote each other,
        // only one succeeds.
        begin_account_change(tx, req);
        core::Access const caller = require_role(tx, req, deps, owners_and_keys);
        User const before = core::require_found(users::lock(tx, req.scope(), id), "member");
        require_may_act_on(before.role, caller);
        http::check_if_match(req, etag(before));
        User member = before;
        if (change.role) member = change_role(tx, req, caller, member, *change.role);
        if (change.status) member = change_status(tx, req, member, *change.status, deps.clock.now());
        if (before.role == member.role && before.status == member.status) return member;
        publish_user(tx, req, "user.updated", member);
        record_change(tx, req, before, member);
        return member;
    });
}

/// A copy of the request for its idempotency record, which is derived from the body. A keyed hash replaces
/// the body, because the body can contain a password.
http::Request without_password(http::Request const& req, KeyedHash const& hash)
{
    http::Request copy = req;
    copy.body = hash({"new member", req.body});
    return copy;
}

} // namespace

bool searches_members(http::Request const& req)
{
    return http::Query(req).text("q", 0, req.query.size()).has_value();
}

asio::awaitable<http::Response> list_members(http::Request const& req, Deps& deps)
{
    http::Query query(req);
    auto const filter = read_filter(query);
    auto const asked = paging::PageRequest::read(query, hash_of(filter));
    query.check();
    auto rows = co_await deps.db.read(req.scope(), [&](pg::Tx& tx) {
        require_role(tx, req, deps, core::Access::staff);
        return users::list(tx, req.scope(), filter, asked.after, asked.rows());
    });
    auto const page = asked.page(std::move(rows),
        [](User const& member) { return paging::Position{member.created_at, member.id.uuid()}; });
    co_return http::Response::ok(
        paging::to_json(page, [](core::JsonWriter& w, User const& member) { write(w, member); }, 512));
}

asio::awaitable<http::Response> get_member(http::Request const& req, Deps& deps)
{
    UserId const id(req.uuid_param("userId"));
    User const member = co_await deps.db.read(req.scope(), [&](pg::Tx& tx) {
        require_role(tx, req, deps, core::Access::staff);
        return core::require_found(users::find(tx, req.scope(), id), "member");
    });
    co_return respond(member);
}

asio::awaitable<http::Response> create_member(http::Request const& req, Deps& deps)
{
    NewMember const wanted = NewMember::parse(req);
    require_verified_for(wanted.role, wanted.email_verified || wanted.invite);
    if (wanted.invite)
        co_await deps.rate_limits.require({RateLimits::invitations(req.scope())}, too_many_invitations);
    users::NewUser row{.id = UserId(core::Uuid::v7()),
        .email = wanted.email,
        .password_hash = wanted.password_hash,
        .role = wanted.role,
        .status = wanted.invite ? UserStatus::invited : UserStatus::active,
        .email_verified = wanted.email_verified && !wanted.invite};
    if (wanted.password) {
        auto const turn = co_await require_good_password(req.scope().id, deps,
            deps.passwords.reserve(req.scope().id), {.password = *wanted.password, .email = wanted.email});
        row.password_hash = co_await deps.passwords.hash(turn, *wanted.password);
    }
    co_return co_await idempotency::once(deps.db, without_password(req, deps.keyed_hash), [&](pg::Tx& tx) {
        begin_account_change(tx, req);
        require_may_act_on(wanted.role, require_role(tx, req, deps, owners_and_keys));
        auto const member = users::insert(tx, req.scope(), row);
        if (!member) throw email_taken();
        if (wanted.invite) mail_user(tx, req, MailKind::invitation, *member);
        record_created(tx, req, *member);
        auto response = http::Response::created(to_json(*member)).header("ETag", etag(*member));
        response.about_user = member->id.to_string();
        return response;
    });
}

asio::awaitable<http::Response> update_member(http::Request const& req, Deps& deps)
{
    UserId const id(req.uuid_param("userId"));
    auto const change = MemberChange::parse(req);
    if (change.status != UserStatus::active) co_return respond(co_await apply(req, deps, id, change));
    auto& limits = deps.rate_limits;
    auto const reserved =
        co_await limits.require({RateLimits::invitations(req.scope())}, too_many_invitations);
    User const member = co_await limits.or_give_back(reserved, apply(req, deps, id, change));
    if (member.status != UserStatus::invited) co_await limits.give_back(reserved);
    co_return respond(member);
}

asio::awaitable<http::Response> end_member_sessions(http::Request const& req, Deps& deps)
{
    UserId const id(req.uuid_param("userId"));
    co_return co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        core::Access const caller = require_role(tx, req, deps, owners_and_keys);
        User const member = core::require_found(users::lock(tx, req.scope(), id), "member");
        require_may_act_on(member.role, caller);
        users::increment_credentials_version(tx, req.scope(), id); // ends sign-ins in progress
        sessions::end_others(tx, req.scope(), id, std::nullopt, deps.clock.now());
        record(tx, req, "member.sessions_ended", member, {}, {});
        return http::Response::deleted();
    });
}

asio::awaitable<http::Response> reset_member(http::Request const& req, Deps& deps)
{
    UserId const id(req.uuid_param("userId"));
    AccountRules const rules = co_await account_rules(req, deps);
    co_return co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        begin_account_change(tx, req);
        core::Access const caller = require_role(tx, req, deps, core::Access::staff);
        User const member = core::require_found(users::lock(tx, req.scope(), id), "member");
        check_may_reset(req, caller, member);
        factors::remove_all(tx, req.scope(), member);
        users::increment_credentials_version(tx, req.scope(), id);
        sessions::end_others(tx, req.scope(), id, std::nullopt, deps.clock.now());
        announce_no_factors(tx, req, member, rules, deps.clock.now());
        record(tx, req, "member.mfa_reset", member,
            boost::json::object{
                {"sms", member.phone_verified}, {"totp", member.totp}, {"passkey", member.passkey}},
            {});
        return http::Response::deleted();
    });
}

} // namespace auth_mfa
