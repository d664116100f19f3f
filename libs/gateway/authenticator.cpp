#include "gateway/authenticator.hpp"

namespace gateway {

namespace {

Identity identity_of(auth::ApiKey const& key)
{
    Identity identity;
    identity.caller.kind = key.access;
    identity.caller.id = "key:" + key.prefix;
    identity.caller.role = "admin";
    identity.key_scope = key.scope_id;
    return identity;
}

Identity identity_of(auth::UserTokens::Token token)
{
    Identity identity;
    identity.caller.kind = token->access;
    identity.caller.id = token->subject;
    identity.caller.email = token->email;
    identity.caller.session_id = token->session_id;
    identity.caller.role = token->role;
    identity.caller.email_verified = token->email_verified;
    identity.caller.authenticated_at = token->authenticated_at;
    identity.caller.aal2 = token->aal2;
    identity.caller.client_id = token->client_id;
    identity.caller.scope = token->scope;
    identity.token = std::move(token);
    return identity;
}

Identity identity_of_operator()
{
    Identity identity;
    identity.caller.kind = core::Access::master;
    identity.caller.id = "master";
    identity.caller.role = "owner";
    return identity;
}

} // namespace

Authenticator::CheckResult Authenticator::check(std::string_view token) const
{
    if (keys_ != nullptr && keys_->is_candidate(token)) {
        auto const known = keys_->check(token);
        if (!known.decided) return {};
        if (!known.key) return {.decided = true};
        return {.decided = true, .identity = identity_of(*known.key)};
    }
    if (user_tokens_ != nullptr && auth::UserTokens::is_candidate(token)) {
        auto known = user_tokens_->check(token);
        if (!known.decided) return {};
        if (!known.token) return {.decided = true};
        return {.decided = true, .identity = identity_of(std::move(known.token))};
    }
    if (!master_key_.matches(token)) return {.decided = true};
    return {.decided = true, .identity = identity_of_operator()};
}

asio::awaitable<std::optional<Identity>> Authenticator::verify(std::string_view token) const
{
    if (keys_ != nullptr && keys_->is_candidate(token)) {
        auto const key = co_await keys_->verify(token);
        if (!key) co_return std::nullopt;
        co_return identity_of(*key);
    }
    auto claims = co_await user_tokens_->verify(token);
    if (!claims) co_return std::nullopt;
    co_return identity_of(std::move(claims));
}

} // namespace gateway
