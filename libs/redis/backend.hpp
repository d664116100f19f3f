#pragma once

#include "redis/client.hpp"

#include <memory>
#include <string_view>
#include <vector>

namespace redis {

/// A command's words.
using Words = std::vector<std::string_view>;

/// What one io_context's commands go to: one server, or the nodes of a cluster. Everything but `stop`,
/// `healthy` and `context` is called on that context's thread.
class Client::Backend {
public:
    virtual ~Backend() = default;

    virtual asio::io_context& context() const noexcept = 0;

    virtual void start() = 0;

    virtual void stop() noexcept = 0;

    virtual bool healthy() const noexcept = 0;

    /// Sends a command to whoever keeps `key` (any node when it is empty). What is given lives until this is
    /// awaited. As Client::command.
    virtual asio::awaitable<Reply> route(std::string_view key, Words const& args) = 0;

    /// Every server that keeps keys of its own. Throws Unavailable when they are not known.
    virtual asio::awaitable<std::vector<std::shared_ptr<Connection>>> servers() = 0;
};

} // namespace redis
