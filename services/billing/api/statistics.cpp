#include "api/statistics.hpp"

#include "core/error.hpp"
#include "core/json_writer.hpp"
#include "http/query.hpp"
#include "pg/database.hpp"
#include "storage/statistics.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace billing {

namespace {

using std::chrono::days, std::chrono::sys_days;
using namespace std::string_view_literals;

constexpr days max_range{366};
constexpr std::size_t max_products = 10'000;
constexpr std::size_t max_date = 32;
/// Limits the memory of a response.
constexpr std::size_t max_rows = 100'000;

struct Range {
    sys_days from, to; ///< both included
};

sys_days parse_date(http::Query& query, std::string_view name)
{
    auto const text = query.required_text(name, 1, max_date);
    if (text.empty()) return {}; // already recorded as an error
    auto const start =
        text.size() == "2026-01-31"sv.size() ? core::parse_rfc3339(text + "T00:00:00Z") : std::nullopt;
    if (!start) query.fault(name, "format", "must be a date such as 2026-01-31");
    return std::chrono::floor<days>(start.value_or(core::Time()));
}

Range parse_range(http::Request const& req)
{
    http::Query query(req);
    Range range{};
    range.from = parse_date(query, "from");
    range.to = parse_date(query, "to");
    query.check();
    if (range.to < range.from) query.fault("to", "range", "must not be before `from`");
    if (range.to - range.from >= max_range)
        query.fault(
            "to", "range", "must be at most " + std::to_string(max_range.count() - 1) + " days after `from`");
    query.check();
    return range;
}

std::string text_of(sys_days date)
{
    return core::to_rfc3339(core::Time(date)).substr(0, "2026-01-31"sv.size());
}

/// The numbers of a product while a report goes through the days.
struct Numbers {
    std::optional<core::Uuid> catalog_id;
    std::int64_t active = 0, trials = 0;
    std::int64_t started = 0, churned = 0; ///< of the current day

    bool any() const { return active != 0 || trials != 0 || started != 0 || churned != 0; }
};

/// What a report needs to know.
struct Report {
    std::map<std::string, Numbers> products; ///< by the provider's id, at the start of the first day
    std::vector<statistics::DayChange> changes;
    std::vector<statistics::Revenue> revenue;
};

Report read_report(pg::Tx& tx, core::Scope const& scope, Range const& range)
{
    Report report;
    for (auto const& balance : statistics::balances_before(tx, scope.id, range.from))
        report.products[balance.product] = {.active = balance.active, .trials = balance.trials};
    report.changes = statistics::changes_between(tx, scope.id, range.from, range.to);
    for (auto const& change : report.changes)
        report.products.try_emplace(change.product);
    if (report.products.size() > max_products)
        throw core::Error::validation({{"?to", "too_many",
            "the report has more than " + std::to_string(max_products) +
                " products; those with access before `from` count, too"}});
    report.revenue = statistics::revenue(tx, scope.id);
    std::vector<std::string> names;
    names.reserve(report.products.size());
    for (auto const& [name, numbers] : report.products)
        names.push_back(name);
    auto const ids = statistics::catalog_ids(tx, scope, names);
    for (std::size_t i = 0; i < names.size(); ++i)
        report.products[names[i]].catalog_id = ids[i];
    return report;
}

/// Writes the rows of one day. Returns their number.
std::size_t write_day(core::JsonWriter& w, Report const& report, std::string const& date)
{
    std::size_t rows = 0;
    for (auto const& [name, numbers] : report.products) {
        if (!numbers.any()) continue;
        ++rows;
        w.begin_object()
            .member("product", name)
            .member("productId", numbers.catalog_id)
            .member("date", date)
            .member("active", numbers.active)
            .member("trials", numbers.trials)
            .member("new", numbers.started)
            .member("churned", numbers.churned)
            .end_object();
    }
    return rows;
}

void write_days(core::JsonWriter& w, Report& report, Range const& range)
{
    std::size_t rows = 0;
    auto change = report.changes.begin();
    for (auto date = range.from; date <= range.to; date += days(1)) {
        for (auto& [name, numbers] : report.products)
            numbers.started = numbers.churned = 0;
        for (; change != report.changes.end() && change->date == date; ++change) {
            auto& numbers = report.products.at(change->product);
            numbers.active += change->active;
            numbers.trials += change->trials;
            numbers.started += change->started;
            numbers.churned += change->churned;
        }
        rows += write_day(w, report, text_of(date));
        if (rows > max_rows)
            throw core::Error::validation({{"?to", "too_many",
                "must be nearer to `from`: this report has more than " + std::to_string(max_rows) +
                    " rows"}});
    }
}

http::Response answer(Report report, Range const& range)
{
    core::JsonWriter w(4096);
    w.begin_object().key("days").begin_array();
    write_days(w, report, range);
    w.end_array().key("mrr").begin_array();
    for (auto const& revenue : report.revenue)
        w.begin_object().member("currency", revenue.currency).key("amount").raw(revenue.amount).end_object();
    w.end_array().end_object();
    return http::Response::ok(std::move(w).str());
}

} // namespace

asio::awaitable<http::Response> get_stats(http::Request const& req, Deps& deps)
{
    auto range = parse_range(req);
    range.to = std::min(range.to, std::chrono::floor<days>(deps.clock.now())); // later days have no numbers
    co_return co_await deps.db.read(
        req.scope(), [&](pg::Tx& tx) { return answer(read_report(tx, req.scope(), range), range); });
}

} // namespace billing
