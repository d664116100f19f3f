#include "observe/trace.hpp"

#include "core/hex.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>

namespace observe {

namespace {

constexpr std::size_t trace_size = 32;
constexpr std::size_t span_size = 16;
constexpr std::size_t header_size = 2 + 1 + trace_size + 1 + span_size + 1 + 2;

/// A generator per thread, seeded once from the system, is sufficient, because identifiers must be unique but
/// not secret.
std::uint64_t random_number()
{
    thread_local std::mt19937_64 generator = [] {
        std::random_device device;
        std::seed_seq seed{device(), device(), device(), device(), device(), device(), device(), device()};
        return std::mt19937_64(seed);
    }();
    return generator();
}

void append_hex(std::string& out, std::uint64_t number)
{
    std::array<char, span_size> text{};
    for (auto it = text.rbegin(); it != text.rend(); ++it, number >>= 4)
        *it = core::hex::digits[number & 15];
    out.append(text.data(), text.size());
}

std::string new_trace_id()
{
    std::string id;
    id.reserve(trace_size);
    append_hex(id, random_number());
    append_hex(id, random_number() | 1); // never all zeros
    return id;
}

std::string new_span_id()
{
    std::string id;
    append_hex(id, random_number() | 1);
    return id;
}

bool is_hex(std::string_view text) noexcept
{
    return std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool is_id(std::string_view text) noexcept
{
    return is_hex(text) && text.find_first_not_of('0') != std::string_view::npos;
}

bool is_request_id(std::string_view text) noexcept
{
    return !text.empty() && text.size() <= 64 && std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
               c == '_' || c == '-';
    });
}

} // namespace

std::string Trace::traceparent() const
{
    std::string out;
    out.reserve(header_size);
    out.append("00-").append(trace_id).append("-").append(span_id).append(sampled ? "-01" : "-00");
    return out;
}

std::optional<Trace> parse_traceparent(std::string_view header) noexcept
{
    if (header.size() < header_size || header[2] != '-' || header[35] != '-' || header[52] != '-')
        return std::nullopt;
    auto const version = header.substr(0, 2);
    if (!is_hex(version) || version == "ff") return std::nullopt;
    // Version 00 ends here. A later version may continue after a dash.
    if (header.size() > header_size && (version == "00" || header[header_size] != '-')) return std::nullopt;
    auto const trace = header.substr(3, trace_size);
    auto const span = header.substr(36, span_size);
    auto const flags = header.substr(53, 2);
    if (!is_id(trace) || !is_id(span) || !is_hex(flags)) return std::nullopt;
    return Trace{.trace_id = std::string(trace),
        .span_id = {},
        .parent_id = std::string(span),
        .sampled = (core::hex::value(flags[1]) & 1) != 0};
}

std::string_view trace_id_of(std::string_view traceparent) noexcept
{
    return parse_traceparent(traceparent) ? traceparent.substr(3, trace_size) : std::string_view();
}

Trace continue_trace(std::optional<std::string_view> traceparent)
{
    auto trace = traceparent ? parse_traceparent(*traceparent) : std::nullopt;
    if (!trace) trace = Trace{.trace_id = new_trace_id(), .span_id = {}, .parent_id = {}, .sampled = false};
    trace->span_id = new_span_id();
    return std::move(*trace);
}

std::string request_id(std::optional<std::string_view> header)
{
    return header && is_request_id(*header) ? std::string(*header) : new_trace_id();
}

} // namespace observe
