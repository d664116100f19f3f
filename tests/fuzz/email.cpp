// The input is an email. It has one line each for the sender's name, the sender's address, the recipient's
// address, the subject, the attachment's name and the attachment's type. Then follow a character that selects
// plain text, HTML or both, and the email's text.
#include "core/fields.hpp"
#include "core/text.hpp"
#include "crypto/encoding.hpp"
#include "fuzz.hpp"
#include "mail/address.hpp"
#include "mail/mime.hpp"

#include <algorithm>
#include <array>
#include <gmime/gmime.h>
#include <memory>
#include <string>
#include <vector>

using fuzz::is_text, fuzz::require;
using mail::Address, mail::DomainName, mail::Message;

namespace {

constexpr std::size_t max_line = 998; // RFC 5322, 2.1.1

struct Unref {
    void operator()(void* object) const noexcept { g_object_unref(object); }
};

template <class T> using Ref = std::unique_ptr<T, Unref>;

bool is_visible_ascii(std::string_view text)
{
    return std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; });
}

/// An accepted address is valid for browsers, fits SMTP's limits, and parses to the same address again.
void check_address(std::string_view text)
{
    if (auto const domain = DomainName::parse(text)) {
        require(domain->text() == core::lower(text) && domain->text().size() <= DomainName::max_size);
        require(DomainName::parse(domain->text()) == domain && domain->holds(domain->text()));
        require(domain->holds("a." + domain->text()) && !domain->holds("a" + domain->text()));
        require(Address::parse("a@" + domain->text()).has_value());
    }
    auto const address = Address::parse(text);
    if (!address) return;
    require(core::is_email(text) && text.size() <= 254 && is_visible_ascii(text));
    require(Address::parse(address->text()) == address);
    require(core::equal_ignoring_case(address->text(), text) && std::ranges::count(text, '@') == 1);
    require(address->text().ends_with(std::string("@").append(address->domain())));
}

std::vector<std::string_view> lines_of(std::string_view message)
{
    std::vector<std::string_view> lines;
    while (!message.empty()) {
        auto const end = message.find("\r\n");
        require(end != std::string_view::npos);
        lines.push_back(message.substr(0, end));
        message.remove_prefix(end + 2);
    }
    return lines;
}

/// The message keeps the limits that every relay accepts, and its header has only the expected fields.
void check_wire(std::string_view message)
{
    static constexpr std::array<std::string_view, 6> ours{
        "From", "To", "Subject", "Date", "Message-ID", "MIME-Version"};
    auto const lines = lines_of(message);
    for (auto const line : lines) {
        require(line.size() <= max_line && line.find_first_of("\r\n") == std::string_view::npos);
        require(std::ranges::all_of(
            line, [](char c) { return c != '\0' && static_cast<unsigned char>(c) < 0x80; }));
    }
    std::size_t fields = 0;
    for (auto const line : lines) {
        if (line.empty()) break;
        if (line.front() == ' ' || line.front() == '\t') continue;
        auto const name = line.substr(0, line.find(':'));
        require(fields < ours.size() ? name == ours[fields] : name.starts_with("Content-"));
        ++fields;
    }
    require(fields > ours.size());
}

Ref<GMimeMessage> parsed(std::string const& message)
{
    Ref<GMimeStream> const stream(g_mime_stream_mem_new_with_buffer(message.data(), message.size()));
    Ref<GMimeParser> const parser(g_mime_parser_new_with_stream(stream.get()));
    Ref<GMimeMessage> read(g_mime_parser_construct_message(parser.get(), nullptr));
    require(read != nullptr);
    return read;
}

/// Decodes the text of a field (RFC 2047). Decodes each encoded word separately and drops the space between
/// two words.
std::string decoded(std::string_view text)
{
    constexpr std::string_view begin = "=?UTF-8?B?", end = "?=";
    if (!text.starts_with(begin)) return std::string(text);
    std::string decoded;
    while (!text.empty()) {
        auto const word = text.substr(0, text.find(' '));
        text.remove_prefix(std::min(word.size() + 1, text.size()));
        require(word.size() <= 75 && word.starts_with(begin) && word.ends_with(end));
        auto const part =
            crypto::base64::decode(word.substr(begin.size(), word.size() - begin.size() - end.size()));
        require(part && core::is_utf8(*part));
        decoded += *part;
    }
    return decoded;
}

void check_subject(std::string_view message, std::string_view subject)
{
    constexpr std::string_view name = "Subject: ";
    auto const lines = lines_of(message);
    auto line = std::ranges::find_if(lines, [=](auto text) { return text.starts_with(name); });
    require(line != lines.end());
    std::string unfolded(line->substr(name.size()));
    while (++line != lines.end() && line->starts_with(' '))
        unfolded += *line;
    require(decoded(unfolded) == subject);
}

/// Another parser (GMime) finds the same content. The subject is left out, because GMime joins neighbouring
/// encoded words.
void check_read_back(mail::Mailbox const& from, std::string const& message)
{
    auto const read = parsed(message);
    auto* const senders = g_mime_message_get_addresses(read.get(), GMIME_ADDRESS_TYPE_FROM);
    require(internet_address_list_length(senders) == 1);
    auto* const sender = internet_address_list_get_address(senders, 0);
    require(INTERNET_ADDRESS_IS_MAILBOX(sender));
    require(core::equal_ignoring_case(
        internet_address_mailbox_get_addr(INTERNET_ADDRESS_MAILBOX(sender)), from.address));
    auto* const recipients = g_mime_message_get_addresses(read.get(), GMIME_ADDRESS_TYPE_TO);
    require(internet_address_list_length(recipients) == 1);
    auto* const part = g_mime_message_get_mime_part(read.get());
    require(GMIME_IS_MULTIPART(part) && g_mime_multipart_get_count(GMIME_MULTIPART(part)) == 2);
    auto* const file = g_mime_multipart_get_part(GMIME_MULTIPART(part), 1);
    require(GMIME_IS_PART(file) && g_mime_part_is_attachment(GMIME_PART(file)));
}

void check_message(fuzz::Input input)
{
    Message email;
    mail::Mailbox from;
    from.name = input.line();
    from.address = input.line();
    email.to = input.line();
    email.subject = input.line();
    mail::Attachment file;
    file.filename = input.line();
    file.content_type = input.line();
    auto const format = input.choice(3);
    std::string body(input.rest());
    if (format != 1) email.text = body;
    if (format != 0) email.html = body;
    file.content = input.rest();
    for (auto const* const text : {&from.name, &email.subject, &file.filename, &file.content_type, &body})
        if (!is_text(*text)) return;
    email.attachments.push_back(std::move(file));
    auto const message = mail::compose(email, from, "id@example.com");
    if (!message) return;
    require(mail::compose(email, from, "id@example.com") == message);
    require(Address::parse(email.to) && Address::parse(from.address));
    check_wire(*message);
    check_subject(*message, email.subject);
    check_read_back(from, *message);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    fuzz::Input const input(data, size);
    for (fuzz::Input lines = input; !lines.empty();)
        check_address(lines.line());
    check_message(input);
    return 0;
}
