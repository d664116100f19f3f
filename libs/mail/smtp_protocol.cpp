#include "mail/smtp_protocol.hpp"

#include "core/fields.hpp"
#include "core/text.hpp"
#include "crypto/encoding.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace mail {

namespace {

constexpr std::array mailbox_is_gone{"5.1.1", "5.1.6", "5.1.10", "5.2.1"}; // RFC 3463, 3.2 and 3.3; RFC 7505
constexpr std::array<unsigned, 4> asks_for_credential{530, 534, 535, 538}; // RFC 4954, 6

constexpr std::size_t code_size = 3;

bool is_digit(char c) noexcept
{
    return c >= '0' && c <= '9';
}

/// The code of a reply line; 0 if the line is not one of SMTP (RFC 5321, 4.2).
unsigned code_of(std::string_view line)
{
    if (line.size() < code_size || !std::ranges::all_of(line.substr(0, code_size), is_digit)) return 0;
    bool const separated = line.size() == code_size || line[code_size] == ' ' || line[code_size] == '-';
    if (!separated || line[0] < '2' || line[0] > '5') return 0;
    return static_cast<unsigned>((line[0] - '0') * 100 + (line[1] - '0') * 10 + (line[2] - '0'));
}

bool is_last(std::string_view line) noexcept
{
    return line.size() == code_size || line[code_size] != '-';
}

/// One to three digits (RFC 3463, 2).
bool is_number(std::string_view text)
{
    return !text.empty() && text.size() <= 3 && std::ranges::all_of(text, is_digit);
}

/// Removes the text up to the next `mark` from `rest`, and returns it without the mark.
std::string_view take_until(std::string_view& rest, char mark)
{
    auto const end = rest.find(mark);
    auto const taken = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    return taken;
}

void read_mechanisms(std::string_view list, SmtpExtensions& out)
{
    while (!list.empty()) {
        auto const name = take_until(list, ' ');
        out.auth_plain = out.auth_plain || core::equal_ignoring_case(name, "PLAIN");
        out.auth_login = out.auth_login || core::equal_ignoring_case(name, "LOGIN");
    }
}

} // namespace

// --- replies ---------------------------------------------------------------------------------------------

std::string_view SmtpReply::text(std::size_t line) const noexcept
{
    std::string_view const whole = lines[line];
    return whole.substr(std::min(whole.size(), code_size + 1));
}

void SmtpReplyParser::add(std::string_view bytes)
{
    bytes_.erase(0, std::exchange(position_, 0));
    bytes_.append(bytes);
}

std::optional<SmtpReply> SmtpReplyParser::next()
{
    while (fault_.empty()) {
        auto const rest = std::string_view(bytes_).substr(position_);
        auto const end = rest.find('\n');
        if (std::min(end, rest.size()) > max_line) {
            fault_ = "a line of the server's reply is too long";
            return std::nullopt;
        }
        if (end == std::string_view::npos) return std::nullopt;
        position_ += end + 1;
        auto line = rest.substr(0, end);
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (!take_line(line)) return std::nullopt;
        if (!is_last(line)) continue;
        reply_size_ = 0;
        return std::exchange(reply_, {});
    }
    return std::nullopt;
}

bool SmtpReplyParser::take_line(std::string_view line)
{
    unsigned const code = code_of(line);
    reply_size_ += line.size();
    if (code == 0 || (!reply_.lines.empty() && code != reply_.code))
        fault_ = "the server's reply is not SMTP";
    else if (reply_size_ > max_reply || reply_.lines.size() == max_lines)
        fault_ = "the server's reply is too long";
    if (!fault_.empty()) return false;
    reply_.code = code;
    reply_.lines.emplace_back(line);
    return true;
}

SmtpExtensions read_extensions(SmtpReply const& reply)
{
    SmtpExtensions out;
    for (std::size_t i = 1; i < reply.lines.size(); ++i) { // the first line is the server's name
        std::string_view rest = reply.text(i);
        // Old servers write `AUTH=LOGIN`.
        std::string const name = core::upper(rest.substr(0, rest.find_first_of(" =")));
        rest.remove_prefix(std::min(rest.size(), name.size() + 1));
        out.pipelining = out.pipelining || name == "PIPELINING";
        out.eight_bit_mime = out.eight_bit_mime || name == "8BITMIME";
        out.starttls = out.starttls || name == "STARTTLS";
        out.size = out.size || name == "SIZE";
        if (name == "AUTH") read_mechanisms(rest, out);
    }
    return out;
}

std::string_view enhanced_code(std::string_view line)
{
    auto rest = line.substr(std::min(line.size(), code_size + 1));
    auto const word = take_until(rest, ' ');
    auto parts = word;
    auto const category = take_until(parts, '.');
    auto const subject = take_until(parts, '.');
    bool const shaped = category == line.substr(0, 1) && is_number(subject) && is_number(parts);
    return shaped ? word : std::string_view();
}

SendResult read_smtp_reply(unsigned code, std::string_view first_line)
{
    std::string const said = std::to_string(code);
    bool const complete = first_line.starts_with(said);
    SendResult result{.outcome = Outcome::transient,
        .reason = core::first_line(complete ? first_line : std::string_view(said), max_reason),
        .code = code,
        .enhanced_code = std::string(complete ? enhanced_code(first_line) : std::string_view())};
    if (code < 500) return result;
    bool const gone = std::ranges::find(mailbox_is_gone, result.enhanced_code) != mailbox_is_gone.end();
    bool const credential = std::ranges::find(asks_for_credential, code) != asks_for_credential.end();
    result.outcome = gone ? Outcome::gone : credential ? Outcome::credential : Outcome::refused;
    return result;
}

// --- commands and data -----------------------------------------------------------------------------------

std::string mail_command(
    std::string_view from, std::size_t size, bool eight_bit, SmtpExtensions const& extensions)
{
    std::string command = "MAIL FROM:<";
    command.append(from).append(1, '>');
    if (extensions.size) command.append(" SIZE=").append(std::to_string(size));
    if (eight_bit && extensions.eight_bit_mime) command.append(" BODY=8BITMIME");
    return command;
}

std::string auth_plain_command(std::string_view user, std::string_view password)
{
    std::string response(1, '\0');
    response.append(user).append(1, '\0').append(password);
    return "AUTH PLAIN " + crypto::base64::encode(response);
}

bool is_eight_bit(std::string_view message) noexcept
{
    return std::ranges::any_of(message, [](char c) { return static_cast<unsigned char>(c) > 0x7F; });
}

bool SmtpData::next(std::string& out, std::size_t size)
{
    if (ended_) return false;
    auto const end = out.size() + size;
    while (!rest_.empty() && out.size() < end)
        append(out, end - out.size());
    if (rest_.empty()) {
        out.append(at_line_start_ ? ".\r\n" : "\r\n.\r\n");
        ended_ = true;
    }
    return true;
}

/// Appends the rest of a line, or about `room` bytes of it.
void SmtpData::append(std::string& out, std::size_t room)
{
    if (at_line_start_ && rest_.front() == '.') out += '.';
    auto const end = std::min(rest_.find_first_of("\r\n"), rest_.size());
    auto const part = rest_.substr(0, std::min(end, room));
    out.append(part);
    rest_.remove_prefix(part.size());
    at_line_start_ = part.size() == end && !rest_.empty();
    if (!at_line_start_) return;
    out.append("\r\n");
    rest_.remove_prefix(rest_.starts_with("\r\n") ? 2 : 1);
}

} // namespace mail
