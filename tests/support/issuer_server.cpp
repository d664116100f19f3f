#include "http_server/server.hpp"
#include "support/issuer.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <atomic>
#include <thread>

namespace testing {

namespace asio = boost::asio;

struct IssuerServer::Impl final : http::Application {
    explicit Impl(std::function<std::string()> d) : document(std::move(d)), work(context.get_executor()) {}

    asio::awaitable<http::Response> handle(http::Request& request) override
    {
        ++requests;
        if (status != 200) co_return http::Response{.status = status, .body = "{}"};
        if (request.path != "/.well-known/jwks.json") co_return http::Response{.status = 404, .body = "{}"};
        co_return http::Response::ok(document());
    }

    std::function<std::string()> const document;
    std::atomic<unsigned> status = 200;
    std::atomic<std::uint64_t> requests = 0;
    asio::io_context context{1};
    asio::executor_work_guard<asio::io_context::executor_type> work;
    http_server::Server server{{&context}, {}, *this};
    std::thread thread{[this] { context.run(); }};
};

IssuerServer::IssuerServer(std::function<std::string()> document)
    : impl_(std::make_unique<Impl>(std::move(document)))
{
}

IssuerServer::~IssuerServer()
{
    impl_->server.drain();
    impl_->server.abort();
    impl_->work.reset();
    impl_->thread.join();
}

std::string IssuerServer::url() const
{
    return "http://127.0.0.1:" + std::to_string(impl_->server.port()) + "/.well-known/jwks.json";
}

void IssuerServer::answer_with(unsigned status)
{
    impl_->status = status;
}

std::uint64_t IssuerServer::requests() const
{
    return impl_->requests;
}

} // namespace testing
