#pragma once

#include "mailing.hpp"
#include "scripted_smtp_server.hpp"

#include <future>

/// Helpers for tests of the client with a scripted server.
namespace mailing {

using testing::SmtpPeer;

inline Envelope envelope_to(std::string to, std::string message = "Subject: x\r\n\r\nHello\r\n")
{
    return {.id = core::Uuid::v7(),
        .from = "from@example.com",
        .to = std::move(to),
        .message = std::move(message)};
}

/// As `envelope_to`, for a message of the tenant.
inline Envelope envelope_of(std::int64_t tenant, std::string to)
{
    auto envelope = envelope_to(std::move(to));
    envelope.tenant = core::TenantId{tenant};
    return envelope;
}

inline std::future<SendResult> start(Transport& client, Envelope envelope, std::stop_token stop = {})
{
    auto const promise = std::make_shared<std::promise<SendResult>>();
    client.deliver(std::move(envelope), std::move(stop),
        [promise](SendResult result) { promise->set_value(std::move(result)); });
    return promise->get_future();
}

inline SendResult send(Transport& client, std::string const& to = "ada@example.org")
{
    return start(client, envelope_to(to)).get();
}

inline std::vector<std::string> const pipelining{"PIPELINING", "8BITMIME", "SIZE 1000000"};

/// Serves messages until the client leaves.
inline void serve(SmtpPeer& peer, std::vector<std::string> const& extensions = {})
{
    peer.greet(extensions);
    for (;;)
        peer.take_message();
}

} // namespace mailing
