#include "domain/dns_records.hpp"

#include "core/text.hpp"
#include "domain/send_result.hpp"

#include <algorithm>
#include <optional>
#include <ranges>

namespace notify {

namespace {

std::string without_spaces(std::string_view text)
{
    std::string out(text);
    std::erase_if(out, [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; });
    return out;
}

/// The value of a tag in `v=DKIM1; k=rsa; p=...` (RFC 6376, 3.2), without spaces; nullopt if absent.
std::optional<std::string> tag(std::string_view list, std::string_view name)
{
    for (auto const part : std::views::split(list, ';')) {
        std::string_view const entry(part.begin(), part.end());
        auto const equals = entry.find('=');
        if (equals == std::string_view::npos || core::trim(entry.substr(0, equals)) != name) continue;
        return without_spaces(entry.substr(equals + 1));
    }
    return std::nullopt;
}

/// Whether the colon-separated list (`sha1:sha256`) contains `value`.
bool lists(std::string_view list, std::string_view value)
{
    return std::ranges::any_of(std::views::split(list, ':'),
        [&](auto const& part) { return std::string_view(part.begin(), part.end()) == value; });
}

bool is_our_token(std::string_view wanted, std::string_view text)
{
    return core::trim(text) == wanted;
}

bool is_our_key(std::string_view wanted, std::string_view text)
{
    auto const hashes = tag(text, "h"), services = tag(text, "s");
    return tag(text, "p") == tag(wanted, "p") && tag(text, "v").value_or("DKIM1") == "DKIM1" &&
           tag(text, "k").value_or("rsa") == "rsa" && (!hashes || lists(*hashes, "sha256")) &&
           (!services || lists(*services, "*") || lists(*services, "email"));
}

bool is_spf(std::string_view text)
{
    return core::equal_ignoring_case(text.substr(0, 6), "v=spf1") && (text.size() == 6 || text[6] == ' ');
}

/// Whether an SPF record contains the second term of `wanted` (`v=spf1 include:<domain> ~all`).
bool includes_ours(std::string_view wanted, std::string_view text)
{
    auto const begin = wanted.find(' ') + 1;
    std::string_view const ours = wanted.substr(begin, wanted.find(' ', begin) - begin);
    return std::ranges::any_of(std::views::split(text, ' '), [&](auto const& part) {
        std::string_view word(part.begin(), part.end());
        if (word.starts_with('+')) word.remove_prefix(1);
        return core::equal_ignoring_case(word, ours);
    });
}

bool is_dmarc(std::string_view text)
{
    auto const first = text.substr(0, text.find(';'));
    return without_spaces(first) == "v=DMARC1";
}

RecordCheck mismatch(std::vector<std::string> const& found)
{
    return {RecordStatus::mismatch, reason_of("found: " + found.front())};
}

/// Checks a record that has a DNS name of its own. At least one of the texts at this name must be right.
template <class IsRight> RecordCheck any_right(std::vector<std::string> const& texts, IsRight const& is_right)
{
    if (std::ranges::any_of(texts, is_right)) return {RecordStatus::verified};
    return mismatch(texts);
}

/// Checks a record that shares its DNS name with records of other kinds. `is_kind` selects the wanted kind.
/// There must be exactly one record of this kind.
template <class IsKind, class IsRight>
RecordCheck one_right(std::vector<std::string> const& texts, IsKind const& is_kind, IsRight const& is_right)
{
    std::vector<std::string> kind;
    std::ranges::copy_if(texts, std::back_inserter(kind), is_kind);
    if (kind.empty()) return {RecordStatus::missing};
    if (kind.size() > 1)
        return {RecordStatus::mismatch, "found more than one record of this kind; keep only one"};
    return any_right(kind, is_right);
}

} // namespace

DnsRecords records_of(DomainSetup const& setup)
{
    using enum RecordPurpose;
    return {{
        {ownership, "_notify." + setup.domain, "notify-verification=" + setup.token, true},
        {dkim, setup.selector + "._domainkey." + setup.domain, "v=DKIM1; k=rsa; p=" + setup.public_key, true},
        {spf, setup.domain, "v=spf1 include:" + setup.spf_domain + " ~all", false},
        {dmarc, "_dmarc." + setup.domain, "v=DMARC1; p=none", false},
    }};
}

RecordCheck check_record(DnsRecord const& wanted, TxtAnswer const& answer)
{
    if (answer.kind == TxtAnswer::Kind::failed) return {RecordStatus::unknown, reason_of(answer.reason)};
    if (answer.kind == TxtAnswer::Kind::none || answer.texts.empty()) return {RecordStatus::missing};
    auto const ours = [&](auto const& rule) {
        return [&](std::string const& text) { return rule(wanted.value, text); };
    };
    switch (wanted.purpose) {
    case RecordPurpose::ownership:
        return any_right(answer.texts, ours(is_our_token));
    case RecordPurpose::dkim:
        return any_right(answer.texts, ours(is_our_key));
    case RecordPurpose::spf:
        return one_right(answer.texts, is_spf, ours(includes_ours));
    case RecordPurpose::dmarc:
        break;
    }
    return one_right(
        answer.texts, is_dmarc, [](std::string const& text) { return tag(text, "p").has_value(); });
}

DomainState state_after(DomainState const& before, RecordChecks const& checks, core::Time now) noexcept
{
    using enum RecordStatus;
    std::array const required{checks[static_cast<std::size_t>(RecordPurpose::ownership)].status,
        checks[static_cast<std::size_t>(RecordPurpose::dkim)].status};
    auto const surely_not = [](RecordStatus s) { return s == missing || s == mismatch; };
    if (std::ranges::any_of(required, surely_not)) {
        core::Time const since = before.failing_since.value_or(now);
        bool const keeps = before.status == DomainStatus::verified && now - since < domain_grace;
        return keeps ? DomainState{DomainStatus::verified, since} : DomainState{};
    }
    bool const all = std::ranges::all_of(required, [](RecordStatus s) { return s == verified; });
    return all ? DomainState{DomainStatus::verified, std::nullopt} : before;
}

std::vector<std::string> names_of(DnsRecords const& records)
{
    std::vector<std::string> names;
    for (auto const& wanted : records)
        names.push_back(wanted.name);
    return names;
}

RecordChecks compare(DnsRecords const& records, std::vector<TxtAnswer> const& answers)
{
    RecordChecks checks;
    for (std::size_t i = 0; i < records.size(); ++i)
        checks[i] = check_record(records[i], answers.at(i));
    return checks;
}

} // namespace notify
