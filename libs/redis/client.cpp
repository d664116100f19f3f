#include "redis/client.hpp"

#include "core/hex.hpp"
#include "redis/cluster.hpp"
#include "redis/connection.hpp"
#include "redis/times.hpp"
#include "redis/tls.hpp"

#include <boost/asio/execution_context.hpp>
#include <boost/asio/this_coro.hpp>
#include <openssl/evp.h>

#include <array>
#include <stdexcept>

namespace redis {

namespace {

/// Redis identifies scripts by their SHA-1. All scripts are part of this project, so collisions of SHA-1 are
/// no danger.
std::string sha1_hex(std::string_view text)
{
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    if (EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha1(), nullptr) != 1)
        throw std::runtime_error("SHA-1 is not available");
    return core::hex::encode({reinterpret_cast<char const*>(digest.data()), size});
}

/// Returns a glob that matches exactly the keys that start with `prefix`.
std::string glob_of(std::string_view prefix)
{
    std::string glob;
    for (char const c : prefix) {
        if (std::string_view("*?[]\\^-").find(c) != std::string_view::npos) glob += '\\';
        glob += c;
    }
    return glob + '*';
}

Arguments eval_command(std::string_view verb, std::string_view script, std::string_view key_count,
    Arguments const& keys, Arguments const& args)
{
    Arguments command{verb, script, key_count};
    command.reserve(3 + keys.size() + args.size());
    command.insert(command.end(), keys.begin(), keys.end());
    command.insert(command.end(), args.begin(), args.end());
    return command;
}

} // namespace

Script::Script(std::string text) : text_(std::move(text)), sha_(sha1_hex(text_)) {}

Client::Client(
    ClientOptions const& options, std::vector<asio::io_context*> const& contexts, observe::Logger& logger)
    : script_clock_(options.script_clock)
{
    Tls const tls = options.address.tls ? make_tls(options.tls) : nullptr;
    for (auto* const ioc : contexts) {
        if (options.address.cluster.empty())
            backends_.push_back(std::make_shared<Connection>(*ioc, options, tls, logger));
        else
            backends_.push_back(std::make_shared<Cluster>(*ioc, options, tls, logger));
    }
    for (auto const& backend : backends_)
        backend->start();
}

Client::~Client()
{
    stop();
}

void Client::stop() noexcept
{
    for (auto const& backend : backends_)
        backend->stop();
}

std::string Client::script_time() const
{
    return script_clock_ == nullptr ? "" : microseconds(script_clock_->now().time_since_epoch());
}

bool Client::healthy() const noexcept
{
    return std::ranges::any_of(backends_, [](auto const& backend) { return backend->healthy(); });
}

std::shared_ptr<Client::Backend> Client::backend_of(asio::any_io_executor const& executor) const
{
    auto const& context = asio::query(executor, asio::execution::context);
    for (auto const& backend : backends_)
        if (&context == &backend->context()) return backend;
    throw std::logic_error("redis: called outside the client's io_contexts");
}

asio::awaitable<Reply> Client::route(std::string_view key, std::vector<std::string_view> args)
{
    auto const backend = backend_of(co_await asio::this_coro::executor);
    co_return co_await backend->route(key, args);
}

asio::awaitable<Reply> Client::command(std::vector<std::string_view> args)
{
    auto const key = args.size() > 1 ? args[1] : std::string_view();
    return route(key, std::move(args));
}

asio::awaitable<Reply> Client::eval(
    Script const& script, std::vector<std::string_view> keys, std::vector<std::string_view> args)
{
    auto const key_count = std::to_string(keys.size());
    auto const key = keys.empty() ? std::string_view() : keys.front();
    try {
        co_return co_await route(key, eval_command("EVALSHA", script.sha(), key_count, keys, args));
    } catch (CommandError const& e) {
        if (!std::string_view(e.what()).starts_with("NOSCRIPT")) throw;
    }
    // The script did not run, so this is its first execution.
    co_return co_await route(key, eval_command("EVAL", script.text(), key_count, keys, args));
}

asio::awaitable<std::size_t> Client::erase_prefix(std::string_view prefix)
{
    auto const glob = glob_of(prefix);
    auto const backend = backend_of(co_await asio::this_coro::executor);
    auto const servers = co_await backend->servers();
    std::size_t erased = 0;
    for (auto const& server : servers)
        erased += co_await erase_on(*server, glob);
    co_return erased;
}

asio::awaitable<std::size_t> Client::erase_on(Connection& server, std::string_view glob)
{
    std::size_t erased = 0;
    std::string cursor = "0";
    do {
        Arguments const scan{"SCAN", cursor, "MATCH", glob, "COUNT", "1000"};
        auto const page = co_await server.send(scan);
        cursor = page.array().at(0).text();
        // Each key is deleted by its own command, because the keys of one command must be in the same slot of
        // a cluster.
        for (auto const& key : page.array().at(1).array())
            erased += static_cast<std::size_t>((co_await command({"UNLINK", key.text()})).integer());
    } while (cursor != "0");
    co_return erased;
}

} // namespace redis
