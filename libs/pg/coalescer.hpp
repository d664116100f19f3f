#pragma once

#include "pg/database.hpp"
#include "pg/suspended.hpp"

#include <deque>
#include <mutex>
#include <optional>

namespace pg {

/// Many callers, one statement. While a batch or two are under way, callers queue; the next takes all
/// that wait (at most 128) as one call of `work`; alone, a batch is one row. When a batch of several fails,
/// its members run singly, so that one bad row hurts nobody else; a lost connection answers all of them
/// UNAVAILABLE.
///
/// `work(Session&, std::span<In const>) -> std::vector<Out>`: one result per input, in the order of the
/// inputs (match rows to inputs by id, never by position). It may run for the same inputs again, and on
/// several threads at once.
template <class In, class Out> class Coalescer {
public:
    using Work = std::function<std::vector<Out>(Session&, std::span<In const>)>;

    static constexpr std::size_t batch_limit = 128;
    /// Threads that serve one coalescer at once. More make smaller batches, and every request dearer.
    static constexpr unsigned parallel_batches = 2;

    /// `database` outlives the calls of `run`.
    Coalescer(Database& database, Work work);

    /// The caller's own result, or what its row failed with. Resumes on the caller's executor.
    asio::awaitable<Out> run(In input);

private:
    struct Waiter;
    struct State;
    std::shared_ptr<State> state_;
};

} // namespace pg

#include "pg/coalescer_impl.hpp"
