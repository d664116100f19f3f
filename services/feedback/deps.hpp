#pragma once

#include "service/forward_declarations.hpp"

#include <boost/asio/awaitable.hpp>

namespace feedback {

namespace asio = boost::asio;

struct Batchers; // batchers.hpp

/// The objects that handlers use. App owns them.
struct Deps {
    pg::Database& db;
    Batchers& batchers;
    auth::ApiKeys& keys;
    tenancy::TenantAdmin& tenants;
    user_data::UserData& users;
    blobs::Attachments& attachments;
    outbound_webhooks::Api& webhooks;
    core::Clock const& clock;
};

} // namespace feedback
