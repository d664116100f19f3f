#include "pages/qr_code.hpp"

#include <memory>
#include <qrencode.h>
#include <stdexcept>

namespace auth_mfa::pages {

namespace {

constexpr int quiet_zone = 4;

struct Deleter {
    void operator()(QRcode* code) const noexcept { QRcode_free(code); }
};

} // namespace

QrCode qr_code(std::string_view text)
{
    std::string bytes(text);
    std::unique_ptr<QRcode, Deleter> const code(QRcode_encodeData(static_cast<int>(bytes.size()),
        reinterpret_cast<unsigned char const*>(bytes.data()), 0, QR_ECLEVEL_M));
    if (!code) throw std::length_error("the text is too long for a QR code");
    auto const width = code->width;
    auto const is_dark = [&](int x, int y) { return x < width && (code->data[y * width + x] & 1) != 0; };
    QrCode drawn{.size = width + 2 * quiet_zone, .path = {}};
    for (int y = 0; y < width; ++y)
        for (int x = 0; x < width; ++x) {
            int const begin = x;
            while (is_dark(x, y))
                ++x;
            if (x == begin) continue;
            drawn.path += 'M' + std::to_string(begin + quiet_zone) + ' ' + std::to_string(y + quiet_zone) +
                          'h' + std::to_string(x - begin) + "v1H" + std::to_string(begin + quiet_zone) + 'z';
        }
    return drawn;
}

} // namespace auth_mfa::pages
