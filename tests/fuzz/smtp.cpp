// The input has three parts, separated by lines with a single `~`: an SMTP URL, the bytes of a mail server,
// and a message. A digit before the second part is the size of the pieces in which the bytes arrive.
#include "core/text.hpp"
#include "fuzz.hpp"
#include "mail/smtp_protocol.hpp"
#include "mail/smtp_url.hpp"

#include <algorithm>
#include <string>
#include <vector>

using fuzz::require;
using mail::SmtpReply, mail::SmtpReplyParser;

namespace {

std::string_view part(std::string_view& rest)
{
    constexpr std::string_view mark = "\n~\n";
    auto const end = rest.find(mark);
    auto const taken = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + mark.size());
    return taken;
}

void check_url(std::string_view text)
{
    auto const url = mail::parse_smtp_url(std::string(text));
    if (!url) return;
    require(core::lower(text).starts_with(url->tls ? "smtps://" : "smtp://"));
    require(!url->host.empty() && url->port != 0);
    require(url->has_login || (url->user.empty() && url->password.empty()));
    for (auto const* const value : {&url->host, &url->client_name})
        require(std::ranges::all_of(*value, [](char c) { return c > ' '; }));
    require(url->user.reveal().find('\0') == std::string::npos &&
            url->password.reveal().find('\0') == std::string::npos);
}

struct Read {
    std::vector<SmtpReply> replies;
    bool failed = false;
};

Read read(std::string_view bytes, std::size_t piece)
{
    Read out;
    SmtpReplyParser parser;
    for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
        parser.add(bytes.substr(0, piece));
        while (auto reply = parser.next())
            out.replies.push_back(*std::move(reply));
    }
    out.failed = !parser.fault().empty();
    return out;
}

void check_reply(SmtpReply const& reply)
{
    require(reply.code >= 200 && reply.code < 600);
    require(!reply.lines.empty() && reply.lines.size() <= SmtpReplyParser::max_lines);
    for (std::size_t i = 0; i < reply.lines.size(); ++i) {
        require(reply.lines[i].size() <= SmtpReplyParser::max_line);
        require(reply.lines[i].find('\n') == std::string::npos);
        require(reply.lines[i].starts_with(std::to_string(reply.code)));
        require(reply.lines[i].ends_with(reply.text(i)));
    }
    auto const code = mail::enhanced_code(reply.first_line());
    require(
        code.empty() || (code.front() == reply.first_line().front() && std::ranges::count(code, '.') == 2 &&
                            code.size() <= std::string_view("5.123.123").size()));
    mail::read_extensions(reply);
    auto const result = mail::read_smtp_reply(reply.code, reply.first_line());
    require(result.code == reply.code && result.enhanced_code == code);
    require(result.reason.size() <= mail::max_reason && result.outcome != mail::Outcome::accepted);
}

/// Every division of the bytes gives the same replies.
void check_replies(std::string_view bytes, std::size_t piece)
{
    auto const whole = read(bytes, bytes.size() + 1);
    auto const pieces = read(bytes, piece + 1);
    require(whole.failed == pieces.failed && whole.replies.size() == pieces.replies.size());
    for (std::size_t i = 0; i < whole.replies.size(); ++i) {
        check_reply(whole.replies[i]);
        require(whole.replies[i].lines == pieces.replies[i].lines);
    }
}

std::string encode(std::string_view message, std::size_t piece)
{
    mail::SmtpData data(message);
    std::string out;
    while (data.next(out, piece)) {
    }
    return out;
}

/// Every line ends in CR LF and only the last line is a single dot. Without the doubled dots it is the
/// message.
void check_data(std::string_view message, std::size_t piece)
{
    auto const data = encode(message, message.size() + 1);
    require(encode(message, piece + 1) == data);
    std::string decoded;
    std::string_view rest = data;
    for (;;) {
        auto const end = rest.find("\r\n");
        require(end != std::string_view::npos);
        auto line = rest.substr(0, end);
        require(line.find_first_of("\r\n") == std::string_view::npos);
        rest.remove_prefix(end + 2);
        if (line == ".") break;
        if (line.starts_with('.')) line.remove_prefix(1);
        decoded.append(line).append("\r\n");
    }
    require(rest.empty());
    std::erase(decoded, '\r');
    std::erase(decoded, '\n');
    std::string expected(message);
    std::erase(expected, '\r');
    std::erase(expected, '\n');
    require(decoded == expected);
    require(mail::is_eight_bit(message) == mail::is_eight_bit(data));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    std::string_view rest(reinterpret_cast<char const*>(data), size);
    check_url(part(rest));
    fuzz::Input replies(data + (size - rest.size()), rest.size());
    std::size_t const piece = replies.choice(10);
    rest = replies.rest();
    check_replies(part(rest), piece);
    check_data(rest, piece);
    return 0;
}
