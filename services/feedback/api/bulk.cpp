#include "api/bulk.hpp"

#include "api/changes.hpp"
#include "api/json.hpp"
#include "core/fields.hpp"
#include "pg/database.hpp"
#include "storage/feedbacks.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace feedback {

namespace {

constexpr std::size_t max_threads = 100;

/// A thread that the request names.
struct Target {
    std::string text;             ///< as in the request
    std::optional<core::Uuid> id; ///< nullopt if the text is not a UUID, so there is no such thread
};

struct Input {
    std::vector<Target> targets;
    Changes changes;
};

std::vector<Target> read_targets(core::Fields& f)
{
    auto texts = f.optional_list("feedbackIds", max_threads, 255);
    if (texts.empty()) f.fault("feedbackIds", "required", "must have at least one id");
    std::vector<Target> targets;
    targets.reserve(texts.size());
    std::set<std::string> seen;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        auto const id = core::Uuid::parse(texts[i]);
        if (!seen.insert(id ? id->to_string() : texts[i]).second)
            f.fault_at("feedbackIds", i, "duplicate", "is in the list twice");
        targets.push_back({std::move(texts[i]), id});
    }
    return targets;
}

Input parse(http::Request const& req)
{
    core::Fields f(req.json());
    Input input;
    input.targets = read_targets(f);
    if (auto const* set = f.optional_object("set")) {
        core::Fields nested(*set, "/set");
        input.changes = Changes::read(nested);
        f.absorb(nested);
    } else {
        f.fault("set", "required", "must be an object with the fields to change");
    }
    f.check();
    return input;
}

/// Moves the threads that can be changed to the front. Returns their number.
std::size_t partition_changeable(std::vector<Feedback>& threads)
{
    auto const rest =
        std::ranges::partition(threads, [](Feedback const& f) { return !f.deleted() && !f.merged(); });
    return threads.size() - rest.size();
}

void write_result(core::JsonWriter& w, Target const& target, std::span<Feedback const> changed,
    std::span<Feedback const> refused, Viewer const& viewer)
{
    auto const it =
        std::ranges::find(changed, target.id, [](Feedback const& f) { return std::optional(f.id); });
    bool const is_refused =
        std::ranges::any_of(refused, [&](Feedback const& f) { return std::optional(f.id) == target.id; });
    w.begin_object().member("feedbackId", target.text);
    w.member("status", it != changed.end() ? 200 : is_refused ? 409 : 404);
    if (it != changed.end()) {
        w.key("feedback");
        write(w, *it, viewer);
    }
    w.end_object();
}

} // namespace

asio::awaitable<http::Response> update_feedbacks(http::Request const& req, Deps& deps)
{
    Input const input = parse(req);
    std::vector<core::Uuid> ids;
    ids.reserve(input.targets.size());
    for (Target const& target : input.targets)
        if (target.id) ids.push_back(*target.id);
    co_return co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        auto threads = feedbacks::lock_all(tx, req.scope(), ids);
        auto const changeable = partition_changeable(threads);
        std::span const all(threads);
        change(tx, req, all.first(changeable), input.changes);
        Viewer const viewer(req.caller());
        core::JsonWriter w(64 + 1024 * input.targets.size());
        w.begin_object().key("results").begin_array();
        for (Target const& target : input.targets)
            write_result(w, target, all.first(changeable), all.subspan(changeable), viewer);
        w.end_array().end_object();
        return http::Response::ok(std::move(w).str());
    });
}

} // namespace feedback
