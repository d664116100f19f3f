#include "domain/user_agent.hpp"

#include "core/fields.hpp"

#include <array>

namespace auth_mfa {

namespace {

struct Sign {
    std::string_view part; ///< of the header
    std::string_view name;
};

// The first match decides, because a browser also names the browsers that it resembles.
constexpr auto browsers = std::to_array<Sign>({
    {"Edg/", "Edge"},
    {"EdgA/", "Edge"},
    {"EdgiOS/", "Edge"},
    {"OPR/", "Opera"},
    {"SamsungBrowser/", "Samsung Internet"},
    {"Firefox/", "Firefox"},
    {"FxiOS/", "Firefox"},
    {"Chrome/", "Chrome"},
    {"CriOS/", "Chrome"},
    {"Safari/", "Safari"},
});
constexpr auto systems = std::to_array<Sign>({
    {"iPhone", "iPhone"},
    {"iPad", "iPad"},
    {"Android", "Android"},
    {"Windows", "Windows"},
    {"Macintosh", "macOS"},
    {"CrOS", "ChromeOS"},
    {"Linux", "Linux"},
});

template <class Signs> std::string_view find(Signs const& signs, std::string_view header)
{
    for (auto const& sign : signs)
        if (header.find(sign.part) != std::string_view::npos) return sign.name;
    return {};
}

} // namespace

std::string browser_name(std::string_view user_agent)
{
    constexpr std::size_t max_length = 100;
    if (user_agent.starts_with("Mozilla/5.0 (")) {
        auto const browser = find(browsers, user_agent), system = find(systems, user_agent);
        if (!browser.empty() && !system.empty())
            return std::string(browser).append(" (").append(system).append(")");
    }
    return std::string(core::whole_characters(user_agent, max_length));
}

} // namespace auth_mfa
