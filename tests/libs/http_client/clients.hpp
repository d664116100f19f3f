#pragma once

#include "http_client/async_client.hpp"

#include <future>
#include <string>
#include <utility>

/// The options of a client for the servers of a test.
inline http_client::ClientOptions nearby(bool allow_private = true, std::string ca_file = {})
{
    return {.addresses = http_client::AddressPolicy(allow_private), .ca_file = std::move(ca_file)};
}

/// Sends a request and waits for its result.
inline http_client::Result result_of(http_client::AsyncClient& client, http_client::Request request)
{
    std::promise<http_client::Result> result;
    client.send(std::move(request), [&](http_client::Result r) { result.set_value(std::move(r)); });
    return result.get_future().get();
}
