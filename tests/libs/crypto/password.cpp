#include "crypto/password.hpp"

#include "crypto/argon2id.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace {

/// A low cost, because these tests do not measure it.
constexpr crypto::Argon2Cost cheap{.memory_kib = 64, .passes = 1, .lanes = 1};

} // namespace

TEST_CASE("a hash is a PHC string with the requested cost")
{
    auto const phc = crypto::hash_password("correct horse");
    CHECK(phc.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
    CHECK(phc.find('\0') == std::string::npos);
    CHECK(phc != crypto::hash_password("correct horse"));
    CHECK(crypto::verify_password("correct horse", phc));
    CHECK_FALSE(crypto::verify_password("correct hors", phc));
    CHECK_FALSE(crypto::verify_password("", phc));
    CHECK_FALSE(crypto::verify_password("correct horse", "nonsense"));
    CHECK_FALSE(crypto::verify_password("correct horse", ""));
}

TEST_CASE("the test hash of the reference implementation verifies")
{
    // phc-winner-argon2, src/test.c: argon2id, v=19, t=2, m=65536, p=1.
    CHECK(crypto::verify_password("password",
        "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"));
}

TEST_CASE("a PHC string is parsed strictly")
{
    std::string const text =
        "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
    auto const phc = crypto::PhcString::parse(text);
    REQUIRE(phc);
    CHECK(phc->cost.memory_kib == 65536);
    CHECK(phc->cost.passes == 2);
    CHECK(phc->cost.lanes == 1);
    CHECK(phc->salt == "somesalt");
    CHECK(phc->hash.size() == 32);
    CHECK(phc->str() == text);
    for (auto const& [part, other] : std::vector<std::pair<std::string, std::string>>{{"2id$", "2i$"},
             {"v=19", "v=16"}, {"v=19$", ""}, {"m=65536", "m=-1"}, {"m=65536", "m=99999999999"},
             {"m=65536", "m=1"}, {"m=65536", "m=065536"}, {"t=2", "t=0"}, {"t=2", "t=02"}, {"t=2", "t= 2"},
             {",p=1", ""}, {"p=1", "p=0"}, {"p=1", "p=01"}, {"p=1", "p=1,keyid=Hj5+dsK0"}, {"p=1", "p=256"},
             {"c29tZXNhbHQ", ""}, {"c29tZXNhbHQ", "c29tZXNhbHQ="}, {"c29tZXNhbHQ", "c2!tZXNhbHQ"},
             {"$CTF", "CTF"}, {"GRPPc", "GRPPc$"}}) {
        auto wrong = text;
        wrong.replace(wrong.find(part), part.size(), other);
        INFO(wrong);
        CHECK_FALSE(crypto::PhcString::parse(wrong));
        CHECK_FALSE(crypto::verify_password("password", wrong));
    }
}

TEST_CASE("several lanes give the same hash as several threads")
{
    // printf password | argon2 somesalt -id -t 3 -k 256 -p 4 -l 24 (the reference implementation)
    CHECK(crypto::verify_password(
        "password", "$argon2id$v=19$m=256,t=3,p=4$c29tZXNhbHQ$gnktR/nN4iue/y0pIDOKVULnu6asBp/M"));
}

TEST_CASE("hashes of other costs need a new hash")
{
    auto const today = crypto::hash_password("correct horse");
    CHECK_FALSE(crypto::needs_rehash(today));
    CHECK(crypto::needs_rehash(today, cheap));
    CHECK_FALSE(crypto::needs_rehash(crypto::hash_password("correct horse", cheap), cheap));
    for (auto const* other : {"$argon2id$v=19$m=19456,t=3,p=1$c29tZXNhbHRzb21lc2FsdA$", // another cost
             "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHQ$"}) {                          // a shorter salt
        INFO(other);
        CHECK(crypto::needs_rehash(other + std::string("CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc")));
    }
    CHECK_FALSE(crypto::needs_rehash("$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$"
                                     "CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"));
    CHECK(crypto::needs_rehash( // a shorter hash
        "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$CTFhFdXPJO1aFaMaO6Mm5Q"));
    CHECK(crypto::needs_rehash("$2b$10$abcdefghijklmnopqrstuuOmDAPvMEcXqgbZnY9QoPoV4M2nsUaSG"));
    CHECK(crypto::needs_rehash(""));
}

TEST_CASE("a hash can be imported up to a cost of 64 MiB, 10 passes, 4 lanes, or 14 of bcrypt")
{
    auto const argon2id = [](std::string const& cost, std::size_t salt_chars = 22,
                              std::size_t hash_chars = 43) {
        return crypto::is_importable_hash("$argon2id$v=19$" + cost + "$" + std::string(salt_chars, 'A') +
                                          "$" + std::string(hash_chars, 'A'));
    };
    CHECK(argon2id("m=65536,t=10,p=4"));
    CHECK(argon2id("m=19456,t=2,p=1"));
    CHECK_FALSE(argon2id("m=65537,t=10,p=4"));
    CHECK_FALSE(argon2id("m=65536,t=11,p=4"));
    CHECK_FALSE(argon2id("m=65536,t=10,p=5"));
    CHECK(argon2id("m=65536,t=3,p=4", 11, 22)); // 8 and 16 bytes
    CHECK(argon2id("m=65536,t=3,p=4", 86, 86)); // 64 bytes
    CHECK_FALSE(argon2id("m=65536,t=3,p=4", 10, 43));
    CHECK_FALSE(argon2id("m=65536,t=3,p=4", 87, 43));
    CHECK_FALSE(argon2id("m=65536,t=3,p=4", 22, 20));
    CHECK_FALSE(argon2id("m=65536,t=3,p=4", 22, 87));

    std::string const bcrypt = "$2b$14$abcdefghijklmnopqrstuuOmDAPvMEcXqgbZnY9QoPoV4M2nsUaSG";
    CHECK(crypto::is_importable_hash(bcrypt));
    for (auto const& [part, other, allowed] : std::vector<std::tuple<std::string, std::string, bool>>{
             {"$2b", "$2y", true}, {"$14", "$04", true}, {"$2b", "$2a", false}, {"$2b", "$2x", false},
             {"$2b", "$2", false}, {"$2b", "$2B", false}, {"$14", "$15", false}, {"$14", "$03", false},
             {"$14", "$4", false}, {"$14", "$99", false}, {"$14", "$1a", false}, {"aSG", "aS", false},
             {"aSG", "aSGG", false}, {"aSG", "aS+", false}, {"abc", "ab=", false}, {"aSG", "aS$", false}}) {
        auto changed = bcrypt;
        changed.replace(changed.find(part), part.size(), other);
        INFO(changed);
        CHECK(crypto::is_importable_hash(changed) == allowed);
    }
    for (auto const* text :
        {"", "$", "$2b$", "$argon2id$", "$argon2i$v=19$m=65536,t=3,p=4$AAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA",
            "$argon2d$v=19$m=65536,t=3,p=4$AAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA",
            "$argon2id$v=16$m=65536,t=3,p=4$AAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA", "$1$abc$def",
            "5f4dcc3b5aa765d61d8327deb882cf99", "password"}) {
        INFO(text);
        CHECK_FALSE(crypto::is_importable_hash(text));
        CHECK_FALSE(crypto::verify_password("password", text));
    }
}

TEST_CASE("the test vectors of bcrypt verify")
{
    // Openwall's crypt_blowfish 1.3, wrapper.c, with the prefixes $2b$ and $2y$.
    for (auto const& [hash, secret] : std::vector<std::pair<std::string, std::string>>{
             {"$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", "U*U"},
             {"$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", "U*U"},
             {"$2b$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK", "U*U*"},
             {"$2b$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a", "U*U*U"},
             {"$2b$05$CCCCCCCCCCCCCCCCCCCCC.7uG0VCzI2bS7j6ymqJi9CdcdxiRTWNy", ""},
             {"$2y$05$/OK.fbVrR/bpIqNJ5ianF.CE5elHaaO4EbggVDjb8P19RukzXSM3e", "\xff\xff\xa3"},
             {"$2b$05$/OK.fbVrR/bpIqNJ5ianF.CE5elHaaO4EbggVDjb8P19RukzXSM3e", "\xff\xff\xa3"}}) {
        INFO(hash);
        CHECK(crypto::verify_password(secret, hash));
        CHECK_FALSE(crypto::verify_password(secret + "x", hash));
    }
}

TEST_CASE("bcrypt reads 72 bytes of a secret of any length, and no secret with NUL")
{
    // crypt_blowfish 1.3: the secret is "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    // "0123456789chars after 72 are ignored".
    std::string const hash = "$2b$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui";
    std::string const first = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    REQUIRE(first.size() == 72);
    CHECK(crypto::verify_password(first, hash));
    CHECK(crypto::verify_password(first + "chars after 72 are ignored", hash));
    CHECK(crypto::verify_password(first + std::string(1'000, 'x'), hash));
    CHECK_FALSE(crypto::verify_password(first.substr(0, 71), hash));
    std::string const of_empty = "$2b$05$CCCCCCCCCCCCCCCCCCCCC.7uG0VCzI2bS7j6ymqJi9CdcdxiRTWNy";
    CHECK_FALSE(crypto::verify_password(std::string(1, '\0'), of_empty));
    CHECK_FALSE(crypto::verify_password(std::string("\0x", 2), of_empty));
}

TEST_CASE("memory is kept for the next hash of any cost, and is returned when the hasher is idle")
{
    crypto::HashMemory memory;
    for (std::uint32_t const kib : {64U, 256U, 32U, 256U}) {
        crypto::Argon2Cost const cost{.memory_kib = kib, .passes = 1, .lanes = 1};
        auto const phc = crypto::hash_password("correct horse", cost, memory);
        CHECK(crypto::verify_password("correct horse", phc, memory));
        memory.release();
        CHECK(crypto::verify_password("correct horse", phc));
        CHECK_FALSE(crypto::verify_password("wrong horse", phc, memory));
    }
    CHECK(memory.size() == 256 * 1024);
    memory.shrink(256 * 1024);
    CHECK(memory.size() == 256 * 1024);
    memory.shrink(64 * 1024);
    CHECK(memory.size() == 0);
    CHECK(crypto::verify_password(
        "correct horse", crypto::hash_password("correct horse", cheap, memory), memory));
    CHECK(memory.size() == 64 * 1024);
}
