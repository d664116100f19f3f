#include "mail/media_type.hpp"

#include <catch2/catch.hpp>

#include <string>

using mail::is_bare_media_type;

TEST_CASE("a media type consists of two names without parameters")
{
    for (auto const* good : {"text/plain", "application/vnd.ms-excel", "image/svg+xml", "a/b", "X/Y.z-1_2"})
        CHECK(is_bare_media_type(good));
    for (auto const* bad : {"", "/", "text", "text/", "/plain", "text/plain; charset=utf-8", "text/pla in",
             "text/plain\r\nX: y", "text/plain/x", "-a/b", "te\xc3\xbcxt/plain"})
        CHECK_FALSE(is_bare_media_type(bad));
    CHECK(is_bare_media_type(std::string(127, 'a') + "/" + std::string(127, 'b')));
    CHECK_FALSE(is_bare_media_type(std::string(128, 'a') + "/b"));
}
