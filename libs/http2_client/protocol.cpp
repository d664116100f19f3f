#include "http2_client/protocol.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <new>
#include <stdexcept>

namespace http2_client {

namespace {

constexpr std::size_t max_headers = 32;
constexpr std::int32_t connection_window = 1
                                           << 20; ///< responses are small, and a thousand may arrive at once
constexpr std::size_t max_debug_data = 100;

struct FreeOption {
    void operator()(nghttp2_option* option) const { nghttp2_option_del(option); }
};

struct FreeCallbacks {
    void operator()(nghttp2_session_callbacks* callbacks) const { nghttp2_session_callbacks_del(callbacks); }
};

void require(int result)
{
    if (result == NGHTTP2_ERR_NOMEM) throw std::bad_alloc();
    if (result != 0) throw std::runtime_error(std::string("nghttp2: ") + nghttp2_strerror(result));
}

std::string_view text(std::uint8_t const* bytes, std::size_t size)
{
    return {reinterpret_cast<char const*>(bytes), size};
}

nghttp2_nv to_nv(Header const& header)
{
    // nghttp2 does not write through these pointers.
    auto* const name = reinterpret_cast<std::uint8_t*>(const_cast<char*>(header.name.data()));
    auto* const value = reinterpret_cast<std::uint8_t*>(const_cast<char*>(header.value.data()));
    unsigned const flags = NGHTTP2_NV_FLAG_NO_COPY_NAME | (header.unique ? NGHTTP2_NV_FLAG_NO_INDEX : 0U);
    return {name, value, header.name.size(), header.value.size(), static_cast<std::uint8_t>(flags)};
}

} // namespace

// nghttp2 calls these functions. They must not throw, because nghttp2 is a C library.
struct Protocol::Callbacks {
    static Protocol& of(void* user) { return *static_cast<Protocol*>(user); }

    static int frame_received(nghttp2_session* /*session*/, nghttp2_frame const* frame, void* user) noexcept
    {
        Protocol& self = of(user);
        bool const ack = (frame->hd.flags & NGHTTP2_FLAG_ACK) != 0;
        if (frame->hd.type == NGHTTP2_SETTINGS && !ack)
            self.apply_settings();
        else if (frame->hd.type == NGHTTP2_GOAWAY)
            self.on_goaway(frame->goaway);
        else if (frame->hd.type == NGHTTP2_PING && ack)
            self.ping_pending_ = false;
        return 0;
    }

    static int frame_not_sent(
        nghttp2_session* /*session*/, nghttp2_frame const* frame, int /*error*/, void* user) noexcept
    {
        if (frame->hd.type != NGHTTP2_HEADERS) return 0;
        if (Stream* const stream = of(user).find(frame->hd.stream_id)) stream->surely_unsent_ = true;
        return 0;
    }

    static int header(nghttp2_session* /*session*/, nghttp2_frame const* frame, std::uint8_t const* name,
        std::size_t name_size, std::uint8_t const* value, std::size_t value_size, std::uint8_t /*flags*/,
        void* user) noexcept
    {
        Stream* const stream = of(user).find(frame->hd.stream_id);
        if (stream == nullptr) return 0;
        std::string_view const v = text(value, value_size);
        if (text(name, name_size) == ":status")
            std::from_chars(v.data(), v.data() + v.size(), stream->status);
        else
            stream->header(text(name, name_size), v);
        return 0;
    }

    static int data(nghttp2_session* /*session*/, std::uint8_t /*flags*/, std::int32_t stream_id,
        std::uint8_t const* bytes, std::size_t size, void* user) noexcept
    {
        Stream* const stream = of(user).find(stream_id);
        if (stream == nullptr) return 0;
        std::size_t const left = Stream::max_answer - stream->answer.size();
        stream->answer.append(text(bytes, std::min(size, left)));
        return 0;
    }

    static int stream_closed(
        nghttp2_session* /*session*/, std::int32_t stream_id, std::uint32_t error, void* user) noexcept
    {
        of(user).close(stream_id, error);
        return 0;
    }

    static int error(nghttp2_session* /*session*/, int /*code*/, char const* message, std::size_t size,
        void* user) noexcept
    {
        Protocol& self = of(user);
        if (self.fault_.empty()) self.fault_.assign(message, size);
        return 0;
    }

    static ssize_t body(nghttp2_session* /*session*/, std::int32_t stream_id, std::uint8_t* out,
        std::size_t size, std::uint32_t* flags, nghttp2_data_source* /*source*/, void* user) noexcept
    {
        return of(user).read_body(stream_id, out, size, *flags);
    }
};

Protocol::Protocol(std::size_t max_streams) : max_streams_(max_streams)
{
    nghttp2_option* option = nullptr;
    require(nghttp2_option_new(&option));
    std::unique_ptr<nghttp2_option, FreeOption> const options(option);
    nghttp2_option_set_no_closed_streams(option, 1);
    nghttp2_session_callbacks* callbacks = nullptr;
    require(nghttp2_session_callbacks_new(&callbacks));
    std::unique_ptr<nghttp2_session_callbacks, FreeCallbacks> const owner(callbacks);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, &Callbacks::frame_received);
    nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks, &Callbacks::frame_not_sent);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, &Callbacks::header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, &Callbacks::data);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, &Callbacks::stream_closed);
    nghttp2_session_callbacks_set_error_callback2(callbacks, &Callbacks::error);
    require(nghttp2_session_client_new2(&session_, callbacks, this, option));
    std::array<nghttp2_settings_entry, 1> const settings{{{NGHTTP2_SETTINGS_ENABLE_PUSH, 0}}};
    require(nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings.data(), settings.size()));
    require(nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, connection_window));
}

Protocol::~Protocol()
{
    nghttp2_session_del(session_);
}

