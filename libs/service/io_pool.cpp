#include "service/io_pool.hpp"

#include <algorithm>
#include <pthread.h>
#include <string>

namespace service {

IoPool::IoPool(unsigned threads)
{
    for (unsigned i = 0; i < std::max(1U, threads); ++i) {
        contexts_.push_back(std::make_unique<asio::io_context>(1));
        pointers_.push_back(contexts_.back().get());
        guards_.emplace_back(contexts_.back()->get_executor());
    }
    for (std::size_t i = 0; i < contexts_.size(); ++i) {
        threads_.emplace_back([ioc = pointers_[i]] { ioc->run(); });
        ::pthread_setname_np(threads_.back().native_handle(), ("io-" + std::to_string(i)).c_str());
    }
}

IoPool::~IoPool()
{
    join();
}

void IoPool::join()
{
    guards_.clear();
    for (auto& thread : threads_)
        thread.join();
    threads_.clear();
}

} // namespace service
