#include "tokens/page_tokens.hpp"

#include "crypto/compare.hpp"
#include "crypto/encoding.hpp"
#include "crypto/hmac.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value_to.hpp>

#include <algorithm>
#include <charconv>

namespace auth_mfa {

namespace {

/// HMAC-SHA-256 of the parts for this purpose and scope, in base64url. No part may contain a line feed.
std::string mac_of(core::Secret const& key, std::string_view purpose, core::Scope const& scope,
    std::string_view first, std::string_view second = {})
{
    std::string text(purpose);
    text.append("\n").append(core::to_string(scope.id)).append("\n");
    text.append(first).append("\n").append(second);
    return crypto::base64url::encode(crypto::view(crypto::hmac_sha256(key.reveal(), text)));
}

std::string associated_data(core::Scope const& scope)
{
    return "auth-mfa.sign_in:" + core::to_string(scope.id);
}

std::optional<core::Time> parse_time(std::string_view text)
{
    std::int64_t micros = 0;
    auto const* const end = text.data() + text.size();
    auto const [stopped, fault] = std::from_chars(text.data(), end, micros);
    if (fault != std::errc() || stopped != end) return std::nullopt;
    return core::Time(std::chrono::microseconds(micros));
}

/// Removes the part before the next dot from `text` and returns it; all of it if there is no dot.
std::string_view take_part(std::string_view& text)
{
    auto const part = text.substr(0, text.find('.'));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    return part;
}

} // namespace

PageTokens::PageTokens(crypto::Keyring const& keyring)
    : keyring_(keyring), keys_(keyring.derive("auth-mfa.pages"))
{
}

std::string PageTokens::session(core::Scope const& scope, PageSessionToken const& token) const
{
    std::string text = token.session_id.to_string() + '.' + token.user_id.to_string() + '.' +
                       std::to_string(token.authenticated_at.time_since_epoch().count());
    return text + '.' + mac_of(keys_.front(), "session", scope, text);
}

std::optional<PageSessionToken> PageTokens::read_session(
    core::Scope const& scope, std::string_view text) const
{
    auto const signed_part = text.substr(0, text.rfind('.') == text.npos ? 0 : text.rfind('.'));
    auto rest = text;
    auto const session = core::Uuid::parse(take_part(rest));
    auto const user = core::Uuid::parse(take_part(rest));
    auto const at = parse_time(take_part(rest));
    if (!session || !user || !at) return std::nullopt;
    bool const authentic = std::ranges::any_of(keys_, [&](core::Secret const& key) {
        return crypto::equal_constant_time(mac_of(key, "session", scope, signed_part), rest);
    });
    if (!authentic) return std::nullopt;
    return PageSessionToken{*session, UserId(*user), *at};
}

std::string PageTokens::form(
    core::Scope const& scope, std::string_view form_cookie, std::string_view session_cookie) const
{
    return mac_of(keys_.front(), "form", scope, form_cookie, session_cookie);
}

bool PageTokens::is_form(core::Scope const& scope, std::string_view form_cookie,
    std::string_view session_cookie, std::string_view token) const
{
    return !form_cookie.empty() && std::ranges::any_of(keys_, [&](core::Secret const& key) {
        return crypto::equal_constant_time(mac_of(key, "form", scope, form_cookie, session_cookie), token);
    });
}

std::string PageTokens::seal(core::Scope const& scope, SignInState const& state) const
{
    boost::json::object const object{{"token", state.token}, {"enrols", state.enrols}, {"email", state.email},
        {"methods", boost::json::array(state.methods.begin(), state.methods.end())}, {"next", state.next},
        {"expiresAt", state.expires_at.time_since_epoch().count()}};
    auto const sealed = keyring_.seal(boost::json::serialize(object), associated_data(scope));
    return crypto::base64url::encode(sealed); // a cookie must not contain every character of `sealed`
}

std::optional<SignInState> PageTokens::open(
    core::Scope const& scope, std::string_view sealed, core::Time now) const
{
    auto const decoded = crypto::base64url::decode(sealed);
    auto const plain = decoded ? keyring_.open(*decoded, associated_data(scope)) : std::nullopt;
    if (!plain) return std::nullopt;
    auto const value = boost::json::parse(*plain);
    SignInState state{.token = value.at("token").as_string().c_str(),
        .enrols = value.at("enrols").as_bool(),
        .email = value.at("email").as_string().c_str(),
        .methods = boost::json::value_to<std::vector<std::string>>(value.at("methods")),
        .next = value.at("next").as_string().c_str(),
        .expires_at = core::Time(std::chrono::microseconds(value.at("expiresAt").as_int64()))};
    if (state.expires_at <= now) return std::nullopt;
    return state;
}

} // namespace auth_mfa
