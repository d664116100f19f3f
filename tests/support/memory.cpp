#include "support/memory.hpp"

#include <fstream>
#include <future>
#include <latch>
#include <stdexcept>
#include <vector>

namespace testing {

namespace {

/// The value of a line of /proc/<pid>/status in bytes. `VmRSS` is the resident size, and `VmHWM` its maximum.
std::size_t memory(Program const& program, std::string const& name)
{
    std::ifstream status("/proc/" + std::to_string(program.pid()) + "/status");
    for (std::string word; status >> word;) {
        std::size_t kibibytes = 0;
        if (word == name + ':' && status >> kibibytes) return kibibytes * 1024;
    }
    throw std::runtime_error("no " + name);
}

} // namespace

std::string dense_document(std::size_t size, std::string const& members, std::string_view item)
{
    std::string text = '{' + members + R"("x":[)";
    text += item;
    while (text.size() + item.size() + 3 <= size) {
        text += ',';
        text += item;
    }
    return text + "]}";
}

Burst send_at_once(Program const& program, std::size_t callers, std::string const& authorization,
    std::function<HttpResponse(HttpClient&)> const& request)
{
    Burst burst{.counts = {}, .before = resident(program)};
    std::latch ready(static_cast<std::ptrdiff_t>(callers));
    std::vector<std::future<unsigned>> answers;
    answers.reserve(callers);
    for (std::size_t i = 0; i < callers; ++i)
        answers.push_back(std::async(std::launch::async, [&] {
            auto caller = program.client(authorization, std::chrono::minutes(2));
            ready.arrive_and_wait();
            auto const answer = request(caller);
            bool const comes_back = answer.status != 503 || !answer.header("retry-after").empty();
            return comes_back ? answer.status : 0;
        }));
    for (auto& answer : answers)
        ++burst.counts[answer.get()];
    burst.most = memory(program, "VmHWM");
    return burst;
}

std::size_t resident(Program const& program)
{
    return memory(program, "VmRSS");
}

} // namespace testing
