#pragma once

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include <future>
#include <memory>
#include <thread>
#include <vector>

/// io_contexts with a thread each, as a service has them.
class Contexts {
public:
    explicit Contexts(unsigned count)
    {
        for (unsigned i = 0; i < count; ++i) {
            owned_.push_back(std::make_unique<boost::asio::io_context>(1));
            all.push_back(owned_.back().get());
            guards_.emplace_back(all.back()->get_executor());
        }
        for (auto* ioc : all)
            threads_.emplace_back([ioc] { ioc->run(); });
    }

    ~Contexts() { join(); }

    Contexts(Contexts const&) = delete;
    Contexts& operator=(Contexts const&) = delete;

    /// Returns when the contexts have nothing left to do.
    void join()
    {
        guards_.clear();
        for (auto& thread : threads_)
            thread.join();
        threads_.clear();
    }

    template <class T> std::future<T> spawn(boost::asio::awaitable<T> task, std::size_t context = 0)
    {
        return boost::asio::co_spawn(*all[context], std::move(task), boost::asio::use_future);
    }

    /// Runs a coroutine on a context's thread; its value, or what it threw.
    template <class T> T await(boost::asio::awaitable<T> task, std::size_t context = 0)
    {
        return spawn(std::move(task), context).get();
    }

    std::vector<boost::asio::io_context*> all;

private:
    std::vector<std::unique_ptr<boost::asio::io_context>> owned_;
    std::vector<boost::asio::executor_work_guard<boost::asio::io_context::executor_type>> guards_;
    std::vector<std::thread> threads_;
};
