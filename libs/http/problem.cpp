#include "http/problem.hpp"

#include "core/json_writer.hpp"
#include "core/text.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>

namespace http {

namespace {

bool has_header(Response const& response, std::string_view name)
{
    return std::ranges::any_of(response.headers,
        [name](auto const& header) { return core::equal_ignoring_case(header.first, name); });
}

std::string document(core::Error const& error, std::string_view request_id)
{
    core::JsonWriter w(256);
    w.begin_object()
        .member("type", "about:blank")
        .member("title", reason_phrase(error.code().status))
        .member("status", static_cast<std::int64_t>(error.code().status))
        .member("detail", error.detail())
        .member("error", error.code().name)
        .member("requestId", request_id);
    if (!error.faults().empty()) {
        w.key("errors").begin_array();
        for (auto const& fault : error.faults()) {
            w.begin_object()
                .member("pointer", fault.pointer)
                .member("code", fault.code)
                .member("detail", fault.detail)
                .end_object();
        }
        w.end_array();
    }
    for (auto const& [name, value] : error.members())
        w.key(name).raw(boost::json::serialize(value));
    w.end_object();
    return std::move(w).str();
}

} // namespace

Response problem(core::Error const& error, std::string_view request_id)
{
    Response response{.status = error.code().status,
        .body = document(error, request_id),
        .content_type = "application/problem+json",
        .headers = error.headers()};
    if (response.status == 401 && !has_header(response, "WWW-Authenticate"))
        response.headers.emplace_back("WWW-Authenticate", "Bearer");
    if (response.status == 503 && !has_header(response, "Retry-After"))
        response.headers.emplace_back("Retry-After", "1");
    return response;
}

std::string_view reason_phrase(unsigned status) noexcept
{
    switch (status) {
    case 100:
        return "Continue";
    case 200:
        return "OK";
    case 201:
        return "Created";
    case 202:
        return "Accepted";
    case 204:
        return "No Content";
    case 206:
        return "Partial Content";
    case 301:
        return "Moved Permanently";
    case 302:
        return "Found";
    case 303:
        return "See Other";
    case 304:
        return "Not Modified";
    case 307:
        return "Temporary Redirect";
    case 308:
        return "Permanent Redirect";
    case 400:
        return "Bad Request";
    case 401:
        return "Unauthorized";
    case 403:
        return "Forbidden";
    case 404:
        return "Not Found";
    case 405:
        return "Method Not Allowed";
    case 406:
        return "Not Acceptable";
    case 408:
        return "Request Timeout";
    case 409:
        return "Conflict";
    case 410:
        return "Gone";
    case 411:
        return "Length Required";
    case 412:
        return "Precondition Failed";
    case 413:
        return "Content Too Large";
    case 414:
        return "URI Too Long";
    case 415:
        return "Unsupported Media Type";
    case 416:
        return "Range Not Satisfiable";
    case 422:
        return "Unprocessable Content";
    case 423:
        return "Locked";
    case 425:
        return "Too Early";
    case 428:
        return "Precondition Required";
    case 429:
        return "Too Many Requests";
    case 431:
        return "Request Header Fields Too Large";
    case 500:
        return "Internal Server Error";
    case 501:
        return "Not Implemented";
    case 502:
        return "Bad Gateway";
    case 503:
        return "Service Unavailable";
    case 504:
        return "Gateway Timeout";
    default:
        return "Unknown";
    }
}

} // namespace http
