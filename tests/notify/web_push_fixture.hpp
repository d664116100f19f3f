#pragma once
// PushSender with two push services for Web Push.

#include "crypto/encoding.hpp"
#include "push_fixture.hpp"
#include "web_push_server.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace web_push_test {

using push_test::Handed, push_test::name_of;
using namespace notify;

/// A scope with a credential of its own.
struct Sender {
    explicit Sender(std::int64_t tenant, core::Environment environment = core::Environment::production)
        : scope(core::Scope::of(core::TenantId{tenant}, environment, "tenant"))
    {
    }

    core::Scope scope;
    Credential::Ptr credential =
        Credential::make({.subject = "mailto:push@example.com", .keys = {VapidKey::generate()}});
};

struct Fixture {
    explicit Fixture(std::chrono::milliseconds response_timeout = 10s)
    {
        PushOptions options;
        options.web_push_hosts = WebPushHosts::parse(server.host() + ',' + other.host()).value();
        options.allow_private = true;
        options.ca_file = server.authority();
        options.response_timeout = response_timeout;
        push.emplace(options, client, nullptr, clock, logger);
    }

    /// A device of `demo` with a new subscription.
    PushTarget device(std::string const& name, std::int64_t id = 1)
    {
        return device_of(demo, server, name, id);
    }

    static PushTarget device_of(
        Sender const& sender, WebPushServer& service, std::string const& name, std::int64_t id = 1)
    {
        auto const& key = sender.credential->vapid().current().public_key;
        auto const made = service.subscribe(name, key);
        auto const& keys = made.at("keys");
        auto web = std::make_shared<WebSubscription const>(WebSubscription{.endpoint = text(made, "endpoint"),
            .p256dh = crypto::base64url::decode(text(keys, "p256dh")).value(),
            .auth = crypto::base64url::decode(text(keys, "auth")).value(),
            .vapid_key = key});
        return {.device_id = id, .carrier = Carrier::webpush, .token = name, .web = std::move(web)};
    }

    /// Devices of `demo` whose names begin with `name`, and whose ids are 0, 1, ...
    std::vector<PushTarget> devices(std::int64_t count, std::string const& name)
    {
        std::vector<PushTarget> made;
        made.reserve(static_cast<std::size_t>(count));
        for (std::int64_t i = 0; i < count; ++i)
            made.push_back(device(name + '-' + std::to_string(i), i));
        return made;
    }

    SharedPush message(Sender const& sender, std::string const& body = "Body") const
    {
        return std::make_shared<RenderedPush const>(render_push({.id = core::Uuid::v7(),
            .title = "Title",
            .body = body,
            .data = {},
            .created_at = clock.now(),
            .scope = sender.scope}));
    }

    /// A batch of `demo`.
    Handed batch(std::vector<PushTarget> targets, std::chrono::milliseconds send_timeout = 1min) const
    {
        return {demo.credential, message(demo), std::move(targets), send_timeout};
    }

    std::vector<PushResult> send(std::vector<PushTarget> targets)
    {
        auto handed = batch(std::move(targets));
        push->send(std::move(handed.batch));
        return handed.results.get();
    }

    PushResult send_one(std::string const& name) { return send({device(name)}).front(); }

    PushResult send_to_other(std::string const& name) { return send({device_of(demo, other, name)}).front(); }

    /// Sends a push of `sender` to a new subscription at `server`.
    PushResult send_as(Sender const& sender, std::string const& name)
    {
        Handed handed(sender.credential, message(sender), {device_of(sender, server, name)});
        push->send(std::move(handed.batch));
        return handed.results.get().front();
    }

    testing::FakeClock clock{core::SystemClock().now()};
    http_client::Client client{{.addresses = http_client::AddressPolicy(true)}};
    observe::Logger logger{"test", observe::Level::off};
    testing::Authority authority;
    WebPushServer server{authority};
    WebPushServer other{authority}; ///< of another origin
    Sender const demo{1};
    std::optional<PushSender> push;
};

} // namespace web_push_test
