#pragma once

#include "core/clock.hpp"
#include "domain/feedback.hpp"
#include "pg/batcher.hpp"
#include "storage/feedback_lists.hpp"
#include "storage/feedbacks.hpp"

#include <optional>
#include <vector>

namespace feedback {

/// The most frequent operations. pg::Batcher combines concurrent calls into one SQL statement.
struct Batchers {
    pg::Batcher<feedbacks::Key, std::optional<Feedback>> get;
    pg::Batcher<feedbacks::NewFeedback, std::optional<core::Time>> insert;
    pg::Batcher<feedbacks::PlainPage, std::vector<Feedback>> list;

    /// `db` must outlive this object.
    explicit Batchers(pg::Database& db);
};

} // namespace feedback
