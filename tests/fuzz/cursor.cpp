// The input is a line with the filter of a list, then a cursor of this list.
#include "paging/cursor.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "fuzz.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

using fuzz::require;

namespace {

/// An accepted cursor is the one that was issued for its position. No other list accepts it.
void check_accepted(std::string_view cursor, std::uint64_t hash)
{
    auto const position = paging::decode(cursor, hash);
    if (!position) return;
    require(paging::encode(*position, hash) == cursor && !paging::decode(cursor, hash + 1));
    if (position->time) core::to_rfc3339(*position->time); // throws for a time that the database cannot store
    require(paging::number_of(position) >= 0);
}

/// Every position survives encoding and decoding.
void check_round_trip(std::string_view bytes, std::uint64_t hash)
{
    std::array<std::uint8_t, 16> id{};
    std::int64_t micros = 0;
    std::copy_n(bytes.begin(), std::min(bytes.size(), id.size()), id.begin());
    std::memcpy(&micros, id.data(), sizeof micros);
    paging::Position position{std::nullopt, core::Uuid::from_bytes(id)};
    require(paging::decode(paging::encode(position, hash), hash) == position);
    position.time = core::Time(std::chrono::microseconds(micros));
    auto const decoded = paging::decode(paging::encode(position, hash), hash);
    require(core::is_representable(*position.time) ? decoded == position : !decoded);
    auto const number = micros & std::numeric_limits<std::int64_t>::max();
    require(paging::number_of(paging::Position{std::nullopt, paging::id_of_number(number)}) == number);
}

/// A cursor in a query parameter of a request gives the same result.
void check_query(std::string_view cursor, std::uint64_t hash)
{
    std::string const query = "limit=7&cursor=" + core::percent_encode(cursor);
    http::Request request;
    request.query = query;
    try {
        auto const asked = paging::PageRequest::read(request, hash);
        require(asked.limit == 7 && asked.after == paging::decode(cursor, hash));
    } catch (core::Error const& error) {
        require(error.faults().size() == 1 && error.faults()[0].pointer == "?cursor");
        require(!paging::decode(cursor, hash));
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    fuzz::Input input(data, size);
    auto const hash = paging::FilterHash().add("filter", input.line()).value();
    check_accepted(input.rest(), hash);
    check_round_trip(input.rest(), hash);
    check_query(input.rest(), hash);
    return 0;
}
