#pragma once

#include <boost/json/object.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Writes CBOR (RFC 8949) for the authenticator, and for tests that need wrong CBOR.
namespace cbor {

using Members = std::vector<std::pair<std::string, std::string>>; ///< encoded keys and values

std::string head(unsigned major, std::uint64_t number); ///< the first bytes of an item
std::string number(std::int64_t value);
std::string bytes(std::string_view value);
std::string text(std::string_view value);
std::string boolean(bool value);
std::string array(std::vector<std::string> const& items);
std::string map(Members const& members); ///< in the given order

} // namespace cbor

/// What a test can break in one ceremony. All values replace the right ones.
struct Ceremony {
    // The client data
    std::optional<std::string> type;
    std::optional<std::string> challenge; ///< base64url
    std::optional<std::string> origin;
    boost::json::object client_data = {};        ///< additional members, such as `crossOrigin`
    std::optional<std::string> client_data_json; ///< all of it

    // The authenticator data
    std::optional<std::string> rp_id; ///< the hashed id
    std::uint8_t set_flags = 0, clear_flags = 0;
    std::optional<std::uint32_t> sign_count;
    std::optional<std::string> extensions; ///< CBOR; sets the flag ED
    std::string after = {};                ///< bytes at the end
    std::optional<std::string> public_key; ///< COSE key
    std::optional<std::string> signed_id;  ///< the credential id in the attested data

    // The attestation
    std::string format = "none";
    std::optional<std::string> statement;               ///< CBOR map; `packed` makes a self attestation
    std::optional<std::int64_t> statement_algorithm;    ///< `alg` of the self attestation
    std::function<void(std::string&)> attestation = {}; ///< changes the attestation object

    bool wrong_signature = false; ///< of an assertion or self attestation
    bool user_handle = true;      ///< an assertion contains it
};

/// An authenticator and the browser around it, in software. It holds one passkey: that of the last `create`.
/// It refuses options as a browser would, with std::runtime_error: a missing member, another RP id than its
/// own, an excluded credential, or none of the allowed ones.
///
///     Authenticator phone("auth.example.com", "https://auth.example.com");
///     auto const credential = phone.create(options); // RegistrationResponseJSON
///     auto const assertion = phone.get(options);     // AuthenticationResponseJSON
class Authenticator {
public:
    enum class Key { es256, eddsa, rs256 };

    Authenticator(std::string rp_id, std::string origin, Key key = Key::es256);
    ~Authenticator();
    Authenticator(Authenticator&&) noexcept;
    Authenticator& operator=(Authenticator&&) noexcept;

    bool verifies_user = true;    ///< sets UV
    bool synchronised = false;    ///< sets BE and BS
    bool counts = true;           ///< otherwise the signature counter stays 0
    std::uint32_t sign_count = 0; ///< of the last ceremony
    std::array<std::uint8_t, 16> aaguid{};
    std::vector<std::string> transports{"internal", "hybrid"};
    std::size_t rsa_bits = 2'048; ///< of new keys for RS256

    boost::json::object create(boost::json::object const& options, Ceremony const& ceremony = {});
    boost::json::object get(boost::json::object const& options, Ceremony const& ceremony = {});

    std::string const& credential_id() const noexcept { return id_; } ///< raw bytes

    void credential_id(std::string id) { next_id_ = std::move(id); } ///< of the next `create`

    std::string const& user_handle() const noexcept { return user_handle_; } ///< raw bytes

    std::string cose_key() const; ///< the public key

    /// A copy of the passkey with the same key and counter, as an attacker would have it.
    Authenticator clone() const;

private:
    struct KeyPair;

    std::string client_data(
        std::string_view type, boost::json::object const& options, Ceremony const& ceremony) const;
    std::string authenticator_data(bool with_credential, Ceremony const& ceremony);
    std::string sign(std::string_view data, bool wrong) const;
    std::string statement(std::string_view signed_data, Ceremony const& ceremony) const;
    boost::json::object credential(boost::json::object response) const;

    std::string rp_id_, origin_;
    Key kind_;
    std::shared_ptr<KeyPair const> key_;
    std::string id_, next_id_, user_handle_;
};
