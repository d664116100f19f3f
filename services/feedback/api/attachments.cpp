#include "api/attachments.hpp"

#include "domain/visibility.hpp"

namespace feedback {

asio::awaitable<http::Response> get_attachment(http::Request const& req, Deps& deps)
{
    auto may_read = [&req, &deps](blobs::Attachment const& attachment) -> asio::awaitable<bool> {
        if (!attachment.parent_id) co_return false;
        auto const thread = co_await deps.hot.get.run({req.scope().id, *attachment.parent_id});
        co_return thread&& Viewer(req.caller()).may_read(thread->user_id);
    };
    co_return co_await deps.attachments.show(req, may_read);
}

} // namespace feedback
