#pragma once

#include <string>
#include <string_view>

namespace core {

/// A value that must not leak: it cannot be printed or formatted, is compared in constant time, and is wiped
/// when destroyed or moved from.
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

    /// Compares in a time that depends only on the lengths, so the time may reveal the length of the secret.
    bool equals(std::string_view candidate) const noexcept;

    /// The plain value. Call `reveal` only where the value is used, and do not keep a copy.
    std::string const& reveal() const noexcept { return value_; }

private:
    std::string value_;
};

} // namespace core
