#include "pages/post.hpp"

#include "domain/board_links.hpp"
#include "pages/board.hpp"
#include "pages/frame.hpp"
#include "pages/post_values.hpp"
#include "pages/threads.hpp"
#include "pages/words.hpp"
#include "pg/database.hpp"

namespace feedback::pages {

extern std::string_view const post_html, new_html, callback_html; // files of pages/templates/

namespace {

constexpr std::size_t max_replies = 100, max_description = 200;
constexpr std::size_t max_bytes = 100'000; ///< of the texts on a page; a longer page has fewer replies

std::string post_page(Frame const& frame, threads::Thread const& thread)
{
    auto const& post = thread.post;
    auto data = data_of(frame, {.title = post.title,
                                   .path = board_url::post(post.id),
                                   .description = excerpt_of(post.body, max_description)});
    add_post(data, post);
    data.set("body", post.body);
    data.set("votes_path", "/board/threads/" + post.id.to_string());
    auto const count = replies_text(post.public_replies.count);
    data.set("replies_title", count.empty() ? std::string("Replies") : count);
    Data answers(Data::type::list);
    std::size_t shown = 0, bytes = post.body.size();
    for (auto const& reply : thread.replies) {
        if (bytes > max_bytes) break;
        bytes += reply.body.size();
        answers << reply_data(reply);
        ++shown;
    }
    data.set("answers", answers);
    if (shown > 0) data.set("any", "true");
    if (thread.has_more || shown < thread.replies.size())
        data.set("more", "This page shows the first " + std::to_string(shown) + " replies.");
    return view_of<post_html>().render(data);
}

/// A page that is the same for all readers and needs no data.
template <std::string_view const& file>
asio::awaitable<http::Response> fixed_page(
    http::Request const& req, Deps& deps, std::string title, std::string path)
{
    auto const frame = co_await frame_of(req, deps);
    auto const key = key_of(frame, path);
    Head const head{.title = std::move(title),
        .path = std::move(path),
        .description = "Post feedback for " + frame.brand.name + ".",
        .listed = false};
    auto const render = [&]() -> asio::awaitable<http::Response> {
        co_return page_response(frame, view_of<file>().render(data_of(frame, head)));
    };
    co_return co_await deps.board.cache.serve(req, key, render);
}

} // namespace

asio::awaitable<http::Response> get_post(http::Request const& req, Deps& deps)
{
    auto const frame = co_await frame_of(req, deps);
    auto const id = req.uuid_param("feedbackId");
    auto const render = [&]() -> asio::awaitable<http::Response> {
        auto const found = co_await deps.db.read(
            req.scope(), [&](pg::Tx& tx) { return threads::get(tx, req.scope(), id, max_replies); });
        if (!found) throw core::Error(core::codes::not_found, "The board has no post with this id.");
        if (found->post.id != id)
            co_return http::Response{.status = 302, .content_type = ""}
                .header("Location", board_url::post(found->post.id))
                .header("Cache-Control", "no-store");
        co_return page_response(frame, post_page(frame, *found));
    };
    co_return co_await deps.board.cache.serve(req, key_of(frame, board_url::post(id)), render);
}

asio::awaitable<http::Response> get_new(http::Request const& req, Deps& deps)
{
    return fixed_page<new_html>(req, deps, "New post", "/board/new");
}

asio::awaitable<http::Response> get_callback(http::Request const& req, Deps& deps)
{
    return fixed_page<callback_html>(req, deps, "Signing in", "/board/callback");
}

} // namespace feedback::pages
