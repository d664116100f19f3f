#pragma once
// For the sources of this library only: bcrypt hashes that other software made. This project makes none.

#include <optional>
#include <string>
#include <string_view>

namespace crypto {

/// A bcrypt hash as crypt(5) describes it: `$2b$12$`, 22 characters of salt, 31 characters of hash. The
/// prefix is `$2b$` or `$2y$`, which name the same algorithm. `$2a$` and `$2x$` are refused, because some of
/// their implementations had errors.
struct BcryptString {
    static constexpr unsigned min_cost = 4, max_cost = 31;
    static constexpr std::size_t size = 60;

    unsigned cost = 0; ///< the binary logarithm of the number of rounds

    /// Returns nullopt for any other text.
    static std::optional<BcryptString> parse(std::string_view text);
};

/// Whether `secret` matches `hash`. Returns false if `hash` is not a BcryptString. bcrypt reads at most 72
/// bytes of the secret: longer secrets match if their first 72 bytes do. A secret that contains NUL matches
/// no hash. Takes about 60 ms of CPU time for cost 10, and twice as long for each further unit of cost.
/// Throws std::runtime_error if the library refuses the hash, for example because memory is missing.
bool verify_bcrypt(std::string_view secret, std::string const& hash);

} // namespace crypto
