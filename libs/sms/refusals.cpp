#include "sms/refusals.hpp"

#include <string>

namespace sms {

RefusalMetrics::RefusalMetrics(observe::Metrics& metrics, std::span<Purpose const> purposes)
{
    for (Purpose const purpose : purposes) {
        for (std::size_t reason = 0; reason < core::names_of<Refusal>.size(); ++reason) {
            if (Refusal(reason) == Refusal::conversion && purpose != Purpose::enrolment) continue;
            auto& counter = metrics.counter("tetrad_sms_refusals_total",
                "Text messages that a limit refused, by purpose and by the limit.",
                {{"purpose", std::string(to_string(purpose))},
                    {"reason", std::string(core::names_of<Refusal>[reason])}});
            counters_[static_cast<std::size_t>(purpose)][reason] = &counter;
        }
    }
}

void RefusalMetrics::count(Purpose purpose, Refusal reason) const noexcept
{
    auto* const counter = counters_[static_cast<std::size_t>(purpose)][static_cast<std::size_t>(reason)];
    if (counter != nullptr) counter->Increment();
}

} // namespace sms
