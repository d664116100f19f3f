#pragma once

#include "service/forward_declarations.hpp"

#include <boost/asio/awaitable.hpp>

namespace feedback {

namespace asio = boost::asio;

namespace pages {
struct Board; // pages/board.hpp
}

struct Batchers; // batchers.hpp

/// The objects that handlers use. App owns them.
struct Deps {
    pg::Database& db;
    Batchers& batchers;
    auth::ApiKeys& keys;
    tenancy::TenantAdmin& tenants;
    tenancy::Directory& directory; ///< settings of a tenant, cached in memory
    user_data::UserData& users;
    blobs::Attachments& attachments;
    outbound_webhooks::Api& webhooks;
    crypto::Keyring const& keyring;
    pages::Board& board;
    core::ThreadPool& image_checks;
    core::Clock const& clock;
};

} // namespace feedback
