#include "providers/push_outbox.hpp"

#include "core/append_file.hpp"
#include "core/json_writer.hpp"
#include "observe/log.hpp"

namespace notify {

namespace {

constexpr std::size_t piece_size = 64 << 10; ///< bytes per append; limits the memory for a large batch

std::string message_for(PushTarget const& target, RenderedPush const& push)
{
    if (target.carrier == Carrier::apns) return push.apns_body;
    if (target.carrier == Carrier::webpush) return push.web_payload;
    std::string space;
    return push.fcm_head + std::string(json_escaped(target.token, space)) + push.fcm_tail;
}

bool fits(RenderedPush const& push, Carrier carrier) noexcept
{
    switch (carrier) {
    case Carrier::fcm:
        return push.fcm_fits;
    case Carrier::apns:
        return push.apns_fits;
    case Carrier::webpush:
        break;
    }
    return push.web_fits;
}

/// The value of `platform`: the carrier's name, but `web` for Web Push.
std::string_view platform_of(PushTarget const& target) noexcept
{
    return target.carrier == Carrier::webpush ? "web" : to_string(target.carrier);
}

} // namespace

void PushOutbox::append_line(std::string& lines, PushTarget const& target, RenderedPush const& push) const
{
    core::JsonWriter w(512);
    w.begin_object()
        .member("at", clock_.now())
        .member("tenant", push.scope.slug)
        .member("env", core::to_string(push.scope.environment()))
        .member("platform", platform_of(target))
        .member("token", target.token)
        .key("message")
        .raw(message_for(target, push))
        .end_object();
    lines += std::move(w).str();
    lines += '\n';
}

void PushOutbox::deliver(PushBatch& batch) const
{
    RenderedPush const& push = *batch.push;
    if (!fits(push, batch.credential->carrier()))
        return batch.set_all(push_result(Verdict::refused, std::string(push_reasons::too_large)));
    batch.results.clear();
    std::string lines;
    for (std::size_t i = 0; i < batch.targets.size(); ++i) {
        append_line(lines, batch.targets[i], push);
        if (lines.size() < piece_size && i + 1 < batch.targets.size()) continue;
        batch.results.resize(i + 1, write(lines));
        lines.clear();
    }
}

PushResult PushOutbox::write(std::string const& lines) const
{
    auto const error = core::append_to_file(path_, lines);
    if (error) logger_.error("cannot append pushes to PUSH_OUTBOX", {{"detail", error.message()}});
    auto result = error ? push_result(Verdict::transient, std::string(push_reasons::outbox))
                        : push_result(Verdict::accepted);
    result.handed_out = true;
    return result;
}

} // namespace notify
