#pragma once

#include "core/fields.hpp"
#include "domain/feedback.hpp"
#include "http/message.hpp"
#include "pg/tx.hpp"

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace feedback {

/// The fields of a thread that staff may change.
struct Changes {
    static constexpr std::array<std::string_view, 6> names{
        "status", "priority", "assigneeId", "assigneeEmail", "tags", "visibility"};

    core::Change<Status> status;
    core::Change<Priority> priority;
    core::Change<std::string> assignee_id, assignee_email;
    core::Change<std::vector<std::string>> tags;
    core::Change<Visibility> visibility;

    /// Reads the fields. Errors are collected in `fields`.
    static Changes read(core::Fields& fields);

    void apply(Feedback& f) const;
};

/// Applies the changes to the threads and stores them. Records changes of the status in the history and in
/// the audit trail, publishes the events and requests the emails. The number of statements does not depend on
/// the number of threads. The threads must be locked, distinct and changeable (require_changeable). Call this
/// function last in the transaction (see audit::record).
void change(pg::Tx& tx, http::Request const& req, std::span<Feedback> threads, Changes const& changes);

/// Records changes of the threads' statuses, if there are any, in their histories and in the audit trail, and
/// requests the emails. `before`: the status that each thread had. Call this function last in the transaction
/// (see audit::record).
void record_status_changes(
    pg::Tx& tx, http::Request const& req, std::span<Feedback const> threads, std::span<Status const> before);

} // namespace feedback
