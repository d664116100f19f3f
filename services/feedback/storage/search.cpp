#include "storage/search.hpp"

#include "domain/search_text.hpp"
#include "pg/row.hpp"
#include "pg/uuids.hpp"

#include <array>
#include <span>
#include <string>
#include <vector>

namespace feedback::search_documents {

namespace {

using search_text::Part;

/// A row whose words are stored.
struct Document {
    core::Uuid feedback_id;
    core::Uuid id;
    bool internal = false;
    std::string terms;
};

std::string terms_of_reply(core::ScopeId scope, std::string_view body)
{
    std::array const parts{Part{body, search_text::reply_weight}};
    return search_text::document(scope, parts);
}

/// Replaces existing documents only if `replaces` is true.
void insert(pg::Tx& tx, core::Scope const& scope, std::span<Document const> documents, bool replaces)
{
    tx.run(R"(
        INSERT INTO search_documents (scope_id, feedback_id, document_id, created_at, internal, terms)
        SELECT f.scope_id, f.feedback_id, n.document_id, f.created_at, n.internal, n.terms::tsvector
        FROM unnest($2::uuid[], $3::uuid[], $4::boolean[], $5::text[])
            AS n(feedback_id, document_id, internal, terms)
        JOIN feedbacks f ON f.scope_id = $1 AND f.feedback_id = n.feedback_id
        ON CONFLICT (scope_id, feedback_id, document_id) DO UPDATE
        SET internal = excluded.internal, terms = excluded.terms
        WHERE $6)",
        {scope.id, pg::column(documents, [](Document const& d) { return d.feedback_id; }),
            pg::column(documents, [](Document const& d) { return d.id; }),
            pg::column(documents, [](Document const& d) { return d.internal; }),
            pg::column(documents, [](Document const& d) { return std::string_view(d.terms); }), replaces});
}

// The statements look up the document of each row by `(SELECT …) IS NULL`. With NOT EXISTS, the planner would
// join the whole table for each step.

std::vector<Document> threads_without_document(
    pg::Tx& tx, core::Scope const& scope, core::Uuid after, std::size_t limit)
{
    auto const rows = tx.run(R"(
        SELECT f.feedback_id, f.title, f.body
        FROM feedbacks f
        WHERE f.scope_id = $1 AND f.feedback_id > $2
            AND (
                SELECT 1
                FROM search_documents d
                WHERE d.scope_id = f.scope_id AND d.feedback_id = f.feedback_id AND d.document_id = f.feedback_id
            ) IS NULL
        ORDER BY f.feedback_id
        LIMIT $3::bigint
        FOR NO KEY UPDATE)",
        {scope.id, after, limit});
    return pg::read_rows(rows, [&](pg::RowReader& r) {
        core::Uuid const id = r.uuid();
        std::string const title = r.text(), body = r.text();
        return Document{id, id, false, terms_of_thread(scope.id, title, body)};
    });
}

std::vector<Document> replies_without_document(
    pg::Tx& tx, core::Scope const& scope, Progress const& after, std::size_t limit)
{
    // Locks the threads first, and reads the replies in the next statement. So it sees the changes of the
    // transactions that held the locks before.
    auto const threads = tx.run(R"(
        SELECT f.feedback_id
        FROM feedbacks f
        WHERE f.scope_id = $1 AND f.feedback_id IN (
            SELECT m.feedback_id
            FROM (
                SELECT r.feedback_id
                FROM replies r
                WHERE r.scope_id = $1 AND (r.feedback_id, r.reply_id) > ($2::uuid, $3::uuid)
                    AND (
                        SELECT 1
                        FROM search_documents d
                        WHERE d.scope_id = r.scope_id AND d.feedback_id = r.feedback_id
                            AND d.document_id = r.reply_id
                    ) IS NULL
                ORDER BY r.feedback_id, r.reply_id
                LIMIT $4::bigint
            ) AS m
        )
        ORDER BY f.feedback_id
        FOR NO KEY UPDATE)",
        {scope.id, after.reply_thread, after.reply, limit});
    if (threads.empty()) return {};
    auto const ids = pg::read_rows(threads, &pg::RowReader::uuid);
    auto const rows = tx.run(R"(
        SELECT r.feedback_id, r.reply_id, r.internal, r.body
        FROM replies r
        WHERE r.scope_id = $1 AND r.feedback_id = ANY ($2::uuid[])
            AND (r.feedback_id, r.reply_id) > ($3::uuid, $4::uuid)
            AND (
                SELECT 1
                FROM search_documents d
                WHERE d.scope_id = r.scope_id AND d.feedback_id = r.feedback_id AND d.document_id = r.reply_id
            ) IS NULL
        ORDER BY r.feedback_id, r.reply_id
        LIMIT $5::bigint)",
        {scope.id, pg::uuids(ids), after.reply_thread, after.reply, limit});
    return pg::read_rows(rows, [&](pg::RowReader& r) {
        Document document{r.uuid(), r.uuid(), r.boolean(), {}};
        document.terms = terms_of_reply(scope.id, r.view());
        return document;
    });
}

} // namespace

std::string terms_of_thread(core::ScopeId scope, std::string_view title, std::string_view body)
{
    std::array const parts{Part{title, search_text::title_weight}, Part{body, search_text::body_weight}};
    return search_text::document(scope, parts);
}

void replace_reply(pg::Tx& tx, core::Scope const& scope, Reply const& reply)
{
    Document const document{
        reply.feedback_id, reply.id, reply.internal, terms_of_reply(scope.id, reply.body)};
    insert(tx, scope, {&document, 1}, true);
}

std::size_t index_missing(pg::Tx& tx, core::Scope const& scope, Progress& after, std::size_t limit)
{
    auto const threads = threads_without_document(tx, scope, after.thread, limit);
    if (!threads.empty()) {
        insert(tx, scope, threads, false);
        after.thread = threads.back().id;
        return threads.size();
    }
    auto const replies = replies_without_document(tx, scope, after, limit);
    if (replies.empty()) return 0;
    insert(tx, scope, replies, false);
    after.reply_thread = replies.back().feedback_id;
    after.reply = replies.back().id;
    return replies.size();
}

} // namespace feedback::search_documents
