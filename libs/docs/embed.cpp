#include "docs/contract.hpp"

#include <boost/json/serialize.hpp>

#include <array>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <zlib.h>

// Runs while building: writes C++ in which a contract, or a file that is compressed already, is a string.

namespace {

std::string read(std::string const& file)
{
    std::ifstream in(file, std::ios::binary);
    if (!in) throw std::runtime_error("cannot be read");
    return {std::istreambuf_iterator<char>(in), {}};
}

std::string gzip(std::string text)
{
    constexpr int with_gzip_header = 16 + MAX_WBITS;
    constexpr int memory = 9;
    z_stream stream{};
    if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, with_gzip_header, memory, Z_DEFAULT_STRATEGY) !=
        Z_OK)
        throw std::bad_alloc();
    std::string out(deflateBound(&stream, text.size()), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(text.data());
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    bool const whole = deflate(&stream, Z_FINISH) == Z_STREAM_END;
    out.resize(out.size() - stream.avail_out);
    deflateEnd(&stream);
    if (!whole) throw std::runtime_error("cannot be compressed");
    return out;
}

/// `{"\037\213…", 326596}`
std::string literal(std::string_view bytes)
{
    std::string out = "{\"";
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        auto const byte = static_cast<unsigned char>(bytes[i]);
        std::array const octal{'\\', static_cast<char>('0' + (byte >> 6)),
            static_cast<char>('0' + (byte >> 3 & 7)), static_cast<char>('0' + (byte & 7))};
        out.append(octal.data(), octal.size());
        if (i % 64 == 63) out += "\"\n\"";
    }
    return out + "\", " + std::to_string(bytes.size()) + '}';
}

std::string contract(std::string const& file, std::string const& space)
{
    auto const document = docs::bundled(file);
    auto const title = serialize(document.at("info").at("title"));
    return "#include \"docs/reference.hpp\"\nnamespace " + space +
           " {\ndocs::Reference const& reference();\ndocs::Reference const& reference()\n"
           "{\n    static docs::Reference const made(" +
           title + ", " + literal(gzip(serialize(document))) + ");\n    return made;\n}\n}\n";
}

std::string bytes(std::string const& file, std::string const& name)
{
    return "#include <string_view>\nnamespace docs {\nextern std::string_view const " + name +
           ";\nconstinit std::string_view const " + name + literal(read(file)) + ";\n}\n";
}

} // namespace

int main(int argc, char** argv)
{
    std::span const arguments(argv, static_cast<std::size_t>(argc));
    if (arguments.size() != 5) {
        std::cerr << "usage: docs_embed contract CONTRACT.openapi.yaml NAMESPACE OUT.cpp\n"
                     "       docs_embed bytes FILE NAME OUT.cpp\n";
        return 2;
    }
    std::string const what = arguments[1], file = arguments[2], name = arguments[3], out = arguments[4];
    try {
        auto const text = what == "contract" ? contract(file, name) : bytes(file, name);
        std::ofstream written(out, std::ios::binary);
        written << "#pragma clang diagnostic ignored \"-Woverlength-strings\"\n" << text;
        if (!written.flush()) throw std::runtime_error("cannot be written to " + out);
    } catch (std::exception const& error) {
        std::cerr << file << ": " << error.what() << '\n';
        return 1;
    }
    return 0;
}
