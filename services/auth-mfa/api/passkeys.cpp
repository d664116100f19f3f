#include "api/passkeys.hpp"

#include "core/fields.hpp"
#include "core/json_writer.hpp"
#include "domain/errors.hpp"
#include "domain/json.hpp"
#include "domain/settings.hpp"
#include "flows/account_events.hpp"
#include "flows/activity.hpp"
#include "flows/fresh_authentication.hpp"
#include "flows/passkeys.hpp"
#include "flows/sign_in.hpp"
#include "flows/signed_in_user.hpp"
#include "flows/ways_to_sign_in.hpp"
#include "pg/database.hpp"
#include "state/passkey_challenges.hpp"
#include "state/rate_limits.hpp"
#include "storage/passkeys.hpp"
#include "storage/users.hpp"
#include "tenancy/directory.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>

namespace auth_mfa {

namespace {

struct NewPasskey {
    std::string name;
    webauthn::Registration registration;

    static NewPasskey parse(http::Request const& req)
    {
        core::Fields f(req.json());
        NewPasskey wanted;
        wanted.name = f.text("name", 1, max_passkey_name);
        auto registration = webauthn::read_registration(f, "credential");
        f.check();
        wanted.registration = std::move(registration).value();
        return wanted;
    }
};

PasskeyChallenges::Registrant registrant_of(http::Request const& req, User const& user)
{
    return {.user_id = user.id, .session_id = req.caller().session_id};
}

void require_room(std::vector<Passkey> const& passkeys)
{
    if (passkeys.size() >= max_passkeys)
        throw core::Error(core::codes::conflict, "The account has the maximum number of passkeys (" +
                                                     std::to_string(max_passkeys) +
                                                     "). Remove one of them first.");
}

asio::awaitable<std::vector<Passkey>> passkeys_of(http::Request const& req, Deps& deps, User const& user)
{
    co_return co_await deps.db.read(
        req.scope(), [&](pg::Tx& tx) { return passkeys::list(tx, req.scope(), user.id); });
}

/// The passkeys that were registered for this RP id.
std::vector<webauthn::Descriptor> descriptors(std::vector<Passkey> const& passkeys, std::string_view rp_id)
{
    std::vector<webauthn::Descriptor> found;
    for (auto const& passkey : passkeys)
        if (passkey.rp_id == rp_id) found.push_back({passkey.credential.id, passkey.credential.transports});
    return found;
}

/// The RP id of a request for one of `passkeys`. A browser can use passkeys of one RP id at a time: those of
/// the current one or, if there are none, those of the latest former one.
std::string const& rp_id_for(std::vector<Passkey> const& passkeys, RelyingParty const& party)
{
    bool const current = passkeys.empty() || std::ranges::any_of(passkeys, [&](Passkey const& passkey) {
        return passkey.rp_id == party.id;
    });
    return current ? party.id : passkeys.back().rp_id;
}

http::Response options_response(boost::json::object const& options)
{
    return http::Response::ok(boost::json::serialize(options)).header("Cache-Control", "no-store");
}

/// The optional member `mfa_token` of an optional body.
std::optional<std::string> parse_mfa_token(http::Request const& req)
{
    if (req.body.find_first_not_of(" \t\r\n") == std::string::npos) return std::nullopt;
    core::Fields f(req.json());
    auto token = f.optional_text("mfa_token", 1, 128);
    f.check();
    return token;
}

/// The user who must prove to own a passkey: the user of the sign-in `mfa_token` or of the access token;
/// nullopt without either.
asio::awaitable<std::optional<User>> user_to_prove(
    http::Request const& req, Deps& deps, std::optional<std::string> const& mfa_token)
{
    if (mfa_token) {
        auto const challenge = co_await deps.challenges.find(req.scope(), *mfa_token);
        co_return co_await challenged_user(deps, req.scope(), challenge);
    }
    if (!req.caller().is_jwt()) co_return std::nullopt;
    co_return co_await signed_in_user(req, deps);
}

webauthn::Credential require_verified(webauthn::Registration const& registration, RelyingParty const& party)
{
    auto verified =
        webauthn::verify_registration(registration, {.challenge = registration.client_data.challenge,
                                                        .rp_id = party.id,
                                                        .allows_origin = party.allows_origin});
    if (auto const* const fault = std::get_if<webauthn::Fault>(&verified))
        throw core::Error::validation({webauthn::field_error(*fault, "credential")});
    return std::get<webauthn::Credential>(std::move(verified));
}

/// Call in the transaction in which the user is locked.
void store(pg::Tx& tx, http::Request const& req, Passkey const& passkey)
{
    require_room(passkeys::list(tx, req.scope(), passkey.user_id));
    if (!passkeys::insert(tx, req.scope(), passkey))
        throw core::Error(core::codes::conflict,
            "This passkey is already registered. Make a new one on the device, or use another device.");
}

} // namespace

asio::awaitable<http::Response> create_passkey_options(http::Request const& req, Deps& deps)
{
    User const user = co_await signed_in_user(req, deps);
    co_await require_fresh(req, deps, user);
    co_await count_passkey_challenge(req, deps);
    auto const passkeys = co_await passkeys_of(req, deps, user);
    require_room(passkeys);
    RelyingParty const party = co_await relying_party(req, deps);
    auto const challenge = co_await deps.passkey_challenges.create(req.scope(), registrant_of(req, user));
    auto const exclude = descriptors(passkeys, party.id);
    auto const handle = user_handle_of(user.id);
    co_return options_response(webauthn::creation_options({.challenge = challenge,
        .rp_id = party.id,
        .rp_name = party.name,
        .user_id = handle,
        .user_name = user.email,
        .exclude = exclude}));
}

asio::awaitable<EnrolledPasskey> enrol_passkey(http::Request const& req, Deps& deps)
{
    auto const wanted = NewPasskey::parse(req);
    User const user = co_await signed_in_user(req, deps);
    RelyingParty const party = co_await relying_party(req, deps);
    HashingTurn turn = hashing_turn_for_recovery_codes(deps, req.scope(), user);
    co_await deps.passkey_challenges.use(
        req.scope(), wanted.registration.client_data.challenge, registrant_of(req, user));
    EnrolledPasskey result{.passkey = {.id = core::Uuid::v7(),
                               .user_id = user.id,
                               .name = wanted.name,
                               .rp_id = party.id,
                               .credential = require_verified(wanted.registration, party),
                               .session_id = core::Uuid::parse(req.caller().session_id),
                               .created_at = {},
                               .last_used_at = std::nullopt},
        .enrolled = {}};
    result.enrolled =
        co_await enrol_factor(req, deps, "passkey", std::move(turn), [&](pg::Tx& tx, User const&) {
            result.passkey.created_at = deps.clock.now();
            store(tx, req, result.passkey);
        });
    co_return result;
}

asio::awaitable<http::Response> register_passkey(http::Request const& req, Deps& deps)
{
    auto [passkey, enrolled] = co_await enrol_passkey(req, deps);
    auto const members = [&](core::JsonWriter& w) { write_members(w, passkey); };
    if (enrolled.signed_in) {
        enrolled.signed_in->status = 201;
        co_return respond_with_tokens(req, deps, *enrolled.signed_in, members);
    }
    core::JsonWriter w(512);
    w.begin_object();
    members(w);
    w.member("recoveryCodes", enrolled.recovery_codes).end_object();
    co_return http::Response::created(std::move(w).str()).header("Cache-Control", "no-store");
}

asio::awaitable<http::Response> list_passkeys(http::Request const& req, Deps& deps)
{
    auto const passkeys = co_await deps.db.read(req.scope(), [&](pg::Tx& tx) {
        User const user = signed_in_user(tx, req, deps);
        return passkeys::list(tx, req.scope(), user.id);
    });
    core::JsonWriter w;
    w.begin_object().key("items").begin_array();
    for (auto const& passkey : passkeys)
        write(w, passkey);
    w.end_array().member("cursor", nullptr).end_object(); // all of them fit into one page
    co_return http::Response::ok(std::move(w).str());
}

asio::awaitable<http::Response> remove_passkey(http::Request const& req, Deps& deps)
{
    core::Uuid const id = req.uuid_param("passkeyId");
    AccountRules const rules = co_await account_rules(req, deps);
    auto const tenant = co_await deps.directory.get(req.scope().slug);
    co_return co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        begin_account_change(tx, req);
        User const user = lock_signed_in_user(tx, req, deps);
        require_fresh_to_remove_passkey(tx, req, deps, user);
        if (!passkeys::remove(tx, req.scope(), user.id, id))
            throw core::Error(core::codes::not_found,
                "You have no passkey with this id. Get the ids of your passkeys from GET /v1/auth/passkeys.");
        if (!can_sign_in(tx, req, deps, *tenant, user))
            throw core::Error(core::codes::conflict,
                "This passkey is the only way to sign in to the account. Set a password first, with POST "
                "/v1/auth/password/forgot.");
        complete_removal(tx, req, user, "passkey", rules, deps.clock.now());
        return http::Response::deleted();
    });
}

