#pragma once

#include "mail/send_result.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// SMTP without input and output (RFC 5321 and its extensions).
namespace mail {

/// A reply of a server.
struct SmtpReply {
    unsigned code = 0;              ///< 200 to 599
    std::vector<std::string> lines; ///< at least one; each with its code, without line end

    bool positive() const noexcept { return code < 300; }

    std::string_view first_line() const noexcept { return lines.front(); }

    /// The text of a line, after the code and the separator.
    std::string_view text(std::size_t line) const noexcept;
};

/// Splits the bytes of a server into replies. Accepts LF without CR as line end.
class SmtpReplyParser {
public:
    static constexpr std::size_t max_line = 2048; ///< bytes; RFC 5321, 4.5.3.1.5 requires 512
    static constexpr std::size_t max_reply = std::size_t{256} * 1024; ///< bytes of one reply
    static constexpr std::size_t max_lines = 512;                     ///< lines of one reply

    /// Adds received bytes.
    void add(std::string_view bytes);

    /// Removes and returns the first complete reply. Returns nullopt if there is none, or after a fault.
    std::optional<SmtpReply> next();

    /// Why the bytes are not replies of SMTP; empty if there was no fault. After a fault the parser must not
    /// be used again.
    std::string_view fault() const noexcept { return fault_; }

    /// Whether there are bytes that `next` has not returned.
    bool has_bytes() const noexcept { return position_ < bytes_.size() || !reply_.lines.empty(); }

private:
    bool take_line(std::string_view line);

    std::string bytes_;
    std::size_t position_ = 0; ///< of the first byte that was not parsed
    SmtpReply reply_;          ///< lines of an incomplete reply
    std::size_t reply_size_ = 0;
    std::string_view fault_;
};

/// The extensions that a server offers in its reply to EHLO.
struct SmtpExtensions {
    bool pipelining = false;     ///< RFC 2920
    bool eight_bit_mime = false; ///< RFC 6152
    bool starttls = false;       ///< RFC 3207
    bool size = false;           ///< RFC 1870
    bool auth_plain = false, auth_login = false;
};

/// Reads the reply to EHLO. Unknown extensions are ignored.
SmtpExtensions read_extensions(SmtpReply const& reply);

/// The enhanced status code of a reply line (RFC 3463), such as `5.1.1` in `550 5.1.1 no such user`. Empty if
/// the line has no such code, or a code of another class than the reply's.
std::string_view enhanced_code(std::string_view line);

/// Interprets a negative reply (RFC 5321, 4.2; RFC 3463):
///
/// - 4yz: `transient`.
/// - 5yz with 5.1.1, 5.1.6, 5.1.10 or 5.2.1 (the mailbox does not exist): `gone`.
/// - 5yz that requests or refuses authentication: `credential`.
/// - Any other 5yz: `refused`.
///
/// The reason is `first_line` if it begins with the code, else the code alone.
SendResult read_smtp_reply(unsigned code, std::string_view first_line);

/// The command MAIL, without line end. `size` is the message's size in bytes.
std::string mail_command(
    std::string_view from, std::size_t size, bool eight_bit, SmtpExtensions const& extensions);

/// The command AUTH PLAIN with its initial response (RFC 4616), without line end.
std::string auth_plain_command(std::string_view user, std::string_view password);

/// Whether a message has bytes above 127, so that it needs 8BITMIME.
bool is_eight_bit(std::string_view message) noexcept;

/// Encodes a message as the data of SMTP in pieces: doubles the dot at the start of a line (RFC 5321, 4.5.2)
/// and adds the final dot. CR and LF that stand alone become CR LF, so that no server can take a part of the
/// message for the final dot.
class SmtpData {
public:
    /// `message` must outlive this object.
    explicit SmtpData(std::string_view message) noexcept : rest_(message) {}

    /// Appends about `size` bytes to `out`, at least one. Returns false when all bytes were appended before.
    bool next(std::string& out, std::size_t size);

    /// Whether all bytes were appended, with the final dot.
    bool is_at_end() const noexcept { return ended_; }

private:
    void append(std::string& out, std::size_t room);

    std::string_view rest_;
    bool at_line_start_ = true;
    bool ended_ = false;
};

} // namespace mail
