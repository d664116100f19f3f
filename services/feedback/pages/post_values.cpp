#include "pages/post_values.hpp"

#include "domain/board_links.hpp"
#include "pages/words.hpp"

namespace feedback::pages {

namespace {

using hosted_pages::Data;

constexpr std::size_t max_excerpt = 280;

Data tags_of(Feedback const& thread)
{
    Data tags(Data::type::list);
    for (auto const& tag : thread.tags) {
        Data one;
        one.set("tag", tag);
        tags << one;
    }
    return tags;
}

} // namespace

void add_post(Data& data, Feedback const& thread)
{
    data.set("id", thread.id.to_string());
    data.set("href", board_url::post(thread.id));
    data.set("title", thread.title);
    data.set("excerpt", excerpt_of(thread.body, max_excerpt));
    data.set("status", std::string(name_of(thread.status)));
    data.set("status_class", std::string(to_string(thread.status)));
    data.set("category", std::string(name_of(thread.category)));
    data.set("tags", tags_of(thread));
    data.set("votes", std::to_string(thread.vote_count));
    data.set("created_at", core::to_rfc3339(thread.created_at));
    data.set("date", day_of(thread.created_at));
    hosted_pages::set(data, "replies", replies_text(thread.public_replies.count));
}

Data reply_data(Reply const& reply)
{
    Data data;
    data.set("body", reply.body);
    data.set("created_at", core::to_rfc3339(reply.created_at));
    data.set("date", day_of(reply.created_at));
    if (reply.is_response()) data.set("team", "true");
    if (reply.edited_at) data.set("edited", "true");
    return data;
}

} // namespace feedback::pages
