#pragma once

#include "core/secret.hpp"
#include "http_client/client.hpp"
#include "observe/metrics.hpp"
#include "providers/provider_api_error.hpp"

#include <chrono>
#include <cstddef>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace billing {

/// The common part of the providers' API clients: sends requests, counts the answers, and converts failures
/// to ProviderApiError. Its requests block, so call it on worker threads, never on an I/O thread.
/// Thread-safe.
class ProviderClient {
public:
    /// The time limit of a request, and the size limit of a response.
    static constexpr std::chrono::milliseconds timeout{10'000};
    static constexpr std::size_t max_response_bytes = 8 << 20;

    struct Request {
        std::string target; ///< path and query
        core::Secret const& api_key;
        std::vector<std::pair<std::string, std::string>> headers{};
        std::chrono::milliseconds timeout = ProviderClient::timeout;
        std::stop_token stop{};
        std::string traceparent{}; ///< trace of the request that causes the call; may be empty
    };

    /// `client` and `metrics` outlive this object. `metrics` counts the answers as `provider`.
    ProviderClient(std::string base_url, http_client::Client& client, observe::Metrics& metrics,
        std::string const& provider);

    /// Sends a GET request and returns `read(response)`. The response may have any status. Throws
    /// ProviderApiError if there is no response, and the errors of `read`. The answer is counted as
    /// `accepted`, or as the kind of the ProviderApiError.
    template <class Read> auto get(Request const& request, Read const& read) const
    {
        try {
            auto result = read(send(request));
            count_accepted();
            return result;
        } catch (ProviderApiError const& e) {
            count(e);
            throw;
        }
    }

private:
    http_client::Response send(Request const& request) const;
    void count_accepted() const noexcept;
    void count(ProviderApiError const& error) const noexcept;

    std::string base_url_; ///< without a slash at the end
    http_client::Client& client_;
    observe::AnswerMetrics const answers_;
};

/// Throws the ProviderApiError for a status that the caller does not accept.
[[noreturn]] void throw_status(http_client::Response const& response);

/// `text` as one path segment. `.` and `..` are escaped, because they would change the path.
std::string path_segment(std::string_view text);

} // namespace billing
