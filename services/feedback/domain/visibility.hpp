#pragma once

#include "domain/feedback.hpp"

namespace feedback {

/// What a caller may see and do: staff everything in the scope, a user its own threads without internal
/// notes.
class Viewer {
public:
    explicit Viewer(core::Caller const& caller) : caller_(caller) {}

    bool is_staff() const noexcept { return caller_.is_staff(); }

    /// Whether the thread exists for this caller.
    bool may_read(std::optional<std::string> const& thread_user_id) const noexcept
    {
        return is_staff() || (thread_user_id && *thread_user_id == caller_.id);
    }

    ReplyTally const& replies(Feedback const& f) const noexcept
    {
        return is_staff() ? f.all_replies : f.public_replies;
    }

    /// Strong validator of the representation this caller sees. An internal note does not change a user's.
    std::string etag(Feedback const& f) const;

private:
    core::Caller const& caller_;
};

} // namespace feedback
