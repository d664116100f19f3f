#include "domain/rp_id.hpp"
#include "domain/settings.hpp"
#include "hosted_pages/brand_colors.hpp"
#include "hosted_pages/image.hpp"
#include "images.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace auth_mfa;
using namespace hosted_pages;

namespace {

std::array<int, 3> parts_of(std::string const& color)
{
    unsigned const number = static_cast<unsigned>(std::strtoul(color.c_str() + 1, nullptr, 16));
    return {static_cast<int>(number >> 16U), static_cast<int>(number >> 8U & 255U),
        static_cast<int>(number & 255U)};
}

double luminance(std::string const& color)
{
    auto const [r, g, b] = parts_of(color);
    auto const linear = [](int part) {
        double const c = part / 255.0;
        return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
}

double contrast(std::string const& one, std::string const& other)
{
    double const a = luminance(one), b = luminance(other);
    return (std::max(a, b) + 0.05) / (std::min(a, b) + 0.05);
}

double least_contrast(std::string const& color, std::array<std::string, 2> const& grounds)
{
    return std::min(contrast(color, grounds[0]), contrast(color, grounds[1]));
}

/// The hue in degrees, and the distance between the greatest and the least part.
std::pair<double, int> hue_of(std::string const& color)
{
    auto const parts = parts_of(color);
    auto const [least, most] = std::minmax({parts[0], parts[1], parts[2]});
    int const range = most - least;
    if (range == 0) return {0, 0};
    auto const [r, g, b] = parts;
    double const sextant = most == r   ? static_cast<double>(g - b) / range
                           : most == g ? 2 + static_cast<double>(b - r) / range
                                       : 4 + static_cast<double>(r - g) / range;
    return {std::fmod(sextant * 60 + 360, 360), range};
}

void check_accent(std::string const& given, brand_colors::Accent const& made,
    std::array<std::string, 2> const& grounds, int direction)
{
    INFO(given << " became " << made.accent);
    REQUIRE(brand_colors::is_color(made.accent));
    CHECK(least_contrast(made.accent, grounds) >= 4.5);
    CHECK((made.on_accent == "#ffffff" || made.on_accent == "#000000"));
    CHECK(contrast(made.accent, made.on_accent) >= 4.5);
    bool const is_readable = least_contrast(given, grounds) >= 4.5;
    CHECK((made.accent == given) == is_readable);
    if (is_readable) return;
    // Only as far as needed: 8 bits per part allow steps of at most about 0.15 near this contrast.
    CHECK(least_contrast(made.accent, grounds) < 4.75);
    CHECK(direction * (luminance(made.accent) - luminance(given)) > 0);
    // The hue is kept, as exactly as 8 bits allow.
    auto const [hue, range] = hue_of(given);
    auto const [new_hue, new_range] = hue_of(made.accent);
    if (range == 0 || new_range < 20 || range < 20) return;
    double const distance = std::abs(hue - new_hue);
    CHECK(std::min(distance, 360 - distance) < 120.0 / std::min(range, new_range) + 0.5);
}

std::string color_of(int r, int g, int b)
{
    std::array<char, 8> text{};
    std::snprintf(text.data(), text.size(), "#%02x%02x%02x", static_cast<unsigned>(r),
        static_cast<unsigned>(g), static_cast<unsigned>(b));
    return text.data();
}

} // namespace

TEST_CASE("accents of every colour can be read on pages and cards", "[branding]")
{
    for (int r = 0; r <= 255; r += 15)
        for (int g = 0; g <= 255; g += 15)
            for (int b = 0; b <= 255; b += 15) {
                auto const given = color_of(r, g, b);
                auto const [light, dark] = brand_colors::accents_of(given);
                check_accent(given, light, {"#ffffff", "#f3f4f6"}, -1);
                check_accent(given, dark, {"#1a1d23", "#101216"}, 1);
            }
}

TEST_CASE("the style sheet has the accents of both modes", "[branding]")
{
    CHECK(
        brand_colors::style_of("#1d4ed8").starts_with(":root{--accent:#1d4ed8;--on-accent:#ffffff}"
                                                      "@media (prefers-color-scheme:dark){:root{--accent:#"));
    CHECK(brand_colors::style_of("#1d4ed8").ends_with(";--on-accent:#000000}}"));
    for (auto const* wrong : {"", "#fff", "1d4ed8", "#1D4ED8", "#1d4ed8;", "#1d4edg", "red"}) {
        INFO(wrong);
        CHECK_FALSE(brand_colors::is_color(wrong));
        CHECK_THROWS_AS(brand_colors::style_of(wrong), std::invalid_argument);
    }
}

namespace {

std::string fault_of(std::string const& image, ImageType type)
{
    auto const checked = check_image(image, type);
    auto const* const fault = std::get_if<ImageFault>(&checked);
    return fault == nullptr ? std::string() : std::string(fault->code);
}

std::string png_fault(std::string const& image)
{
    return fault_of(image, ImageType::png);
}

std::string webp_fault(std::string const& image)
{
    return fault_of(image, ImageType::webp);
}

} // namespace

TEST_CASE("whole images of permitted sizes are accepted", "[branding]")
{
    auto const png = check_image(make_png(30, 20), ImageType::png);
    CHECK(std::get<ImageSize>(png).width == 30);
    CHECK(std::get<ImageSize>(png).height == 20);
    auto const webp = check_image(make_webp(31, 21), ImageType::webp);
    CHECK(std::get<ImageSize>(webp).width == 31);
    CHECK(std::get<ImageSize>(webp).height == 21);
    CHECK(png_fault(make_png(1, 1)).empty());
    CHECK(png_fault(make_png(2048, 2048)).empty());
    CHECK(webp_fault(make_webp(2048, 2048)).empty());
    CHECK(
        png_fault(with_png_chunk(make_png(2, 2), png_chunk("tEXt", std::string("Title\0Logo", 10)))).empty());
}

TEST_CASE("images that are too large, animated or of another type are refused", "[branding]")
{
    CHECK(png_fault(make_png(2049, 1)) == "range");
    CHECK(png_fault(make_png(1, 2049)) == "range");
    CHECK(webp_fault(make_webp(2049, 1)) == "range");
    CHECK(webp_fault(make_webp(1, 2049)) == "range");
    CHECK(
        png_fault(with_png_chunk(make_png(2, 2), png_chunk("acTL", std::string(8, '\0')))) == "not_allowed");
    // An extended header whose flags say "animation", and a canvas of 1 x 1.
    std::string const header("VP8X\x0a\0\0\0\x02\0\0\0\0\0\0\0\0\0", 18);
    std::string const animated = std::string("RIFF\x16\0\0\0WEBP", 12) + header;
    CHECK(webp_fault(animated) == "not_allowed");
    CHECK(webp_fault(make_png(2, 2)) == "format");
    CHECK(png_fault(make_webp(2, 2)) == "format");
    CHECK(png_fault("<svg xmlns=\"http://www.w3.org/2000/svg\"/>") == "format");
    CHECK(png_fault("") == "format");
    CHECK(webp_fault("") == "format");
}

TEST_CASE("images that are cut, changed or followed by other bytes are refused", "[branding]")
{
    std::string const png = make_png(40, 40, 7), webp = make_webp(40, 40);
    for (std::size_t size = 0; size < png.size(); ++size) {
        INFO(size);
        CHECK(png_fault(png.substr(0, size)) == "format");
    }
    for (std::size_t size = 0; size < webp.size(); ++size) {
        INFO(size);
        CHECK(webp_fault(webp.substr(0, size)) == "format");
    }
    CHECK(png_fault(png + "<script>") == "format");
    CHECK(webp_fault(webp + "<script>") == "format");
    // A byte of the pixels, which the checksum of the chunk covers.
    std::string changed = png;
    changed[changed.find("IDAT") + 8] ^= 1;
    CHECK(png_fault(changed) == "format");
    // No pixels at all.
    std::string const signature = png.substr(0, 8);
    CHECK(png_fault(png.substr(0, 33) + png_chunk("IEND", "")) == "format");
    CHECK(png_fault(signature + png_chunk("IEND", "")) == "format");
    // The chunk is longer than the file.
    CHECK(png_fault(signature + "\x7f\xff\xff\xffIHDR") == "format");
    CHECK(png_fault(signature + "\xff\xff\xff\xffIHDR") == "format");
}

TEST_CASE("an RP id is a name that belongs to the tenant alone", "[branding]")
{
    std::vector<std::string> const origins{"https://app.example.co.uk", "https://shop.example.org:8443",
        "https://10.1.2.3", "https://[2001:db8::1]", "https://demo.github.io", "https://x.auth.tetrad.io",
        "https://app.tetrad.io", "http://app.localhost:3000", "http://localhost:3000"};
    auto const fault = [&](std::string const& id) {
        auto const found = rp_id_fault(id, origins, {"auth.tetrad.io", "demo.auth.tetrad.io"});
        return found ? std::string(found->code) : std::string();
    };
    for (auto const* right : {"app.example.co.uk", "example.co.uk", "shop.example.org", "example.org",
             "demo.github.io", "app.tetrad.io", "demo.auth.tetrad.io", "app.localhost"}) {
        INFO(right);
        CHECK(fault(right).empty());
    }
    for (auto const* reserved : {"auth.tetrad.io", "tetrad.io", "io", "x.auth.tetrad.io",
             "demo-sandbox.auth.tetrad.io", "a.demo.auth.tetrad.io"}) {
        INFO(reserved);
        CHECK(fault(reserved) == "reserved");
    }
    for (auto const* suffix : {"co.uk", "uk", "github.io", "org", "localhost"}) {
        INFO(suffix);
        CHECK(fault(suffix) == "public_suffix");
    }
    for (auto const* unlisted : {"other.org", "ample.org", "www.example.org", "a.app.example.co.uk"}) {
        INFO(unlisted);
        CHECK(fault(unlisted) == "origin");
    }
    for (auto const* wrong : {"10.1.2.3", "2001:db8::1", "[2001:db8::1]", "Example.org", "example.org.",
             ".example.org", "example..org", "https://example.org", "example.org:8443", "-example.org",
             "exa mple.org", "b\u00fccher.example.org", "", "0x7f"}) {
        INFO(wrong);
        CHECK(fault(wrong) == "format");
    }
}

TEST_CASE("branding has defaults, and the RP id is the auth host without a port", "[branding]")
{
    using core::Environment;
    tenancy::Tenant tenant;
    tenant.slug = "demo";
    CHECK(passkey_rp_id_of(tenant, Environment::production, "auth.example.com") == "demo.auth.example.com");
    CHECK(passkey_rp_id_of(tenant, Environment::sandbox, "auth.localhost:8102") ==
          "demo-sandbox.auth.localhost");
    CHECK_FALSE(accent_color_of(tenant, Environment::sandbox));
    CHECK_FALSE(logo_of(tenant, Environment::sandbox));
    tenant.environments[static_cast<std::size_t>(Environment::sandbox)].document = {
        {"passkeyRpId", "example.com"}, {"accentColor", "#1d4ed8"},
        {"logo", {{"width", 3}, {"height", 2}, {"sha256", "abc"}}}};
    CHECK(passkey_rp_id_of(tenant, Environment::sandbox, "auth.localhost") == "example.com");
    CHECK(passkey_rp_id_of(tenant, Environment::production, "auth.localhost") == "demo.auth.localhost");
    CHECK(accent_color_of(tenant, Environment::sandbox) == "#1d4ed8");
    auto const logo = logo_of(tenant, Environment::sandbox);
    REQUIRE(logo);
    CHECK(logo->width == 3);
    CHECK(logo->height == 2);
    CHECK(logo->sha256 == "abc");
}
