#include "domain/email_domain.hpp"

#include "core/json_writer.hpp"

#include <utility>

namespace notify {

namespace {

void write(core::JsonWriter& w, DnsRecord const& record, RecordCheck const& check)
{
    w.begin_object()
        .member("type", "TXT")
        .member("name", record.name)
        .member("value", record.value)
        .member("purpose", to_string(record.purpose))
        .member("status", to_string(check.status))
        .member("required", record.required);
    w.key("detail");
    if (check.detail.empty())
        w.null();
    else
        w.value(check.detail);
    w.end_object();
}

} // namespace

std::string to_json(EmailDomain const& domain, DnsRecords const& records)
{
    core::JsonWriter w(2'048);
    w.begin_object()
        .member("domain", domain.domain)
        .member("fromEmail", domain.from_email)
        .member("fromName", domain.from_name)
        .member("status", to_string(domain.state.status))
        .member("createdAt", domain.created_at)
        .member("checkedAt", domain.checked_at)
        .member("verifiedAt", domain.verified_at)
        .member("failingSince", domain.state.failing_since);
    w.key("dnsRecords").begin_array();
    for (std::size_t i = 0; i < records.size(); ++i)
        write(w, records[i], domain.checks[i]);
    w.end_array().end_object();
    return std::move(w).str();
}

} // namespace notify
