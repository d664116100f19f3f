#pragma once

#include "core/clock.hpp"
#include "providers/carrier_protocol.hpp"
#include "providers/push_options.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Apple Push Notification service:
/// https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns.
namespace notify::apns {

/// Interprets the response to a push by the `reason` in its body
/// (https://developer.apple.com/documentation/usernotifications/handling-notification-responses-from-apns).
CarrierResponse read_response(
    unsigned status, std::string_view body, std::optional<std::chrono::seconds> retry_after);

/// APNS_BASE_URL, or Apple's server for the environment of the credential.
std::string base_url_for(ApnsKey const& key, PushOptions const& options);

/// Makes a provider token every 40 minutes. Apple refuses tokens that are older than an hour, and tokens that
/// are renewed more often than every 20 minutes.
class Protocol final : public CarrierProtocol {
public:
    /// `clock` outlives this object.
    Protocol(Credential::Ptr credential, PushOptions const& options, core::Clock const& clock);

    BaseUrl const& base_url() const noexcept override { return base_url_; }

    void refresh() override;

    bool authorized() const override { return number_ > 0; }

    std::optional<SendResult> refusal() const override { return std::nullopt; }

    void forget_refusal() override {}

    bool renew(std::uint32_t authorization) override;

    bool fits(RenderedPush const& push) const noexcept override { return push.apns_fits; }

    std::span<http2_client::Header const> write(
        RenderedPush const& push, PushTarget const& target, CarrierRequest& request) override;
    CarrierResponse read(CarrierRequest const& request, unsigned status, std::string_view body) override;

private:
    void make_token(core::Time now);

    Credential::Ptr const credential_;
    BaseUrl const base_url_;
    std::string const path_; ///< path of a request, up to the device token
    core::Clock const& clock_;
    std::vector<http2_client::Header> headers_;
    std::string authorization_; ///< `bearer …`
    std::uint32_t number_ = 0;  ///< number of the provider token
    core::Time issued_{};
    core::Time forced_{}; ///< when a token was last made because Apple refused the previous token
};

} // namespace notify::apns
