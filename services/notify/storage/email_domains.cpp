#include "storage/email_domains.hpp"

#include "pg/row.hpp"
#include "pg/sql.hpp"

#include <stdexcept>
#include <utility>
#include <vector>

namespace notify::email_domains {

namespace {

constexpr auto columns = pg::sql(R"(
    domain_id, domain, from_email, from_name, token, selector, public_key, status, check_results,
    check_details, created_at, checked_at, verified_at, failing_since)");

/// Additional data of a sealed key. The data binds the key to its scope and domain.
std::string aad(core::Scope const& scope, std::string const& domain)
{
    return "email_domains.dkim_key:" + core::to_string(scope.id) + ':' + domain;
}

/// Returns nullopt if no key of the ring decrypts the private key.
std::optional<core::Secret> open(crypto::Keyring const& keyring, core::Scope const& scope,
    std::string const& domain, std::string const& sealed_key)
{
    auto key = keyring.open(sealed_key, aad(scope, domain));
    return key ? std::optional(core::Secret(std::move(*key))) : std::nullopt;
}

RecordChecks read_checks(pg::RowReader& r)
{
    auto const results = r.texts();
    auto details = r.texts();
    RecordChecks checks;
    if (results.size() != checks.size() || details.size() != checks.size())
        throw std::runtime_error("a domain row does not have one check per DNS record");
    for (std::size_t i = 0; i < checks.size(); ++i)
        checks[i] = {core::stored_enum<RecordStatus>(results[i]), std::move(details[i])};
    return checks;
}

EmailDomain read(pg::RowReader& r)
{
    EmailDomain d;
    d.id = r.uuid();
    d.domain = r.text();
    d.from_email = r.text();
    d.from_name = r.text();
    d.token = r.text();
    d.selector = r.text();
    d.public_key = r.text();
    d.state.status = r.one_of<DomainStatus>();
    d.checks = read_checks(r);
    d.created_at = r.time();
    d.checked_at = r.optional_time();
    d.verified_at = r.optional_time();
    auto const failing_since = r.optional_time();
    // An earlier version does not reset the column when the domain becomes pending.
    if (d.state.status == DomainStatus::verified) d.state.failing_since = failing_since;
    return d;
}

std::vector<std::string> results_of(RecordChecks const& checks)
{
    std::vector<std::string> results;
    for (auto const& check : checks)
        results.emplace_back(to_string(check.status));
    return results;
}

std::vector<std::string> details_of(RecordChecks const& checks)
{
    std::vector<std::string> details;
    for (auto const& check : checks)
        details.push_back(check.detail);
    return details;
}

} // namespace

std::optional<EmailDomain> find(pg::Tx& tx, core::Scope const& scope)
{
    return pg::read_first(tx.run(pg::sql<columns>(R"(
        SELECT {columns}
        FROM email_domains
        WHERE scope_id = $1)"),
                              {scope.id}),
        read);
}

std::optional<EmailDomain> lock(pg::Tx& tx, core::Scope const& scope)
{
    pg::lock_scope(tx, scope.id);
    return find(tx, scope);
}

void put(pg::Tx& tx, core::Scope const& scope, EmailDomain const& d, std::string const& sealed_key)
{
    remove(tx, scope);
    tx.run(pg::sql<columns>(R"(
        INSERT INTO email_domains (scope_id, {columns}, sealed_key)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16))"),
        {scope.id, d.id, d.domain, d.from_email, d.from_name, d.token, d.selector, d.public_key,
            to_string(d.state.status), results_of(d.checks), details_of(d.checks), d.created_at, d.checked_at,
            d.verified_at, d.state.failing_since, sealed_key});
}

void update(pg::Tx& tx, core::Scope const& scope, EmailDomain const& d)
{
    tx.run(R"(
        UPDATE email_domains
        SET from_email = $3, from_name = $4, status = $5, check_results = $6, check_details = $7,
            checked_at = $8, verified_at = $9, failing_since = $10
        WHERE scope_id = $1 AND domain_id = $2)",
        {scope.id, d.id, d.from_email, d.from_name, to_string(d.state.status), results_of(d.checks),
            details_of(d.checks), d.checked_at, d.verified_at, d.state.failing_since});
}

