#include "core/secret.hpp"

#include <cstring>
#include <sstream>
#include <type_traits>

using core::Secret;

namespace {

template <class T>
concept Printable = requires(std::ostream& out, T const& value) { out << value; };

template <class T>
concept Comparable = requires(T const& value) { value == value; };

std::string bytes_of(Secret const& secret)
{
    std::string bytes(sizeof secret, '\0');
    std::memcpy(bytes.data(), static_cast<void const*>(&secret), sizeof secret);
    return bytes;
}

} // namespace

static_assert(Printable<std::string>);
static_assert(!Printable<Secret>);
static_assert(!Comparable<Secret>);
static_assert(!std::is_convertible_v<Secret, std::string>);
static_assert(!std::is_convertible_v<std::string, Secret>);
static_assert(std::is_nothrow_move_constructible_v<Secret> && std::is_nothrow_move_assignable_v<Secret>);

TEST_CASE("a secret equals only its own value")
{
    Secret const secret(std::string("correct horse"));
    CHECK(secret.equals("correct horse"));
    CHECK(secret.reveal() == "correct horse");
    CHECK_FALSE(secret.empty());
    auto const* text =
        GENERATE(as<char const*>(), "", "correct hors", "correct horse ", "correct hersa", "Correct horse");
    CHECK_FALSE(secret.equals(text));
    CHECK(Secret().empty());
    CHECK(Secret().equals(""));
    CHECK_FALSE(Secret().equals("x"));
}

TEST_CASE("a secret can be copied and moved")
{
    auto const* text =
        GENERATE(as<char const*>(), "short", "a secret that is too long for a string's own buffer");
    Secret original{std::string(text)};
    Secret const copy(original); // NOLINT(performance-unnecessary-copy-initialization)
    Secret moved(std::move(original));
    CHECK(copy.equals(text));
    CHECK(moved.equals(text));
    CHECK(original.empty()); // NOLINT(bugprone-use-after-move): the moved-from state is under test
    Secret assigned(std::string("before"));
    assigned = copy;
    CHECK(assigned.equals(text));
    assigned = std::move(moved);
    CHECK(assigned.equals(text));
    CHECK(moved.empty()); // NOLINT(bugprone-use-after-move)
    auto& same = assigned;
    assigned = same;
    CHECK(assigned.equals(text));
    assigned = std::move(same);
    CHECK(assigned.equals(text));
}

TEST_CASE("a moved-from secret holds no trace of its value")
{
    // The value is short enough for the string's internal buffer. A plain string would keep it there after a
    // move.
    Secret original(std::string("hunter2"));
    REQUIRE(bytes_of(original).find("unter2") != std::string::npos);
    Secret const moved(std::move(original));
    CHECK(bytes_of(original).find("unter2") == std::string::npos); // NOLINT(bugprone-use-after-move)
    Secret second(std::string("hunter3"));
    Secret target;
    target = std::move(second);
    CHECK(bytes_of(second).find("unter3") == std::string::npos); // NOLINT(bugprone-use-after-move)
    CHECK(target.equals("hunter3"));
}
