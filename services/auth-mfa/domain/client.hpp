#pragma once

#include "core/clock.hpp"
#include "core/enum_names.hpp"
#include "core/scope.hpp"
#include "crypto/hash.hpp"
#include "crypto/jwt.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace auth_mfa {

/// Whether a client can keep a secret (RFC 6749, 2.1).
enum class ClientType : std::uint8_t { is_public, confidential };

constexpr auto enum_names(ClientType)
{
    return std::to_array<std::string_view>({"public", "confidential"});
}

/// An OAuth client of one environment.
struct Client {
    std::string id;
    std::string name;
    ClientType type = ClientType::is_public;
    std::vector<std::string> redirect_uris;
    std::vector<std::string> post_logout_redirect_uris;
    std::optional<std::string> backchannel_logout_uri;
    crypto::SignatureAlgorithm id_token_alg = crypto::SignatureAlgorithm::rs256;
    /// The public keys of a client that authenticates with `private_key_jwt` (JSON); such a client has no
    /// secret.
    std::optional<std::string> jwks;
    std::optional<crypto::Digest> secret_hash;     ///< SHA-256
    std::optional<crypto::Digest> old_secret_hash; ///< the secret before, valid until `old_secret_until`
    std::optional<core::Time> old_secret_until;
    core::Time created_at;
    core::Time updated_at;

    bool is_confidential() const noexcept { return type == ClientType::confidential; }
};

/// The clients that every environment has. They are public, and their names are reserved.
inline constexpr std::string_view console_client = "tetrad-console", board_client = "tetrad-board";

/// Whether no client of a tenant may have this id, in any case of letters: ids of built-in clients, and the
/// audiences of other tokens (auth/token_claims.hpp), because a client's id is the audience of its id tokens.
bool is_reserved_client_id(std::string_view text);

bool is_built_in_client(std::string_view client_id) noexcept;

inline constexpr std::size_t max_client_id = 64;

/// Whether a client can have this id: 1 to 64 characters of `A-Z`, `a-z`, `0-9`, `.`, `_`, `~` and `-`.
bool is_client_id(std::string_view text) noexcept;

/// The built-in client with this id. `issuer` is the URL of the tenant's auth host, and `board` the URL of
/// the tenant's feedback host, in the same environment. Precondition: is_built_in_client(client_id).
Client built_in_client(std::string_view client_id, std::string const& issuer, std::string const& board);

} // namespace auth_mfa
