// The input is a line with a stored or imported password hash, a line with an email, then a new password,
// which is also read as a response of the search for breached passwords.
#include "crypto/password.hpp"

#include "core/fields.hpp"
#include "core/text.hpp"
#include "crypto/argon2id.hpp"
#include "crypto/bcrypt.hpp"
#include "domain/breach_range.hpp"
#include "domain/password_policy.hpp"
#include "fuzz.hpp"

#include <algorithm>
#include <cmath>
#include <string>

using fuzz::require;

namespace {

/// A hash has one form, and an accepted hash has a bounded cost.
void check_hash(std::string const& hash)
{
    auto const argon2id = crypto::PhcString::parse(hash);
    auto const bcrypt = crypto::BcryptString::parse(hash);
    require(!argon2id || argon2id->str() == hash);
    require(!argon2id || !bcrypt);
    bool const accepted = crypto::is_importable_hash(hash);
    require(!accepted || argon2id || bcrypt);
    require(!accepted || hash.size() < 256);
    if (accepted && argon2id) {
        require(
            argon2id->cost.memory_kib <= 65'536 && argon2id->cost.passes <= 10 && argon2id->cost.lanes <= 4);
        require(argon2id->salt.size() >= 8 && argon2id->hash.size() >= 16);
    }
    require(!accepted || !bcrypt || bcrypt->cost <= 14);
    require(crypto::needs_rehash(hash) || accepted);
    if (!argon2id && !bcrypt) require(!crypto::verify_password("password", hash));
    // Only cheap comparisons, so that the engine tries many inputs.
    bool const is_cheap =
        (bcrypt && bcrypt->cost <= 4) ||
        (accepted && argon2id && argon2id->cost.memory_kib <= 64 && argon2id->cost.passes <= 2);
    if (is_cheap) require(!crypto::verify_password("a password that is not in the corpus", hash));
}

/// Normalising twice changes nothing, and the policy judges every password.
void check_password(std::string const& sent, std::string const& email)
{
    if (!fuzz::is_text(sent) || core::count_code_points(sent) > 4 * auth_mfa::max_password) return;
    std::string const password = core::nfc(sent);
    require(core::is_utf8(password) && core::nfc(password) == password);
    require(password.empty() == sent.empty());
    if (password.empty() || core::count_code_points(password) > auth_mfa::max_password) return;
    double const bits = auth_mfa::password_bits(password, email);
    require(std::isfinite(bits) && bits >= 0);
    auto const fault = auth_mfa::password_fault(password, email, &sent);
    require(fault || bits >= auth_mfa::min_password_bits);
    require(fault || password != sent);
    if (core::equal_ignoring_case(password, email)) require(fault && fault->code == "same_as_email");
}

/// A suffix is found only in a line that begins with it.
void check_range(std::string_view body)
{
    std::string_view const suffix = "0018A45C4D1DEF81644B54AB7F969B88D65";
    auto const count = auth_mfa::count_in_range(body, suffix);
    if (count.value_or(0) > 0)
        require(core::upper(body).find(std::string(suffix) + ":") != std::string::npos);
    require(auth_mfa::count_in_range(std::string(suffix) + ":7\r\n" + std::string(body), suffix) == 7U);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    fuzz::Input input(data, size);
    check_hash(std::string(input.line()));
    auto email = std::string(input.line());
    std::erase(email, '\0');
    check_password(std::string(input.rest()), email);
    check_range(input.rest());
    return 0;
}
