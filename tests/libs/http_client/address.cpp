#include "http_client/address.hpp"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

using http_client::AddressPolicy;
using http_client::AddressRange;
using http_client::classify;

TEST_CASE("addresses are classified according to the IANA registries")
{
    struct Row {
        char const* address;
        AddressRange range;
    };

    auto const row = GENERATE(
        // IPv4, at the boundaries of each block
        Row{"0.0.0.0", AddressRange::unspecified}, Row{"0.255.255.255", AddressRange::unspecified},
        Row{"1.0.0.0", AddressRange::global}, Row{"9.255.255.255", AddressRange::global},
        Row{"10.0.0.0", AddressRange::private_use}, Row{"10.255.255.255", AddressRange::private_use},
        Row{"11.0.0.0", AddressRange::global}, Row{"100.63.255.255", AddressRange::global},
        Row{"100.64.0.0", AddressRange::shared}, Row{"100.127.255.255", AddressRange::shared},
        Row{"100.128.0.0", AddressRange::global}, Row{"126.255.255.255", AddressRange::global},
        Row{"127.0.0.1", AddressRange::loopback}, Row{"127.255.255.255", AddressRange::loopback},
        Row{"128.0.0.0", AddressRange::global}, Row{"169.253.255.255", AddressRange::global},
        Row{"169.254.169.254", AddressRange::link_local}, Row{"169.255.0.0", AddressRange::global},
        Row{"172.15.255.255", AddressRange::global}, Row{"172.16.0.0", AddressRange::private_use},
        Row{"172.31.255.255", AddressRange::private_use}, Row{"172.32.0.0", AddressRange::global},
        Row{"192.0.0.8", AddressRange::reserved}, Row{"192.0.1.0", AddressRange::global},
        Row{"192.0.2.1", AddressRange::documentation}, Row{"192.88.99.1", AddressRange::reserved},
        Row{"192.167.255.255", AddressRange::global}, Row{"192.168.0.1", AddressRange::private_use},
        Row{"192.169.0.0", AddressRange::global}, Row{"198.17.255.255", AddressRange::global},
        Row{"198.18.0.0", AddressRange::reserved}, Row{"198.19.255.255", AddressRange::reserved},
        Row{"198.20.0.0", AddressRange::global}, Row{"198.51.100.7", AddressRange::documentation},
        Row{"203.0.113.7", AddressRange::documentation}, Row{"203.0.114.0", AddressRange::global},
        Row{"223.255.255.255", AddressRange::global}, Row{"224.0.0.1", AddressRange::multicast},
        Row{"239.255.255.255", AddressRange::multicast}, Row{"240.0.0.0", AddressRange::reserved},
        Row{"255.255.255.255", AddressRange::reserved}, Row{"8.8.8.8", AddressRange::global},
        // IPv6
        Row{"::", AddressRange::unspecified}, Row{"::1", AddressRange::loopback},
        Row{"fc00::1", AddressRange::private_use}, Row{"fdff::1", AddressRange::private_use},
        Row{"fe80::1", AddressRange::link_local}, Row{"fe80::1%eth0", AddressRange::link_local},
        Row{"febf::1", AddressRange::link_local}, Row{"fec0::1", AddressRange::private_use},
        Row{"ff02::1", AddressRange::multicast}, Row{"2001:db8::1", AddressRange::documentation},
        Row{"3fff:fff::1", AddressRange::documentation}, Row{"2001::1", AddressRange::reserved},
        Row{"2001:1ff::1", AddressRange::reserved}, Row{"2001:200::1", AddressRange::global},
        Row{"2606:4700::1111", AddressRange::global}, Row{"100::1", AddressRange::reserved},
        Row{"4000::1", AddressRange::reserved}, Row{"5f00::1", AddressRange::reserved},
        Row{"64:ff9b:1::a00:1", AddressRange::reserved},
        // IPv4 inside IPv6
        Row{"::ffff:127.0.0.1", AddressRange::loopback}, Row{"::ffff:10.1.2.3", AddressRange::private_use},
        Row{"::ffff:8.8.8.8", AddressRange::global}, Row{"::127.0.0.1", AddressRange::loopback},
        Row{"::ffff:0:192.168.0.1", AddressRange::private_use},
        Row{"64:ff9b::169.254.169.254", AddressRange::link_local},
        Row{"64:ff9b::8.8.8.8", AddressRange::global}, Row{"2002:7f00:1::1", AddressRange::loopback},
        Row{"2002:a01:203::", AddressRange::private_use}, Row{"2002:808:808::1", AddressRange::global},
        // not an address
        Row{"", AddressRange::reserved}, Row{"example.com", AddressRange::reserved},
        Row{"1.2.3", AddressRange::reserved});
    CAPTURE(row.address);
    CHECK(to_string(classify(std::string_view(row.address))) == to_string(row.range));
}

TEST_CASE("a socket address is classified like its text")
{
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_addr.s_addr = htonl(0xa9fea9fe);
    CHECK(classify(reinterpret_cast<sockaddr const&>(v4)) == AddressRange::link_local);

    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    v6.sin6_addr = in6addr_loopback;
    CHECK(classify(reinterpret_cast<sockaddr const&>(v6)) == AddressRange::loopback);

    sockaddr_un local{};
    local.sun_family = AF_UNIX;
    CHECK(classify(reinterpret_cast<sockaddr const&>(local)) == AddressRange::reserved);
}

TEST_CASE("the policy allows the public internet, and private addresses only if configured")
{
    AddressPolicy const strict(false);
    AddressPolicy const lax(true);
    auto const range = GENERATE(AddressRange::loopback, AddressRange::link_local, AddressRange::private_use,
        AddressRange::shared, AddressRange::unspecified, AddressRange::multicast, AddressRange::documentation,
        AddressRange::reserved);
    CAPTURE(to_string(range));
    CHECK(strict.allows(AddressRange::global));
    CHECK_FALSE(strict.allows(range));
    bool const nearby = range == AddressRange::loopback || range == AddressRange::link_local ||
                        range == AddressRange::private_use || range == AddressRange::shared;
    CHECK(lax.allows(range) == nearby);
}

TEST_CASE("a host whose name is a forbidden address is refused")
{
    AddressPolicy const strict(false);
    for (auto const* host : {"localhost", "LOCALHOST.", "a.localhost", "127.0.0.1", "127.0.0.1.", "[::1]",
             "::1", "10.0.0.1", "fe80::1%eth0"}) {
        CAPTURE(host);
        CHECK_FALSE(strict.allows_host(host));
        CHECK(AddressPolicy(true).allows_host(host));
    }
    for (auto const* host :
        {"example.com", "8.8.8.8", "[2606:4700::1111]", "localhost.example.com", "notlocalhost"}) {
        CAPTURE(host);
        CHECK(strict.allows_host(host));
    }
    CHECK_FALSE(AddressPolicy(true).allows_host("0.0.0.0"));
}
