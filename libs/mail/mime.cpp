#include "mail/mime.hpp"

#include "core/fields.hpp"
#include "crypto/encoding.hpp"
#include "mail/address.hpp"
#include "mail/media_type.hpp"
#include "mail/plain_text.hpp"

#include <algorithm>
#include <chrono>
#include <gmime/gmime.h>
#include <memory>
#include <new>
#include <string_view>
#include <utility>

namespace mail {

namespace {

// --- header fields ---------------------------------------------------------------------------------------

/// Text without CR, LF and NUL. Head takes only such text, so a value cannot end its header field.
class HeaderText {
public:
    static std::optional<HeaderText> parse(std::string_view text)
    {
        if (text.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos) return std::nullopt;
        return HeaderText(text);
    }

    std::string_view view() const noexcept { return text_; }

private:
    explicit HeaderText(std::string_view text) noexcept : text_(text) {}

    std::string_view text_;
};

/// The sender of a message, valid for a header field.
struct Sender {
    HeaderText name;
    Address address;
};

constexpr std::size_t line_limit = 76; // RFC 2047, 2
constexpr std::size_t longest_quoted = 60;
constexpr std::string_view word_begin = "=?UTF-8?B?", word_end = "?=";

/// The next word, with the white space before it.
std::string_view next_word(std::string_view text)
{
    return text.substr(0, text.find(' ', std::min(text.find_first_not_of(' '), text.size())));
}

bool is_plain(std::string_view text)
{
    bool const ascii = std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
    return ascii && text.find("=?") == std::string_view::npos; // `=?` begins an encoded word
}

/// Whether the text can be broken into lines between its words.
bool folds(std::string_view text)
{
    while (!text.empty()) {
        auto const word = next_word(text);
        if (word.size() > line_limit) return false;
        text.remove_prefix(word.size());
    }
    return true;
}

/// Builds the header of a message field by field. GMime is not used for the header, because it makes encoded
/// words that are longer than the 75 characters of RFC 2047, and does not encode text that only looks like an
/// encoded word.
class Head {
public:
    /// Adds a field whose ASCII value this library made.
    void add(std::string_view name, std::string const& value) { begin(name).append(value).append("\r\n"); }

    void add_text(std::string_view name, HeaderText text)
    {
        begin(name);
        if (is_plain(text.view()) && folds(text.view()))
            append_folded(text.view());
        else
            append_encoded(text.view());
        text_ += "\r\n";
    }

    void add_mailbox(std::string_view name, Sender const& sender)
    {
        begin(name);
        std::string_view const shown = sender.name.view();
        if (!shown.empty()) {
            if (is_plain(shown) && shown.size() <= longest_quoted)
                append_quoted(shown);
            else
                append_encoded(shown);
            text_ += column() + sender.address.text().size() + 3 > line_limit ? "\r\n " : " ";
        }
        text_ += '<' + sender.address.text() + ">\r\n";
    }

    std::string text() && { return std::move(text_); }

private:
    std::string& begin(std::string_view name)
    {
        line_ = text_.size();
        return text_.append(name).append(": ");
    }

    std::size_t column() const noexcept { return text_.size() - line_; }

    void fold()
    {
        text_ += "\r\n";
        line_ = text_.size();
    }

    /// Breaks lines between words only, and keeps the white space unchanged (RFC 5322, 2.2.3).
    void append_folded(std::string_view text)
    {
        for (bool first = true; !text.empty(); first = false) {
            auto const word = next_word(text);
            bool const blank = word.ends_with(' '); // white space at the end gets no line of its own
            if (!first && !blank && column() + word.size() > line_limit) fold();
            text_ += word;
            text.remove_prefix(word.size());
        }
    }

    void append_encoded(std::string_view text)
    {
        constexpr std::size_t frame = word_begin.size() + word_end.size();
        constexpr std::size_t longest_character = 4;
        while (!text.empty()) {
            std::size_t const room = line_limit - std::min(line_limit, column() + frame);
            std::size_t const bytes = room / 4 * 3;
            if (bytes < longest_character) {
                fold();
                text_ += ' ';
                continue;
            }
            auto const part = core::whole_characters(text, bytes);
            text_.append(word_begin).append(crypto::base64::encode(part)).append(word_end);
            text.remove_prefix(part.size());
            if (!text.empty()) {
                fold();
                text_ += ' ';
            }
        }
    }

    void append_quoted(std::string_view text)
    {
        text_ += '"';
        for (char const c : text) {
            if (c == '"' || c == '\\') text_ += '\\';
            text_ += c;
        }
        text_ += '"';
    }

