#pragma once

#include <boost/asio/awaitable.hpp>

namespace auth {
class ApiKeys;
}

namespace blobs {
class Attachments;
}

namespace core {
class Clock;
}

namespace outbound_webhooks {
struct Api;
}

namespace pg {
class Database;
}

namespace tenancy {
struct TenantAdmin;
}

namespace feedback {

namespace asio = boost::asio;

struct Batchers; // batchers.hpp

/// The objects that handlers use. App owns them.
struct Deps {
    pg::Database& db;
    Batchers& batchers;
    auth::ApiKeys& keys;
    tenancy::TenantAdmin& tenants;
    blobs::Attachments& attachments;
    outbound_webhooks::Api& webhooks;
    core::Clock const& clock;
};

} // namespace feedback
