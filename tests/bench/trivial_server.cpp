// Runs libs/http_server with a trivial application, so that it can be compared with bare_server.
//
//     trivial_server --port N --threads N
#include "http_server/server.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/program_options.hpp>

#include <iostream>
#include <thread>

namespace asio = boost::asio;
namespace options = boost::program_options;

namespace {

/// Answers every request with the same 285 bytes.
class Fixed final : public http::Application {
public:
    Fixed() : json_(R"({"id":"0190b3c2-7d5e-7c3a-9f00-6b2f7f1e5a11","title":")")
    {
        json_.append(283 - json_.size(), 'x');
        json_ += "\"}";
    }

    asio::awaitable<http::Response> handle(http::Request& /*request*/) override
    {
        co_return http::Response::ok(json_);
    }

private:
    std::string json_;
};

} // namespace

int main(int argc, char** argv)
{
    http_server::ServerOptions server_options;
    unsigned threads = 1;
    options::options_description arguments;
    arguments.add_options()("port", options::value(&server_options.port)->required())(
        "threads", options::value(&threads));
    options::variables_map given;
    options::store(options::parse_command_line(argc, argv, arguments), given);
    options::notify(given);

    Fixed application;
    std::vector<std::unique_ptr<asio::io_context>> contexts;
    std::vector<asio::io_context*> pointers;
    for (unsigned i = 0; i < threads; ++i)
        pointers.push_back(contexts.emplace_back(std::make_unique<asio::io_context>(1)).get());
    http_server::Server server(pointers, server_options, application);
    asio::signal_set signals(*pointers.front(), SIGINT, SIGTERM);
    signals.async_wait([&server](boost::system::error_code, int) { server.drain(); });
    std::vector<std::jthread> running;
    for (auto* const context : pointers)
        running.emplace_back([context] { context->run(); });
    std::cout << "listening on 127.0.0.1:" << server.port() << std::endl;
}
