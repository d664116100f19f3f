#pragma once

#include "auth/api_keys.hpp"
#include "blobs/attachments.hpp"
#include "domain/feedback.hpp"
#include "outbound_webhooks/api.hpp"
#include "pg/batcher.hpp"
#include "pg/database.hpp"
#include "storage/feedbacks.hpp"
#include "tenancy/tenant_handlers.hpp"

#include <optional>
#include <vector>

namespace feedback {

namespace asio = boost::asio;

/// The most frequent operations. pg::Batcher combines concurrent calls into one SQL statement.
struct Hot {
    pg::Batcher<feedbacks::Key, std::optional<Feedback>> get;
    pg::Batcher<feedbacks::NewFeedback, std::optional<core::Time>> insert;
    pg::Batcher<feedbacks::PlainPage, std::vector<Feedback>> list;

    explicit Hot(pg::Database& db)
        : get(db, feedbacks::get_batch), insert(db, feedbacks::insert_batch), list(db, feedbacks::list_batch)
    {
    }
};

/// The objects that handlers use. App owns them.
struct Deps {
    pg::Database& db;
    Hot& hot;
    auth::ApiKeys& keys;
    tenancy::TenantAdmin& tenants;
    blobs::Attachments& attachments;
    outbound_webhooks::Api& webhooks;
    core::Clock const& clock;
};

} // namespace feedback
