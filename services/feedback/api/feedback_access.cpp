#include "api/feedback_access.hpp"

#include "core/error.hpp"
#include "storage/feedbacks.hpp"

namespace feedback {

namespace {

Feedback readable(std::optional<Feedback> found, http::Request const& req)
{
    if (!found || !Viewer(req.caller()).may_read(found->user_id)) feedback_not_found();
    return *std::move(found);
}

} // namespace

void feedback_not_found()
{
    throw core::Error(core::codes::not_found, "There is no feedback thread with this id that you may read. "
                                              "Check the id, the environment and the credential.");
}

Feedback lock_readable(pg::Tx& tx, http::Request const& req)
{
    return readable(feedbacks::lock(tx, req.scope(), req.uuid_param("feedbackId")), req);
}

Feedback get_readable(pg::Tx& tx, http::Request const& req)
{
    return readable(feedbacks::get(tx, req.scope(), req.uuid_param("feedbackId")), req);
}

void require_changeable(Feedback const& f)
{
    if (f.deleted())
        throw core::Error(core::codes::conflict,
            "This feedback thread was deleted, so it cannot be changed. Create a new thread instead.");
    if (f.merged())
        throw core::Error(core::codes::conflict,
            "This feedback thread was merged into another one, so it cannot be changed. Use the thread that "
            "mergedInto names.");
}

} // namespace feedback
