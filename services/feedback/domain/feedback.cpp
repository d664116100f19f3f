#include "domain/feedback.hpp"

namespace feedback {

Author Author::of(core::Caller const& caller)
{
    Author author{.id = caller.id, .role = caller.role, .user_id = {}, .email = {}, .email_verified = {}};
    if (caller.is_jwt()) {
        author.user_id.emplace(caller.id);
        if (!caller.email.empty()) author.email = caller.email;
        author.email_verified = caller.email_verified;
    }
    return author;
}

bool is_user(std::string_view author_id)
{
    return author_id != "master" && !author_id.starts_with("key:");
}

} // namespace feedback
