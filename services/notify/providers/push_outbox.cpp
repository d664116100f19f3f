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
    std::string space;
    return push.fcm_head + std::string(json_escaped(target.token, space)) + push.fcm_tail;
}

} // namespace

void PushOutbox::append_line(std::string& lines, PushTarget const& target, RenderedPush const& push) const
{
    core::JsonWriter w(512);
    w.begin_object()
        .member("at", clock_.now())
        .member("tenant", push.scope.slug)
        .member("env", core::to_string(push.scope.environment()))
        .member("platform", to_string(target.carrier))
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
    bool const fits = batch.credential->carrier() == Carrier::apns ? push.apns_fits : push.fcm_fits;
    if (!fits) return batch.set_all(push_result(Verdict::refused, std::string(push_reasons::too_large)));
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
    if (!error) return push_result(Verdict::accepted);
    logger_.error("cannot append pushes to PUSH_OUTBOX", {{"detail", error.message()}});
    return push_result(Verdict::transient, std::string(push_reasons::outbox));
}

} // namespace notify
