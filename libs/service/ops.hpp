#pragma once

#include "http/message.hpp"
#include "observe/metrics.hpp"
#include "service/service.hpp"

#include <atomic>
#include <vector>

namespace service {

/// The operations port, which only the orchestrator and Prometheus may reach, never customers:
/// - `GET /livez`: 200 `ok` while the process can respond.
/// - `GET /readyz`: 200 or 503 with `{"ready":false,"checks":{"database":"failing"}}`.
/// - `GET /metrics`: Prometheus text format 0.0.4.
class OpsApplication final : public http::Application {
public:
    /// `metrics` must outlive this object, which adds `tetrad_ready` to them.
    OpsApplication(observe::Metrics& metrics, std::vector<ReadyCheck> checks);

    asio::awaitable<http::Response> handle(http::Request& request) override;

    /// From now on /readyz fails its check `accepting`. Thread-safe.
    void become_unready() noexcept { accepting_ = false; }

private:
    bool is_ready() const;
    http::Response ready() const;

    observe::Metrics& metrics_;
    std::vector<ReadyCheck> checks_;
    std::atomic<bool> accepting_ = true;
};

} // namespace service
