#pragma once

#include "domain/webauthn.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The CBOR of WebAuthn, decoded by libcbor. For domain/webauthn.cpp only.
///
/// Accepted are definite lengths, at most four nested levels, and counts that fit the size of the input, so
/// that the input bounds the memory. Tags and floating-point numbers, which WebAuthn does not use, are
/// refused: functions of libcbor end the process when they meet an unexpected type.
namespace auth_mfa::webauthn {

/// The bytes of the CBOR item at the start of `bytes`; nullopt if it is malformed or exceeds the limits.
std::optional<std::size_t> cbor_item_size(std::string_view bytes) noexcept;

/// An attestation object (WebAuthn Level 3, 6.5.4).
struct AttestationObject {
    std::string format;
    std::string statement; ///< a CBOR map
    std::string authenticator_data;
};

/// Reads an attestation object. nullopt if a member is missing, repeated or of another type, or if there are
/// bytes after the object.
std::optional<AttestationObject> parse_attestation_object(std::string_view bytes);

/// An attestation statement of the format `packed`.
struct PackedStatement {
    std::optional<std::int64_t> algorithm;
    bool signature = false; ///< has a signature
    bool others = false;    ///< has other members, such as certificates
};

/// nullopt if `statement` is not a map.
std::optional<PackedStatement> parse_packed_statement(std::string_view statement);

/// Whether `statement` is a map without members.
bool is_empty_map(std::string_view statement);

/// Authenticator data (WebAuthn Level 3, 6.1). The views are parts of the input.
struct AuthenticatorData {
    static constexpr std::uint8_t user_present = 0x01;
    static constexpr std::uint8_t user_verified = 0x04;
    static constexpr std::uint8_t backup_eligible = 0x08;
    static constexpr std::uint8_t backed_up = 0x10;
    static constexpr std::uint8_t has_credential = 0x40;
    static constexpr std::uint8_t has_extensions = 0x80;

    std::string_view rp_id_hash; ///< 32 bytes
    std::uint8_t flags = 0;
    std::uint32_t sign_count = 0;
    Aaguid aaguid{};                ///< with `has_credential`, as the next two
    std::string_view credential_id; ///< not checked
    std::string_view public_key;    ///< a CBOR item, not checked
    std::string_view extensions;    ///< a CBOR item, if `has_extensions`

    bool has(std::uint8_t flag) const noexcept { return (flags & flag) != 0; }
};

/// Splits authenticator data. nullopt if it is truncated, or if there are bytes after its end.
std::optional<AuthenticatorData> parse_authenticator_data(std::string_view bytes);

/// The member `alg` of a COSE key (RFC 9052, 7.1); nullopt if the key has none.
std::optional<std::int64_t> cose_algorithm(std::string_view public_key);

/// The names of extensions and a number for the value of each: integers as they are, 1 for `true` and byte
/// strings, 0 for every other value. nullopt if `extensions` is not a map with text keys.
std::optional<std::vector<std::pair<std::string, std::uint64_t>>> parse_extensions(
    std::string_view extensions);

} // namespace auth_mfa::webauthn
