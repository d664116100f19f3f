#pragma once

#include "core/keyed_limit.hpp"

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

/// How many bytes of request bodies, and of the JSON they become, this process holds at most. Within the
/// total, each tenant has a half, of which each of its environments has three quarters, and each network a
/// quarter. Requests without a credential have a half together; of that, those of one tenant have a half (of
/// which each of its environments has three quarters), those of one address a quarter. Safe from any thread.
class BodyBudget : public std::enable_shared_from_this<BodyBudget> {
public:
    /// What was used up when a request is refused.
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

    /// Whose shares a request's bytes count in, beside the total.
    struct Holder {
        std::optional<std::int64_t> address = {}; ///< network_key of the client; nullopt: none counts
        std::optional<std::int64_t> network = {}; ///< network_key of the client's network, likewise
        std::int64_t scope_id = 0;                ///< as in core::Scope; 0: no tenant
        bool anonymous = false; ///< came without a credential, or with one that is no secret
    };

    /// `refused` is told of each refusal, on any thread.
    static std::shared_ptr<BodyBudget> make(std::size_t total, std::function<void(Share)> refused = {});

    /// What one request holds; nothing yet.
    std::shared_ptr<BodyLease> lease(Holder const& holder);

    std::size_t total() const noexcept { return total_; }

    std::size_t held() const noexcept { return held_.load(std::memory_order_relaxed); }

private:
    friend class BodyLease;

    BodyBudget(std::size_t total, std::function<void(Share)> refused);

    /// A key's share of one kind.
    struct Part {
        Share share;
        core::KeyedLimit* limit;
        std::optional<std::int64_t> key; ///< nullopt: it does not count there
    };

    std::array<Part, 6> parts_of(Holder const& holder) noexcept;
    std::size_t limit_of(Share share) const noexcept;
    std::optional<Share> take(Holder const& holder, std::size_t bytes); ///< what was used up; nullopt: none
    void give_back(Holder const& holder, std::size_t bytes) noexcept;

    std::size_t const total_;
    std::function<void(Share)> const refused_;
    std::atomic<std::size_t> held_ = 0;
    std::atomic<std::size_t> anonymous_ = 0;
    core::KeyedLimit tenants_, environments_, networks_;
    core::KeyedLimit anonymous_tenants_, anonymous_environments_, anonymous_addresses_;
};

/// The part of the budget that one request holds; given back with the object. Used on one thread at a time.
class BodyLease {
public:
    BodyLease(std::shared_ptr<BodyBudget> budget, BodyBudget::Holder const& holder) noexcept
        : budget_(std::move(budget)), holder_(holder)
    {
    }

    ~BodyLease();
    BodyLease(BodyLease const&) = delete;
    BodyLease& operator=(BodyLease const&) = delete;

    /// Holds `bytes` more. Throws UNAVAILABLE with Retry-After when they are not to be had now,
    /// PAYLOAD_TOO_LARGE when this request alone would hold more than its share.
    void grow(std::size_t bytes);

    void shrink(std::size_t bytes) noexcept;

    /// The raw body takes `bytes` of memory from now on. Throws as `grow`.
    void hold_body(std::size_t bytes);

private:
    std::shared_ptr<BodyBudget> budget_;
    BodyBudget::Holder const holder_;
    std::size_t used_ = 0;
    std::size_t taken_ = 0; ///< from the budget, in whole steps: at least `used_`
    std::size_t body_ = 0;  ///< of `used_`
};

} // namespace http
