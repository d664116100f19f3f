#pragma once

#include "support/isolation.hpp"
#include "support/keyed_world.hpp"

#include <string>
#include <utility>
#include <vector>

namespace testing {

/// An id that never existed.
inline constexpr char const* never = "0190a5d2-0000-7000-8000-0000000000ff";

/// Adds callers without a valid credential for demo's sandbox.
template <class Clock> void add_strangers(Isolation& isolation, KeyedWorld<Clock> const& world)
{
    Issuer const forger(world.clock);
    auto const expired = world.issuer.token({.subject = ada}, {{"exp", 1'000'000'000}});
    auto const forged =
        forger.sign(forger.claims({.subject = ada, .role = "owner"}), {{"kid", world.issuer.kid()}});
    auto altered = world.key();
    altered.back() = altered.back() == 'a' ? 'b' : 'a';
    auto& strangers = isolation.strangers;
    strangers.push_back({"an anonymous caller", world.client()});
    strangers.push_back({"another tenant's key", world.with(world.key("other-sandbox"))});
    strangers.push_back({"the other environment's key", world.with(world.key("demo"))});
    strangers.push_back({"a key with a wrong checksum", world.with(altered)});
    strangers.push_back({"a forged token", world.with(forged)});
    strangers.push_back({"an expired token", world.with(expired)});
    strangers.push_back({"another tenant's owner", world.with(world.token(ada, "owner", "other-sandbox"))});
    strangers.push_back(
        {"another tenant's erasure token", world.with(world.erasure_token(ada, "other-sandbox"))});
    strangers.push_back({"another service's erasure token",
        world.with(world.issuer.erasure_token({.subject = ada}, "another"))});
    strangers.push_back({"the other environment's owner", world.with(world.token(ada, "owner", "demo"))});
}

/// Adds callers with credentials of demo's sandbox.
template <class Clock> void add_residents(Isolation& isolation, KeyedWorld<Clock> const& world)
{
    auto& residents = isolation.residents;
    residents.push_back({"a user", world.as_user(ada), core::Access::user});
    residents.push_back({"a key", world.as_backend(), core::Access::key});
    residents.push_back({"an admin", world.as_user(bob, "admin"), core::Access::admin});
    residents.push_back({"an owner", world.as_user(bob, "owner"), core::Access::owner});
    residents.push_back({"an erasure token", world.with(world.erasure_token(ada)), core::Access::erasure});
}

/// Adds callers with valid credentials of other scopes, which name objects of `demo`. `homes` are the scopes
/// of their keys.
template <class Clock>
void add_neighbours(
    Isolation& isolation, KeyedWorld<Clock> const& world, std::vector<std::string> const& homes)
{
    auto& neighbours = isolation.neighbours;
    for (auto const& home : homes)
        neighbours.push_back({"a key at " + home, world.as_backend(home), core::Access::key});
    neighbours.push_back(
        {"another tenant's owner", world.as_user(ada, "owner", "other-sandbox"), core::Access::owner});
    neighbours.push_back(
        {"the operator for another tenant", world.as_master("other-sandbox"), core::Access::master});
}

/// Returns an Isolation with three groups of callers: without a valid credential, with credentials of the
/// sandbox of `demo`, and with credentials of other scopes. `ours` and `absent` are the members of Isolation.
/// The names of keys, tenants and webhooks are added, because every service has them. The service's test adds
/// secrets, rows, and its own kinds of callers.
template <class Clock>
Isolation isolation_of(KeyedWorld<Clock> const& world, PathValues ours, PathValues absent,
    std::vector<std::string> const& homes = {"other-sandbox", "demo"})
{
    Isolation isolation;
    auto const prefix = world.key().substr(0, 12);
    ours.merge(PathValues{{"prefix", prefix}, {"environment", "sandbox"}, {"slug", "demo"}});
    absent.merge(PathValues{{"prefix", prefix.substr(0, 4) + "zzzzzzzz"}, {"environment", "sandbox"},
        {"slug", "nobody"}, {"webhookId", never}, {"deliveryId", never}});
    isolation.ours = std::move(ours);
    isolation.absent = std::move(absent);
    add_strangers(isolation, world);
    add_residents(isolation, world);
    add_neighbours(isolation, world, homes);
    return isolation;
}

/// Calls every route with the credentials of demo's sandbox, and returns, one per line, the calls that
/// changed `rows`: a fingerprint of the data of demo's production and of the data that both environments
/// share. `shared`: paths that both environments may write by design.
template <class Clock>
std::string sandbox_breaches(KeyedWorld<Clock> const& world, std::span<RouteProbe const> probes,
    PathValues const& values, std::function<std::string()> const& rows,
    std::vector<std::string_view> const& shared = {})
{
    Isolation residents;
    add_residents(residents, world);
    std::string found;
    auto before = rows();
    for (auto const& probe : probes) {
        if (std::ranges::find(shared, probe.path) != shared.end()) continue;
        for (auto& caller : residents.residents) {
            call(caller.client, probe, values);
            if (auto now = rows(); now != before) {
                found += std::string(http::to_string(probe.method)) + ' ' + std::string(probe.path) + ", " +
                         caller.who + ": data of production was changed\n";
                before = std::move(now);
            }
        }
    }
    return found;
}

} // namespace testing
