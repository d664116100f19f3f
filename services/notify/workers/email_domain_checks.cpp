#include "workers/email_domain_checks.hpp"

#include "audit/audit.hpp"
#include "pg/database.hpp"
#include "providers/dns.hpp"
#include "storage/email_domain_checks.hpp"

namespace notify::email_domain_checks {

jobs::Handler handler(EmailDomainDeps& d)
{
    return [&d](jobs::Claim const& claim, std::stop_token const& /*stop*/) {
        using jobs::Outcome;
        core::Scope const scope{claim.scope_id, {}};
        auto const domain = d.db.transact_blocking(
            pg::Scopes(scope), [&](pg::Tx& tx) { return email_domains::find(tx, scope); });
        if (!domain || domain->id != claim.ref) return Outcome::done(); // deleted or replaced
        DnsRecords const records = records_of(*domain, d.spf_domain);
        DnsCheck const check{domain->id, records, compare(records, d.dns.txt_blocking(names_of(records)))};
        // Uses a transaction of its own, because the transaction that ends the claim does not see the
        // tenant's other environment.
        auto const state = d.db.transact_blocking(pg::Scopes::of_tenant(scope.tenant_id()), [&](pg::Tx& tx) {
            auto const checked = record(tx, scope, check, d.clock.now());
            auto const entry = checked ? checked->entry() : std::nullopt;
            if (entry)
                audit::record(
                    tx, scope, {.id = "system:domain-checks", .role = "system", .request_id = {}}, *entry);
            return checked ? checked->domain.state : DomainState{};
        });
        return Outcome::retry(d.clock.now() + interval_of(state));
    };
}

} // namespace notify::email_domain_checks
