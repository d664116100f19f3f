#include "blobs/content_disposition.hpp"
#include "blobs/filename.hpp"
#include "blobs/media_type.hpp"

using namespace std::string_literals;
using namespace std::string_view_literals;

namespace {

bool fits(blobs::Content const& content, std::string_view declared)
{
    return blobs::fits_media_type(content, declared);
}

} // namespace

TEST_CASE("a Content-Type matches a type in any case and with parameters")
{
    CHECK(blobs::is_media_type("text/plain", "text/plain"));
    CHECK(blobs::is_media_type("Text/PLAIN; charset=utf-8", "text/plain"));
    CHECK(blobs::is_media_type(" text/plain ;x=y", "text/plain"));
    CHECK_FALSE(blobs::is_media_type("text/plainer", "text/plain"));
    CHECK_FALSE(blobs::is_media_type("text/html", "text/plain"));
    CHECK_FALSE(blobs::is_media_type("", "text/plain"));
    CHECK_FALSE(blobs::is_media_type(";text/plain", "text/plain"));
}

TEST_CASE("only the media types of the list are known")
{
    CHECK(blobs::known_media_type("image/webp") == "image/webp");
    CHECK(blobs::known_media_type("image/svg+xml").empty());
    CHECK(blobs::known_media_type("IMAGE/PNG").empty());
    CHECK(blobs::known_media_type("").empty());
}

TEST_CASE("the detected type must equal the declared type")
{
    for (auto const declared : blobs::media_types) {
        for (auto const detected : blobs::media_types) {
            bool const text =
                detected == "text/plain" || detected == "text/csv" || detected == "application/json";
            bool const both_text = text && (declared == "text/plain" || declared == "text/csv" ||
                                               declared == "application/json");
            CAPTURE(declared, detected);
            CHECK(fits({.type = std::string(detected), .is_text = text}, declared) ==
                  (declared == detected || both_text));
        }
        for (auto const* program :
            {"application/x-pie-executable", "application/vnd.microsoft.portable-executable",
                "application/octet-stream", "video/quicktime", "audio/x-m4a", "image/svg+xml", ""})
            CHECK_FALSE(fits({.type = program}, declared));
    }
}

TEST_CASE("a text type accepts every text, except a PDF")
{
    auto const declared = GENERATE("text/plain", "text/csv", "application/json");
    for (auto const* detected : {"text/plain", "text/x-shellscript", "text/html", "message/rfc822",
             "application/javascript", "application/x-ndjson", "image/svg+xml"}) {
        CAPTURE(detected);
        CHECK(fits({.type = detected, .is_text = true}, declared));
    }
    CHECK_FALSE(fits({.type = "application/pdf", .is_text = true}, declared));
    // A shell script with a program behind it.
    CHECK_FALSE(fits({.type = "text/x-shellscript"}, declared));
}

TEST_CASE("other names of a type are accepted")
{
    CHECK(fits({.type = "video/x-m4v"}, "video/mp4"));
    CHECK(fits({.type = "application/x-gzip"}, "application/gzip"));
    CHECK(fits({.type = "application/epub+zip", .head = "PK\3\4\x14\0\0\0"s}, "application/zip"));
    CHECK_FALSE(fits({.type = "application/epub+zip",
                         .head = "\x7f"
                                 "ELF"s},
        "application/zip"));
}

TEST_CASE("the first bytes decide about content that libmagic does not know")
{
    struct Example {
        std::string_view type, head;
    };

    auto const example = GENERATE(Example{"image/png", "\x89PNG\r\n\x1a\n\0\0\0\rIHDR"sv},
        Example{"image/jpeg", "\xff\xd8\xff\xe0\0\x10JFIF\0\1\1\1\0H"sv},
        Example{"image/gif", "GIF89a\1\0\1\0"sv}, Example{"image/gif", "GIF87a\1\0\1\0"sv},
        Example{"image/webp", "RIFF\x24\0\0\0WEBPVP8 "sv},
        Example{"video/mp4", "\0\0\0\x18"
                             "ftypXAVC"sv},
        Example{"application/pdf", "%PDF-1.7\n%\xe2\xe3\xcf\xd3"sv},
        Example{"application/zip", "PK\3\4\x14\0\0\0\x08\0"sv},
        Example{"application/zip", "PK\5\6\0\0\0\0\0\0\0\0"sv},
        Example{"application/gzip", "\x1f\x8b\x08\0\0\0\0\0\0\3"sv});
    CAPTURE(example.type);
    auto const unknown = [](std::string_view head) {
        return blobs::Content{.type = std::string(blobs::unknown_type), .head = std::string(head)};
    };
    CHECK(fits(unknown(example.head), example.type));
    for (auto const type : blobs::media_types)
        if (type != example.type) CHECK_FALSE(fits(unknown(example.head), type));
    CHECK_FALSE(fits(unknown("<html><script>al"), example.type));
    CHECK_FALSE(fits(unknown(example.head.substr(0, 2)), example.type));
    CHECK_FALSE(fits(unknown(""), example.type));
    CHECK_FALSE(fits(unknown(" " + std::string(example.head.substr(0, 15))), example.type));
}

TEST_CASE("RIFF files of other types are not WebP")
{
    for (auto const head : {"RIFF\x24\0\0\0WAVEfmt "sv, "JUNK\x24\0\0\0WEBPVP8 "sv})
        CHECK_FALSE(
            fits({.type = std::string(blobs::unknown_type), .head = std::string(head)}, "image/webp"));
}

TEST_CASE("file names must be distinguishable from paths on all systems")
{
    auto const good =
        GENERATE("a", "Bericht über alles.pdf", "a..b", ".hidden", "…", "写真.png", "a b", "CON", "x:y");
    CHECK(blobs::is_filename(good));
    auto const bad = GENERATE("..", ".", "../x", "a/b", "/etc/passwd", "a\\b", "..\\x", "a\nb", "a\r", "\x7f",
        "\t", "a\u0085b", "a\u202efdp.exe", "\u2066x", "x\u2028y");
    CAPTURE(bad);
    CHECK_FALSE(blobs::is_filename(bad));
}

TEST_CASE("a file name with any characters stays one parameter of the header")
{
    CHECK(blobs::content_disposition("plain.png") == "attachment; filename*=UTF-8''plain.png");
    CHECK(blobs::content_disposition("na\u00efve \u20ac.pdf") ==
          "attachment; filename*=UTF-8''na%C3%AFve%20%E2%82%AC.pdf");
    CHECK(blobs::content_disposition("a\"b;c'd(1)*,%=") ==
          "attachment; filename*=UTF-8''a%22b%3Bc%27d%281%29%2A%2C%25%3D");
    CHECK(blobs::content_disposition("x\r\nSet-Cookie: a") ==
          "attachment; filename*=UTF-8''x%0D%0ASet-Cookie%3A%20a");
}
