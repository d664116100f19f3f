#include "service/large_bodies.hpp"

#include "core/error.hpp"

namespace service {

namespace {

bool take(std::atomic<std::size_t>& free) noexcept
{
    std::size_t left = free;
    while (left > 0) {
        if (free.compare_exchange_weak(left, left - 1)) return true;
    }
    return false;
}

} // namespace

std::shared_ptr<void const> LargeBodies::enter(
    http::RouteOptions const& route, http::BodyReader const& body) const
{
    bool const may_be_large = route.body_limit > http::RouteOptions{}.body_limit;
    if (!may_be_large || body.length().value_or(route.body_limit) <= threshold) return nullptr;
    if (!take(*free_)) throw core::Error::unavailable("Too many large requests at once.");
    return {static_cast<void const*>(free_.get()), [free = free_](void const*) { ++*free; }};
}

} // namespace service
