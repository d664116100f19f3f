#include "pages/page_cache.hpp"

#include "core/gzip.hpp"
#include "core/hex.hpp"
#include "crypto/hash.hpp"
#include "http/content_coding.hpp"
#include "http/etag.hpp"
#include "observe/metrics.hpp"

#include <utility>

namespace feedback::pages {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t pages_in_part = 64;
constexpr std::size_t tag_digits = 32; ///< of the hash
constexpr int gzip_level = 6;

prometheus::Counter& counter(observe::Metrics& metrics, std::string const& outcome)
{
    return metrics.counter(
        "tetrad_board_pages_total", "Pages of boards, by whether they were cached", {{"outcome", outcome}});
}

} // namespace

struct PageCache::Page {
    http::Response response;
    std::string tag;
    std::string gzip_body, gzip_tag;
    std::uint32_t changes = 0; ///< of the scope, before the page was made
    Clock::time_point until;
    mutable std::atomic<bool> renewing = false; ///< a request makes the page again

    void compress()
    {
        auto const digest = crypto::sha256(response.body);
        auto const hash = core::hex::encode(crypto::view(digest)).substr(0, tag_digits);
        tag = http::etag(hash);
        gzip_tag = http::etag(hash + "-gzip");
        gzip_body = core::gzip(response.body, gzip_level);
        response.headers.emplace_back("Vary", "Accept-Encoding");
    }

    http::Response answer(http::Request const& req) const
    {
        bool const is_compressed = http::accepts_gzip(req);
        auto const& own_tag = is_compressed ? gzip_tag : tag;
        http::Response answer{
            .status = response.status, .content_type = response.content_type, .headers = response.headers};
        answer.headers.emplace_back("ETag", own_tag);
        if (http::is_not_modified(req, own_tag)) {
            answer.status = 304;
            return answer;
        }
        answer.body = is_compressed ? gzip_body : response.body;
        if (is_compressed) answer.headers.emplace_back("Content-Encoding", "gzip");
        return answer;
    }
};

PageCache::PageCache(observe::Metrics& metrics)
    : cached_(counter(metrics, "cached")), made_(counter(metrics, "made"))
{
    for (auto& part : parts_)
        part = std::make_unique<Part>(pages_in_part, 2 * lifetime);
}

asio::awaitable<http::Response> PageCache::serve(
    http::Request const& req, std::string key, Render const& render)
{
    auto& part = part_of(req.scope());
    key.insert(0, core::to_string(req.scope().id) + ' ');
    auto const changes = changes_of(req.scope().id).load();
    auto const old = part.find(key);
    bool const is_usable =
        old && ((old->changes == changes && Clock::now() < old->until) || old->renewing.exchange(true));
    if (is_usable) {
        cached_.Increment();
        co_return old->answer(req);
    }
    made_.Increment();
    auto const page = std::make_shared<Page>();
    try {
        page->response = co_await render();
    } catch (...) {
        if (old) old->renewing = false;
        throw;
    }
    if (page->response.status != 200) {
        part.erase(key);
        co_return std::move(page->response);
    }
    if (page->response.body.size() > max_page) {
        part.erase(key);
        co_return std::move(page->response);
    }
    page->compress();
    page->changes = changes;
    page->until = Clock::now() + lifetime;
    part.put(std::move(key), page);
    co_return page->answer(req);
}

void PageCache::changed(core::ScopeId scope) noexcept
{
    changes_of(scope).fetch_add(1);
}

std::atomic<std::uint32_t>& PageCache::changes_of(core::ScopeId scope) noexcept
{
    return changes_[static_cast<std::size_t>(core::number(scope)) % changes_.size()];
}

PageCache::Part& PageCache::part_of(core::Scope const& scope) noexcept
{
    return *parts_[static_cast<std::size_t>(core::number(scope.tenant_id())) % parts_.size()];
}

} // namespace feedback::pages
