#pragma once
// Included by batcher_impl.hpp: runs the work of a Batcher and evaluates its result.

#include "core/error.hpp"
#include "pg/batcher_queue.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

namespace pg {

/// The result of a call of `work`: a success if neither `stalled` nor `failure` is set.
template <class In, class Out> struct Batcher<In, Out>::Attempt {
    std::optional<Stalled> stalled;
    std::exception_ptr failure;
    bool is_servers = false; ///< whether `failure` is a failure of the server, not of the batch
};

/// Runs `work` for waiting callers.
template <class In, class Out> struct Batcher<In, Out>::BatchRunner {
    using Members = std::vector<Waiter*>;

    /// Runs `work` once. After a success, fills in the outputs.
    asio::awaitable<Attempt> run_once(BatchConnection& connection, std::span<Waiter* const> members) const
    {
        std::vector<In> inputs;
        inputs.reserve(members.size());
        for (Waiter* waiter : members)
            inputs.push_back(std::move(waiter->input));
        Attempt attempt;
        try {
            std::vector<Out> outputs = co_await work(connection, inputs);
            if (outputs.size() != inputs.size())
                throw std::logic_error("a batch must return one result per input");
            for (std::size_t i = 0; i < members.size(); ++i)
                members[i]->output.emplace(std::move(outputs[i]));
            co_return attempt;
        } catch (Stalled const& stalled) {
            attempt.stalled = stalled;
        } catch (core::Error const& error) {
            attempt.failure = std::current_exception();
            attempt.is_servers = error.code().status == core::codes::unavailable.status;
        } catch (...) {
            attempt.failure = std::current_exception();
        }
        for (std::size_t i = 0; i < members.size(); ++i)
            members[i]->input = std::move(inputs[i]);
        co_return attempt;
    }

    /// Completes an attempt that waited for no lock. If the attempt failed, runs `work` for each member
    /// alone. A member that finds a lock held in its own run gets no answer here. Its scope runs separately
    /// later.
    asio::awaitable<void> complete(
        BatchConnection& connection, std::span<Waiter* const> members, Attempt attempt) const
    {
        if (!attempt.failure) co_return;
        // A failure of the server affects all members. A separate run for each member would only add load.
        if (attempt.is_servers || members.size() == 1) {
            for (Waiter* waiter : members)
                waiter->failure = attempt.failure;
            co_return;
        }
        for (Waiter* waiter : members) {
            Attempt const single = co_await run_once(connection, {&waiter, 1});
            waiter->failure = single.failure;
            if (single.stalled) fail_timed_out({waiter}, *single.stalled);
        }
    }

    /// If the statement exceeded `statement_timeout` and all members belong to one scope, fails the members,
    /// because the batch cannot be split by scope.
    static void fail_timed_out(Members const& members, Stalled const& stalled)
    {
        auto const is_same = [&](Waiter* w) { return w->scope_id == members.front()->scope_id; };
        if (stalled.cause() != Stalled::Cause::timeout || !std::ranges::all_of(members, is_same)) return;
        for (Waiter* waiter : members)
            waiter->failure = std::make_exception_ptr(stalled);
    }

    Work work;
};

} // namespace pg
