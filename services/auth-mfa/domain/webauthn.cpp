#include "domain/webauthn.hpp"

#include "crypto/hash.hpp"
#include "domain/webauthn_cbor.hpp"

#include <openssl/err.h>
#include <openssl/evp.h>

#include <algorithm>
#include <fido.h>
#include <fido/eddsa.h>
#include <fido/es256.h>
#include <fido/rs256.h>
#include <memory>
#include <new>
#include <stdexcept>

namespace auth_mfa::webauthn {

namespace {

constexpr std::string_view at_id = "/id";
constexpr std::string_view at_client_data = "/response/clientDataJSON";
constexpr std::string_view at_attestation = "/response/attestationObject";
constexpr std::string_view at_authenticator_data = "/response/authenticatorData";
constexpr std::string_view at_signature = "/response/signature";

// Objects of libfido2 and OpenSSL

/// Calls a function of libfido2 that frees `*pointer`.
template <auto Free> struct Release {
    template <class T> void operator()(T* object) const noexcept { Free(&object); }
};

template <class T, auto Free> using Owned = std::unique_ptr<T, Release<Free>>;

struct ReleaseEvp {
    void operator()(EVP_PKEY* key) const noexcept { EVP_PKEY_free(key); }

    void operator()(EVP_PKEY_CTX* context) const noexcept { EVP_PKEY_CTX_free(context); }
};

/// The object; throws std::bad_alloc if it is null.
template <class T> T* allocated(T* object)
{
    if (object == nullptr) throw std::bad_alloc();
    return object;
}

/// libfido2 and OpenSSL leave the errors of refused input in OpenSSL's queue, which TLS on the same thread
/// reads.
struct ClearErrors {
    ClearErrors() = default;
    ClearErrors(ClearErrors const&) = delete;
    ClearErrors& operator=(ClearErrors const&) = delete;

