#include "pages/threads.hpp"

#include "api/vote_page.hpp"
#include "core/error.hpp"
#include "storage/feedback_lists.hpp"
#include "storage/feedbacks.hpp"
#include "storage/replies.hpp"

namespace feedback::pages::threads {

namespace {

[[noreturn]] void refuse_cursor()
{
    throw core::Error::validation(
        {{"?cursor", "invalid_cursor", "is not a cursor of this list. Begin with the first page."}});
}

Page by_votes(
    pg::Tx& tx, core::Scope const& scope, Filter const& filter, std::string_view cursor, std::size_t limit)
{
    VotePage const asked{limit, decode_vote_position(cursor, filter.hash()), filter.hash()};
    if (!cursor.empty() && !asked.after) refuse_cursor();
    return asked.page(feedbacks::list_by_votes(tx, scope, filter, asked.after, asked.rows()));
}

Page by_creation(
    pg::Tx& tx, core::Scope const& scope, Filter const& filter, std::string_view cursor, std::size_t limit)
{
    paging::PageRequest const asked{limit, paging::decode(cursor, filter.hash()), filter.hash()};
    if (!cursor.empty() && !asked.after) refuse_cursor();
    return asked.page(feedbacks::list(tx, scope, filter, asked.after, asked.rows()));
}

} // namespace

Page list(
    pg::Tx& tx, core::Scope const& scope, Filter const& filter, std::string_view cursor, std::size_t limit)
{
    return filter.sort == Sort::votes ? by_votes(tx, scope, filter, cursor, limit)
                                      : by_creation(tx, scope, filter, cursor, limit);
}

std::optional<Thread> get(pg::Tx& tx, core::Scope const& scope, core::Uuid id, std::size_t max_replies)
{
    auto found = feedbacks::get(tx, scope, id);
    if (!found || !found->on_board()) return std::nullopt;
    if (found->merged_into) {
        auto target = feedbacks::get(tx, scope, *found->merged_into);
        if (target && target->on_board()) return Thread{*std::move(target), {}, false};
    }
    auto replies = replies::list(tx, scope, id, false, std::nullopt, max_replies + 1);
    bool const has_more = replies.size() > max_replies;
    if (has_more) replies.resize(max_replies);
    return Thread{*std::move(found), std::move(replies), has_more};
}

} // namespace feedback::pages::threads
