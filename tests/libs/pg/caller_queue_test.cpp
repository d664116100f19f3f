#include "pg/caller_queue.hpp"
#include "support/scopes.hpp"

#include <memory>
#include <vector>

// Scopes 2 and 3 belong to one tenant, 4 to another. A batch takes 4 callers.

using namespace std::chrono_literals;

namespace {

struct Caller {
    core::ScopeId scope_id;
    int number;
};

struct Fixture {
    void push(core::ScopeId scope_id, int count)
    {
        for (int i = 0; i < count; ++i)
            queue.push(std::make_unique<Caller>(scope_id, ++number));
    }

    /// Returns the scopes of the next batch.
    std::vector<core::ScopeId> take()
    {
        std::vector<core::ScopeId> scopes;
        for (auto const& caller : queue.take()) {
            scopes.push_back(caller->scope_id);
            numbers.push_back(caller->number);
        }
        return scopes;
    }

    std::size_t ahead_of(core::ScopeId scope_id) const { return queue.ahead_of(core::Owner::of(scope_id)); }

    pg::CallerQueue<std::unique_ptr<Caller>> queue{4};
    int number = 0;
    std::vector<int> numbers; ///< of the callers taken
};

} // namespace

TEST_CASE_METHOD(Fixture, "callers that fit into one batch leave the queue in the order of arrival")
{
    push(core::ScopeId{2}, 2);
    push(core::ScopeId{4}, 1);
    CHECK(ahead_of(core::ScopeId{4}) == 3);
    CHECK(queue.size_of_tenant(core::TenantId{1}) == 2);
    CHECK(queue.size_of(core::Owner::of(core::ScopeId{3})) == 0);
    CHECK(take() == testing::scopes({2, 2, 4}));
    CHECK(queue.empty());
    CHECK(take().empty());
}

TEST_CASE_METHOD(Fixture, "callers that do not fit into one batch take turns until no caller waits")
{
    push(core::ScopeId{2}, 6);
    push(core::ScopeId{4}, 1);
    push(core::ScopeId{3}, 1);
    CHECK(ahead_of(core::ScopeId{3}) == 4); // 2, 4, 3 and 2
    CHECK(ahead_of(core::ScopeId{6}) == 2);
    CHECK(queue.size_of_tenant(core::TenantId{1}) == 7);
    CHECK(queue.size_of(core::Owner::of(core::ScopeId{3})) == 1);
    CHECK(take() == testing::scopes({2, 4, 3, 2}));
    push(core::ScopeId{4}, 1);
    CHECK(take() == testing::scopes({2, 4, 2, 2}));
    CHECK(take() == testing::scopes({2}));
    CHECK(queue.empty());
    push(core::ScopeId{4}, 3);
    CHECK(take() == testing::scopes({4, 4, 4}));
    CHECK(numbers == std::vector{1, 7, 8, 2, 3, 9, 4, 5, 6, 10, 11, 12});
}

TEST_CASE_METHOD(Fixture, "late callers are removed only if the callers do not fit into one batch")
{
    push(core::ScopeId{2}, 4);
    CHECK(queue.take_late(-1h).empty());
    push(core::ScopeId{4}, 1);
    CHECK(queue.take_late(1h).empty());
    CHECK(queue.take_late(-1h).size() == 5);
    CHECK(queue.empty());
}
