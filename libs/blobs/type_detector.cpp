#include "blobs/type_detector.hpp"

#include <algorithm>
#include <magic.h>
#include <stdexcept>
#include <string>

namespace blobs {

namespace {

// An explicit path, because libmagic otherwise reads the variable MAGIC and files in the home directory.
constexpr char const* database = "/usr/share/misc/magic.mgc";

// The details of executables and of Microsoft's compound documents are not needed: both are refused anyway.
constexpr int flags = MAGIC_MIME | MAGIC_NO_CHECK_COMPRESS | MAGIC_NO_CHECK_ELF | MAGIC_NO_CHECK_CDF;

// libmagic's own limit is 8 KiB. Its regular expressions then take 0.2 s for a file that begins with empty
// lines. None of the allowed types needs such an expression.
constexpr std::size_t expression_bytes = 1024;

/// The bytes that text of one byte may have. libmagic does not examine files of one byte.
bool is_text_byte(char c) noexcept
{
    return (c >= ' ' && c <= '~') || (c >= '\t' && c <= '\r');
}

/// Parses libmagic's answer: `text/plain; charset=us-ascii`. The charset of other content is `binary`.
Content parse(std::string_view answer)
{
    auto const end = std::min(answer.find(';'), answer.size());
    return {.type = std::string(answer.substr(0, end)),
        .is_text = answer.size() > end && !answer.ends_with("charset=binary"),
        .head = {}};
}

Content of_short(std::string_view bytes)
{
    bool const is_text = bytes.empty() || is_text_byte(bytes.front());
    return {.type = std::string(is_text ? "text/plain" : unknown_type),
        .is_text = is_text,
        .head = std::string(bytes)};
}

} // namespace

void TypeDetector::Close::operator()(magic_set* handle) const noexcept
{
    magic_close(handle);
}

TypeDetector::TypeDetector()
{
    open(); // so that a missing database is found at the start
}

TypeDetector::Handle TypeDetector::open()
{
    Handle handle(magic_open(flags));
    if (!handle) throw std::runtime_error("libmagic cannot be initialised");
    if (magic_load(handle.get(), database) != 0) {
        char const* const reason = magic_error(handle.get());
        throw std::runtime_error("libmagic cannot load " + std::string(database) + ": " +
                                 (reason == nullptr ? "unknown error" : reason));
    }
    magic_setparam(handle.get(), MAGIC_PARAM_REGEX_MAX, &expression_bytes);
    return handle;
}

Content TypeDetector::detect(std::string_view bytes) const
{
    bytes = bytes.substr(0, head_size);
    if (bytes.size() < 2) return of_short(bytes);
    auto const handle = open();
    char const* const answer = magic_buffer(handle.get(), bytes.data(), bytes.size());
    // Without an answer, the content has exceeded a limit of libmagic, so its type is unknown.
    Content content = parse(answer == nullptr ? unknown_type : std::string_view(answer));
    content.head = bytes.substr(0, content_head);
    return content;
}

} // namespace blobs
