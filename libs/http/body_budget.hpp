#pragma once

#include "core/keyed_budget.hpp"
#include "core/scope.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace http {

class BodyLease;

/// Limits the memory of request bodies and their JSON in this process. Thread-safe. The limits are fractions
/// of the total:
/// - 1/2 for each tenant, of which each of its environments may hold 3/4 (core::share_of),
/// - 1/4 for each network,
/// - 1/2 for all anonymous requests together,
/// - 1/4 for the anonymous requests of each tenant, of which each of its environments may hold 3/4,
/// - 1/8 for the anonymous requests of each address.
class BodyBudget : public std::enable_shared_from_this<BodyBudget> {
public:
    /// The limit that a refused request would exceed.
    enum class Share : std::uint8_t {
        process,
        anonymous,
        tenant,
        environment,
        network,
        anonymous_tenant,
        anonymous_environment,
        anonymous_address
    };

    static constexpr std::array<std::string_view, 8> share_names{"process", "anonymous", "tenant",
        "environment", "network", "anonymous_tenant", "anonymous_environment", "anonymous_address"};

    /// Determines the limits that apply to a request, in addition to the total.
    struct Holder {
        /// The `network_key` of the client's address. If nullopt, no limit per address applies.
        std::optional<std::int64_t> address = {};
        /// The `network_key` of the client's network. If nullopt, no limit per network applies.
        std::optional<std::int64_t> network = {};
        core::ScopeId scope_id{}; ///< a core::Scope's id; 0 if the request has no tenant
        /// Whether the request has no credential, or only one that is not secret.
        bool anonymous = false;
    };

    /// `refused` is called for each refusal, on any thread.
    static std::shared_ptr<BodyBudget> make(std::size_t total, std::function<void(Share)> refused = {});

    /// Creates the lease of one request. At first, the lease holds no memory.
    std::shared_ptr<BodyLease> lease(Holder const& holder);

    std::size_t total() const noexcept { return total_; }

    std::size_t held() const noexcept { return held_.load(std::memory_order_relaxed); }

private:
    friend class BodyLease;

    BodyBudget(std::size_t total, std::function<void(Share)> refused);

    /// One limit, and the key under which a request counts.
    struct Part {
        Share share;
        core::KeyedBudget* limit;
        std::optional<std::int64_t> key; ///< nullopt if the limit does not apply
    };

    std::array<Part, 6> parts_of(Holder const& holder) noexcept;
    std::size_t limit_of(Share share) const noexcept;
    /// Takes `bytes` if all limits allow it, and returns nullopt. Otherwise returns the limit that would be
    /// exceeded.
    std::optional<Share> take(Holder const& holder, std::size_t bytes);
    void give_back(Holder const& holder, std::size_t bytes) noexcept;

    std::size_t const total_;
    std::function<void(Share)> const refused_;
    std::atomic<std::size_t> held_ = 0;
    std::atomic<std::size_t> anonymous_ = 0;
    core::KeyedBudget tenants_, environments_, networks_;
    core::KeyedBudget anonymous_tenants_, anonymous_environments_, anonymous_addresses_;
};

/// The memory that one request holds. The destructor returns it to the budget. Not thread-safe.
class BodyLease {
public:
    BodyLease(std::shared_ptr<BodyBudget> budget, BodyBudget::Holder const& holder) noexcept
        : budget_(std::move(budget)), holder_(holder)
    {
    }

    ~BodyLease();
    BodyLease(BodyLease const&) = delete;
    BodyLease& operator=(BodyLease const&) = delete;

    /// Takes `bytes` more. Throws UNAVAILABLE (with Retry-After) if other requests hold too much memory now,
    /// and PAYLOAD_TOO_LARGE if this request alone would exceed a limit.
    void grow(std::size_t bytes);

    void shrink(std::size_t bytes) noexcept;

    /// Sets the memory of the raw body to `bytes`. Throws the errors of `grow`.
    void hold_body(std::size_t bytes);

private:
    std::shared_ptr<BodyBudget> budget_;
    BodyBudget::Holder const holder_;
    std::size_t used_ = 0;
    std::size_t taken_ = 0; ///< taken from the budget in whole steps; at least `used_`
    std::size_t body_ = 0;  ///< the body's part of `used_`
};

} // namespace http
