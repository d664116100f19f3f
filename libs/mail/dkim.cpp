#include "mail/dkim.hpp"

// The header is C and uses _Bool.
#define _Bool bool // NOLINT(bugprone-reserved-identifier)
#include <opendkim/dkim.h>
#undef _Bool
#include <openssl/err.h>

#include <array>
#include <cstddef>
#include <new>
#include <stdexcept>

namespace mail {

namespace {

constexpr std::string_view field = "DKIM-Signature: ";

struct FreeDkim {
    void operator()(DKIM* dkim) const noexcept { dkim_free(dkim); }
};

/// libopendkim takes non-const pointers to data that it only reads.
unsigned char* bytes(std::string_view text)
{
    return const_cast<unsigned char*>(reinterpret_cast<unsigned char const*>(text.data()));
}

unsigned char const* c_string(std::string const& text)
{
    return reinterpret_cast<unsigned char const*>(text.c_str());
}

void check(DKIM_STAT status, char const* call)
{
    if (status == DKIM_STAT_OK) return;
    ERR_clear_error(); // libopendkim leaves the error of an invalid key in OpenSSL's error queue
    throw std::runtime_error(std::string("libopendkim: ") + call + " failed");
}

/// Passes each header field to libopendkim, with its folded lines, but without the line end.
void feed_header(DKIM* dkim, std::string_view head)
{
    while (!head.empty()) {
        auto end = head.find("\r\n");
        while (end != std::string_view::npos && end + 2 < head.size() &&
               (head[end + 2] == ' ' || head[end + 2] == '\t')) {
            end = head.find("\r\n", end + 2);
        }
        auto const line = head.substr(0, end);
        check(dkim_header(dkim, bytes(line), line.size()), "dkim_header");
        head.remove_prefix(end == std::string_view::npos ? head.size() : end + 2);
    }
}

void set_headers(DKIM_LIB* library, dkim_opts_t option, char const** names)
{
    check(dkim_options(library, DKIM_OP_SETOPT, option, static_cast<void*>(names), sizeof(names)),
        "dkim_options");
}

} // namespace

void DkimSigner::Close::operator()(dkim_lib* library) const noexcept
{
    dkim_close(library);
}

DkimSigner::DkimSigner() : library_(dkim_init(nullptr, nullptr))
{
    if (!library_) throw std::bad_alloc();
    std::array<char const*, 13> covered{"From", "To", "Subject", "Date", "Message-ID", "MIME-Version",
        "Content-Type", "In-Reply-To", "References", "Auto-Submitted", "List-Unsubscribe",
        "List-Unsubscribe-Post", nullptr};
    std::array<char const*, 2> once_more{"From", nullptr};
    set_headers(library_.get(), DKIM_OPTS_SIGNHDRS, covered.data());
    set_headers(library_.get(), DKIM_OPTS_OVERSIGNHDRS, once_more.data());
}

DkimSigner::~DkimSigner() = default;

std::string DkimSigner::sign(std::string_view message, DkimKey const& key) const
{
    auto const head_size = message.find("\r\n\r\n");
    if (head_size == std::string_view::npos) throw std::invalid_argument("the message has no body");
    constexpr ssize_t whole_body = -1;
    DKIM_STAT status = DKIM_STAT_OK;
    std::string const& pem = key.private_key.reveal();
    std::unique_ptr<DKIM, FreeDkim> const dkim(dkim_sign(library_.get(), c_string(key.selector), nullptr,
        bytes(pem), c_string(key.selector), c_string(key.domain), DKIM_CANON_RELAXED, DKIM_CANON_RELAXED,
        DKIM_SIGN_RSASHA256, whole_body, &status));
    if (!dkim) check(status == DKIM_STAT_OK ? DKIM_STAT_INTERNAL : status, "dkim_sign");
    feed_header(dkim.get(), message.substr(0, head_size));
    check(dkim_eoh(dkim.get()), "dkim_eoh");
    auto const body = message.substr(head_size + 4);
    check(dkim_body(dkim.get(), bytes(body), body.size()), "dkim_body");
    check(dkim_eom(dkim.get(), nullptr), "dkim_eom");
    unsigned char* value = nullptr;
    std::size_t size = 0;
    check(dkim_getsighdr_d(dkim.get(), field.size(), &value, &size), "dkim_getsighdr_d");
    return std::string(field).append(reinterpret_cast<char const*>(value), size).append("\r\n");
}

} // namespace mail
