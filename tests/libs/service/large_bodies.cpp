#include "service/large_bodies.hpp"

#include "core/error.hpp"

#include <catch2/catch.hpp>

#include <optional>
#include <vector>

namespace {

/// A body that nobody reads.
class Declared final : public http::BodyReader {
public:
    explicit Declared(std::optional<std::uint64_t> length) : length_(length) {}

    std::optional<std::uint64_t> length() const override { return length_; }

    boost::asio::awaitable<void> read_all(std::string&, std::size_t) override { co_return; }

    boost::asio::awaitable<std::string_view> read_some() override { co_return std::string_view(); }

private:
    std::optional<std::uint64_t> length_;
};

constexpr http::RouteOptions files{.body_limit = 15 << 20};
Declared const large(service::LargeBodies::threshold + 1);

bool is_refused(service::LargeBodies const& bodies, http::BodyReader const& body)
{
    try {
        bodies.enter(files, body);
    } catch (core::Error const& error) {
        CHECK(error.code().name == "UNAVAILABLE");
        CHECK(error.headers().front() == std::pair<std::string, std::string>("Retry-After", "1"));
        return true;
    }
    return false;
}

} // namespace

TEST_CASE("there are so many places for large bodies, each until it is given back")
{
    service::LargeBodies const bodies(2);
    auto first = bodies.enter(files, large);
    auto const second = bodies.enter(files, large);
    CHECK(is_refused(bodies, large));
    CHECK(is_refused(bodies, Declared(std::nullopt))); // nobody knows how long it will be
    first.reset();
    CHECK_FALSE(is_refused(bodies, large));
    CHECK_FALSE(is_refused(bodies, large)); // which was given back as well
}

TEST_CASE("small bodies, and those of other routes, need no place")
{
    service::LargeBodies const none(0);
    CHECK(none.enter(files, Declared(service::LargeBodies::threshold)) == nullptr);
    CHECK(none.enter({}, Declared(1 << 20)) == nullptr);
    CHECK(none.enter({}, Declared(std::nullopt)) == nullptr);
    CHECK(is_refused(none, large));
}
