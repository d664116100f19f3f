#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include <cstddef>
#include <future>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace testing {

namespace asio = boost::asio;

/// io_contexts with one thread each, as in a service. Tests call the functions of this class on their own
/// thread.
class Contexts {
public:
    explicit Contexts(unsigned count = 1)
    {
        for (unsigned i = 0; i < count; ++i) {
            owned_.push_back(std::make_unique<asio::io_context>(1));
            all.push_back(owned_.back().get());
            guards_.emplace_back(all.back()->get_executor());
        }
        for (auto* ioc : all)
            threads_.emplace_back([ioc] { ioc->run(); });
    }

    ~Contexts() { join(); }

    Contexts(Contexts const&) = delete;
    Contexts& operator=(Contexts const&) = delete;

    /// Returns when the contexts have no work left.
    void join()
    {
        guards_.clear();
        for (auto& thread : threads_)
            thread.join();
        threads_.clear();
    }

    /// Starts a coroutine on a context's thread. The coroutine's arguments must outlive it, so wait for the
    /// future.
    template <class T> std::future<T> start(asio::awaitable<T> task, std::size_t context = 0)
    {
        return asio::co_spawn(*all[context], std::move(task), asio::use_future);
    }

    /// Runs a coroutine on a context's thread; returns its value or throws its exception.
    template <class T> T await(asio::awaitable<T> task, std::size_t context = 0)
    {
        return start(std::move(task), context).get();
    }

    std::vector<asio::io_context*> all;

private:
    std::vector<std::unique_ptr<asio::io_context>> owned_;
    std::vector<asio::executor_work_guard<asio::io_context::executor_type>> guards_;
    std::vector<std::thread> threads_;
};

} // namespace testing
