#include "hosted_pages/brand_colors.hpp"

#include "core/hex.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <stdexcept>

namespace hosted_pages::brand_colors {

namespace {

constexpr std::string_view white = "#ffffff", black = "#000000";
/// Cards and pages, as in the style sheet of the pages.
constexpr std::array<std::string_view, 2> light_grounds{"#ffffff", "#f3f4f6"};
constexpr std::array<std::string_view, 2> dark_grounds{"#1a1d23", "#101216"};

/// The sRGB components, each 0..1.
using Rgb = std::array<double, 3>;

Rgb rgb_of(std::string_view color)
{
    auto const bytes = is_color(color) ? core::hex::decode(color.substr(1)) : std::nullopt;
    if (!bytes) throw std::invalid_argument("not a colour of the form #rrggbb");
    Rgb rgb{};
    std::ranges::transform(
        *bytes, rgb.begin(), [](char c) { return static_cast<double>(static_cast<unsigned char>(c)) / 255; });
    return rgb;
}

std::string text_of(Rgb const& rgb)
{
    std::string bytes;
    for (double const part : rgb)
        bytes += static_cast<char>(static_cast<unsigned char>(std::lround(std::clamp(part, 0.0, 1.0) * 255)));
    return '#' + core::hex::encode(bytes);
}

/// The relative luminance (WCAG 2.2).
double luminance(std::string_view color)
{
    constexpr Rgb weights{0.2126, 0.7152, 0.0722};
    Rgb const rgb = rgb_of(color);
    double sum = 0;
    for (std::size_t i = 0; i < rgb.size(); ++i)
        sum += weights[i] * (rgb[i] <= 0.04045 ? rgb[i] / 12.92 : std::pow((rgb[i] + 0.055) / 1.055, 2.4));
    return sum;
}

/// The contrast ratio (WCAG 2.2), 1 to 21.
double contrast(std::string_view one, std::string_view other)
{
    auto const [darker, lighter] = std::minmax({luminance(one), luminance(other)});
    return (lighter + 0.05) / (darker + 0.05);
}

double lightness_of(Rgb const& rgb)
{
    auto const [least, most] = std::ranges::minmax(rgb);
    return (least + most) / 2;
}

/// How far a component may be from the lightness, for each unit of saturation (HSL).
double range_at(double lightness)
{
    return std::min(lightness, 1 - lightness);
}

/// The colour of the same hue and saturation with another lightness, 0..1. No component of the result is
/// lower than that for a lower lightness.
Rgb with_lightness(Rgb const& rgb, double lightness)
{
    double const old = lightness_of(rgb);
    double const scale = range_at(old) > 0 ? range_at(lightness) / range_at(old) : 0;
    Rgb changed{};
    std::ranges::transform(
        rgb, changed.begin(), [&](double part) { return lightness + (part - old) * scale; });
    return changed;
}

/// `color`, or the first of 1,000 steps from it to the lightness `end` that has enough contrast to all
/// `grounds`. At the lightness `end` the contrast must suffice. It only grows on the way, which may begin on
/// the wrong side of the grounds.
std::string readable(std::string_view color, double end, std::span<std::string_view const> grounds)
{
    constexpr int steps = 1'000;
    Rgb const rgb = rgb_of(color);
    double const begin = lightness_of(rgb);
    auto const at = [&](int step) {
        return step == 0 ? std::string(color)
                         : text_of(with_lightness(rgb, begin + (end - begin) * step / steps));
    };
    auto const has_contrast = [&](int step) {
        std::string const candidate = at(step);
        return std::ranges::all_of(
            grounds, [&](std::string_view ground) { return contrast(candidate, ground) >= min_contrast; });
    };
    auto const all = std::views::iota(0, steps + 1);
    return at(*std::ranges::partition_point(all, [&](int step) { return !has_contrast(step); }));
}

Accent with_text(std::string accent)
{
    // One of them has at least 4.58 on every colour.
    bool const is_dark = contrast(accent, white) >= min_contrast;
    return {std::move(accent), std::string(is_dark ? white : black)};
}

std::string properties_of(Accent const& accent)
{
    return ":root{--accent:" + accent.accent + ";--on-accent:" + accent.on_accent + '}';
}

} // namespace

bool is_color(std::string_view text)
{
    return text.size() == 7 && text.front() == '#' &&
           text.find_first_not_of(core::hex::digits, 1) == text.npos;
}

Accents accents_of(std::string_view color)
{
    return {with_text(readable(color, 0, light_grounds)), with_text(readable(color, 1, dark_grounds))};
}

std::string style_of(std::string_view accent)
{
    auto const [light, dark] = accents_of(accent);
    return properties_of(light) + "@media (prefers-color-scheme:dark){" + properties_of(dark) + '}';
}

} // namespace hosted_pages::brand_colors
