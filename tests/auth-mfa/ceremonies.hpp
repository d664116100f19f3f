#pragma once

#include "authenticator.hpp"
#include "core/fields.hpp"
#include "crypto/encoding.hpp"
#include "domain/webauthn.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>
#include <openssl/err.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

/// Ceremonies of WebAuthn, accepted and refused, and their verdicts.
namespace ceremonies {

namespace json = boost::json;
namespace webauthn = auth_mfa::webauthn;
namespace base64url = crypto::base64url;
using Key = Authenticator::Key;

inline constexpr std::uint8_t up = 0x01, uv = 0x04, be = 0x08, bs = 0x10, at = 0x40, ed = 0x80;

inline std::string const rp_id = "auth.example.com";
inline std::string const origin = "https://auth.example.com";
inline std::string const user_id = "0123456789abcdef";
inline std::string const challenge(32, 'c');

inline webauthn::Expected expected(bool user_verification = true)
{
    return {challenge, rp_id, [](std::string_view given) { return given == origin; }, user_verification};
}

inline json::object creation()
{
    return webauthn::creation_options({challenge, rp_id, "Tetrad", user_id, "ada@example.com", {}});
}

inline json::object request()
{
    return webauthn::request_options({.challenge = challenge, .rp_id = rp_id});
}

/// The faults of a body, as `pointer code`.
inline std::string faults_of(core::Fields const& body)
{
    std::string text;
    for (auto const& fault : body.faults())
        text.append(text.empty() ? "" : ", ").append(fault.pointer).append(" ").append(fault.code);
    return text;
}

/// `accepted`, the kind of the fault, or the faults of an unreadable body. The result is stored at
/// `accepted`.
template <class T, class Read, class Verify>
std::string verdict(json::object const& credential, Read read, Verify verify, T* accepted = nullptr)
{
    json::value const body{{"credential", credential}};
    core::Fields fields(body);
    auto const given = read(fields, "credential");
    CHECK(given.has_value() == fields.ok());
    if (!given) return faults_of(fields);
    auto const result = verify(*given);
    CHECK(ERR_peek_error() == 0);
    if (auto const* fault = std::get_if<webauthn::Fault>(&result)) {
        CHECK_FALSE(fault->detail.empty());
        CHECK(webauthn::field_error(*fault, "credential").pointer.starts_with("/credential/"));
        return std::string(to_string(fault->kind));
    }
    if (accepted != nullptr) *accepted = std::get<T>(result);
    return "accepted";
}

inline std::string register_with(json::object const& credential, webauthn::Credential* accepted = nullptr)
{
    return verdict<webauthn::Credential>(
        credential, &webauthn::read_registration,
        [](auto const& given) { return webauthn::verify_registration(given, expected()); }, accepted);
}

inline std::string sign_in_with(json::object const& credential, webauthn::Credential const& stored,
    bool user_verification = true, webauthn::AssertionResult* accepted = nullptr)
{
    return verdict<webauthn::AssertionResult>(
        credential, &webauthn::read_assertion,
        [&](auto const& given) {
            return webauthn::verify_assertion(given, stored, expected(user_verification));
        },
        accepted);
}

/// One ceremony and its verdict.
struct Attempt {
    std::string name;
    json::object credential;
    std::string verdict;
    std::optional<webauthn::Credential> stored = {}; ///< of an assertion
    std::string cose_key = {};                       ///< of an assertion
    bool user_verification = true;
    /// Why simplewebauthn has another verdict.
    std::string difference = {};
};

inline Authenticator new_authenticator(Key key = Key::es256)
{
    return {rp_id, origin, key};
}

/// The registered passkey of the authenticator.
inline webauthn::Credential registered(Authenticator& authenticator)
{
    webauthn::Credential credential;
    REQUIRE(register_with(authenticator.create(creation()), &credential) == "accepted");
    return credential;
}

inline json::object& response_of(json::object& credential)
{
    return credential.at("response").as_object();
}

/// Decodes a member of the response, changes it and encodes it again.
inline void change_bytes(
    json::object& credential, std::string_view name, std::function<void(std::string&)> const& change)
{
    auto& member = response_of(credential).at(name);
    auto bytes = base64url::decode(member.as_string()).value();
    change(bytes);
    member = base64url::encode(bytes);
}

/// All ceremonies. Made once.
std::vector<Attempt> const& all();

} // namespace ceremonies