std::size_t Protocol::free_streams() const noexcept
{
    return !ready_ || draining_ || active_ >= limit_ ? 0 : limit_ - active_;
}

void Protocol::submit(std::span<Header const> headers, Stream& stream, SteadyTime now)
{
    if (headers.size() > max_headers) throw std::invalid_argument("a request has too many header fields");
    std::array<nghttp2_nv, max_headers>
        fields; // NOLINT(cppcoreguidelines-pro-type-member-init): only the fields in use are set
    std::ranges::transform(headers, fields.begin(), to_nv);
    nghttp2_data_provider const body{{.ptr = nullptr}, &Callbacks::body};
    bool const has_body = std::ranges::any_of(stream.body, [](auto piece) { return !piece.empty(); });
    std::int32_t const stream_id = nghttp2_submit_request(
        session_, nullptr, fields.data(), headers.size(), has_body ? &body : nullptr, &stream);
    if (stream_id == NGHTTP2_ERR_STREAM_ID_NOT_AVAILABLE) { // after 2^30 requests
        draining_ = true;
        stream.ended(StreamEnd::refused);
        return;
    }
    require(std::min(stream_id, 0));
    stream.status = 0;
    stream.answer.clear();
    stream.since_ = now;
    stream.id_ = stream_id;
    stream.piece_ = 0;
    stream.sent_ = 0;
    stream.surely_unsent_ = false;
    in_flight_.push_back(stream);
    ++active_;
}

bool Protocol::receive(std::span<char const> bytes)
{
    auto const* const data = reinterpret_cast<std::uint8_t const*>(bytes.data());
    ssize_t const taken = nghttp2_session_mem_recv(session_, data, bytes.size());
    if (taken >= 0) return true;
    fault_ = nghttp2_strerror(static_cast<int>(taken));
    return false;
}

bool Protocol::produce(std::string& out, std::size_t enough)
{
    while (out.size() < enough) {
        std::uint8_t const* data = nullptr;
        ssize_t const size = nghttp2_session_mem_send(session_, &data);
        if (size < 0) {
            fault_ = nghttp2_strerror(static_cast<int>(size));
            return false;
        }
        if (size == 0) break;
        out.append(text(data, static_cast<std::size_t>(size)));
    }
    return true;
}

void Protocol::expire(SteadyTime then)
{
    while (!in_flight_.empty() && in_flight_.front().since_ < then) {
        Stream& stream = in_flight_.front();
        std::int32_t const stream_id = stream.id_;
        forget(stream);
        // The stream counts as active until it is closed. It is closed when the reset has been sent.
        require(nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream_id, NGHTTP2_CANCEL));
        stream.ended(StreamEnd::timeout);
    }
}

void Protocol::end_all(StreamEnd end)
{
    draining_ = true;
    while (!in_flight_.empty()) {
        Stream& stream = in_flight_.front();
        forget(stream);
        stream.ended(end);
    }
}

void Protocol::ping()
{
    require(nghttp2_submit_ping(session_, NGHTTP2_FLAG_NONE, nullptr));
    ping_pending_ = true;
}

void Protocol::send_goaway()
{
    require(nghttp2_session_terminate_session(session_, NGHTTP2_NO_ERROR));
    draining_ = true;
}

bool Protocol::finished() const noexcept
{
    return nghttp2_session_want_read(session_) == 0 && nghttp2_session_want_write(session_) == 0;
}

void Protocol::apply_settings() noexcept
{
    std::uint32_t const allowed =
        nghttp2_session_get_remote_settings(session_, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
    limit_ = std::min<std::size_t>(max_streams_, allowed);
    ready_ = true;
}

void Protocol::on_goaway(nghttp2_goaway const& frame)
{
    draining_ = true;
    fault_ = std::string("GOAWAY ") + nghttp2_http2_strerror(frame.error_code);
    std::string_view const debug = text(frame.opaque_data, std::min(frame.opaque_data_len, max_debug_data));
    if (!debug.empty()) fault_.append(": ").append(debug);
}

void Protocol::close(std::int32_t stream_id, std::uint32_t error)
{
    --active_;
    Stream* const stream = find(stream_id);
    if (stream == nullptr) return; // the stream has timed out
    forget(*stream);
    bool const refused = error == NGHTTP2_REFUSED_STREAM || stream->surely_unsent_;
    bool const whole = error == NGHTTP2_NO_ERROR && stream->status != 0;
    if (whole) ++answered_;
    stream->ended(whole ? StreamEnd::answered : refused ? StreamEnd::refused : StreamEnd::lost);
}

void Protocol::forget(Stream& stream) noexcept
{
    in_flight_.erase(in_flight_.iterator_to(stream));
    nghttp2_session_set_stream_user_data(session_, stream.id_, nullptr);
}

ssize_t Protocol::read_body(
    std::int32_t stream_id, std::uint8_t* out, std::size_t size, std::uint32_t& flags) noexcept
{
    Stream* const stream = find(stream_id);
    // If the stream has timed out, this result makes nghttp2 reset the stream.
    if (stream == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    std::size_t written = 0;
    while (stream->piece_ < stream->body.size()) {
        std::string_view const rest = stream->body[stream->piece_].substr(stream->sent_);
        std::size_t const count = std::min(rest.size(), size - written);
        if (count > 0) std::memcpy(out + written, rest.data(), count);
        written += count;
        if (count < rest.size()) {
            stream->sent_ += count;
            return static_cast<ssize_t>(written);
        }
        ++stream->piece_;
        stream->sent_ = 0;
    }
    flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(written);
}

Stream* Protocol::find(std::int32_t stream_id) const noexcept
{
    return static_cast<Stream*>(nghttp2_session_get_stream_user_data(session_, stream_id));
}

} // namespace http2_client
