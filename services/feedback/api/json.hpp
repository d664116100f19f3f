#pragma once

#include "core/json_writer.hpp"
#include "domain/viewer.hpp"
#include "http/message.hpp"
#include "paging/cursor.hpp"

#include <span>
#include <string>

/// Writes the resources as JSON, as `viewer` may see them.
namespace feedback {

/// Writes the members of the object, into an object that is already begun.
void write_members(core::JsonWriter& w, Feedback const& f, Viewer const& viewer);
void write(core::JsonWriter& w, Feedback const& f, Viewer const& viewer);
void write(core::JsonWriter& w, Reply const& reply, Viewer const& viewer);
void write(core::JsonWriter& w, ReplyEdit const& edit, Viewer const& viewer);
void write(core::JsonWriter& w, StatusChange const& change, Viewer const& viewer);

template <class T> std::string to_json(T const& item, Viewer const& viewer)
{
    core::JsonWriter w(1024);
    write(w, item, viewer);
    return std::move(w).str();
}

/// `{"items": […], "cursor": …}`.
template <class T> std::string to_json(paging::Page<T> const& page, Viewer const& viewer)
{
    auto const write_one = [&viewer](core::JsonWriter& w, T const& item) { write(w, item, viewer); };
    return paging::to_json(page, write_one, 1024);
}

/// A response with the thread and its ETag.
http::Response respond(unsigned status, Feedback const& f, http::Request const& req);

} // namespace feedback
