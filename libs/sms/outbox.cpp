#include "sms/outbox.hpp"

#include "core/append_file.hpp"
#include "core/json_writer.hpp"

namespace sms {

asio::awaitable<SendResult> Outbox::send(Message message, std::chrono::milliseconds /*timeout*/)
{
    core::JsonWriter w(512);
    w.begin_object()
        .member("at", clock_.now())
        .member("tenant", message.scope.slug)
        .member("env", core::to_string(message.scope.environment()))
        .member("to", message.to.text())
        .member("body", message.body)
        .end_object();
    std::string const line = std::move(w).str() + '\n';
    bool const failed = co_await writer_.run([&] { return bool(core::append_to_file(path_, line)); });
    co_return SendResult{.outcome = failed ? Outcome::not_sent : Outcome::accepted};
}

} // namespace sms
