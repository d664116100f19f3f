#include "redis/client.hpp"

#include "redis/connection.hpp"

#include <boost/asio/execution_context.hpp>
#include <boost/asio/this_coro.hpp>
#include <openssl/evp.h>

#include <array>
#include <stdexcept>

namespace redis {

namespace {

/// Redis names scripts by their SHA-1; nothing here relies on it being hard to collide.
std::string sha1_hex(std::string_view text)
{
    constexpr std::string_view digits = "0123456789abcdef";
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    if (EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha1(), nullptr) != 1)
        throw std::runtime_error("SHA-1 is not available");
    std::string hex;
    for (auto const byte : std::span(digest).first(size)) {
        hex += digits[byte >> 4];
        hex += digits[byte & 15];
    }
    return hex;
}

/// A glob that matches what starts with `prefix` and nothing else.
std::string glob_of(std::string_view prefix)
{
    std::string glob;
    for (char const c : prefix) {
        if (std::string_view("*?[]\\^-").find(c) != std::string_view::npos) glob += '\\';
        glob += c;
    }
    return glob + '*';
}

std::vector<std::string_view> eval_command(std::string_view verb, std::string_view script,
    std::string_view key_count, std::vector<std::string_view> const& keys,
    std::vector<std::string_view> const& args)
{
    std::vector<std::string_view> command{verb, script, key_count};
    command.reserve(3 + keys.size() + args.size());
    command.insert(command.end(), keys.begin(), keys.end());
    command.insert(command.end(), args.begin(), args.end());
    return command;
}

} // namespace

Script::Script(std::string text) : text_(std::move(text)), sha_(sha1_hex(text_)) {}

Client::Client(ClientOptions options, std::vector<asio::io_context*> const& contexts, observe::Logger& logger)
{
    for (auto* const ioc : contexts)
        connections_.push_back(std::make_shared<Connection>(*ioc, options, logger));
    for (auto const& connection : connections_)
        connection->start();
}

Client::~Client()
{
    stop();
}

void Client::stop() noexcept
{
    for (auto const& connection : connections_)
        connection->stop();
}

bool Client::healthy() const noexcept
{
    return std::ranges::any_of(connections_, [](auto const& connection) { return connection->up(); });
}

std::shared_ptr<Client::Connection> Client::connection_of(asio::any_io_executor const& executor) const
{
    auto const& context = asio::query(executor, asio::execution::context);
    for (auto const& connection : connections_)
        if (&context == &connection->context()) return connection;
    throw std::logic_error("redis: called outside the client's io_contexts");
}

asio::awaitable<Reply> Client::command(std::vector<std::string_view> args)
{
    auto const connection = connection_of(co_await asio::this_coro::executor);
    if (connection->starting()) co_await connection->first_attempt();
    co_return co_await connection->send(args);
}

asio::awaitable<Reply> Client::eval(
    Script const& script, std::vector<std::string_view> keys, std::vector<std::string_view> args)
{
    auto const key_count = std::to_string(keys.size());
    try {
        co_return co_await command(eval_command("EVALSHA", script.sha(), key_count, keys, args));
    } catch (CommandError const& e) {
        if (!std::string_view(e.what()).starts_with("NOSCRIPT")) throw;
    }
    // It was not run, so running it now is the first time.
    co_return co_await command(eval_command("EVAL", script.text(), key_count, keys, args));
}

asio::awaitable<std::size_t> Client::erase_prefix(std::string_view prefix)
{
    auto const glob = glob_of(prefix);
    std::size_t erased = 0;
    std::string cursor = "0";
    do {
        auto const page = co_await command({"SCAN", cursor, "MATCH", glob, "COUNT", "1000"});
        cursor = page.array().at(0).text();
        // One by one: keys of different subjects lie in different slots of a cluster.
        for (auto const& key : page.array().at(1).array())
            erased += static_cast<std::size_t>((co_await command({"UNLINK", key.text()})).integer());
    } while (cursor != "0");
    co_return erased;
}

} // namespace redis
