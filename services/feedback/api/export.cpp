#include "api/export.hpp"

#include "api/export_lines.hpp"
#include "api/list_filter.hpp"
#include "pg/database.hpp"
#include "storage/feedback_lists.hpp"
#include "storage/replies.hpp"

#include <utility>

namespace feedback {

namespace {

constexpr std::size_t page_of_threads = 50;
// With replies, a page contains fewer threads, because texts have up to 80 KB each.
constexpr std::size_t page_with_replies = 20;
constexpr std::size_t first_replies = 10; ///< of each thread, read together with those of the other threads
constexpr std::size_t page_of_replies = 100; ///< the further replies of one thread

enum class Include : std::uint8_t { replies };

constexpr auto enum_names(Include)
{
    return std::to_array<std::string_view>({"replies"});
}

struct Options {
    ExportFormat format = ExportFormat::ndjson;
    bool with_replies = false;

    static Options read(http::Query& query)
    {
        return {query.one_of<ExportFormat>("format").value_or(ExportFormat::ndjson),
            query.one_of<Include>("include").has_value()};
    }
};

/// Produces an export page by page. The object outlives the request, so it contains copies of the request's
/// data. Its memory does not depend on the number of threads and replies.
class Export {
public:
    Export(pg::Database& db, http::Request const& req, Filter filter, Options const& options)
        : db_(db), scope_(req.scope()), caller_(req.caller()), filter_(std::move(filter)), options_(options),
          lines_(options.format, options.with_replies, caller_), text_(lines_.header())
    {
    }

    /// The next lines; empty at the end.
    asio::awaitable<std::string> next()
    {
        for (;;) {
            if (long_thread_) {
                co_await add_further_replies();
            } else if (next_ < threads_.size()) {
                add_threads();
            } else if (!done_) {
                co_await read_threads();
            }
            bool const at_end = done_ && !long_thread_ && next_ == threads_.size();
            // An empty piece would end the body.
            if (!text_.empty() || at_end) co_return std::exchange(text_, std::string());
        }
    }

private:
    asio::awaitable<void> read_threads()
    {
        auto const limit = options_.with_replies ? page_with_replies : page_of_threads;
        co_await db_.read(scope_, [this, limit](pg::Tx& tx) {
            threads_ = feedbacks::list(tx, scope_, filter_, after_, limit);
            if (options_.with_replies) read_first_replies(tx);
        });
        next_ = 0;
        done_ = threads_.size() < limit;
        if (!threads_.empty()) after_ = position_of(threads_.back(), filter_, Viewer(caller_));
    }

    void read_first_replies(pg::Tx& tx)
    {
        std::vector<core::Uuid> ids;
        ids.reserve(threads_.size());
        for (Feedback const& f : threads_)
            ids.push_back(f.id);
        replies_ = replies::list_first(tx, scope_, ids, first_replies);
    }

    /// Adds threads with their replies, up to a thread with further replies.
    void add_threads()
    {
        while (next_ < threads_.size() && !long_thread_) {
            lines_.add(text_, threads_[next_]);
            if (options_.with_replies) add_replies(threads_[next_].id, replies_[next_], first_replies);
            ++next_;
        }
    }

    asio::awaitable<void> add_further_replies()
    {
        core::Uuid const id = *long_thread_;
        auto const found = co_await db_.read(scope_, [this, id](pg::Tx& tx) {
            return replies::list(tx, scope_, id, true, after_reply_, page_of_replies);
        });
        long_thread_.reset();
        add_replies(id, found, page_of_replies);
    }

    void add_replies(core::Uuid id, std::vector<Reply> const& found, std::size_t limit)
    {
        for (Reply const& reply : found)
            lines_.add(text_, reply);
        if (found.size() < limit) return;
        long_thread_ = id;
        after_reply_ = paging::ByCreation()(found.back());
    }

    pg::Database& db_;
    core::Scope scope_;
    core::Caller caller_;
    Filter filter_;
    Options options_;
    ExportLines lines_;
    std::string text_; ///< lines that `next` has not returned yet
    std::vector<Feedback> threads_;
    std::vector<std::vector<Reply>> replies_; ///< the first replies of each of `threads_`
    std::size_t next_ = 0;                    ///< the first of `threads_` that is not written yet
    std::optional<paging::Position> after_;   ///< the last of `threads_`
    bool done_ = false;                       ///< whether `threads_` is the last page
    std::optional<core::Uuid> long_thread_;   ///< the last written thread, if it may have further replies
    std::optional<paging::Position> after_reply_;
};

} // namespace

asio::awaitable<http::Response> export_feedbacks(http::Request const& req, Deps& deps)
{
    http::Query query(req);
    Filter filter = read_filter(query, req.caller());
    if (filter.sort != Sort::created_at && filter.sort != Sort::last_reply_at)
        query.fault("sort", "invalid", "must be createdAt or lastReplyAt");
    auto const options = Options::read(query);
    query.check();
    auto source = std::make_shared<Export>(deps.db, req, std::move(filter), options);
    bool const is_csv = options.format == ExportFormat::csv;
    http::Response response{
        .content_type = is_csv ? "text/csv; charset=utf-8; header=present" : "application/x-ndjson"};
    response.stream = [source] { return source->next(); };
    response.headers.emplace_back("Content-Disposition",
        is_csv ? "attachment; filename=\"feedback.csv\"" : "attachment; filename=\"feedback.ndjson\"");
    co_return response;
}

} // namespace feedback
