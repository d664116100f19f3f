#include "pages/feed.hpp"

#include "core/fields.hpp"
#include "core/text.hpp"
#include "domain/board_links.hpp"
#include "pages/board.hpp"
#include "pages/frame.hpp"
#include "pages/threads.hpp"
#include "pages/words.hpp"
#include "pg/database.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace feedback::pages {

namespace {

constexpr std::size_t max_entries = 30; ///< of each kind
constexpr std::size_t max_text = 1'000; ///< bytes of an entry's text

/// Appends text for XML 1.0. Control characters that XML does not have are left out.
void append_text(std::string& out, std::string_view text)
{
    std::string allowed;
    allowed.reserve(text.size());
    for (char const c : text)
        if (static_cast<unsigned char>(c) >= 0x20 || c == '\t' || c == '\n' || c == '\r') allowed += c;
    for (std::string_view const none : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"}) // U+FFFE and U+FFFF
        for (auto at = allowed.find(none); at != std::string::npos; at = allowed.find(none, at))
            allowed.erase(at, none.size());
    core::append_html_escaped(out, allowed);
}

void append_element(std::string& out, std::string_view name, std::string_view text)
{
    out.append("<").append(name).append(">");
    append_text(out, text);
    out.append("</").append(name).append(">\n");
}

struct Entry {
    std::string id;
    std::string url;
    std::string title;
    std::string_view text;
    Category category{};
    core::Time published;
};

void append_entry(std::string& out, Entry const& entry)
{
    auto const time = core::to_rfc3339(entry.published);
    out += "<entry>\n";
    append_element(out, "id", entry.id);
    append_element(out, "title", entry.title);
    append_element(out, "published", time);
    append_element(out, "updated", time);
    out.append("<category term=\"").append(to_string(entry.category)).append("\" label=\"");
    out.append(name_of(entry.category)).append("\"/>\n<link rel=\"alternate\" type=\"text/html\" href=\"");
    append_text(out, entry.url);
    out += "\"/>\n";
    append_element(out, "summary", entry.text);
    out += "</entry>\n";
}

std::vector<Entry> entries_of(std::string_view origin, std::vector<Feedback> const& newest,
    std::vector<shipped::Shipped> const& resolved)
{
    std::vector<Entry> entries;
    entries.reserve(newest.size() + resolved.size());
    for (auto const& f : newest)
        entries.push_back({"urn:uuid:" + f.id.to_string(), board_url::post(origin, f.id), f.title,
            core::whole_characters(f.body, max_text), f.category, f.created_at});
    for (auto const& s : resolved) {
        auto const url = board_url::post(origin, s.id);
        entries.push_back({url + "#done", url, "Done: " + s.title, core::whole_characters(s.body, max_text),
            s.category, s.at});
    }
    std::ranges::sort(entries, [](Entry const& a, Entry const& b) {
        return std::tie(b.published, a.id) < std::tie(a.published, b.id); // newest first
    });
    return entries;
}

} // namespace

std::string atom_feed(std::string_view origin, std::string_view name, std::vector<Feedback> const& newest,
    std::vector<shipped::Shipped> const& resolved)
{
    auto const entries = entries_of(origin, newest, resolved);
    auto const home = std::string(origin) + "/board";
    std::string out("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
                    "<feed xmlns=\"http://www.w3.org/2005/Atom\" xml:lang=\"en\">\n");
    append_element(out, "id", home);
    append_element(out, "title", name);
    append_element(
        out, "updated", core::to_rfc3339(entries.empty() ? core::Time() : entries.front().published));
    out += "<author>\n";
    append_element(out, "name", name);
    out += "</author>\n<link rel=\"alternate\" type=\"text/html\" href=\"";
    append_text(out, home);
    out += "\"/>\n<link rel=\"self\" type=\"application/atom+xml\" href=\"";
    append_text(out, home + "/feed.atom");
    out += "\"/>\n";
    for (auto const& entry : entries)
        append_entry(out, entry);
    return out + "</feed>\n";
}

asio::awaitable<http::Response> get_feed(http::Request const& req, Deps& deps)
{
    auto const frame = co_await frame_of(req, deps);
    auto const render = [&]() -> asio::awaitable<http::Response> {
        auto [newest, resolved] = co_await deps.db.read(req.scope(), [&](pg::Tx& tx) {
            return std::pair(threads::list(tx, req.scope(), Filter::of_board(), {}, max_entries),
                shipped::list(tx, req.scope(), max_entries));
        });
        co_return http::Response{.body = atom_feed(frame.origin, frame.brand.name, newest.items, resolved),
            .content_type = "application/atom+xml; charset=utf-8"}
            .header("Cache-Control", "public, max-age=60")
            .header("Content-Security-Policy", "default-src 'none'; sandbox");
    };
    co_return co_await deps.board.cache.serve(req, key_of(frame, "/board/feed.atom"), render);
}

} // namespace feedback::pages