    ~ClearErrors() { ERR_clear_error(); }
};

/// Initialises libfido2 on this thread. The environment variable FIDO_DEBUG makes it log its input to the
/// standard error, so a handler drops these lines.
void initialise()
{
    thread_local bool const once = [] {
        fido_init(0);
        fido_set_log_handler([](char const*) {});
        return true;
    }();
    static_cast<void>(once);
}

unsigned char const* in(std::string_view bytes) noexcept
{
    return reinterpret_cast<unsigned char const*>(bytes.data());
}

std::string text(unsigned char const* bytes, std::size_t size)
{
    return {reinterpret_cast<char const*>(bytes), size};
}

/// A public key in the form of libfido2, with `size_` bytes.
template <class T, std::size_t size_, auto Make, auto Free, auto Read, auto ToEvp> struct Key {
    using Pointer = Owned<T, Free>;

    /// Null if `bytes` is not a key of this type.
    static Pointer read(std::string_view bytes)
    {
        if (bytes.size() != size_) return nullptr;
        Pointer key(allocated(Make()));
        return Read(key.get(), bytes.data(), bytes.size()) == FIDO_OK ? std::move(key) : nullptr;
    }

    static EVP_PKEY* to_evp(T const* key) { return ToEvp(key); }
};

using Es256 = Key<es256_pk_t, 64, &es256_pk_new, &es256_pk_free, &es256_pk_from_ptr, &es256_pk_to_EVP_PKEY>;
using Eddsa = Key<eddsa_pk_t, 32, &eddsa_pk_new, &eddsa_pk_free, &eddsa_pk_from_ptr, &eddsa_pk_to_EVP_PKEY>;
using Rs256 = Key<rs256_pk_t, 259, &rs256_pk_new, &rs256_pk_free, &rs256_pk_from_ptr, &rs256_pk_to_EVP_PKEY>;

/// Calls `use` with the type of the algorithm's keys as its template parameter.
template <class Use> bool with_key_type(Algorithm algorithm, Use use)
{
    switch (algorithm) {
    case Algorithm::es256:
        return use.template operator()<Es256>();
    case Algorithm::eddsa:
        return use.template operator()<Eddsa>();
    case Algorithm::rs256:
        return use.template operator()<Rs256>();
    }
    return false;
}

/// Whether the modulus and the exponent are odd, and the exponent is at least 65537. OpenSSL's own check of
/// RSA keys also searches for factors, which takes milliseconds.
bool is_plausible_rsa(std::string_view bytes)
{
    auto const is_odd = [](char byte) { return (static_cast<unsigned char>(byte) & 1) != 0; };
    auto const exponent = bytes.substr(bytes.size() - 3);
    return is_odd(bytes[bytes.size() - 4]) && is_odd(exponent[2]) && exponent[0] != 0;
}

/// Whether the key can be used: a point on the curve, or an RSA key of 2,048 bits.
bool is_valid_key(Algorithm algorithm, std::string_view bytes)
{
    return with_key_type(algorithm, [&]<class K>() {
        auto const key = K::read(bytes);
        if (!key) return false;
        std::unique_ptr<EVP_PKEY, ReleaseEvp> const evp(K::to_evp(key.get()));
        if (!evp) return false;
        if (algorithm == Algorithm::rs256) return is_plausible_rsa(bytes);
        std::unique_ptr<EVP_PKEY_CTX, ReleaseEvp> const context(
            allocated(EVP_PKEY_CTX_new_from_pkey(nullptr, evp.get(), nullptr)));
        return EVP_PKEY_public_check(context.get()) == 1;
    });
}

// Checks that both ceremonies share. They return the first fault.

std::optional<Fault> client_data_fault(
    ClientData const& data, std::string_view type, Expected const& expected)
{
    if (data.type != type)
        return Fault{FaultKind::type, at_client_data,
            "The client data is for another ceremony. Send the result of navigator.credentials.create() to "
            "register a passkey, and the result of navigator.credentials.get() to sign in."};
    if (expected.challenge.empty() || data.challenge != expected.challenge)
        return Fault{FaultKind::challenge, at_client_data,
            "The client data is for another challenge. Request new options and start again."};
    if (data.cross_origin)
        return Fault{FaultKind::origin, at_client_data,
            "Passkeys cannot be used in a frame of another origin. Open the page in a window of its own."};
    if (!expected.allows_origin || !expected.allows_origin(data.origin))
        return Fault{FaultKind::origin, at_client_data,
            "The origin of the page may not use passkeys here. Add it to allowedOrigins."};
    return std::nullopt;
}

std::optional<Fault> authenticator_data_fault(
    AuthenticatorData const& data, Expected const& expected, std::string_view pointer)
{
    using Data = AuthenticatorData;
    if (data.rp_id_hash != crypto::view(crypto::sha256(expected.rp_id)))
        return Fault{FaultKind::rp_id, pointer, "The passkey belongs to another RP id."};
    if (!data.has(Data::user_present))
        return Fault{
            FaultKind::user_presence, pointer, "The authenticator did not test the user's presence."};
    if (expected.user_verification && !data.has(Data::user_verified))
        return Fault{FaultKind::user_verification, pointer,
            "The authenticator did not verify the user. Request the options with userVerification "
            "\"required\", "
            "and set up a PIN or biometrics on the authenticator."};
    if (data.has(Data::backed_up) && !data.has(Data::backup_eligible))
        return Fault{FaultKind::flags, pointer, "A passkey that is backed up must be eligible for backup."};
    return std::nullopt;
}

// Registration

/// Tells libfido2 which extensions to accept. libfido2 refuses signatures over other extensions than
/// requested ones, but a relying party must expect extensions that the browser has requested.
bool accept_extensions(fido_cred_t* cred, AuthenticatorData const& data)
{
    if (data.extensions.empty()) return true;
    auto const extensions = parse_extensions(data.extensions);
    if (!extensions) return false;
    bool ok = true;
    for (auto const& [name, value] : *extensions) {
        if (value == 0) continue;
        if (name == "hmac-secret") ok = ok && fido_cred_set_extensions(cred, FIDO_EXT_HMAC_SECRET) == FIDO_OK;
        if (name == "credBlob") ok = ok && fido_cred_set_extensions(cred, FIDO_EXT_CRED_BLOB) == FIDO_OK;
        if (name == "credProtect" && value <= FIDO_CRED_PROT_UV_REQUIRED)
            ok = ok && fido_cred_set_prot(cred, static_cast<int>(value)) == FIDO_OK;
        if (name == "minPinLength") ok = ok && fido_cred_set_pin_minlen(cred, value) == FIDO_OK;
    }
    return ok;
}

/// The fault of the attestation's format and of the members of its statement.
std::optional<Fault> format_fault(AttestationObject const& object, Algorithm algorithm)
{
    if (object.format == "none") {
        if (is_empty_map(object.statement)) return std::nullopt;
        return Fault{
            FaultKind::format, at_attestation, "The attestation \"none\" must have an empty statement."};
    }
    auto const packed = object.format == "packed" ? parse_packed_statement(object.statement)
                                                  : std::optional<PackedStatement>();
    if (!packed || packed->others)
        return Fault{FaultKind::format, at_attestation,
            "Only the attestation \"none\", and \"packed\" without certificates, are accepted. Use the "
            "creation "
            "options unchanged: they ask for attestation \"none\"."};
    if (!packed->algorithm || !packed->signature)
        return Fault{
            FaultKind::malformed, at_attestation, "The attestation has no algorithm or no signature."};
    if (*packed->algorithm != static_cast<std::int64_t>(algorithm))
        return Fault{FaultKind::algorithm, at_attestation,
            "The algorithm of the attestation differs from the algorithm of the passkey."};
    return std::nullopt;
}

/// The credential of libfido2, without the attestation; null if libfido2 cannot read the authenticator data.
Owned<fido_cred_t, &fido_cred_free> read_credential(AttestationObject const& object, Algorithm algorithm,
    std::string_view client_data, std::string const& rp_id)
{
    initialise();
    Owned<fido_cred_t, &fido_cred_free> cred(allocated(fido_cred_new()));
    auto const hash = crypto::sha256(client_data);
    auto const& data = object.authenticator_data;
    bool const ok = fido_cred_set_type(cred.get(), static_cast<int>(algorithm)) == FIDO_OK &&
                    fido_cred_set_rp(cred.get(), rp_id.c_str(), nullptr) == FIDO_OK &&
                    fido_cred_set_uv(cred.get(), FIDO_OPT_TRUE) == FIDO_OK &&
                    fido_cred_set_clientdata_hash(cred.get(), hash.data(), hash.size()) == FIDO_OK &&
                    fido_cred_set_authdata_raw(cred.get(), in(data), data.size()) == FIDO_OK;
    return ok ? std::move(cred) : nullptr;
}

bool verify_self_attestation(
    fido_cred_t* cred, AttestationObject const& object, AuthenticatorData const& data)
{
    auto const& statement = object.statement;
    return fido_cred_set_fmt(cred, "packed") == FIDO_OK &&
           fido_cred_set_attstmt(cred, in(statement), statement.size()) == FIDO_OK &&
           accept_extensions(cred, data) && fido_cred_verify_self(cred) == FIDO_OK;
}

std::optional<Fault> credential_id_fault(std::string_view id, std::string_view expected)
{
    if (id.empty() || id.size() > max_credential_id)
        return Fault{
            FaultKind::credential_id, at_attestation, "The id of a passkey must have 1 to 1023 bytes."};
    if (id != expected)
        return Fault{
            FaultKind::credential_id, at_id, "The id differs from the id in the attestation object."};
    return std::nullopt;
}

// Assertion

bool accept_extensions(fido_assert_t* assertion, AuthenticatorData const& data)
{
    if (data.extensions.empty()) return true;
    auto const extensions = parse_extensions(data.extensions);
    if (!extensions) return false;
    int mask = 0;
    for (auto const& extension : *extensions) {
        if (extension.first == "hmac-secret") mask |= FIDO_EXT_HMAC_SECRET;
        if (extension.first == "credBlob") mask |= FIDO_EXT_CRED_BLOB;
    }
    return fido_assert_set_extensions(assertion, mask) == FIDO_OK;
}

bool verify_signature(fido_assert_t const* assertion, Credential const& stored)
{
    return with_key_type(stored.algorithm, [&]<class K>() {
        auto const key = K::read(stored.public_key);
        if (!key) throw std::invalid_argument("a stored public key of a passkey is unusable");
        return fido_assert_verify(assertion, 0, static_cast<int>(stored.algorithm), key.get()) == FIDO_OK;
    });
}

bool is_signed(Assertion const& assertion, AuthenticatorData const& data, Credential const& stored,
    std::string const& rp_id)
{
    initialise();
    Owned<fido_assert_t, &fido_assert_free> const fido(allocated(fido_assert_new()));
    auto const hash = crypto::sha256(assertion.client_data_json);
    auto const& raw = assertion.authenticator_data;
    auto const& signature = assertion.signature;
    return fido_assert_set_rp(fido.get(), rp_id.c_str()) == FIDO_OK &&
           fido_assert_set_clientdata_hash(fido.get(), hash.data(), hash.size()) == FIDO_OK &&
           fido_assert_set_count(fido.get(), 1) == FIDO_OK &&
           fido_assert_set_authdata_raw(fido.get(), 0, in(raw), raw.size()) == FIDO_OK &&
           fido_assert_set_sig(fido.get(), 0, in(signature), signature.size()) == FIDO_OK &&
           accept_extensions(fido.get(), data) && verify_signature(fido.get(), stored);
}

} // namespace

std::optional<Algorithm> algorithm_of(std::int64_t number) noexcept
{
    for (auto const algorithm : {Algorithm::es256, Algorithm::eddsa, Algorithm::rs256})
        if (static_cast<std::int64_t>(algorithm) == number) return algorithm;
    return std::nullopt;
}

std::variant<Credential, Fault> verify_registration(
    Registration const& registration, Expected const& expected)
{
    ClearErrors const after;
    Expected required = expected;
    required.user_verification = true;
    if (auto const fault = client_data_fault(registration.client_data, "webauthn.create", required))
        return *fault;

    auto const object = parse_attestation_object(registration.attestation_object);
    if (!object)
        return Fault{FaultKind::malformed, at_attestation, "The attestation object is not well-formed CBOR."};
    auto const data = parse_authenticator_data(object->authenticator_data);
    if (!data) return Fault{FaultKind::malformed, at_attestation, "The authenticator data is malformed."};
    if (auto const fault = authenticator_data_fault(*data, required, at_attestation)) return *fault;
    if (!data->has(AuthenticatorData::has_credential))
        return Fault{FaultKind::flags, at_attestation, "The authenticator data has no credential."};
    if (auto const fault = credential_id_fault(data->credential_id, registration.id)) return *fault;

    auto const algorithm = algorithm_of(cose_algorithm(data->public_key).value_or(0));
    if (!algorithm)
        return Fault{FaultKind::algorithm, at_attestation,
            "The algorithm of the passkey must be one of pubKeyCredParams in the creation options."};
    if (auto const fault = format_fault(*object, *algorithm)) return *fault;
    auto const cred = read_credential(*object, *algorithm, registration.client_data_json, expected.rp_id);
    if (!cred) return Fault{FaultKind::public_key, at_attestation, "The public key is not valid."};
    std::string const key = text(fido_cred_pubkey_ptr(cred.get()), fido_cred_pubkey_len(cred.get()));
    if (!is_valid_key(*algorithm, key))
        return Fault{FaultKind::public_key, at_attestation, "The public key is not valid."};
    bool const self = object->format == "packed";
    if (self && !verify_self_attestation(cred.get(), *object, *data))
        return Fault{FaultKind::signature, at_attestation, "The signature of the attestation is wrong."};

    return Credential{
        .id = std::string(data->credential_id),
        .algorithm = *algorithm,
        .public_key = key,
        .sign_count = data->sign_count,
        .backup_eligible = data->has(AuthenticatorData::backup_eligible),
        .backed_up = data->has(AuthenticatorData::backed_up),
        .aaguid = data->aaguid,
        .attestation = self ? Attestation::self : Attestation::none,
        .transports = registration.transports,
    };
}

std::variant<AssertionResult, Fault> verify_assertion(
    Assertion const& assertion, Credential const& stored, Expected const& expected)
{
    ClearErrors const after;
    if (auto const fault = client_data_fault(assertion.client_data, "webauthn.get", expected)) return *fault;
    if (assertion.id != stored.id)
        return Fault{FaultKind::credential_id, at_id, "The id is not the id of the passkey."};

    auto const data = parse_authenticator_data(assertion.authenticator_data);
    if (!data)
        return Fault{FaultKind::malformed, at_authenticator_data, "The authenticator data is malformed."};
    if (auto const fault = authenticator_data_fault(*data, expected, at_authenticator_data)) return *fault;
    if (data->has(AuthenticatorData::has_credential))
        return Fault{FaultKind::flags, at_authenticator_data,
            "The authenticator data of an assertion has a credential."};
    if (data->has(AuthenticatorData::backup_eligible) != stored.backup_eligible)
        return Fault{FaultKind::flags, at_authenticator_data,
            "The passkey's eligibility for backup has changed since the registration."};
    if (!is_signed(assertion, *data, stored, expected.rp_id))
        return Fault{FaultKind::signature, at_signature, "The signature is wrong."};
    if ((data->sign_count > 0 || stored.sign_count > 0) && data->sign_count <= stored.sign_count)
        return Fault{FaultKind::counter, at_authenticator_data,
            "The signature counter did not grow. The authenticator may have been cloned."};
    return AssertionResult{
        .sign_count = data->sign_count,
        .backed_up = data->has(AuthenticatorData::backed_up),
        .user_verified = data->has(AuthenticatorData::user_verified),
    };
}

} // namespace auth_mfa::webauthn
