#include "api.hpp"
#include "support/run_awaitable.hpp"

#include <fstream>
#include <sys/resource.h>

using blobs_test::url_tokens;
using testing::run_awaitable;

namespace {

struct Fixture {
    testing::FakeClock clock;
    testing::TemporaryDirectory folder{"blobs"};
    blobs::LocalStore store{folder.path(), url_tokens(), clock};
    blobs::Key const key{core::ScopeId{14}, core::Uuid::v7(), {}};

    blobs::Key keep(blobs::Key const& as, std::string bytes)
    {
        auto work = [](blobs::LocalStore& to, blobs::Key name,
                        std::string data) -> boost::asio::awaitable<blobs::Key> {
            auto incoming = co_await to.receive(name, "text/plain");
            co_await incoming.write(data);
            co_await incoming.commit();
            co_return incoming.key();
        };
        return run_awaitable(work(store, as, std::move(bytes)));
    }

    std::filesystem::path path(blobs::Key const& blob) const
    {
        std::string const id = blob.attachment_id.to_string();
        auto const shard =
            std::filesystem::path(folder.path()) / core::to_string(blob.scope_id) / id.substr(id.size() - 2);
        return shard / (id + "." + blob.version);
    }

    /// The whole content of the file; nullopt if it does not exist.
    std::optional<std::string> read(blobs::Key const& blob) const
    {
        std::ifstream file(path(blob));
        if (!file) return std::nullopt;
        return std::string(std::istreambuf_iterator<char>(file), {});
    }

    std::size_t files() const
    {
        std::size_t count = 0;
        for (auto const& entry : std::filesystem::recursive_directory_iterator(folder.path())) {
            if (entry.is_regular_file()) ++count;
        }
        return count;
    }

    std::filesystem::path shard() const
    {
        std::string const id = key.attachment_id.to_string();
        return std::filesystem::path(folder.path()) / "14" / id.substr(id.size() - 2);
    }
};

} // namespace