asio::awaitable<http::Response> create_passkey_challenge(http::Request const& req, Deps& deps)
{
    auto const mfa_token = parse_mfa_token(req);
    co_await count_passkey_challenge(req, deps);
    auto const user = co_await user_to_prove(req, deps, mfa_token);
    RelyingParty const party = co_await relying_party(req, deps);
    std::vector<Passkey> passkeys;
    if (user) passkeys = co_await passkeys_of(req, deps, *user);
    auto const challenge = co_await deps.passkey_challenges.create(req.scope());
    auto const& rp_id = rp_id_for(passkeys, party);
    auto const allow = descriptors(passkeys, rp_id);
    co_return options_response(webauthn::request_options({.challenge = challenge,
        .rp_id = rp_id,
        .allow = allow,
        .user_verification = !mfa_token})); // the password was the first factor
}

asio::awaitable<SignedIn> sign_in_with_passkey(http::Request const& req, Deps& deps)
{
    auto const assertion = parse_assertion(req);
    // Requires a signing key before the challenge is used up, because no session can be opened without one.
    co_await deps.tokens.ready();
    auto& limits = deps.rate_limits;
    auto const reserved = co_await limits.require(
        {RateLimits::wrong_sign_ins_from_network(req.scope(), req.remote_address)}, too_many_attempts);
    auto const attempt = co_await limits.or_give_back(reserved, try_passkey(req, deps, assertion, {}));
    if (!attempt.right) {
        if (attempt.user) co_await record_refusal(req, deps, attempt.user->id, wrong_passkey);
        throw refused_passkey(attempt.detail);
    }
    co_await limits.give_back(reserved);
    co_return co_await finish_sign_in(
        req, deps, attempt.user.value(), {.amr = {amr_of(MfaMethod::passkey), "mfa"}, .aal2 = true});
}

asio::awaitable<http::Response> login_with_passkey(http::Request const& req, Deps& deps)
{
    co_return respond_with_tokens(req, deps, co_await sign_in_with_passkey(req, deps));
}

} // namespace auth_mfa
