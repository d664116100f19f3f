#include "domain/feedback.hpp"

namespace feedback {

Author Author::of(core::Caller const& caller)
{
    Author author{.id = caller.id, .role = caller.role, .user_id = {}, .email = {}};
    if (caller.is_jwt()) {
        author.user_id.emplace(caller.id);
        if (!caller.email.empty()) author.email = caller.email;
    }
    return author;
}

} // namespace feedback
