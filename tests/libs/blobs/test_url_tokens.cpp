#include "blobs/url_tokens.hpp"
#include "crypto/encoding.hpp"
#include "support/fake_clock.hpp"

namespace {

using namespace std::chrono_literals;

core::Time const now = testing::FakeClock::start;
core::Uuid const id = *core::Uuid::parse("01890a5d-ac96-774b-bcce-b302099a8057");

blobs::UrlTokens url_tokens(std::string const& secret = "0123456789abcdef")
{
    return blobs::UrlTokens({core::Secret(secret)});
}

blobs::Upload upload()
{
    return {{core::ScopeId{15}, id, {}}, 4711, "image/png", now + 15min};
}

blobs::Download download()
{
    return {{core::ScopeId{15}, id, "v1"}, 4711, "image/png", "a file.png", now + 5min};
}

} // namespace

TEST_CASE("a token returns its content until it expires")
{
    auto const a = url_tokens();
    auto const opened = a.verify_upload(a.sign(upload()), now);
    REQUIRE(opened);
    CHECK(opened->key.scope_id == core::ScopeId{15});
    CHECK(opened->key.attachment_id == id);
    CHECK(opened->key.version.empty());
    CHECK(opened->size_bytes == 4711);
    CHECK(opened->content_type == "image/png");
    CHECK(opened->expires == now + 15min);
    CHECK(a.verify_upload(a.sign(upload()), now + 15min - 1us));
    CHECK_FALSE(a.verify_upload(a.sign(upload()), now + 15min));

    auto const out = a.verify_download(a.sign(download()), now);
    REQUIRE(out);
    CHECK(out->key.version == "v1");
    CHECK(out->filename == "a file.png");
    CHECK_FALSE(a.verify_download(a.sign(download()), now + 5min));
}

TEST_CASE("a token is one path segment")
{
    std::string const token = url_tokens().sign(download());
    CHECK(token.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") ==
          std::string::npos);
}

TEST_CASE("a token for an upload is not valid for a download, and vice versa")
{
    auto const a = url_tokens();
    CHECK_FALSE(a.verify_download(a.sign(upload()), now));
    CHECK_FALSE(a.verify_upload(a.sign(download()), now));
}

TEST_CASE("an altered token is refused")
{
    auto const a = url_tokens();
    std::string const token = a.sign(upload());
    std::string bytes = *crypto::base64url::decode(token);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        std::string altered = bytes;
        altered[i] = static_cast<char>(altered[i] ^ 1);
        CHECK_FALSE(a.verify_upload(crypto::base64url::encode(altered), now));
    }
    for (std::size_t length = 0; length < token.size(); ++length)
        CHECK_FALSE(a.verify_upload(token.substr(0, length), now));
    CHECK_FALSE(a.verify_upload(token + "A", now));
    CHECK_FALSE(a.verify_upload("../../etc/passwd", now));
    CHECK_FALSE(a.verify_upload(crypto::base64url::encode(bytes.substr(32)), now));
}

TEST_CASE("a new secret is placed before the old secret, and both are accepted")
{
    auto const old = url_tokens("the old secret, long enough");
    blobs::UrlTokens const both(
        {core::Secret("the new secret, long enough"), core::Secret("the old secret, long enough")});
    CHECK(both.verify_upload(old.sign(upload()), now));
    CHECK_FALSE(old.verify_upload(both.sign(upload()), now));
    CHECK(both.verify_upload(both.sign(upload()), now));
}

TEST_CASE("secrets that are missing or too short are refused")
{
    CHECK_THROWS_AS(blobs::UrlTokens({}), std::invalid_argument);
    CHECK_THROWS_AS(url_tokens("short"), std::invalid_argument);
}
