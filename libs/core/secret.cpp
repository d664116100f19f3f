#include "core/secret.hpp"

#include <openssl/crypto.h>

#include <utility>

namespace core {

// A moved-from string may still hold its content in its small buffer, so the whole buffer is wiped.
static void wipe(std::string& text) noexcept
{
    text.resize(text.capacity()); // NOLINT(clang-analyzer-cplusplus.Move): valid for a string
    OPENSSL_cleanse(text.data(), text.size());
    text.clear();
}

Secret::Secret(std::string value) noexcept : value_(std::move(value))
{
    wipe(value);
}

Secret::Secret(Secret&& other) noexcept : value_(std::move(other.value_))
{
    wipe(other.value_);
}

Secret& Secret::operator=(Secret const& other)
{
    Secret copy(other);
    return *this = std::move(copy);
}

Secret& Secret::operator=(Secret&& other) noexcept
{
    if (this == &other) return *this;
    wipe(value_);
    value_ = std::move(other.value_);
    wipe(other.value_);
    return *this;
}

Secret::~Secret()
{
    wipe(value_);
}

bool Secret::equals(std::string_view candidate) const noexcept
{
    return candidate.size() == value_.size() &&
           CRYPTO_memcmp(candidate.data(), value_.data(), value_.size()) == 0;
}

} // namespace core
