#pragma once
// Internal to the workers.

#include "jobs/queue.hpp"

#include <deque>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

namespace jobs {

/// The claims of one worker, both waiting for a thread and running. Not thread-safe.
class Held {
public:
    void add(std::vector<Claim> claims);

    bool has_ready() const noexcept { return !ready_.empty(); }

    /// Returns the next waiting claim, which counts as running from now on.
    std::optional<Claim> begin_next();

    /// Removes and returns the waiting claims.
    std::vector<Claim> drop_ready();

    /// Removes a claim. Returns false if it was removed before.
    bool forget(Claim const& claim);

    std::vector<Claim> all() const;

    std::size_t size() const noexcept { return active_.size(); }

    std::map<std::int64_t, std::size_t> const& by_scope() const noexcept { return by_scope_; }

private:
    std::deque<Claim> ready_;
    /// Waiting or running claims, by scope, ref and token: a job whose lease was lost may be claimed again
    /// while its first run continues.
    std::map<std::tuple<std::int64_t, core::Uuid, core::Uuid>, Claim> active_;
    std::map<std::int64_t, std::size_t> by_scope_; ///< the number of these claims
};

} // namespace jobs
