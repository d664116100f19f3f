#pragma once

#include "core/enum_names.hpp"
#include "core/error.hpp"

#include <boost/json/object.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace core {
class Fields;
}

/// Passkeys: the ceremonies of WebAuthn (Web Authentication Level 3) on the side of the relying party.
/// Functions here are pure. Strings are bytes unless their comment says otherwise. All functions are safe to
/// call from several threads. Bytes from a client never make a function throw: malformed bytes are a Fault.
namespace auth_mfa::webauthn {

using core::to_string;

/// The accepted signature algorithms, as numbers of the IANA registry "COSE Algorithms".
enum class Algorithm : std::int16_t {
    es256 = -7,   ///< ECDSA with SHA-256 on P-256
    eddsa = -8,   ///< Ed25519
    rs256 = -257, ///< RSASSA-PKCS1-v1_5 with SHA-256; 2,048 bits and a public exponent of 3 bytes
};

/// The algorithm with this number; nullopt if it is not accepted.
std::optional<Algorithm> algorithm_of(std::int64_t number) noexcept;

inline constexpr std::size_t challenge_bytes = 32;

// Upper limits in bytes of what a client sends.
inline constexpr std::size_t max_credential_id = 1'023;
inline constexpr std::size_t max_client_data = 4'096;
inline constexpr std::size_t max_attestation_object = 16'384;
inline constexpr std::size_t max_authenticator_data = 2'048;
inline constexpr std::size_t max_signature = 512;
inline constexpr std::size_t max_user_handle = 64;
/// Transports beyond this number are dropped.
inline constexpr std::size_t max_transports = 8;

/// What is wrong with a response of an authenticator.
enum class FaultKind : std::uint8_t {
    malformed,         ///< not JSON, not CBOR, missing, truncated, or with bytes after the end
    type,              ///< the client data is for the other ceremony
    challenge,         ///< signed for another challenge
    origin,            ///< made on another origin, or in a frame of another origin
    rp_id,             ///< made for another RP id
    credential_id,     ///< length is not 1..1023 bytes, or the id differs from the expected one
    user_presence,     ///< the user was not present
    user_verification, ///< the user was not verified
    flags,             ///< missing credential data; or backup flags that contradict each other or the past
    algorithm,         ///< not one of Algorithm
    public_key,        ///< not a valid key of its algorithm
    format,            ///< an attestation other than `none` and the self attestation of `packed`
    signature,         ///< the signature is wrong
    counter,           ///< the signature counter did not grow: the authenticator may have been cloned
};

constexpr auto enum_names(FaultKind)
{
    return std::to_array<std::string_view>(
        {"malformed", "type", "challenge", "origin", "rp_id", "credential_id", "user_presence",
            "user_verification", "flags", "algorithm", "public_key", "format", "signature", "counter"});
}

/// Why a response was refused.
struct Fault {
    FaultKind kind = FaultKind::malformed;
    std::string_view pointer; ///< the member within the credential, e.g. `/response/clientDataJSON`
    std::string_view detail;  ///< what to change, for the developer of the app; never repeats input
};

/// The fault as an entry of a VALIDATION_ERROR. `name` is the member of the body that holds the credential:
/// `/credential/response/clientDataJSON`. The entry's code is `not_allowed`, or `format` for malformed bytes.
core::FieldError field_error(Fault const& fault, std::string_view name);

/// The members of the client data that matter here (CollectedClientData).
struct ClientData {
    std::string type;      ///< UTF-8: `webauthn.create` or `webauthn.get`, or anything else
    std::string challenge; ///< decoded
    std::string origin;    ///< UTF-8, as the browser states it
    bool cross_origin = false;
};

/// Reads `clientDataJSON`.
std::variant<ClientData, Fault> parse_client_data(std::string_view json);

/// The response to creation options (RegistrationResponseJSON).
struct Registration {
    std::string id;
    std::string client_data_json;
    ClientData client_data; ///< parsed from `client_data_json`
    std::string attestation_object;
    std::vector<std::string> transports; ///< `internal`, `hybrid`, `usb`...: lower-case ASCII and `-`
};

/// The response to request options (AuthenticationResponseJSON).
struct Assertion {
    std::string id;
    std::string client_data_json;
    ClientData client_data; ///< parsed from `client_data_json`
    std::string authenticator_data;
    std::string signature;
    std::optional<std::string> user_handle; ///< 1 to 64 bytes; the caller compares it with the user's id
};

/// Reads the member `name` of a body: the object that `PublicKeyCredential.toJSON()` returns. Members that
/// are not needed are ignored. Errors are recorded in `body` with pointers such as
/// `/credential/response/clientDataJSON`, and the result is nullopt. `body` must be a whole request body.
std::optional<Registration> read_registration(core::Fields& body, std::string_view name);
std::optional<Assertion> read_assertion(core::Fields& body, std::string_view name);

/// Whether pages of this origin may use the passkeys of the relying party. The argument is untrusted text.
using OriginRule = std::function<bool(std::string_view origin)>;

/// What a response must match.
struct Expected {
    std::string challenge; ///< `challenge_bytes` bytes
    std::string rp_id;
    OriginRule allows_origin;
    /// Registrations always require user verification.
    bool user_verification = true;
};

enum class Attestation : std::uint8_t { none, self };

constexpr auto enum_names(Attestation)
{
    return std::to_array<std::string_view>({"none", "self"});
}

using Aaguid = std::array<std::uint8_t, 16>;

/// A registered credential.
struct Credential {
    std::string id; ///< 1 to `max_credential_id` bytes
    Algorithm algorithm = Algorithm::es256;
    /// ES256: x and y, 64 bytes. EdDSA: the RFC 8032 form, 32 bytes. RS256: modulus and exponent, 259 bytes.
    std::string public_key;
    std::uint32_t sign_count = 0; ///< 0 if the authenticator does not count
    bool backup_eligible = false; ///< may be synchronised between devices; never changes
    bool backed_up = false;
    Aaguid aaguid{}; ///< the model of the authenticator; zero if unknown
    Attestation attestation = Attestation::none;
    std::vector<std::string> transports;
};

/// Verifies a registration (WebAuthn Level 3, 7.1): the client data, user presence and verification, the key
/// and the attestation. The caller checks that the credential id is not registered yet.
std::variant<Credential, Fault> verify_registration(
    Registration const& registration, Expected const& expected);

struct AssertionResult {
    std::uint32_t sign_count = 0; ///< to be stored
    bool backed_up = false;       ///< to be stored
    bool user_verified = false;
};

/// Verifies an assertion (WebAuthn Level 3, 7.2) with the credential of the same id. The counter is compared
/// last: `FaultKind::counter` means that everything else, the signature included, is right. The caller
/// compares the user handle. Throws std::invalid_argument if the stored public key is unusable.
std::variant<AssertionResult, Fault> verify_assertion(
    Assertion const& assertion, Credential const& stored, Expected const& expected);

/// A credential in `excludeCredentials` and `allowCredentials`.
struct Descriptor {
    std::string id;
    std::vector<std::string> transports;
};

/// How long a client may take, and a challenge is valid.
inline constexpr std::chrono::minutes ceremony_timeout{5};

struct CreationRequest {
    std::string_view challenge;
    std::string_view rp_id;
    std::string_view rp_name;   ///< UTF-8
    std::string_view user_id;   ///< 1 to 64 bytes: the user handle of the passkey's assertions
    std::string_view user_name; ///< UTF-8: the account's email
    std::span<Descriptor const> exclude;
};

/// PublicKeyCredentialCreationOptionsJSON: a discoverable credential with user verification, without
/// attestation.
boost::json::object creation_options(CreationRequest const& request);

struct AssertionRequest {
    std::string_view challenge;
    std::string_view rp_id;
    std::span<Descriptor const> allow; ///< empty: any discoverable credential
    bool user_verification = true;     ///< `required`; otherwise `preferred`
};

/// PublicKeyCredentialRequestOptionsJSON.
boost::json::object request_options(AssertionRequest const& request);

} // namespace auth_mfa::webauthn
