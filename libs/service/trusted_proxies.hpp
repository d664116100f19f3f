#pragma once

#include <boost/asio/ip/address.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace service {

/// The networks whose `X-Forwarded-For` is believed.
class TrustedProxies {
public:
    TrustedProxies() = default; ///< nobody is believed

    /// Comma-separated CIDRs or single addresses, IPv4 and IPv6 (`10.0.0.0/8, ::1`); empty text is nobody.
    /// nullopt when a member is not one, or has bits set beyond its prefix.
    static std::optional<TrustedProxies> parse(std::string_view text);

    bool contains(boost::asio::ip::address const& address) const noexcept;

    /// The client's address: `peer`, or while that is trusted the next entry of `forwarded_for` from the
    /// right. An entry that is not an address ends the walk, so a client can never choose what is returned.
    /// IPv4-mapped IPv6 addresses are shown as IPv4.
    std::string client_address(std::string_view peer, std::string_view forwarded_for) const;

private:
    struct Network {
        boost::asio::ip::address_v6::bytes_type prefix; ///< IPv4 as IPv4-mapped IPv6
        unsigned length;                                ///< bits, 0..128
    };

    static std::optional<Network> parse_network(std::string_view text);

    std::vector<Network> networks_;
};

} // namespace service
