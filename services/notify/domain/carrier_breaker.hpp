#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace notify {

/// A circuit breaker for the requests to one origin of a carrier, such as `https://fcm.googleapis.com`, of
/// all tenants or of one credential (Breakers). It opens when the carrier does not connect, or when several
/// requests in a row time out, lose their connection or get a 5xx response. While it is open, one request at
/// a time is sent as a probe: the first after 2 s, then after pauses that double up to 30 s. Any other
/// response closes the breaker. Without I/O. Not thread-safe.
class CarrierBreaker {
public:
    using Time = std::chrono::steady_clock::time_point;

    static constexpr std::chrono::seconds first_pause{2};
    static constexpr std::chrono::seconds longest_pause{30};
    /// How many requests in a row must fail before the breaker opens.
    static constexpr unsigned most_failures = 5;

    /// How a request ended, or that no connection could be made.
    enum class Event : std::uint8_t {
        answered,    ///< a response below 500
        failed,      ///< a 5xx response, no response in time, or the connection was lost
        unreachable, ///< no connection could be made; no request was sent
    };

    bool open() const noexcept { return since_.has_value(); }

    /// When the breaker opened, in the service's steady time; nullopt while it is closed.
    std::optional<Time> since() const noexcept { return since_; }

    /// Whether a request may be sent now: always while the breaker is closed. While it is open, only if a
    /// probe is due and no probe is in flight.
    bool may_send(Time now) const noexcept { return !open() || (!probing_ && now >= next_probe_); }

    /// Tells the breaker that a request is being sent, after `may_send`. Returns whether it is a probe.
    bool begin() noexcept;

    /// Tells the breaker how a request ended, or that the connection for it could not be made. `probe` is the
    /// result of `begin`. Returns true if the breaker opened or closed.
    bool end(Event event, bool probe, Time now) noexcept;

    /// The probe did not take place, because its push was withdrawn. Another request may be the probe.
    void withdraw_probe() noexcept { probing_ = false; }

    /// When a probe may be sent, while the breaker is open. While a probe is in flight: after a further
    /// pause.
    Time next_probe(Time now) const noexcept;

    /// How long a request that was not sent should wait: until the next probe is due. At least one second.
    std::chrono::seconds wait(Time now) const noexcept;

private:
    void open(Time now) noexcept;

    std::optional<Time> since_;
    Time next_probe_{};
    std::chrono::seconds pause_ = first_pause;
    unsigned failures_ = 0; ///< in a row, while the breaker is closed
    bool probing_ = false;
};

} // namespace notify
