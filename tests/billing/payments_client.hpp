#pragma once

#include "http_client/client.hpp"
#include "payments_provider.hpp"
#include "providers/payments_api.hpp"

#include <boost/json.hpp>

#include <chrono>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace std::chrono_literals;

/// A client of a simulated provider, with short pauses between the attempts.
struct PaymentsClient {
    using Kind = billing::ProviderApiError::Kind;

    billing::PaymentsCall call(unsigned attempts = 4, std::stop_token stop = {}) const
    {
        return {.api_key = key,
            .stop = std::move(stop),
            .retries = {.attempts = attempts, .first_pause = 10ms, .longest_pause = 40ms}};
    }

    /// The kind of the error that `work` throws.
    template <class Work> static Kind failure_of(Work work)
    {
        try {
            work();
        } catch (billing::ProviderApiError const& e) {
            return e.kind();
        }
        throw std::runtime_error("no error");
    }

    /// The kind of the error of a list.
    Kind failure(billing::PaymentsCall const& with) const
    {
        return failure_of([&] { api.list({}, with); });
    }

    /// The values of a member in the received requests.
    std::vector<std::string> seen(std::string_view member) const
    {
        std::vector<std::string> values;
        for (auto const& request : provider.seen())
            values.push_back(testing::text(request, member));
        return values;
    }

    PaymentsProvider const provider;
    http_client::Client client{{.addresses = http_client::AddressPolicy(true)}};
    observe::Metrics metrics{"billing"};
    billing::PaymentsApi const api{provider.url() + "/", client, metrics};
    core::Secret const key{"sk_test_provider"};
};

using Ids = std::vector<std::string>;

inline Ids ids(std::vector<boost::json::value> const& objects)
{
    Ids found;
    for (auto const& object : objects)
        found.push_back(testing::text(object, "id"));
    return found;
}
