#include "tenancy/slug.hpp"

#include <catch2/catch.hpp>

TEST_CASE("slugs are lower-case labels that are short enough for the suffix -sandbox")
{
    CHECK(tenancy::is_slug("a"));
    CHECK(tenancy::is_slug("7"));
    CHECK(tenancy::is_slug("acme"));
    CHECK(tenancy::is_slug("acme-2"));
    CHECK(tenancy::is_slug("a--b"));
    CHECK(tenancy::is_slug("sandbox"));
    CHECK(tenancy::is_slug("sandbox-acme"));
    CHECK(tenancy::is_slug(std::string(55, 'a')));
}

TEST_CASE("invalid slugs are refused")
{
    CHECK_FALSE(tenancy::is_slug(""));
    CHECK_FALSE(tenancy::is_slug("-a"));
    CHECK_FALSE(tenancy::is_slug("a-"));
    CHECK_FALSE(tenancy::is_slug("-"));
    CHECK_FALSE(tenancy::is_slug("Acme"));
    CHECK_FALSE(tenancy::is_slug("a_b"));
    CHECK_FALSE(tenancy::is_slug("a.b"));
    CHECK_FALSE(tenancy::is_slug("a b"));
    CHECK_FALSE(tenancy::is_slug("caf\xc3\xa9"));
    CHECK_FALSE(tenancy::is_slug(std::string_view("a\0b", 3)));
    CHECK_FALSE(tenancy::is_slug("acme\n"));
    CHECK_FALSE(tenancy::is_slug(std::string(56, 'a')));
    CHECK_FALSE(tenancy::is_slug("acme-sandbox"));
    CHECK_FALSE(tenancy::is_slug("-sandbox"));
}

TEST_CASE("reserved names are not slugs, and names that contain reserved names are")
{
    for (auto const* name :
        {"www", "api", "admin", "auth", "feedback", "notify", "billing", "static", "docs"}) {
        INFO(name);
        CHECK_FALSE(tenancy::is_slug(name));
        CHECK(tenancy::is_slug(std::string(name) + "-1"));
    }
}
