#pragma once
// Private to the worker.

#include "jobs/queue.hpp"

#include <deque>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

namespace jobs {

/// The claims of one worker: those that wait for a thread and those that run. Not safe from several threads.
class Held {
public:
    void add(std::vector<Claim> claims);

    bool has_ready() const noexcept { return !ready_.empty(); }

    /// The next one that waits, which runs from now on.
    std::optional<Claim> begin_next();

    /// Forgets those that wait, and yields them.
    std::vector<Claim> drop_ready();

    /// False when it is not here any more.
    bool forget(Claim const& claim);

    std::vector<Claim> all() const;

    std::size_t size() const noexcept { return active_.size(); }

    std::map<std::int64_t, std::size_t> const& by_scope() const noexcept { return by_scope_; }

private:
    std::deque<Claim> ready_;
    /// Ready or running, by scope, ref and token: a job whose lease was lost may be claimed again while its
    /// first run has not ended.
    std::map<std::tuple<std::int64_t, core::Uuid, core::Uuid>, Claim> active_;
    std::map<std::int64_t, std::size_t> by_scope_; ///< the same, counted
};

} // namespace jobs
