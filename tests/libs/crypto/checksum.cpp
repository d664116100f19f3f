#include "crypto/checksum.hpp"

#include <set>

TEST_CASE("CRC-32 is encoded in base62")
{
    struct Case {
        char const* text;
        char const* checksum;
    };

    // "123456789" is the check value of CRC-32/ISO-HDLC: 0xcbf43926.
    auto const c = GENERATE(Case{"", "000000"}, Case{"123456789", "3jZRME"},
        Case{"The quick brown fox jumps over the lazy dog", "1C9bYH"}, Case{"62", "005Arq"},
        Case{"fbk_0123456789abcdefghijklmnopqrstuvwxyzABCD", "2OAjwO"});
    CHECK(crypto::crc32_base62(c.text) == c.checksum);
}

TEST_CASE("a change of any one character changes the checksum")
{
    std::string const text = "fbk_0123456789abcdefghijklmnopqrstuvwxyzABCD";
    std::set<std::string> seen{crypto::crc32_base62(text)};
    for (std::size_t i = 0; i < text.size(); ++i) {
        std::string slipped = text;
        slipped[i] = slipped[i] == 'z' ? 'y' : 'z';
        CHECK(seen.insert(crypto::crc32_base62(slipped)).second);
    }
}
