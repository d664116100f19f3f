#pragma once

#include "core/clock.hpp"
#include "core/thread_pool.hpp"
#include "providers/carrier_protocol.hpp"
#include "providers/oauth.hpp"
#include "providers/push_options.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

/// Firebase Cloud Messaging, HTTP v1 API: https://firebase.google.com/docs/reference/fcm/rest.
namespace notify::fcm {

namespace asio = boost::asio;

/// Interprets a response of `messages:send` by `error.details[].errorCode`
/// (https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode).
CarrierResponse read_response(
    unsigned status, std::string_view body, std::optional<std::chrono::seconds> retry_after);

struct ProtocolDeps {
    http_client::Client& client;
    core::Clock const& clock;
    core::ThreadPool& workers; ///< threads that fetch access tokens
    asio::any_io_executor executor;
    std::stop_token stop;
};

/// Keeps one access token and fetches the next token five minutes before the current token expires.
class Protocol final : public CarrierProtocol, public std::enable_shared_from_this<Protocol> {
public:
    /// `changed` is called when an access token has arrived or was refused. It is never called after this
    /// object was destroyed.
    Protocol(Credential::Ptr credential, PushOptions const& options, ProtocolDeps deps,
        std::function<void()> changed);

    BaseUrl const& base_url() const noexcept override { return base_url_; }

    void refresh() override;
    bool authorized() const override;
    std::optional<SendResult> refusal() const override;
    void forget_refusal() override;
    bool renew(std::uint32_t authorization) override;

    bool fits(RenderedPush const& push) const noexcept override { return push.fcm_fits; }

    std::span<http2_client::Header const> write(
        RenderedPush const& push, PushTarget const& target, CarrierRequest& request) override;
    CarrierResponse read(CarrierRequest const& request, unsigned status, std::string_view body) override;

private:
    void take(oauth::TokenResult result);

    Credential::Ptr const credential_;
    BaseUrl const base_url_;
    std::string const token_url_;
    std::string const path_;
    ProtocolDeps const deps_;
    std::function<void()> const changed_;
    std::vector<http2_client::Header> headers_;
    std::string authorization_; ///< `Bearer …`
    std::uint32_t number_ = 0;  ///< number of the access token
    core::Time usable_until_{}, refresh_from_{};
    std::optional<SendResult> refusal_;
    unsigned failures_ = 0; ///< failed requests for a token in a row, at most 5
    std::chrono::steady_clock::time_point ask_again_{};
    std::chrono::steady_clock::time_point renew_again_{}; ///< when a refused token may be replaced again
    bool fetching_ = false;
};

} // namespace notify::fcm
