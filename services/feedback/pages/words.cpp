#include "pages/words.hpp"

#include "core/fields.hpp"
#include "core/text.hpp"

#include <array>
#include <chrono>

namespace feedback::pages {

std::string_view name_of(Status status) noexcept
{
    switch (status) {
    case Status::in_progress:
        return "In progress";
    case Status::resolved:
        return "Done";
    case Status::closed:
        return "Closed";
    default:
        return "Open";
    }
}

std::string_view name_of(Category category) noexcept
{
    switch (category) {
    case Category::bug:
        return "Bug";
    case Category::feature:
        return "Feature";
    case Category::support:
        return "Support";
    default:
        return "General";
    }
}

std::string day_of(core::Time time)
{
    static constexpr std::array<std::string_view, 12> months{
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    std::chrono::year_month_day const date(std::chrono::floor<std::chrono::days>(time));
    auto const month = months.at(static_cast<unsigned>(date.month()) - 1);
    return std::to_string(static_cast<unsigned>(date.day())) + ' ' + std::string(month) + ' ' +
           std::to_string(static_cast<int>(date.year()));
}

std::string replies_text(std::int64_t count)
{
    if (count == 0) return {};
    return std::to_string(count) + (count == 1 ? " reply" : " replies");
}

std::string excerpt_of(std::string_view text, std::size_t limit)
{
    text = core::trim(text);
    auto const kept = core::whole_characters(text, limit);
    std::string line;
    line.reserve(kept.size() + 3);
    for (char const c : kept) {
        bool const is_blank = c == ' ' || c == '\t' || c == '\r' || c == '\n';
        if (!is_blank)
            line += c;
        else if (!line.empty() && line.back() != ' ')
            line += ' ';
    }
    if (kept.size() < text.size()) line += "…";
    return line;
}

} // namespace feedback::pages
