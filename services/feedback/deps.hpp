#pragma once

#include "auth/api_keys.hpp"
#include "blobs/attachments.hpp"
#include "domain/feedback.hpp"
#include "pg/coalescer.hpp"
#include "pg/database.hpp"
#include "storage/feedbacks.hpp"
#include "tenancy/tenant_handlers.hpp"
#include "webhooks/api.hpp"

#include <optional>
#include <vector>

namespace feedback {

namespace asio = boost::asio;

/// The most frequent operations. pg::Coalescer combines concurrent calls into one SQL statement.
struct Hot {
    pg::Coalescer<feedbacks::Key, std::optional<Feedback>> get;
    pg::Coalescer<feedbacks::NewFeedback, std::optional<core::Time>> insert;
    pg::Coalescer<feedbacks::PlainPage, std::vector<Feedback>> list;

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
    webhooks::Api& webhooks;
    core::Clock const& clock;
};

} // namespace feedback
