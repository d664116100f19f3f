#pragma once

#include "service/forward_declarations.hpp"

#include <boost/asio/awaitable.hpp>

namespace sms {
struct Options;
}

namespace notify {

namespace asio = boost::asio;

struct Batchers;        // batchers.hpp
struct EmailDomainDeps; // email_domain_deps.hpp
class PushSender;       // providers/push_sender.hpp
class WebPushHosts;     // domain/web_subscription.hpp

/// The dependencies of the handlers. The App owns all of them and outlives the handlers.
struct Deps {
    pg::Database& db;
    Batchers& batchers;
    auth::ApiKeys& keys;
    tenancy::TenantAdmin& tenants;
    user_data::UserData& users;
    tenancy::Directory& directory; ///< settings (`pushEnabled`) and limits, cached in memory
    blobs::Attachments& attachments;
    outbound_webhooks::Api& webhooks;
    crypto::Keyring const& keyring; ///< seals credentials
    redis::Quota& quota;            ///< rate limits; a subject begins with the scope's id
    core::ThreadPool& readers; ///< threads that parse large bodies, because parsing would block an I/O thread
    PushSender& push;
    WebPushHosts const& web_push_hosts; ///< hosts that the endpoints of subscriptions may have
    EmailDomainDeps& domains;
    sms::Options const& sms; ///< Twilio's auth token and the public URL verify its callbacks
    core::Clock const& clock;
    observe::Logger& logger;
};

} // namespace notify
