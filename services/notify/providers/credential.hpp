#pragma once

#include "core/secret.hpp"
#include "crypto/hash.hpp"
#include "crypto/jwt.hpp"
#include "crypto/rsa_key.hpp"
#include "domain/device.hpp"

#include <boost/json/fwd.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

namespace notify {

/// Who carries pushes: FCM those to Android and the web, APNs those to iOS.
enum class PlatformKind : std::uint8_t { fcm, apns };

inline constexpr std::array<std::string_view, 2> platform_kinds{"fcm", "apns"};

constexpr std::string_view to_string(PlatformKind k) noexcept
{
    return platform_kinds[static_cast<std::size_t>(k)];
}

/// The value of that name. Throws std::invalid_argument: names come from the database or were validated.
PlatformKind parse_platform_kind(std::string_view name);

/// Who carries pushes to such a device.
constexpr PlatformKind carrier_of(DevicePlatform platform) noexcept
{
    return platform == DevicePlatform::ios ? PlatformKind::apns : PlatformKind::fcm;
}

/// A Google service account that may send for one Firebase project.
struct FcmAccount {
    std::string project_id;
    std::string client_email;
    std::string private_key_id; ///< the key's name at Google; may be empty
    crypto::RsaSigningKey key;
    core::Secret pem;
};

/// An APNs signing key of an Apple developer team, for one app.
struct ApnsKey {
    std::string key_id;
    std::string team_id;
    std::string bundle_id; ///< `apns-topic`
    bool sandbox = false;  ///< `environment`: Apple's sandbox host rather than the production one
    crypto::SigningKey key;
    core::Secret pem;
};

/// What a scope proves with that it may push through one carrier. Immutable; shared by whoever sends with it.
class Credential {
public:
    using Ptr = std::shared_ptr<Credential const>;

    /// Reads the body of `PUT /v1/platforms/{kind}`: `{serviceAccountKey: {type, project_id, private_key,
    /// client_email}}`, or `{keyId, teamId, privateKey, bundleId, environment}`. Throws one VALIDATION_ERROR
    /// that names every fault (`/serviceAccountKey/private_key`, `/privateKey`), key material that does not
    /// parse included, and holds nothing of the keys.
    static Ptr parse(PlatformKind kind, boost::json::value const& body);

    /// Reads what `to_secret` wrote. Throws std::invalid_argument, without any of the text, when it is not
    /// that.
    static Ptr restore(PlatformKind kind, std::string_view secret);

    /// All of it as JSON, to be sealed and stored.
    core::Secret to_secret() const;

    PlatformKind kind() const noexcept { return static_cast<PlatformKind>(content_.index()); }

    /// What `GET /v1/platforms` may show; members that do not belong to the kind are empty.
    struct Shown {
        std::string project_id, key_id, team_id, bundle_id;
        std::string environment; ///< `production` or `sandbox`; of APNs alone
    };

    Shown shown() const;

    /// The same for the same credential, however often it was read: connections and tokens are kept by it.
    crypto::Digest const& fingerprint() const noexcept { return fingerprint_; }

    /// Precondition: `kind()` is that.
    FcmAccount const& fcm() const { return std::get<FcmAccount>(content_); }

    ApnsKey const& apns() const { return std::get<ApnsKey>(content_); }

private:
    using Content = std::variant<FcmAccount, ApnsKey>; ///< in the order of PlatformKind

    explicit Credential(Content content);

    Content content_;
    crypto::Digest fingerprint_;
};

} // namespace notify