TEST_CASE("a committed blob can be read")
{
    Fixture f;
    std::string const bytes(200'000, 'x');
    auto const kept = f.keep(f.key, bytes);
    CHECK(kept.version.size() == 16);
    CHECK(f.read(kept) == bytes);
    CHECK_FALSE(run_awaitable(f.store.send(kept, static_cast<std::int64_t>(bytes.size()) - 1)));
    CHECK_FALSE(f.read({core::ScopeId{14}, f.key.attachment_id, "another"}));
    CHECK_FALSE(f.read({core::ScopeId{16}, f.key.attachment_id, kept.version}));
    CHECK(std::filesystem::exists(f.shard() / (f.key.attachment_id.to_string() + "." + kept.version)));
}

TEST_CASE("a part of a blob is read, and the reading ends where the file ends")
{
    Fixture f;
    std::string bytes(200'000, 'x');
    for (std::size_t i = 0; i < bytes.size(); i += 7)
        bytes[i] = static_cast<char>('a' + i % 26);
    auto const kept = f.keep(f.key, bytes);
    auto const read = [&](std::size_t offset, std::size_t length, std::optional<std::size_t> cut = {}) {
        auto blob = run_awaitable(f.store.send(kept, static_cast<std::int64_t>(bytes.size())));
        REQUIRE(blob);
        blob->limit(offset, length);
        if (cut) std::filesystem::resize_file(f.path(kept), *cut);
        std::string all;
        for (auto piece = run_awaitable(blob->next()); !piece.empty(); piece = run_awaitable(blob->next()))
            all += piece;
        return all;
    };
    CHECK(read(0, bytes.size()) == bytes);
    CHECK(read(1, 65'536) == bytes.substr(1, 65'536));
    CHECK(read(99'999, 100'001) == bytes.substr(99'999));
    CHECK(read(199'999, 1) == bytes.substr(199'999));
    CHECK(read(5, 0).empty());
    CHECK(read(0, bytes.size(), 150'000) == bytes.substr(0, 150'000));
}

TEST_CASE("an uncommitted blob does not exist and leaves no file")
{
    Fixture f;
    auto begin = [](blobs::LocalStore& store, blobs::Key key,
                     bool discard) -> boost::asio::awaitable<blobs::Key> {
        auto incoming = co_await store.receive(key, "text/plain");
        co_await incoming.write(std::string(100'000, 'x'));
        if (discard) co_await incoming.discard();
        co_return incoming.key();
    };
    bool const discard = GENERATE(true, false);
    auto const key = run_awaitable(begin(f.store, f.key, discard));
    CHECK_FALSE(f.read(key));
    CHECK(f.files() == 0);
}

TEST_CASE("uploads of one attachment do not affect each other")
{
    Fixture f;
    auto const first = f.keep(f.key, "first");
    auto const second = f.keep(f.key, "second");
    CHECK(f.read(first) == "first");
    CHECK(f.read(second) == "second");
}

TEST_CASE("erasing an attachment keeps the given version and other attachments")
{
    Fixture f;
    auto const first = f.keep(f.key, "first");
    auto const second = f.keep(f.key, "second");
    auto const other = f.keep({core::ScopeId{14}, core::Uuid::v7(), {}}, "other");
    // The state after a crash during an upload.
    std::ofstream(f.shard() / (f.key.attachment_id.to_string() + ".0123456789abcdef.part")) << "half";

    f.store.erase_except(second);
    CHECK_FALSE(f.read(first));
    CHECK(f.read(second) == "second");
    CHECK(f.files() == 2);

    f.store.erase_except(f.key);
    CHECK_FALSE(f.read(second));
    CHECK(f.read(other) == "other");
    f.store.erase_except(f.key);
    f.store.erase_except({core::ScopeId{18}, core::Uuid::v7(), {}});
    CHECK(f.files() == 1);
}

TEST_CASE("erasing a scope keeps the other scopes")
{
    Fixture f;
    auto const mine = f.keep(f.key, "mine");
    auto const sandbox = f.keep({core::ScopeId{15}, f.key.attachment_id, {}}, "sandbox");
    auto const longer = f.keep({core::ScopeId{140}, f.key.attachment_id, {}}, "longer");
    f.store.erase_scope(core::ScopeId{14});
    CHECK_FALSE(f.read(mine));
    CHECK(f.read(sandbox) == "sandbox");
    CHECK(f.read(longer) == "longer");
    f.store.erase_scope(core::ScopeId{14});
}

TEST_CASE("only the user that runs the service can read blobs")
{
    Fixture f;
    auto const kept = f.keep(f.key, "secret");
    namespace fs = std::filesystem;
    auto const permissions =
        fs::status(f.shard() / (f.key.attachment_id.to_string() + "." + kept.version)).permissions();
    CHECK((permissions & (fs::perms::group_all | fs::perms::others_all)) == fs::perms::none);
    CHECK((fs::status(f.shard()).permissions() & (fs::perms::group_all | fs::perms::others_all)) ==
          fs::perms::none);
}

#if !__has_feature(address_sanitizer) // the sanitizer needs file descriptors to inspect an exception
TEST_CASE("the store is temporarily unavailable if there is no free file descriptor")
{
    Fixture f;
    auto const kept = f.keep(f.key, "bytes");
    // The limit begins inside the coroutine, because the code that runs the coroutine needs descriptors of
    // its own.
    auto work = [&f, &kept](bool receives) -> boost::asio::awaitable<void> {
        rlimit limit{};
        ::getrlimit(RLIMIT_NOFILE, &limit);
        rlimit const none{.rlim_cur = 0, .rlim_max = limit.rlim_max};
        ::setrlimit(RLIMIT_NOFILE, &none);
        std::exception_ptr failure;
        try {
            if (receives)
                co_await f.store.receive(f.key, "text/plain");
            else
                co_await f.store.send(kept, 5);
        } catch (...) {
            failure = std::current_exception();
        }
        ::setrlimit(RLIMIT_NOFILE, &limit);
        if (failure) std::rethrow_exception(failure);
    };
    for (bool const receives : {true, false}) {
        CAPTURE(receives);
        try {
            run_awaitable(work(receives));
            FAIL("the store found a free file descriptor");
        } catch (core::Error const& error) {
            CHECK(error.code().name == "UNAVAILABLE");
        }
    }
    CHECK(run_awaitable(f.store.send(kept, 5)));
}
#endif

TEST_CASE("the next upload may start when the previous one has ended or failed to start")
{
    Fixture f;
    for (int i = 0; i < 200; ++i)
        f.keep(f.key, "bytes");
    std::filesystem::remove_all(f.folder.path());
    std::ofstream(f.folder.path()) << "in the way";
    for (int i = 0; i < 50; ++i)
        CHECK_THROWS_AS(f.keep(f.key, "bytes"), std::system_error);
    std::filesystem::remove(f.folder.path());
    std::filesystem::create_directory(f.folder.path());
    CHECK(f.read(f.keep(f.key, "bytes")) == "bytes");
}
