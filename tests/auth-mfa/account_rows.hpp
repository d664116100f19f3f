#pragma once

#include "world.hpp"

#include <string>

/// Inserts `n` rows of the user into the table. `columns` and `values` follow scope_id and user_id.
inline void insert_rows(World const& world, Account const& account, std::string const& table,
    std::string const& columns, std::string const& values, int n)
{
    world.postgres.query("INSERT INTO " + table + " (scope_id, user_id, " + columns + ") SELECT " +
                         world.scope_id(account.tenant) + ", '" + account.user_id + "', " + values +
                         " FROM generate_series(1, " + std::to_string(n) + ") AS i");
}

/// Gives the account `n` more sessions, and as many activities, trusted devices and links from emails.
inline void fill(World const& world, Account const& account, int n)
{
    insert_rows(world, account, "sessions",
        "session_id, amr, created_at, rotated_at, expires_at, ended_at, user_agent, address",
        "gen_random_uuid(), '{pwd}', now() - i * interval '1 second', now(), now(), now(), 'old browser', ''",
        n);
    insert_rows(world, account, "activity", "activity_id, at, type, result, ip, user_agent",
        "gen_random_uuid(), now() - i * interval '1 second', 'sign_in', 'success', '', ''", n);
    insert_rows(world, account, "trusted_devices",
        "device_id, secret_hash, created_at, last_used_at, expires_at, user_agent",
        "gen_random_uuid(), '', now() - i * interval '1 second', now(), now(), ''", n);
    insert_rows(world, account, "email_tokens",
        "token_hash, purpose, email, email_key, was_verified, created_at, expires_at",
        "md5(i::text || random()), 'verify_email', 'old@example.com', 'old@example.com', false, now(), now()",
        n);
}
