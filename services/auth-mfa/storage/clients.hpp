#pragma once

#include "core/scope.hpp"
#include "domain/client.hpp"
#include "paging/cursor.hpp"
#include "pg/batch.hpp"
#include "pg/tx.hpp"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The table `clients`. It does not contain the built-in clients.
namespace auth_mfa::clients {

/// Stores the client. False if the environment has a client with this id.
bool insert(pg::Tx& tx, core::Scope const& scope, Client const& client);

std::optional<Client> find(pg::Tx& tx, core::Scope const& scope, std::string_view client_id);

/// As `find`, and locks the client until the transaction ends.
std::optional<Client> lock(pg::Tx& tx, core::Scope const& scope, std::string_view client_id);

/// The key of a client.
struct Key {
    core::ScopeId scope_id{};
    std::string client_id;
};

/// Finds the clients of many callers in one statement; for a Batcher.
pg::Batch<std::optional<Client>> find_batch(pg::BatchConnection& connection, std::span<Key const> keys);

/// Stores all members except `id` and `created_at`.
void update(pg::Tx& tx, core::Scope const& scope, Client const& client);

/// Removes the client, its codes, and ends its sessions. False if there is no such client.
bool remove(pg::Tx& tx, core::Scope const& scope, std::string_view client_id, core::Time now);

/// The place of the client in the list. Its id is derived from the client's id.
paging::Position position_of(Client const& client);

/// The clients, newest first, starting after `after`.
std::vector<Client> list(
    pg::Tx& tx, core::Scope const& scope, std::optional<paging::Position> const& after, std::size_t limit);

/// The names of those of these clients that exist, by id.
std::map<std::string, std::string> names(
    pg::Tx& tx, core::Scope const& scope, std::vector<std::string> const& client_ids);

std::size_t count(pg::Tx& tx, core::Scope const& scope);

} // namespace auth_mfa::clients
