#pragma once

#include "core/enum_names.hpp"
#include "core/secret.hpp"
#include "crypto/hash.hpp"
#include "crypto/jwt.hpp"
#include "crypto/rsa_key.hpp"
#include "domain/carrier.hpp"
#include "domain/vapid.hpp"

#include <boost/json/fwd.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace notify {

using core::to_string;

/// A Google service account that may send for one Firebase project.
struct FcmAccount {
    std::string project_id;
    std::string client_email;
    std::string private_key_id; ///< the key's id at Google; may be empty
    crypto::RsaSigningKey key;
    core::Secret pem;
};

/// An APNs signing key of an Apple developer team, for one app.
struct ApnsKey {
    std::string key_id;
    std::string team_id;
    std::string bundle_id; ///< `apns-topic`
    bool sandbox = false;  ///< `environment`: use Apple's sandbox host, not the production host
    crypto::SigningKey key;
    core::Secret pem;
};

/// A scope's credential for one carrier. Immutable, so that threads can share it.
class Credential {
public:
    using Ptr = std::shared_ptr<Credential const>;

    /// Parses the body of `PUT /v1/platforms/fcm` or `apns`: `{serviceAccountKey: {type, project_id,
    /// private_key, client_email}}`, or `{keyId, teamId, privateKey, bundleId, environment}`. Throws
    /// VALIDATION_ERROR with all errors (`/serviceAccountKey/private_key`, `/privateKey`), including key
    /// material that does not parse. The error contains no part of the keys. Precondition: `carrier` is not
    /// webpush.
    static Ptr parse(Carrier carrier, boost::json::value const& body);

    /// Parses the body of `PUT /v1/platforms/webpush`: `{subject, rotate?}`. The first request makes a key;
    /// if `rotate` is true, later ones make a new key and keep the keys of `earlier`. Without `subject`, the
    /// subject of `earlier` stays. Throws VALIDATION_ERROR with all errors. The number of keys may exceed
    /// VapidKeys::max_keys by one.
    static VapidKeys parse_vapid(boost::json::value const& body, VapidKeys const* earlier);

    /// A credential for Web Push. Precondition: `keys` has at least one key.
    static Ptr make(VapidKeys keys);

    /// Reads the output of `to_secret`. Throws std::invalid_argument if the text is not valid. The exception
    /// contains no part of the text.
    static Ptr restore(Carrier carrier, std::string_view secret);

    /// The whole credential as JSON, for sealing and storing.
    core::Secret to_secret() const;

    Carrier carrier() const noexcept { return static_cast<Carrier>(content_.index()); }

    /// The members that `GET /v1/platforms` shows. Members of the other carriers are empty.
    struct Shown {
        std::string project_id, key_id, team_id, bundle_id;
        std::string environment;                 ///< `production` or `sandbox`; for APNs only
        std::optional<std::string> subject{};    ///< for Web Push only
        std::optional<std::string> public_key{}; ///< for Web Push only: the current key
    };

    Shown shown() const;

    /// Identifies the credential: equal credentials have equal values. Connections and access tokens are
    /// cached under this value.
    crypto::Digest const& fingerprint() const noexcept { return fingerprint_; }

    /// Precondition: `carrier()` is fcm.
    FcmAccount const& fcm() const { return std::get<FcmAccount>(content_); }

    /// Precondition: `carrier()` is apns.
    ApnsKey const& apns() const { return std::get<ApnsKey>(content_); }

    /// Precondition: `carrier()` is webpush.
    VapidKeys const& vapid() const { return std::get<VapidKeys>(content_); }

private:
    using Content = std::variant<FcmAccount, ApnsKey, VapidKeys>; ///< in the order of Carrier

    explicit Credential(Content content);

    Content content_;
    crypto::Digest fingerprint_;
};

} // namespace notify
