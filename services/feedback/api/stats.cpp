#include "api/stats.hpp"

#include "core/json_writer.hpp"
#include "domain/feedback.hpp"
#include "http/query.hpp"
#include "pg/database.hpp"
#include "storage/feedbacks.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <span>
#include <utility>

namespace feedback {

namespace {

void write_group(core::JsonWriter& w, std::vector<feedbacks::GroupCount> const& counts,
    std::string_view group, std::span<std::string_view const> values)
{
    w.begin_object();
    for (auto const value : values) {
        auto const it = std::ranges::find_if(
            counts, [&](feedbacks::GroupCount const& c) { return c.group == group && c.value == value; });
        w.member(value.empty() ? "none" : value, it == counts.end() ? std::int64_t{0} : it->count);
    }
    w.end_object();
}

core::JsonWriter& write_percentiles(
    core::JsonWriter& w, std::string_view name, std::optional<feedbacks::Percentiles> const& percentiles)
{
    using Seconds = std::chrono::duration<double>;
    w.key(name);
    if (!percentiles) return w.null();
    return w.begin_object()
        .member("p50", Seconds(percentiles->p50).count())
        .member("p90", Seconds(percentiles->p90).count())
        .end_object();
}

} // namespace

asio::awaitable<http::Response> get_stats(http::Request const& req, Deps& deps)
{
    static constexpr std::array<std::string_view, 5> priorities_and_none{
        "low", "medium", "high", "critical", ""};
    http::Query query(req);
    feedbacks::Period const period{query.time("createdAfter"), query.time("createdBefore")};
    query.check();
    auto const [counts, durations] = co_await deps.db.read(req.scope(), [&](pg::Tx& tx) {
        return std::pair(feedbacks::stats(tx, req.scope()), feedbacks::durations(tx, req.scope(), period));
    });
    auto const all = std::ranges::find(counts, "total", &feedbacks::GroupCount::group);
    core::JsonWriter w;
    w.begin_object().member("total", all == counts.end() ? std::int64_t{0} : all->count).key("byStatus");
    write_group(w, counts, "status", core::names_of<Status>);
    w.key("byCategory");
    write_group(w, counts, "category", core::names_of<Category>);
    w.key("byPriority");
    write_group(w, counts, "priority", priorities_and_none);
    write_percentiles(w, "firstResponseSeconds", durations.first_response);
    write_percentiles(w, "resolutionSeconds", durations.resolution);
    w.end_object();
    co_return http::Response::ok(std::move(w).str());
}

} // namespace feedback
