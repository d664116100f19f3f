#pragma once

#include "fixture.hpp"
#include "jobs/worker.hpp"
#include "support/gate.hpp"

namespace jobs_test {

using testing::Gate, testing::OpenAtEnd;

/// Polls often, so that a test need not wake it.
inline jobs::WorkerOptions quick(unsigned threads = 4)
{
    return {.queue = "q",
        .threads = threads,
        .lease = 60s,
        .poll = 20ms,
        .takeover_delay = 0ms,
        .stop_timeout = 1s};
}

} // namespace jobs_test
