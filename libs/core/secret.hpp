#pragma once

#include <string>
#include <string_view>

namespace core {

/// A value that must not leak: it cannot be printed or formatted, is compared in constant time and is wiped
/// when it goes away or is moved from.
class Secret {
public:
    Secret() = default;
    explicit Secret(std::string value) noexcept;
    Secret(Secret const&) = default;
    Secret(Secret&& other) noexcept;
    Secret& operator=(Secret const& other);
    Secret& operator=(Secret&& other) noexcept;
    ~Secret();

    bool empty() const noexcept { return value_.empty(); }

    /// Constant time in the content; the lengths may show.
    bool equals(std::string_view candidate) const noexcept;

    /// The value itself, for the one call that needs it.
    std::string const& reveal() const noexcept { return value_; }

private:
    std::string value_;
};

} // namespace core