    std::string text_;
    std::size_t line_ = 0; ///< where the current line begins
};

// --- body ------------------------------------------------------------------------------------------------

struct Unref {
    void operator()(void* object) const noexcept { g_object_unref(object); }
};

struct FreeFormat {
    void operator()(GMimeFormatOptions* options) const noexcept { g_mime_format_options_free(options); }
};

template <class T> using Ref = std::unique_ptr<T, Unref>;

/// A GLib object. GLib ends the process when memory runs out, so the pointer is never null.
using Object = Ref<GMimeObject>;

void set_content(GMimePart* part, std::string_view bytes, GMimeContentEncoding encoding)
{
    Ref<GMimeStream> const stream(g_mime_stream_mem_new_with_buffer(bytes.data(), bytes.size()));
    Ref<GMimeDataWrapper> const content(
        g_mime_data_wrapper_new_with_stream(stream.get(), GMIME_CONTENT_ENCODING_BINARY));
    g_mime_part_set_content(part, content.get());
    g_mime_part_set_content_encoding(part, encoding);
}

/// Text as MIME requires it (RFC 2046, 4.1.1): every line ends in CR LF.
std::string with_line_ends(std::string_view text)
{
    std::string out;
    out.reserve(text.size() + text.size() / 32 + 2);
    for (std::size_t i = 0; i < text.size(); ++i) {
        bool const pair = text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
        if (text[i] != '\r' && text[i] != '\n') {
            out += text[i];
            continue;
        }
        out += "\r\n";
        if (pair) ++i;
    }
    if (!out.empty() && !out.ends_with('\n')) out += "\r\n";
    return out;
}

Object text_part(char const* subtype, std::string_view text)
{
    std::string const lines = with_line_ends(text);
    GMimePart* const part = g_mime_part_new_with_type("text", subtype);
    Object object(GMIME_OBJECT(part));
    g_mime_object_set_content_type_parameter(object.get(), "charset", "utf-8");
    // Every relay accepts both encodings. Quoted-printable is used if most of the text stays readable, else
    // base64.
    auto const encoding =
        g_mime_utils_best_encoding(reinterpret_cast<unsigned char const*>(lines.data()), lines.size());
    set_content(part, lines, encoding);
    return object;
}

Object multipart(char const* subtype, std::string const& boundary)
{
    GMimeMultipart* const parts = g_mime_multipart_new_with_subtype(subtype);
    g_mime_multipart_set_boundary(parts, boundary.c_str());
    return Object(GMIME_OBJECT(parts));
}

void add(Object const& parts, Object const& part)
{
    g_mime_multipart_add(GMIME_MULTIPART(parts.get()), part.get());
}

/// Sets the media type of an attachment. If `type` is not valid for a file, the media type stays
/// application/octet-stream.
void set_content_type(GMimeObject* object, std::string const& content_type)
{
    Ref<GMimeContentType> const type(g_mime_content_type_parse(nullptr, content_type.c_str()));
    auto const name = [](char const* text) { return std::string(text == nullptr ? "" : text); };
    bool const file = is_plain(content_type) &&
                      is_bare_media_type(name(g_mime_content_type_get_media_type(type.get())) + '/' +
                                         name(g_mime_content_type_get_media_subtype(type.get()))) &&
                      !g_mime_content_type_is_type(type.get(), "multipart", "*") &&
                      !g_mime_content_type_is_type(type.get(), "message", "*");
    if (file) g_mime_object_set_content_type(object, type.get());
}

Object attachment_part(Attachment const& attachment)
{
    GMimePart* const part = g_mime_part_new_with_type("application", "octet-stream");
    Object object(GMIME_OBJECT(part));
    set_content_type(object.get(), attachment.content_type);
    g_mime_object_set_disposition(object.get(), GMIME_DISPOSITION_ATTACHMENT);
    g_mime_part_set_filename(part, attachment.filename.c_str());
    set_content(part, attachment.content, GMIME_CONTENT_ENCODING_BASE64);
    return object;
}

/// In quoted-printable and base64 no line begins with `--=_` (RFC 2045, 6.7), so content cannot contain the
/// boundary.
std::string boundary(char const* kind, Message const& message)
{
    return "=_" + std::string(kind) + '_' + message.id.to_string();
}

Object body_of(Message const& message)
{
    if (!message.html) return text_part("plain", message.text.value_or(""));
    Object alternative = multipart("alternative", boundary("alternative", message));
    add(alternative, text_part("plain", message.text ? *message.text : plain_text(*message.html)));
    // The last part is the preferred one (RFC 2046, 5.1.4).
    add(alternative, text_part("html", *message.html));
    return alternative;
}

Object content_of(Message const& message)
{
    Object body = body_of(message);
    if (message.attachments.empty()) return body;
    Object mixed = multipart("mixed", boundary("mixed", message));
    add(mixed, body);
    for (auto const& attachment : message.attachments)
        add(mixed, attachment_part(attachment));
    return mixed;
}

/// The header fields and the content of a part, as text to append to the message's own header fields.
std::string written(Object const& object)
{
    std::unique_ptr<GMimeFormatOptions, FreeFormat> const format(g_mime_format_options_new());
    g_mime_format_options_set_newline_format(format.get(), GMIME_NEWLINE_FORMAT_DOS);
    g_mime_format_options_set_param_encoding_method(format.get(), GMIME_PARAM_ENCODING_METHOD_RFC2231);
    Ref<GMimeStream> const stream(g_mime_stream_mem_new());
    if (g_mime_object_write_to_stream(object.get(), format.get(), stream.get()) < 0) throw std::bad_alloc();
    GByteArray const* const bytes = g_mime_stream_mem_get_byte_array(GMIME_STREAM_MEM(stream.get()));
    return {reinterpret_cast<char const*>(bytes->data), bytes->len};
}

/// The date in the form of RFC 5322, 3.3.
std::string formatted(core::Time date)
{
    auto const seconds = core::unix_seconds(date);

    struct Free {
        void operator()(GDateTime* time) const noexcept { g_date_time_unref(time); }

        void operator()(char* text) const noexcept { g_free(text); }
    };

    std::unique_ptr<GDateTime, Free> const time(g_date_time_new_from_unix_utc(seconds));
    std::unique_ptr<char, Free> const text(g_mime_utils_header_format_date(time.get()));
    return text.get();
}

/// Initialises GMime once per process; GMime must not be initialised twice.
void begin_library()
{
    static bool const begun = [] {
        g_mime_init();
        return true;
    }();
    static_cast<void>(begun);
}

/// Whether the URL fits into a header field, which may have lines of 998 characters (RFC 5322, 2.1.1).
bool is_fit(Unsubscribe const& unsubscribe)
{
    constexpr std::size_t longest = 900;
    auto const& url = unsubscribe.url;
    return url.size() <= longest && std::ranges::all_of(url, [](char c) { return c > ' ' && c <= '~'; }) &&
           url.find_first_of("<>") == std::string::npos;
}

std::string in_brackets(std::string const& text)
{
    return '<' + text + '>';
}

/// Adds the fields that tell mail programs how to treat the message.
void add_handling(Head& head, Message const& message, std::string_view message_id)
{
    if (message.thread) {
        auto const id = in_brackets(message.thread->to_string().append(
            message_id.substr(std::min(message_id.find('@'), message_id.size()))));
        head.add("In-Reply-To", id);
        head.add("References", id);
    }
    if (message.auto_generated) head.add("Auto-Submitted", "auto-generated");
    if (!message.unsubscribe) return;
    head.add("List-Unsubscribe", in_brackets(message.unsubscribe->url));
    head.add("List-Unsubscribe-Post", "List-Unsubscribe=One-Click");
}

} // namespace

std::optional<std::string> compose(Message const& message, Mailbox const& from, std::string const& message_id)
{
    auto const name = HeaderText::parse(from.name);
    auto const address = Address::parse(from.address);
    auto const to = Address::parse(message.to);
    auto const subject = HeaderText::parse(message.subject);
    auto const is_plain_file = [](Attachment const& a) {
        return HeaderText::parse(a.filename) && HeaderText::parse(a.content_type);
    };
    if (!name || !address || !to || !subject || !HeaderText::parse(message_id) ||
        !HeaderText::parse(message.traceparent) || (message.unsubscribe && !is_fit(*message.unsubscribe)) ||
        !std::ranges::all_of(message.attachments, is_plain_file)) {
        return std::nullopt;
    }
    begin_library();
    Head head;
    head.add_mailbox("From", {*name, *address});
    head.add("To", to->text());
    head.add_text("Subject", *subject);
    head.add("Date", formatted(message.date));
    head.add("Message-ID", '<' + message_id + '>');
    head.add("MIME-Version", "1.0");
    add_handling(head, message, message_id);
    if (!message.traceparent.empty()) head.add("Traceparent", message.traceparent);
    return std::move(head).text() + written(content_of(message));
}

} // namespace mail
