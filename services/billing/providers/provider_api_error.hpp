#pragma once

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>

namespace billing {

/// A failed request to a provider's API.
class ProviderApiError : public std::runtime_error {
public:
    enum class Kind {
        throttled,    ///< status 429
        unknown_user, ///< status 404: the provider does not know the user or the object
        refused,      ///< any other status 4xx, for example if the API key is invalid
        unavailable,  ///< status 5xx, a time-out, or no connection
        nonsense,     ///< a response that is not what the provider documents
        stopped,      ///< a stop was requested
    };

    /// `what` must contain no value of the response.
    ProviderApiError(
        Kind kind, std::string const& what, std::optional<std::chrono::seconds> retry_after = std::nullopt)
        : std::runtime_error(what), kind_(kind), retry_after_(retry_after)
    {
    }

    Kind kind() const noexcept { return kind_; }

    /// The `Retry-After` of the provider's response; nullopt if it had none.
    std::optional<std::chrono::seconds> retry_after() const noexcept { return retry_after_; }

private:
    Kind kind_;
    std::optional<std::chrono::seconds> retry_after_;
};

} // namespace billing
