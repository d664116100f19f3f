#pragma once

#include "redis/client.hpp"

#include <memory>
#include <string_view>
#include <vector>

namespace redis {

/// The words of a command.
using Arguments = std::vector<std::string_view>;

/// Access to the server, or to the nodes of a cluster, for one io_context. All functions except `stop`,
/// `healthy` and `context` are called on that context's thread.
class Client::Backend {
public:
    virtual ~Backend() = default;

    virtual asio::io_context& context() const noexcept = 0;

    virtual void start() = 0;

    virtual void stop() noexcept = 0;

    virtual bool healthy() const noexcept = 0;

    /// Sends a command to the node that holds `key`, or to any node if `key` is empty. The arguments must
    /// stay valid until the call is awaited. Throws the exceptions of Client::command.
    virtual asio::awaitable<Reply> route(std::string_view key, Arguments const& args) = 0;

    /// Returns all servers that hold keys: the single server, or the masters of the cluster. Throws
    /// Unavailable if they are not known.
    virtual asio::awaitable<std::vector<std::shared_ptr<Connection>>> servers() = 0;
};

} // namespace redis
