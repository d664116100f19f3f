#include "sms/sandbox.hpp"

#include "observe/trace.hpp"
#include "sms/outbox.hpp"

#include <string>
#include <utility>

namespace sms {

namespace {

prometheus::Counter& messages(observe::Metrics& metrics, char const* result)
{
    return metrics.counter("tetrad_sms_sandbox_messages_total",
        "Text messages of sandboxes that were not sent to phones, by result.", {{"result", result}});
}

class SandboxSender final : public Sender {
public:
    SandboxSender(
        std::string const& path, core::Clock const& clock, observe::Logger& logger, observe::Metrics& metrics)
        : has_file_(!path.empty()), outbox_(path, clock), logger_(logger),
          written_(messages(metrics, "written")), failed_(messages(metrics, "failed")),
          dropped_(messages(metrics, "dropped"))
    {
    }

    asio::awaitable<SendResult> send(Message message, std::chrono::milliseconds timeout) override
    {
        if (!has_file_) co_return drop(message);
        SendResult result = co_await outbox_.send(std::move(message), timeout);
        (result.outcome == Outcome::accepted ? written_ : failed_).Increment();
        co_return result;
    }

private:
    SendResult drop(Message const& message)
    {
        dropped_.Increment();
        logger_.info("a text message of a sandbox was dropped, because SMS_OUTBOX is not set",
            {{"tenant", message.scope.slug}, {"traceId", observe::trace_id_of(message.traceparent)}});
        return {.outcome = Outcome::accepted};
    }

    bool const has_file_;
    Outbox outbox_;
    observe::Logger& logger_;
    prometheus::Counter &written_, &failed_, &dropped_;
};

} // namespace

std::unique_ptr<Sender> make_sandbox_sender(
    Options const& options, core::Clock const& clock, observe::Logger& logger, observe::Metrics& metrics)
{
    return std::make_unique<SandboxSender>(options.outbox, clock, logger, metrics);
}

} // namespace sms
