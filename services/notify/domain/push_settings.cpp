#include "domain/push_settings.hpp"

#include "core/json_writer.hpp"
#include "core/text.hpp"

#include <boost/json.hpp>
#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

#include <algorithm>

namespace notify {

namespace {

namespace urls = boost::urls;

/// A link with one of these schemes would run code or read a local file when it is opened.
constexpr std::array<std::string_view, 4> refused_schemes{"data", "file", "javascript", "vbscript"};

std::string_view scheme_of(std::string_view uri) noexcept
{
    return uri.substr(0, std::min(uri.find(':'), uri.size()));
}

bool has_scheme(std::string_view uri, std::string_view scheme) noexcept
{
    return core::equal_ignoring_case(scheme_of(uri), scheme);
}

/// Whether `text` is a URI with a scheme and more (RFC 3986, 3). A web address also needs a host.
bool is_absolute_uri(std::string_view text)
{
    auto const parsed = urls::parse_uri(text);
    if (!parsed || text.size() == scheme_of(text).size() + 1) return false;
    bool const is_web = has_scheme(text, "https") || has_scheme(text, "http");
    return !is_web || !parsed->encoded_host().empty();
}

std::optional<std::string> parse_collapse_key(core::Fields& f)
{
    auto key = f.optional_text("collapseKey", 1, max_collapse_key);
    bool const visible = !key || std::ranges::all_of(*key, [](char c) { return c > ' ' && c <= '~'; });
    if (!visible) f.fault("collapseKey", "format", "must have only visible ASCII characters, and no spaces");
    return key;
}

std::optional<std::string> parse_image(core::Fields& f)
{
    auto image = f.optional_text("image", 1, max_push_url);
    if (image && !(is_web_link(*image) && is_absolute_uri(*image)))
        f.fault("image", "format", "must be an https URL, such as https://example.com/image.png");
    return image;
}

std::optional<std::string> parse_link(core::Fields& f)
{
    auto link = f.optional_text("link", 1, max_push_url);
    if (!link) return link;
    auto const refused = [&](std::string_view scheme) { return has_scheme(*link, scheme); };
    if (!is_absolute_uri(*link))
        f.fault("link", "format",
            "must be an absolute URI, such as https://example.com/orders/7 or myapp://orders/7");
    else if (std::ranges::any_of(refused_schemes, refused))
        f.fault("link", "not_allowed", "must not have the scheme " + core::lower(scheme_of(*link)));
    return link;
}

PushSettings read(core::Fields& f)
{
    PushSettings s;
    s.ttl_seconds = f.optional_integer("ttlSeconds", 0, max_ttl_seconds);
    s.priority = f.optional_one_of<PushPriority>("priority");
    s.collapse_key = parse_collapse_key(f);
    s.image = parse_image(f);
    s.link = parse_link(f);
    s.badge = f.optional_integer("badge", 0, max_badge);
    s.sound = f.optional_text("sound", 1, max_push_name);
    s.channel_id = f.optional_text("channelId", 1, max_push_name);
    s.background = f.optional_boolean("background");
    return s;
}

template <class T> void replace(std::optional<T>& option, std::optional<T> const& given)
{
    if (given) option = given;
}

template <class T>
void write_option(core::JsonWriter& w, std::string_view name, std::optional<T> const& option)
{
    if (option) w.member(name, *option);
}

} // namespace

bool is_web_link(std::string_view link) noexcept
{
    return has_scheme(link, "https");
}

std::optional<PushSettings> parse_push_settings(core::Fields& f)
{
    auto const* object = f.optional_object("push");
    if (object == nullptr) return std::nullopt;
    core::Fields nested(*object, "/push");
    PushSettings settings = read(nested);
    f.absorb(nested);
    return settings;
}

PushSettings merge(PushSettings base, PushSettings const& send)
{
    replace(base.ttl_seconds, send.ttl_seconds);
    replace(base.priority, send.priority);
    replace(base.collapse_key, send.collapse_key);
    replace(base.image, send.image);
    replace(base.link, send.link);
    replace(base.badge, send.badge);
    replace(base.sound, send.sound);
    replace(base.channel_id, send.channel_id);
    replace(base.background, send.background);
    return base;
}

std::string to_json(PushSettings const& s)
{
    core::JsonWriter w;
    w.begin_object();
    write_option(w, "ttlSeconds", s.ttl_seconds);
    if (s.priority) w.member("priority", to_string(*s.priority));
    write_option(w, "collapseKey", s.collapse_key);
    write_option(w, "image", s.image);
    write_option(w, "link", s.link);
    write_option(w, "badge", s.badge);
    write_option(w, "sound", s.sound);
    write_option(w, "channelId", s.channel_id);
    write_option(w, "background", s.background);
    w.end_object();
    return std::move(w).str();
}

std::optional<std::string> to_stored(PushSettings const& settings)
{
    return settings.empty() ? std::nullopt : std::optional(to_json(settings));
}

PushSettings push_settings_of(std::optional<std::string> const& stored)
{
    if (!stored) return {};
    core::Fields f(boost::json::parse(*stored));
    return read(f);
}

} // namespace notify
