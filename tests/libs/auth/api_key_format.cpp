#include "auth/api_key_format.hpp"

#include "crypto/checksum.hpp"

#include <set>

namespace format = auth::api_key_format;

TEST_CASE("a generated key has the documented form and verifies")
{
    std::string const key = format::generate("fbk_");
    CHECK(key.size() == 4 + 40 + 6);
    CHECK(key.starts_with("fbk_"));
    CHECK(format::is_well_formed(key, "fbk_"));
    CHECK(format::shown(key) == key.substr(0, 12));
    CHECK(key.substr(44) == crypto::crc32_base62(key.substr(0, 44)));
}

TEST_CASE("keys are unique")
{
    std::set<std::string> seen;
    for (int i = 0; i < 1000; ++i)
        CHECK(seen.insert(format::generate("pk_")).second);
}

TEST_CASE("any changed character invalidates the checksum")
{
    std::string const key = format::generate("fbk_");
    for (std::size_t i = 0; i < key.size(); ++i) {
        std::string wrong = key;
        wrong[i] = wrong[i] == 'x' ? 'y' : 'x';
        INFO(i);
        CHECK_FALSE(format::is_well_formed(wrong, "fbk_"));
    }
}

TEST_CASE("texts that are not keys with the prefix are refused")
{
    std::string const key = format::generate("fbk_");
    CHECK_FALSE(format::is_well_formed("", "fbk_"));
    CHECK_FALSE(format::is_well_formed("fbk_", "fbk_"));
    CHECK_FALSE(format::is_well_formed(key, "ntf_"));
    CHECK_FALSE(format::is_well_formed(key + "0", "fbk_"));
    CHECK_FALSE(format::is_well_formed(key.substr(0, key.size() - 1), "fbk_"));

    // A key with a character outside the alphabet is refused, even if its checksum is correct.
    std::string const odd = "fbk_" + std::string(39, 'a') + "-";
    CHECK_FALSE(format::is_well_formed(odd + crypto::crc32_base62(odd), "fbk_"));
    std::string const right = "fbk_" + std::string(40, 'a');
    CHECK(format::is_well_formed(right + crypto::crc32_base62(right), "fbk_"));
}
