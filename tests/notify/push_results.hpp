#pragma once
// The results of pushes, for the tests of runs.

#include "providers/push_batch.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace notify {

/// The result of a push that was handed out.
inline PushResult result(
    Verdict verdict, std::string reason = {}, std::optional<std::chrono::seconds> retry_after = {})
{
    PushResult a;
    a.verdict = verdict;
    a.reason = std::move(reason);
    a.retry_after = retry_after;
    a.handed_out = true;
    if (verdict == Verdict::accepted) a.provider_id = "accepted-1";
    return a;
}

/// The result of a push that was not handed out.
inline PushResult untried(
    Verdict verdict, std::string_view reason, std::optional<std::chrono::seconds> retry_after = {})
{
    auto a = result(verdict, std::string(reason), retry_after);
    a.handed_out = false;
    return a;
}

} // namespace notify
