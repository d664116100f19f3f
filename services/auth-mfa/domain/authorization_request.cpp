#include "domain/authorization_request.hpp"

#include "crypto/encoding.hpp"
#include "domain/oauth_errors.hpp"
#include "domain/oauth_scope.hpp"

#include <boost/json/value_to.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

namespace auth_mfa {

namespace {

constexpr auto known_parameters = std::to_array<std::string_view>(
    {"acr_values", "client_id", "code_challenge", "code_challenge_method", "display", "id_token_hint",
        "login_hint", "max_age", "nonce", "prompt", "redirect_uri", "registration", "request", "request_uri",
        "response_mode", "response_type", "scope", "state", "ui_locales"});
constexpr std::size_t digest_bytes = 32;
constexpr std::int64_t longest_age = 1'000'000'000; ///< seconds; longer than any session

core::Error fault(std::string_view name, std::string_view detail)
{
    return invalid_request("The parameter " + std::string(name) + ' ' + std::string(detail) + '.');
}

void require_unique(Parameters const& parameters)
{
    for (auto const name : known_parameters) {
        auto const count =
            std::ranges::count(parameters, name, [](auto const& p) { return std::string_view(p.first); });
        if (count > 1) throw fault(name, "must be given at most once");
    }
}

/// The value, or an empty text.
std::string value_of(Parameters const& parameters, std::string_view name, std::size_t max)
{
    auto const found =
        std::ranges::find(parameters, name, [](auto const& p) { return std::string_view(p.first); });
    if (found == parameters.end()) return {};
    if (!is_parameter_text(found->second)) throw fault(name, "must be UTF-8 without control characters");
    if (found->second.size() > max) throw fault(name, "must have at most " + std::to_string(max) + " bytes");
    return found->second;
}

std::vector<std::string_view> words(std::string_view text)
{
    std::vector<std::string_view> found;
    while (true) {
        text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
        if (text.empty()) return found;
        found.push_back(text.substr(0, text.find(' ')));
        text.remove_prefix(found.back().size());
    }
}

void read_prompt(AuthorizationRequest& request, std::string_view text)
{
    auto const prompts = words(text);
    for (auto const prompt : prompts) {
        if (prompt == "none")
            request.silent = true;
        else if (prompt == "login")
            request.signs_in = true;
        else if (prompt == "select_account")
            request.selects = true;
        else if (prompt != "consent") // no client needs a consent
            throw fault("prompt", "must be none, or a list of login, consent and select_account");
    }
    if (request.silent && prompts.size() > 1)
        throw fault("prompt", "must not contain other values beside none");
}

std::optional<std::chrono::seconds> read_max_age(std::string_view text)
{
    if (text.empty()) return std::nullopt;
    std::int64_t seconds = -1;
    auto const [stopped, failed] = std::from_chars(text.begin(), text.end(), seconds);
    bool const is_number = text.find_first_not_of("0123456789") == std::string_view::npos;
    if (failed == std::errc::result_out_of_range && is_number) return std::chrono::seconds(longest_age);
    if (failed != std::errc() || stopped != text.end() || seconds < 0)
        throw fault("max_age", "must be a number of seconds, 0 or more");
    return std::chrono::seconds(std::min(seconds, longest_age));
}

/// Whether the first known value is `aal2`.
bool asks_for_aal2(std::string_view acr_values)
{
    for (auto const value : words(acr_values))
        if (value == "aal1" || value == "aal2") return value == "aal2";
    return false;
}

/// Reads the challenge of PKCE (RFC 7636, 4.3).
std::string read_challenge(Parameters const& parameters, Client const& client)
{
    auto challenge = value_of(parameters, "code_challenge", 128);
    auto const method = value_of(parameters, "code_challenge_method", 32);
    if (challenge.empty() && !client.is_confidential())
        throw invalid_request("The parameter code_challenge is required. Public clients must use PKCE with "
                              "code_challenge_method=S256.");
    if (challenge.empty() && method.empty()) return {};
    if (challenge.empty()) throw fault("code_challenge", "is required with code_challenge_method");
    if (method != "S256") throw fault("code_challenge_method", "must be S256; plain is not supported");
    auto const digest = crypto::base64url::decode(challenge);
    if (!digest || digest->size() != digest_bytes)
        throw fault(
            "code_challenge", "must be the SHA-256 of the code_verifier, as 43 characters of base64url");
    return challenge;
}

void require_supported(Parameters const& parameters)
{
    if (!value_of(parameters, "request", std::string::npos).empty())
        throw core::Error(codes::request_not_supported,
            "Request objects are not supported. Send the parameters, or push them to /oauth/par.");
    if (!value_of(parameters, "registration", std::string::npos).empty())
        throw core::Error(codes::registration_not_supported,
            "Clients cannot be registered with an authorization request. Use POST /v1/clients.");
    auto const type = value_of(parameters, "response_type", 100);
    if (type.empty()) throw fault("response_type", "is required and must be code");
    if (type != "code")
        throw core::Error(codes::unsupported_response_type, "The parameter response_type must be code.");
    auto const mode = value_of(parameters, "response_mode", 100);
    if (!mode.empty() && mode != "query") throw fault("response_mode", "must be query, which is the default");
}

/// Whether an authentication before the request is recent enough for it, apart from the second factor.
bool is_recent(AuthorizationRequest const& request, BrowserSession const& session, core::Time now)
{
    if (request.signs_in) return false;
    return !request.max_age || session.authenticated_at >= now - *request.max_age;
}

} // namespace

AuthorizationRequest read_authorization_request(
    Parameters const& parameters, Client const& client, std::string redirect_uri, core::Time now)
{
    require_unique(parameters);
    require_supported(parameters);
    AuthorizationRequest request;
    request.client_id = client.id;
    request.redirect_uri = std::move(redirect_uri);
    request.state = value_of(parameters, "state", max_state);
    // Tokens of built-in clients act like the user, so they end with the browser's session.
    request.scope =
        granted_scope(value_of(parameters, "scope", max_requested_scope), !is_built_in_client(client.id));
    request.nonce = value_of(parameters, "nonce", max_nonce);
    request.code_challenge = read_challenge(parameters, client);
    read_prompt(request, value_of(parameters, "prompt", 100));
    request.max_age = read_max_age(value_of(parameters, "max_age", 100));
    request.aal2 = asks_for_aal2(value_of(parameters, "acr_values", 500));
    request.login_hint = value_of(parameters, "login_hint", max_login_hint);
    request.ui_locales = value_of(parameters, "ui_locales", max_ui_locales);
    request.created_at = now;
    return request;
}

boost::json::object to_json(AuthorizationRequest const& request)
{
    boost::json::object stored{{"clientId", request.client_id}, {"redirectUri", request.redirect_uri},
        {"state", request.state}, {"scope", request.scope}, {"nonce", request.nonce},
        {"challenge", request.code_challenge}, {"silent", request.silent}, {"signsIn", request.signs_in},
        {"selects", request.selects}, {"aal2", request.aal2}, {"loginHint", request.login_hint},
        {"uiLocales", request.ui_locales}, {"hintedUser", request.hinted_user}, {"badHint", request.bad_hint},
        {"createdAt", request.created_at.time_since_epoch().count()}};
    if (request.max_age) stored["maxAge"] = request.max_age->count();
    return stored;
}

AuthorizationRequest authorization_request_of(boost::json::object const& stored)
{
    auto const text = [&](char const* name) { return std::string(stored.at(name).as_string()); };
    AuthorizationRequest request;
    request.client_id = text("clientId");
    request.redirect_uri = text("redirectUri");
    request.state = text("state");
    request.scope = text("scope");
    request.nonce = text("nonce");
    request.code_challenge = text("challenge");
    request.silent = stored.at("silent").as_bool();
    request.signs_in = stored.at("signsIn").as_bool();
    request.selects = stored.at("selects").as_bool();
    request.aal2 = stored.at("aal2").as_bool();
    request.login_hint = text("loginHint");
    request.ui_locales = text("uiLocales");
    request.hinted_user = text("hintedUser");
    request.bad_hint = stored.at("badHint").as_bool();
    request.created_at = core::Time(std::chrono::microseconds(stored.at("createdAt").as_int64()));
    if (auto const* const age = stored.if_contains("maxAge"))
        request.max_age = std::chrono::seconds(age->as_int64());
    return request;
}

/// How long after an authentication the browser may come back with the request. Enrolling a factor comes in
/// between at most.
constexpr std::chrono::minutes longest_return{10};

AuthorizationStep next_step(
    AuthorizationRequest const& request, BrowserSession const* session, bool is_new, core::Time now)
{
    if (session == nullptr) return AuthorizationStep::sign_in;
    if (request.bad_hint && request.silent) return AuthorizationStep::sign_in;
    bool const is_hinted = request.hinted_user.empty() || request.hinted_user == session->user_id.to_string();
    // A user who authenticated for this request has also chosen the account.
    bool const is_for_this = !is_new && session->authenticated_at >= request.created_at &&
                             now - session->authenticated_at <= longest_return;
    if (!is_hinted) return is_for_this ? AuthorizationStep::wrong_user : AuthorizationStep::other_user;
    if (request.selects && !is_for_this) return AuthorizationStep::choose;
    if (!is_for_this && !is_recent(request, *session, now)) return AuthorizationStep::confirm;
    if (!request.aal2 || session->aal2) return AuthorizationStep::issue;
    return session->has_factor ? AuthorizationStep::confirm : AuthorizationStep::enrol;
}

core::ErrorCode code_of_refused(AuthorizationStep step, bool cancelled) noexcept
{
    if (step == AuthorizationStep::enrol) return codes::unmet_authentication_requirements;
    return cancelled ? codes::access_denied : codes::login_required;
}

} // namespace auth_mfa
