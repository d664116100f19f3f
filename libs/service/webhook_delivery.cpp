#include "service/webhook_delivery.hpp"

#include <algorithm>

namespace service {

using outbound_webhooks::Admission;

WebhookDelivery::WebhookDelivery(pg::Database& database, redis::RateLimiter& limiter, Runtime const& runtime,
    crypto::Keyring const& keyring, http_client::AddressPolicy const& addresses)
    : client_({.addresses = addresses, .ca_file = runtime.settings.outbound_ca_file}),
      sender_(database, runtime.clock, keyring, client_,
          {.answered = [this](unsigned status) { count(attempts_, status); },
              .put_off =
                  [this](Admission::Reason reason) {
                      put_off_.at(static_cast<std::size_t>(reason))->Increment();
                  }}),
      tests_({.keyring = keyring, .client = client_, .limiter = limiter, .clock = runtime.clock},
          [this](unsigned status) { count(tested_, status); })
{
    make_counters(runtime.metrics);
    show_load(runtime.metrics);
}

WebhookDelivery::Answers WebhookDelivery::make_answers(
    observe::Metrics& metrics, std::string const& name, std::string const& help)
{
    Answers answers{};
    for (std::size_t i = 0; i < answers.size(); ++i)
        answers[i] =
            &metrics.counter(name, help, {{"answer", i == 0 ? "none" : std::to_string(i + 1) + "xx"}});
    return answers;
}

void WebhookDelivery::make_counters(observe::Metrics& metrics)
{
    attempts_ = make_answers(metrics, "tetrad_webhook_attempts_total",
        "Attempts to deliver a webhook, by class of the response status.");
    tested_ = make_answers(
        metrics, "tetrad_webhook_tests_total", "Tests of webhooks, by class of the response status.");
    for (auto const reason : {Admission::Reason::host, Admission::Reason::slow, Admission::Reason::memory})
        put_off_.at(static_cast<std::size_t>(reason)) = &metrics.counter("tetrad_webhook_put_off_total",
            "Deliveries put off before an attempt, because too many attempts to their host or to slow "
            "endpoints were in flight, or too many payload bytes were in memory.",
            {{"reason", std::string(to_string(reason))}});
}

void WebhookDelivery::show_load(observe::Metrics& metrics)
{
    auto const show = [&](std::string const& name, std::string const& help, std::size_t Sender::Load::* of) {
        metrics.gauge_callback(name, help, [this, of] { return static_cast<double>(sender_.load().*of); });
    };
    show("tetrad_webhook_attempts_in_flight", "Webhook attempts in flight.", &Sender::Load::in_flight);
    show("tetrad_webhook_slow_attempts_in_flight",
        "Webhook attempts in flight to endpoints whose last attempt timed out.", &Sender::Load::slow);
    show("tetrad_webhook_deliveries_waiting",
        "Deliveries that wait in memory, because the maximum number of attempts to their host is in flight.",
        &Sender::Load::waiting);
    metrics.gauge_callback("tetrad_webhook_tests_in_flight", "Tests of webhooks in flight.",
        [this] { return static_cast<double>(tests_.in_flight()); });
}

/// A status below 200 means that there was no valid response.
void WebhookDelivery::count(Answers const& answers, unsigned status) noexcept
{
    answers[status < 200 ? 0 : std::min(status / 100, 5U) - 1]->Increment();
}

} // namespace service
