#include "domain/feedback.hpp"

#include <stdexcept>

namespace feedback {

namespace {

template <class Enum> Enum parse(std::array<std::string_view, 4> const& names, std::string_view name)
{
    auto const it = std::ranges::find(names, name);
    if (it == names.end())
        throw std::invalid_argument("unknown status, category or priority: " + std::string(name));
    return static_cast<Enum>(it - names.begin());
}

} // namespace

Status parse_status(std::string_view name)
{
    return parse<Status>(statuses, name);
}

Category parse_category(std::string_view name)
{
    return parse<Category>(categories, name);
}

Priority parse_priority(std::string_view name)
{
    return parse<Priority>(priorities, name);
}

Author Author::of(core::Caller const& caller)
{
    Author author{.id = caller.id, .role = caller.role, .user_id = {}, .email = {}};
    if (caller.is_jwt()) {
        author.user_id = caller.id;
        if (!caller.email.empty()) author.email = caller.email;
    }
    return author;
}

} // namespace feedback
