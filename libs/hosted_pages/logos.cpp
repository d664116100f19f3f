#include "hosted_pages/logos.hpp"

#include "pg/row.hpp"

namespace hosted_pages::logos {

void put(pg::Tx& tx, core::Scope const& scope, Image const& image)
{
    tx.run(R"(
        INSERT INTO logos (scope_id, content_type, sha256, content)
        VALUES ($1, $2, $3, $4)
        ON CONFLICT (scope_id) DO UPDATE SET content_type = excluded.content_type, sha256 = excluded.sha256,
            content = excluded.content)",
        {scope.id, core::to_string(image.type), image.sha256, pg::Param::bytes(image.content)});
}

bool remove(pg::Tx& tx, core::Scope const& scope)
{
    return !tx.run("DELETE FROM logos WHERE scope_id = $1 RETURNING 1", {scope.id}).empty();
}

std::optional<Stored> find(pg::Tx& tx, core::Scope const& scope)
{
    auto const rows = tx.run("SELECT content_type, sha256 FROM logos WHERE scope_id = $1", {scope.id});
    return pg::read_first(rows, [](pg::RowReader& r) {
        auto const type = r.one_of<ImageType>();
        return Stored{type, r.text()};
    });
}

std::string content(pg::Tx& tx, core::Scope const& scope)
{
    auto const rows = tx.run("SELECT content FROM logos WHERE scope_id = $1", {scope.id});
    return pg::read_first(rows, &pg::RowReader::bytes).value();
}

} // namespace hosted_pages::logos
