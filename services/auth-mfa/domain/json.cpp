#include "domain/json.hpp"

namespace auth_mfa {

namespace {

void write_members(core::JsonWriter& w, User const& user)
{
    w.member("userId", user.id.to_string())
        .member("email", user.email)
        .member("emailVerified", user.email_verified)
        .member("role", to_string(user.role))
        .member("status", to_string(user.status))
        .member("phone", user.phone)
        .member("phoneVerified", user.phone_verified)
        .member("createdAt", user.created_at)
        .member("updatedAt", user.updated_at);
}

void write_members(core::JsonWriter& w, Session const& session)
{
    w.member("clientId", session.client_id.empty() ? std::nullopt : std::optional(session.client_id))
        .member("amr", session.amr)
        .member("userAgent", session.user_agent)
        .member("address", session.address)
        .member("createdAt", session.created_at)
        .member("lastUsedAt", session.rotated_at)
        .member("expiresAt", session.expires_at);
}

} // namespace

void write(core::JsonWriter& w, User const& user)
{
    w.begin_object();
    write_members(w, user);
    w.end_object();
}

void write(core::JsonWriter& w, User const& user, std::int64_t recovery_codes)
{
    w.begin_object();
    write_members(w, user);
    w.member("totp", user.totp).member("recoveryCodesLeft", recovery_codes).end_object();
}

void write(core::JsonWriter& w, Session const& session)
{
    w.begin_object().member("sessionId", session.id.to_string());
    write_members(w, session);
    w.end_object();
}

void write_with_end(core::JsonWriter& w, Session const& session)
{
    w.begin_object().member("sessionId", session.id.to_string());
    write_members(w, session);
    w.member("endedAt", session.ended_at).end_object();
}

void write(core::JsonWriter& w, Session const& session, core::Uuid current)
{
    w.begin_object().member("sessionId", session.id.to_string()).member("current", session.id == current);
    write_members(w, session);
    w.end_object();
}

void write(core::JsonWriter& w, Client const& client)
{
    w.begin_object();
    write_members(w, client);
    w.end_object();
}

void write_members(core::JsonWriter& w, Client const& client)
{
    w.member("clientId", client.id)
        .member("name", client.name)
        .member("type", to_string(client.type))
        .member("redirectUris", client.redirect_uris)
        .member("postLogoutRedirectUris", client.post_logout_redirect_uris)
        .member("backchannelLogoutUri", client.backchannel_logout_uri)
        .member("idTokenSigningAlg", core::to_string(client.id_token_alg))
        .key("jwks")
        .raw(client.jwks ? std::string_view(*client.jwks) : "null")
        .member("createdAt", client.created_at)
        .member("updatedAt", client.updated_at);
}

void write(core::JsonWriter& w, LinkedIdentity const& identity)
{
    w.begin_object()
        .member("identityId", identity.id.to_string())
        .member("issuer", identity.issuer)
        .member("subject", identity.subject)
        .member("email", identity.email)
        .member("createdAt", identity.created_at)
        .end_object();
}

void write(core::JsonWriter& w, TrustedDevice const& device)
{
    w.begin_object()
        .member("deviceId", device.id.to_string())
        .member("userAgent", device.user_agent.empty() ? std::nullopt : std::optional(device.user_agent))
        .member("createdAt", device.created_at)
        .member("lastUsedAt", device.last_used_at)
        .member("expiresAt", device.expires_at)
        .end_object();
}

void write(core::JsonWriter& w, Passkey const& passkey)
{
    w.begin_object();
    write_members(w, passkey);
    w.end_object();
}

void write_members(core::JsonWriter& w, Passkey const& passkey)
{
    w.member("passkeyId", passkey.id.to_string())
        .member("name", passkey.name)
        .member("createdAt", passkey.created_at)
        .member("lastUsedAt", passkey.last_used_at)
        .member("backedUp", passkey.credential.backed_up)
        .member("transports", passkey.credential.transports);
}

void write(core::JsonWriter& w, Activity const& entry, std::string_view type_name)
{
    w.begin_object()
        .member("activityId", entry.id.to_string())
        .member("at", entry.at)
        .member(type_name, entry.type)
        .member("result", entry.result)
        .member("ip", entry.ip)
        .member("userAgent", entry.user_agent)
        .end_object();
}

std::string to_json(User const& user)
{
    core::JsonWriter w(512);
    write(w, user);
    return std::move(w).str();
}

std::string to_json(Client const& client)
{
    core::JsonWriter w(1024);
    write(w, client);
    return std::move(w).str();
}

} // namespace auth_mfa
