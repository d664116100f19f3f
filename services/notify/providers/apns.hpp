#pragma once

#include "core/clock.hpp"
#include "providers/carrier.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Apple Push Notification service:
/// https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns.
namespace notify::apns {

/// Interprets the answer to a push by the `reason` in its body
/// (https://developer.apple.com/documentation/usernotifications/handling-notification-responses-from-apns).
CarrierAnswer read_answer(
    unsigned status, std::string_view body, std::optional<std::chrono::seconds> retry_after);

/// Makes a provider token every 40 minutes. Apple refuses tokens that are older than an hour, and tokens that
/// are renewed more often than every 20 minutes.
class Carrier final : public notify::Carrier {
public:
    /// `clock` outlives this object.
    Carrier(Credential::Ptr credential, PushOptions const& options, core::Clock const& clock);

    Origin const& origin() const noexcept override { return origin_; }

    void refresh() override;

    bool authorized() const override { return number_ > 0; }

    std::optional<Answer> refusal() const override { return std::nullopt; }

    bool renew(std::uint32_t authorization) override;

    bool fits(RenderedPush const& push) const noexcept override { return push.apns_fits; }

    std::span<http::h2::Header const> write(
        RenderedPush const& push, PushTarget const& target, Letter& letter) override;
    CarrierAnswer read(Letter const& letter, unsigned status, std::string_view body) override;

private:
    void make_token(core::Time now);

    Credential::Ptr const credential_;
    Origin const origin_;
    std::string const path_; ///< path of a request, up to the device token
    core::Clock const& clock_;
    std::vector<http::h2::Header> headers_;
    std::string authorization_; ///< `bearer …`
    std::uint32_t number_ = 0;  ///< number of the provider token
    core::Time issued_{};
    core::Time forced_{}; ///< when a token was last made because Apple refused the previous token
};

} // namespace notify::apns
