#pragma once

#include "app.hpp"
#include "receiver.hpp"
#include "support/fake_clock.hpp"
#include "support/keyed_world.hpp"

#include <string>

// The erasure and the export of a user, in a world whose time the test moves.

/// Occurs only in the id, the emails, the devices and the files of the user `eve`.
inline constexpr char const* marker = "markerq7x";
/// Occurs only in the texts that `eve` wrote.
inline constexpr char const* words = "wordsk3v";

inline std::string const eve = std::string("eve-") + marker;
inline std::string const eve_email = std::string("eve@") + marker + ".example";

class UserWorld : public testing::KeyedWorld<testing::FakeClock> {
public:
    UserWorld();

    /// A client with a token of `eve`, whose email contains the marker.
    testing::HttpClient as_eve(std::string const& role = "user") const;

    std::string blobs() const { return directory.path() + "/blobs"; }
};

/// Uploads a text file; returns the attachment's id.
std::string upload(testing::HttpClient& client, std::string const& filename, std::string const& content);

/// Creates a thread with attachments; returns its id.
std::string thread_of(testing::HttpClient& client, std::string const& title,
    std::vector<std::string> const& attachment_ids = {});

/// Replies to a thread with attachments; returns the reply's id.
std::string reply_to(testing::HttpClient& client, std::string const& thread, std::string const& text,
    std::vector<std::string> const& attachment_ids = {}, bool internal = false);

/// Erases the user as staff. `query` begins with `?` or is empty.
void erase(UserWorld const& world, std::string const& user_id, std::string const& query = {});

/// The number of threads whose counters differ from their replies and votes.
std::string miscounted(testing::Postgres const& postgres);

/// The lines of a user's export, in the order of the response.
boost::json::array lines_of(testing::HttpResponse const& response);

/// Everything that a user can fill.
struct Planted {
    std::string own;      ///< a thread of eve, with a reply of a backend
    std::string deleted;  ///< a deleted thread of eve
    std::string bobs;     ///< a thread of bob, assigned to eve, in which she replied as a user and as staff
    std::string attached; ///< an attachment of eve in bob's thread
};

/// Writes the markers into everything that `eve` can fill, as a user and as staff, and waits until the events
/// are delivered to `receiver`.
Planted plant(UserWorld& world, testing::Receiver const& receiver);

/// A receiver of webhooks that answers each event with its own body.
testing::Receiver::Answer echo();