void remove(pg::Tx& tx, core::Scope const& scope)
{
    tx.run("DELETE FROM email_domains WHERE scope_id = $1", {scope.id});
}

bool is_claimed_elsewhere(pg::Tx& tx, core::Scope const& scope, std::string const& domain)
{
    return !tx.run("SELECT 1 FROM domain_claims WHERE domain = $1 AND tenant_id <> $2",
                  {domain, scope.tenant_id()})
                .empty();
}

bool claim(pg::Tx& tx, core::Scope const& scope, std::string const& domain, core::Time now)
{
    // The update changes no value, but locks the row. So the tenant's other environment cannot release the
    // claim before this transaction ends.
    return !tx.run(R"(
        INSERT INTO domain_claims (domain, tenant_id, claimed_at)
        VALUES ($1, $2, $3)
        ON CONFLICT (domain) DO UPDATE SET claimed_at = domain_claims.claimed_at
        WHERE domain_claims.tenant_id = excluded.tenant_id
        RETURNING 1)",
                  {domain, scope.tenant_id(), now})
                .empty();
}

void release(pg::Tx& tx, core::Scope const& scope, std::string const& domain)
{
    // Waits for a concurrent transaction that claims the domain, so that the next statement sees its changes.
    auto const held = tx.run("SELECT 1 FROM domain_claims WHERE domain = $1 AND tenant_id = $2 FOR UPDATE",
        {domain, scope.tenant_id()});
    if (held.empty()) return;
    tx.run(R"(
        DELETE FROM domain_claims c
        WHERE c.domain = $1 AND c.tenant_id = $2
            AND NOT EXISTS (
                SELECT 1
                FROM email_domains d
                WHERE d.scope_id = ANY ($3::bigint[]) AND d.domain = $1 AND d.status = 'verified'
            ))",
        {domain, scope.tenant_id(), pg::Scopes::of_tenant(scope.tenant_id()).ids()});
}

std::string seal(crypto::Keyring const& keyring, core::Scope const& scope, std::string const& domain,
    core::Secret const& private_key)
{
    return keyring.seal(private_key.reveal(), aad(scope, domain));
}

std::map<core::ScopeId, std::optional<mail::CustomSender>> senders(
    pg::Tx& tx, std::span<core::Scope const> scopes, crypto::Keyring const& keyring)
{
    auto const rows = tx.run(R"(
        SELECT s.place, e.from_name, e.from_email, e.domain, e.selector, e.sealed_key
        FROM unnest($1::bigint[]) WITH ORDINALITY AS s(scope_id, place)
        JOIN email_domains e ON e.scope_id = s.scope_id AND e.status = 'verified')",
        {pg::column(scopes, [](core::Scope const& scope) { return scope.id; })});
    std::map<core::ScopeId, std::optional<mail::CustomSender>> found;
    for (auto const& row : rows) {
        pg::RowReader r(row);
        auto const& scope = scopes[static_cast<std::size_t>(r.integer() - 1)];
        mail::CustomSender s;
        s.from.name = r.text();
        s.from.address = r.text();
        s.key.domain = r.text();
        s.key.selector = r.text();
        auto key = open(keyring, scope, s.key.domain, r.text());
        auto& sender = found[scope.id];
        if (!key) continue;
        s.key.private_key = *std::move(key);
        sender = std::move(s);
    }
    return found;
}

std::size_t reencrypt(pg::Tx& tx, core::Scope const& scope, crypto::Keyring const& keyring)
{
    auto const result =
        tx.run("SELECT domain, sealed_key FROM email_domains WHERE scope_id = $1 FOR UPDATE", {scope.id});
    if (result.empty()) return 0;
    auto const row = result.front();
    pg::RowReader r(row);
    std::string const domain = r.text(), sealed = r.text();
    if (keyring.is_current(sealed)) return 0;
    auto const key = open(keyring, scope, domain, sealed);
    if (!key) throw std::runtime_error(undecryptable_key);
    tx.run("UPDATE email_domains SET sealed_key = $2 WHERE scope_id = $1",
        {scope.id, seal(keyring, scope, domain, *key)});
    return 1;
}

} // namespace notify::email_domains
