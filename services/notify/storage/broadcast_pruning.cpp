#include "storage/broadcast_pruning.hpp"

#include "pg/row.hpp"

#include <utility>

namespace notify::broadcast_pruning {

namespace {

Count read_count(pg::RowReader& r)
{
    Count c;
    c.carrier = r.one_of<Carrier>();
    c.stored_at = r.time();
    c.answered = r.integer();
    c.gone = r.integer();
    return c;
}

devices::Gone read_gone(pg::RowReader& r)
{
    devices::Gone gone;
    gone.device_id = r.integer();
    gone.registered_at = r.time();
    return gone;
}

void insert_gone(pg::Tx& tx, std::map<Credential, Answers> const& answers)
{
    std::vector<std::pair<Credential const*, devices::Gone const*>> all;
    for (auto const& [credential, answer] : answers)
        for (auto const& gone : answer.gone)
            all.emplace_back(&credential, &gone);
    if (all.empty()) return;
    tx.run(R"(
        INSERT INTO broadcast_gone (scope_id, broadcast_id, carrier, stored_at, device_id, registered_at)
        SELECT *
        FROM unnest($1::bigint[], $2::uuid[], $3::text[], $4::timestamptz[], $5::bigint[], $6::timestamptz[])
        ON CONFLICT (scope_id, broadcast_id, device_id) DO NOTHING)",
        {pg::column(all, [](auto const& a) { return a.first->broadcast.scope_id; }),
            pg::column(all, [](auto const& a) { return pg::Param(a.first->broadcast.id); }),
            pg::column(all, [](auto const& a) { return to_string(a.first->carrier); }),
            pg::column(all, [](auto const& a) { return a.first->stored_at; }),
            pg::column(all, [](auto const& a) { return a.second->device_id; }),
            pg::column(all, [](auto const& a) { return a.second->registered_at; })});
}

} // namespace

void add(pg::Tx& tx, std::map<Credential, Answers> const& answers)
{
    if (answers.empty()) return;
    auto const column = [&](auto member) {
        return pg::column(
            answers, [&](auto const& entry) { return pg::Param(member(entry.first, entry.second)); });
    };
    tx.run(R"(
        INSERT INTO broadcast_answers AS a (scope_id, broadcast_id, carrier, stored_at, answered, gone)
        SELECT *
        FROM unnest($1::bigint[], $2::uuid[], $3::text[], $4::timestamptz[], $5::bigint[], $6::bigint[])
        ON CONFLICT (scope_id, broadcast_id, carrier, stored_at) DO UPDATE
        SET answered = a.answered + excluded.answered, gone = a.gone + excluded.gone)",
        {column([](auto const& c, auto const&) { return c.broadcast.scope_id; }),
            column([](auto const& c, auto const&) { return c.broadcast.id; }),
            column([](auto const& c, auto const&) { return to_string(c.carrier); }),
            column([](auto const& c, auto const&) { return c.stored_at; }),
            column([](auto const&, auto const& a) { return a.answered; }),
            column([](auto const&, auto const& a) { return a.gone.size(); })});
    insert_gone(tx, answers);
}

std::vector<Count> counts(pg::Tx& tx, broadcasts::Key const& broadcast)
{
    auto const rows = tx.run(R"(
        SELECT carrier, stored_at, answered, gone
        FROM broadcast_answers
        WHERE scope_id = $1 AND broadcast_id = $2
        ORDER BY carrier, stored_at)",
        {broadcast.scope_id, broadcast.id});
    return pg::read_rows(rows, read_count);
}

void keep_devices(pg::Tx& tx, broadcasts::Key const& broadcast, Count const& count)
{
    tx.run(R"(
        DELETE FROM broadcast_gone
        WHERE scope_id = $1 AND broadcast_id = $2 AND carrier = $3 AND stored_at = $4)",
        {broadcast.scope_id, broadcast.id, to_string(count.carrier), count.stored_at});
}

std::vector<devices::Gone> take(pg::Tx& tx, broadcasts::Key const& broadcast, std::size_t limit)
{
    auto const rows = tx.run(R"(
        DELETE FROM broadcast_gone
        WHERE scope_id = $1 AND broadcast_id = $2 AND device_id = ANY (ARRAY(
            SELECT device_id
            FROM broadcast_gone
            WHERE scope_id = $1 AND broadcast_id = $2
            ORDER BY device_id
            LIMIT $3::bigint
        ))
        RETURNING device_id, registered_at)",
        {broadcast.scope_id, broadcast.id, limit});
    return pg::read_rows(rows, read_gone);
}

void end(pg::Tx& tx, broadcasts::Key const& broadcast)
{
    tx.run("DELETE FROM broadcast_answers WHERE scope_id = $1 AND broadcast_id = $2",
        {broadcast.scope_id, broadcast.id});
}

} // namespace notify::broadcast_pruning
