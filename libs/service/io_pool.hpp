#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace service {

namespace asio = boost::asio;

/// N io_contexts with one thread each and no shared state. A coroutine that is started on a context always
/// runs on that context's thread, so it needs no strand.
class IoPool {
public:
    /// Starts the threads.
    explicit IoPool(unsigned threads);

    /// Joins the threads.
    ~IoPool();
    IoPool(IoPool const&) = delete;
    IoPool& operator=(IoPool const&) = delete;

    std::vector<asio::io_context*> const& contexts() const noexcept { return pointers_; }

    asio::io_context& first() const noexcept { return *pointers_.front(); }

    /// Waits until the contexts have run out of work (servers drained, clients stopped), then ends the
    /// threads. It does not stop contexts that have work left, so close all open connections first. Call it
    /// at most once, and not on a pool thread.
    void join();

private:
    using Guard = asio::executor_work_guard<asio::io_context::executor_type>;

    std::vector<std::unique_ptr<asio::io_context>> contexts_;
    std::vector<asio::io_context*> pointers_;
    std::vector<Guard> guards_;
    std::vector<std::thread> threads_;
};

} // namespace service
