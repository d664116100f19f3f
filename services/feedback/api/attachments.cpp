#include "api/attachments.hpp"

#include "batchers.hpp"
#include "blobs/attachments.hpp"
#include "domain/viewer.hpp"

namespace feedback {

asio::awaitable<http::Response> get_attachment(http::Request const& req, Deps& deps)
{
    auto may_read = [&req, &deps](blobs::Attachment const& attachment) -> asio::awaitable<bool> {
        if (!attachment.parent_id) co_return false;
        std::optional<Feedback> const found =
            co_await deps.batchers.get.run({req.scope().id, *attachment.parent_id});
        co_return found.has_value() && Viewer(req.caller()).may_read(found->user_id);
    };
    co_return co_await deps.attachments.get(req, may_read);
}

} // namespace feedback
