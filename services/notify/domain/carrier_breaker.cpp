#include "domain/carrier_breaker.hpp"

#include <algorithm>

namespace notify {

using namespace std::chrono_literals;

bool CarrierBreaker::begin() noexcept
{
    if (!open()) return false;
    probing_ = true;
    return true;
}

bool CarrierBreaker::end(Event event, bool probe, Time now) noexcept
{
    bool const was_open = open();
    if (event == Event::answered) {
        since_.reset();
        failures_ = 0;
        probing_ = false;
        pause_ = first_pause;
        return was_open;
    }
    if (was_open) {
        // Requests that were in flight when the breaker opened end later. They do not move the next probe.
        if (!probe) return false;
        probing_ = false;
        pause_ = std::min(pause_ * 2, longest_pause);
        next_probe_ = now + pause_;
        return false;
    }
    if (event == Event::failed && ++failures_ < most_failures) return false;
    open(now);
    return true;
}

void CarrierBreaker::open(Time now) noexcept
{
    since_ = now;
    failures_ = 0;
    pause_ = first_pause;
    next_probe_ = now + pause_;
    probing_ = false;
}

CarrierBreaker::Time CarrierBreaker::next_probe(Time now) const noexcept
{
    return probing_ ? now + pause_ : next_probe_;
}

std::chrono::seconds CarrierBreaker::wait(Time now) const noexcept
{
    if (!open()) return 1s;
    return std::max(1s, std::chrono::ceil<std::chrono::seconds>(next_probe(now) - now));
}

} // namespace notify
