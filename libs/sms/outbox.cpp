#include "sms/outbox.hpp"

#include "core/json_writer.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sms {

Sent Outbox::send(Message const& message, std::chrono::milliseconds /*patience*/)
{
    core::JsonWriter w(512);
    w.begin_object()
        .member("at", clock_.now())
        .member("tenant", message.scope.slug)
        .member("env", core::to_string(message.scope.environment()))
        .member("to", message.to.text())
        .member("body", message.body)
        .end_object();
    std::string const line = std::move(w).str() + '\n';

    std::lock_guard const lock(mutex_);
    int const file = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (file < 0) return {.outcome = Outcome::not_sent};
    // One write, so that two processes that share the file do not mix their lines.
    bool const written = ::write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size());
    ::close(file);
    return {.outcome = written ? Outcome::accepted : Outcome::not_sent};
}

} // namespace sms
