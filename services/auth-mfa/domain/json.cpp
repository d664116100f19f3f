#include "domain/json.hpp"

namespace auth_mfa {

void write(core::JsonWriter& w, User const& user)
{
    w.begin_object()
        .member("userId", user.id.to_string())
        .member("email", user.email)
        .member("emailVerified", user.email_verified)
        .member("role", to_string(user.role))
        .member("status", to_string(user.status))
        .member("phone", user.phone)
        .member("phoneVerified", user.phone_verified)
        .member("createdAt", user.created_at)
        .member("updatedAt", user.updated_at)
        .end_object();
}

void write(core::JsonWriter& w, Session const& session, core::Uuid current)
{
    w.begin_object()
        .member("sessionId", session.id.to_string())
        .member("current", session.id == current)
        .member("amr", session.amr)
        .member("userAgent", session.user_agent)
        .member("address", session.address)
        .member("createdAt", session.created_at)
        .member("lastUsedAt", session.rotated_at)
        .member("expiresAt", session.expires_at)
        .end_object();
}

std::string to_json(User const& user)
{
    core::JsonWriter w(512);
    write(w, user);
    return std::move(w).str();
}

} // namespace auth_mfa
