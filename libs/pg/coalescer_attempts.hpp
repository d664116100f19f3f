#pragma once
// Included by coalescer_impl.hpp: what calls the work of a Coalescer, and learns from how it ended.

#include "core/error.hpp"
#include "pg/coalescer_queue.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

namespace pg {

/// How a call of `work` ended: well, if neither is set.
template <class In, class Out> struct Coalescer<In, Out>::Attempt {
    std::optional<Stalled> stalled;
    std::exception_ptr failure;
    bool is_servers = false; ///< the failure is the server's trouble, not the batch's
};

/// Calls of `work` for callers that wait.
template <class In, class Out> struct Coalescer<In, Out>::Attempts {
    using Members = std::vector<Waiter*>;

    /// Runs `work` once, and fills in the outputs where it went well.
    asio::awaitable<Attempt> once(Session& session, std::span<Waiter* const> members) const
    {
        std::vector<In> inputs;
        inputs.reserve(members.size());
        for (Waiter* waiter : members)
            inputs.push_back(std::move(waiter->input));
        Attempt attempt;
        try {
            std::vector<Out> outputs = co_await work(session, inputs);
            if (outputs.size() != inputs.size()) throw std::logic_error("a batch has one result per input");
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

    /// Ends an attempt that met no lock. If it failed, each member is tried alone; members that meet a lock
    /// then stay unanswered.
    asio::awaitable<void> settle(Session& session, std::span<Waiter* const> members, Attempt attempt) const
    {
        if (!attempt.failure) co_return;
        // A failure of the server concerns all members. To try each alone would prolong it.
        if (attempt.is_servers || members.size() == 1) {
            for (Waiter* waiter : members)
                waiter->failure = attempt.failure;
            co_return;
        }
        for (Waiter* waiter : members) {
            Attempt const single = co_await once(session, {&waiter, 1});
            waiter->failure = single.failure;
            if (single.stalled) fail_timed_out({waiter}, *single.stalled);
        }
    }

    /// Of a statement that took one scope too long there is nothing to be split.
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
