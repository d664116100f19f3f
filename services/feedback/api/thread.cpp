#include "api/thread.hpp"

#include "core/error.hpp"

namespace feedback {

namespace {

Feedback visible(std::optional<Feedback> found, http::Request const& req)
{
    if (!found || !Viewer(req.caller()).may_read(found->user_id)) thread_not_found();
    return *std::move(found);
}

} // namespace

void thread_not_found()
{
    throw core::Error(core::codes::not_found, "There is no feedback thread with this id that you may read. "
                                              "Check the id, the environment and the credential.");
}

Feedback lock_visible(pg::Tx& tx, http::Request const& req)
{
    return visible(feedbacks::lock(tx, req.scope(), req.uuid_param("feedbackId")), req);
}

Feedback get_visible(pg::Tx& tx, http::Request const& req)
{
    return visible(feedbacks::get(tx, req.scope(), req.uuid_param("feedbackId")), req);
}

void require_live(Feedback const& f)
{
    if (f.deleted())
        throw core::Error(core::codes::conflict,
            "This feedback thread was deleted, so it cannot be changed. Create a new thread instead.");
}

} // namespace feedback
