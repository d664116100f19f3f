#pragma once

#include <string>
#include <string_view>

namespace auth_mfa::pages {

/// A QR code (ISO/IEC 18004) as an SVG drawing. Draw `path` in black on a white square of `size` units. The
/// square contains the quiet zone of four modules that readers need on each side.
struct QrCode {
    int size = 0;     ///< modules on each side, quiet zone included; a module is one unit
    std::string path; ///< the attribute `d` of an SVG path: all dark modules
};

/// The QR code for `text`, with error correction of level M. Throws std::length_error if `text` is longer
/// than a QR code can be (2,331 bytes). Pure.
QrCode qr_code(std::string_view text);

} // namespace auth_mfa::pages
