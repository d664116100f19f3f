#pragma once

#include "core/json_writer.hpp"
#include "domain/visibility.hpp"
#include "paging/cursor.hpp"

#include <span>
#include <string>

/// The resources as they travel.
namespace feedback {

void write(core::JsonWriter& w, Feedback const& f, Viewer const& viewer);
void write(core::JsonWriter& w, Reply const& reply, Viewer const& viewer);
void write(core::JsonWriter& w, StatusMove const& move, Viewer const& viewer);

template <class T> std::string to_json(T const& item, Viewer const& viewer)
{
    core::JsonWriter w(1024);
    write(w, item, viewer);
    return std::move(w).str();
}

/// `{"items": […], "cursor": …}`.
template <class T> std::string to_json(paging::Page<T> const& page, Viewer const& viewer)
{
    core::JsonWriter w(256 + 1024 * page.items.size());
    w.begin_object().key("items").begin_array();
    for (auto const& item : page.items)
        write(w, item, viewer);
    w.end_array().member("cursor", page.cursor).end_object();
    return std::move(w).str();
}

} // namespace feedback
