#include "core/gzip.hpp"
#include "docs/contract.hpp"
#include "docs/markdown.hpp"

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
#include <vector>

// A build tool. It writes a C++ file that contains the documentation of a service, or another file.

namespace {

std::string read(std::string const& file)
{
    std::ifstream in(file, std::ios::binary);
    if (!in) throw std::runtime_error("cannot read " + file);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// The bytes as the initialiser of a string_view: `{"\037\213…", 326596}`.
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

/// Returns C++ that defines `<space>::reference()`: the contract and the tutorial. The version in the
/// contract is set to the version of the project, TETRAD_VERSION.
std::string reference(std::string const& contract, std::string const& tutorial, std::string const& space)
{
    auto document = docs::bundle(contract);
    auto& info = document.at("info").as_object();
    info["version"] = TETRAD_VERSION;
    std::string about;
    for (auto const* member : {"title", "summary", "version"})
        about += serialize(info.at(member)) + ", ";
    about += serialize(boost::json::string(docs::markdown_to_html(read(tutorial))));
    return "#include \"docs/reference.hpp\"\nnamespace " + space +
           " {\ndocs::Reference const& reference();\ndocs::Reference const& reference()\n"
           "{\n    static docs::Reference const made({" +
           about + "}, " + literal(core::gzip(serialize(document), 9)) + ");\n    return made;\n}\n}\n";
}

std::string bytes(std::string const& file, std::string const& name)
{
    return "#include <string_view>\nnamespace docs {\nextern std::string_view const " + name +
           ";\nconstinit std::string_view const " + name + literal(read(file)) + ";\n}\n";
}

/// Returns C++ that defines `console::<name>()`: the files of a folder. The text files are compressed.
std::string files(std::string const& name, std::string const& folder, std::span<std::string const> paths)
{
    constexpr std::string_view compressed = ".gz";
    std::string table;
    for (auto const& path : paths) {
        bool const is_compressed = path.ends_with(compressed);
        auto const shown = path.substr(0, path.size() - (is_compressed ? compressed.size() : 0));
        table += "{" + literal(shown) + ", " + literal(read(folder + '/' + path)) +
                 (is_compressed ? ", true},\n" : ", false},\n");
    }
    auto const values = paths.empty()
                            ? std::string("    return {};\n")
                            : "    static constexpr File all[] = {\n" + table + "};\n    return all;\n";
    return "#include \"console/bundle.hpp\"\nnamespace console {\nstd::span<File const> " + name +
           "();\nstd::span<File const> " + name + "()\n{\n" + values + "}\n}\n";
}

} // namespace

int main(int argc, char** argv)
{
    std::vector<std::string> const arguments(argv + 1, argv + argc);
    bool const is_reference = arguments.size() == 5 && arguments[0] == "reference";
    bool const is_bytes = arguments.size() == 4 && arguments[0] == "bytes";
    bool const is_files = arguments.size() >= 4 && arguments[0] == "files";
    if (!is_reference && !is_bytes && !is_files) {
        std::cerr << "usage: docs_embed reference CONTRACT.openapi.yaml TUTORIAL.md NAMESPACE OUT.cpp\n"
                     "       docs_embed bytes FILE NAME OUT.cpp\n"
                     "       docs_embed files NAME FOLDER OUT.cpp [FILE...]\n";
        return 2;
    }
    try {
        auto const text = is_reference ? reference(arguments[1], arguments[2], arguments[3])
                          : is_bytes   ? bytes(arguments[1], arguments[2])
                                       : files(arguments[1], arguments[2], std::span(arguments).subspan(4));
        std::ofstream written(is_files ? arguments[3] : arguments.back(), std::ios::binary);
        written << "#pragma clang diagnostic ignored \"-Woverlength-strings\"\n" << text;
        if (!written.flush()) throw std::runtime_error("cannot write " + arguments.back());
    } catch (std::exception const& error) {
        std::cerr << "docs_embed: " << arguments[1] << ": " << error.what() << '\n';
        return 1;
    }
    return 0;
}
