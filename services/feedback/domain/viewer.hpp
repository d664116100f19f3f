#pragma once

#include "domain/feedback.hpp"

namespace feedback {

/// Decides what a caller may see. Staff (API keys, the master key, admins and owners) see everything in the
/// scope. Users see their own threads, without internal notes. `caller` must outlive this object.
class Viewer {
public:
    explicit Viewer(core::Caller const& caller) : caller_(caller) {}

    bool is_staff() const noexcept { return caller_.is_staff(); }

    /// Whether the caller may read the thread of this user.
    bool may_read(std::optional<core::UserId> const& thread_user_id) const noexcept
    {
        return is_staff() || (thread_user_id && thread_user_id->text() == caller_.id);
    }

    /// Whether the caller may see this reply of a thread that the caller may read.
    bool may_read(Reply const& reply) const noexcept { return is_staff() || !reply.internal; }

    /// Whether the caller has written the reply.
    bool is_author(Reply const& reply) const noexcept
    {
        return reply.author_id == caller_.id && caller_.is_jwt() == is_user(reply.author_id);
    }

    ReplySummary const& replies(Feedback const& f) const noexcept
    {
        return is_staff() ? f.all_replies : f.public_replies;
    }

    /// Strong validator (RFC 9110) of the representation that this caller sees. An internal note does not
    /// change the ETag that users get. Votes change the ETag, but do not refuse a change with
    /// `If-Match`.
    std::string etag(Feedback const& f) const;

private:
    core::Caller const& caller_;
};

} // namespace feedback
