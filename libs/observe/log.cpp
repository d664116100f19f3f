#include "observe/log.hpp"

#include "core/clock.hpp"
#include "core/fields.hpp"
#include "core/json_writer.hpp"
#include "observe/line_sink.hpp"

#include <spdlog/logger.h>

namespace observe {

namespace {

spdlog::level::level_enum to_spdlog(Level level) noexcept
{
    switch (level) {
    case Level::debug:
        return spdlog::level::debug;
    case Level::info:
        return spdlog::level::info;
    case Level::warn:
        return spdlog::level::warn;
    case Level::error:
        return spdlog::level::err;
    case Level::off:
        break;
    }
    return spdlog::level::off;
}

/// Returns `text` with every byte that is not part of well-formed UTF-8 replaced by U+FFFD.
std::string repaired(std::string_view text)
{
    std::string out;
    out.reserve(text.size() + 8);
    while (!text.empty()) {
        std::size_t length = 1;
        while (length < 4 && length < text.size() && !core::is_utf8(text.substr(0, length)))
            ++length;
        bool const good = core::is_utf8(text.substr(0, length));
        out.append(good ? text.substr(0, length) : std::string_view("\xEF\xBF\xBD"));
        text.remove_prefix(good ? length : 1);
    }
    return out;
}

void write_text(core::JsonWriter& w, std::string_view text)
{
    if (core::is_utf8(text))
        w.value(text);
    else
        w.value(repaired(text));
}

void write_value(core::JsonWriter& w, Field::Value const& value)
{
    if (auto const* text = std::get_if<std::string_view>(&value))
        write_text(w, *text);
    else
        std::visit(
            [&w](auto v) {
                if constexpr (!std::is_same_v<decltype(v), std::string_view>) w.value(v);
            },
            value);
}

core::JsonWriter begin_line(core::Time time, Level level, std::string_view service, std::string_view message)
{
    core::JsonWriter w(512);
    w.begin_object().member("time", time);
    w.member("level", core::to_string(level));
    w.member("service", service);
    w.key("message");
    write_text(w, message);
    return w;
}

core::Time to_time(spdlog::log_clock::time_point now) noexcept
{
    return std::chrono::time_point_cast<core::Time::duration>(now);
}

} // namespace

struct Logger::Impl {
    Impl(std::string name, Level level, int fd)
        : service(std::move(name)),
          sink(std::make_shared<LineSink>(fd, [this](std::uint64_t n) { return loss(n); })),
          logger(service, sink)
    {
        logger.set_level(to_spdlog(level));
        logger.flush_on(spdlog::level::warn);
    }

    std::string loss(std::uint64_t count) const
    {
        auto w = begin_line(to_time(spdlog::log_clock::now()), Level::warn, service, "log lines dropped");
        w.member("count", count).end_object();
        return std::move(w).str();
    }

    std::string const service;
    std::shared_ptr<LineSink> const sink;
    spdlog::logger logger;
};

Logger::Logger(std::string service, Level level, int fd)
    : impl_(std::make_unique<Impl>(std::move(service), level, fd))
{
}

Logger::~Logger() = default;

bool Logger::enabled(Level level) const noexcept
{
    return level != Level::off && impl_->logger.should_log(to_spdlog(level));
}

void Logger::log(Level level, std::string_view message, Fields fields) noexcept
try {
    if (!enabled(level)) return;
    auto const now = spdlog::log_clock::now();
    auto w = begin_line(to_time(now), level, impl_->service, message);
    for (auto const& field : fields)
        write_value(w.key(field.key), field.value);
    w.end_object();
    impl_->logger.log(now, {}, to_spdlog(level), spdlog::string_view_t(w.str().data(), w.str().size()));
} catch (...) {
    // If memory is short, the line is lost, but the caller continues.
    return;
}

void Logger::flush(std::chrono::milliseconds timeout) noexcept
{
    impl_->sink->wait_written(timeout);
}

} // namespace observe
