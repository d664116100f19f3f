#include "core/gzip.hpp"

#include <new>
#include <stdexcept>
#include <zlib.h>

namespace core {

std::string gzip(std::string_view bytes, int level)
{
    constexpr int with_gzip_header = 16 + MAX_WBITS;
    constexpr int memory = 9;
    z_stream stream{};
    if (deflateInit2(&stream, level, Z_DEFLATED, with_gzip_header, memory, Z_DEFAULT_STRATEGY) != Z_OK)
        throw std::bad_alloc();
    std::string out(deflateBound(&stream, bytes.size()), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    bool const is_whole = deflate(&stream, Z_FINISH) == Z_STREAM_END;
    out.resize(out.size() - stream.avail_out);
    deflateEnd(&stream);
    if (!is_whole) throw std::runtime_error("bytes cannot be compressed");
    return out;
}

} // namespace core
