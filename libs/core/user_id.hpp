#pragma once

#include <compare>
#include <string>
#include <utility>

namespace core {

/// The id of an app's user: opaque text, chosen by the app or by the issuer of its tokens (`sub`). It is
/// unique within a scope. Each service limits its length.
class UserId {
public:
    UserId() = default; ///< empty: no user

    explicit UserId(std::string text) : text_(std::move(text)) {}

    std::string const& text() const noexcept { return text_; }

    bool empty() const noexcept { return text_.empty(); }

    friend auto operator<=>(UserId const&, UserId const&) = default;

private:
    std::string text_;
};

} // namespace core
