#include "mail/outbox.hpp"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace mail {

namespace {

bool write_all(int file, std::string_view bytes)
{
    while (!bytes.empty()) {
        auto const written = ::write(file, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

/// Writes a file under the temporary name `path`. No other writer uses this name, and the pattern `*.eml`
/// does not match it.
bool write_aside(std::string const& path, std::string_view bytes)
{
    int const file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (file < 0) return false;
    bool const written = write_all(file, bytes);
    return ::close(file) == 0 && written;
}

} // namespace

Outbox::Outbox(std::string directory) : directory_(std::move(directory))
{
    namespace fs = std::filesystem;
    std::error_code failed;
    if (fs::create_directories(directory_, failed) && !failed)
        fs::permissions(directory_, fs::perms::owner_all, failed);
    if (!failed && fs::is_directory(directory_)) return;
    throw std::runtime_error(
        "EMAIL_OUTBOX must be a directory that this process can create or use: " + directory_);
}

void Outbox::deliver(Envelope envelope, std::stop_token /*stop*/, Done done)
{
    done(write(envelope));
}

SendResult Outbox::write(Envelope const& envelope) const
{
    std::string const path = directory_ + '/' + envelope.id.to_string() + ".eml";
    std::string const aside = path + '.' + core::Uuid::v7().to_string();
    if (write_aside(aside, envelope.message) && std::rename(aside.c_str(), path.c_str()) == 0)
        return {.outcome = Outcome::accepted};
    int const cause = errno;
    ::unlink(aside.c_str());
    return {.outcome = Outcome::transient, .reason = "OUTBOX: " + std::generic_category().message(cause)};
}

} // namespace mail
