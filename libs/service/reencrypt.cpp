#include "service/reencrypt.hpp"

#include "pg/database.hpp"
#include "tenancy/tenant_rows.hpp"
#include "user_data/user_data.hpp"

namespace service {

namespace {

constexpr std::size_t scopes_a_step = 500;

std::size_t reencrypt_all(
    pg::Database& db, crypto::Keyring const& keyring, std::vector<Reencrypt> const& parts)
{
    std::size_t changed = 0;
    for (core::ScopeId after{};;) {
        auto const ids = db.transact_blocking(pg::Scopes(),
            [&](pg::Tx& tx) { return tenancy::tenant_rows::scopes_after(tx, after, scopes_a_step); });
        if (ids.empty()) return changed;
        for (auto const id : ids) {
            changed += db.transact_blocking(pg::Scopes(id), [&](pg::Tx& tx) {
                std::size_t in_scope = 0;
                for (auto const& part : parts)
                    in_scope += part(tx, core::Scope{id, {}}, keyring);
                return in_scope;
            });
        }
        after = ids.back();
    }
}

} // namespace

Command reencrypt_command(std::vector<Reencrypt> parts, std::vector<ReencryptShared> shared)
{
    Command command{
        .name = "reencrypt", .help = "re-encrypt every secret at rest with the first of ENCRYPTION_KEYS"};
    parts.emplace_back(user_data::reencrypt);
    command.prepare = [parts = std::move(parts), shared = std::move(shared)](
                          core::Config&, Settings const& settings) -> Command::Task {
        return [parts, shared, url = settings.session_url(), keys = settings.encryption_keys](
                   observe::Logger& logger) {
            pg::Database db({.url = url.reveal(), .application_name = "reencrypt", .threads = 1});
            auto const keyring = crypto::Keyring::parse(keys.reveal());
            auto changed = reencrypt_all(db, keyring, parts);
            for (auto const& part : shared)
                changed += db.transact_blocking(pg::Scopes(), [&](pg::Tx& tx) { return part(tx, keyring); });
            logger.info("secrets re-encrypted", {{"changed", static_cast<std::int64_t>(changed)}});
            return 0;
        };
    };
    return command;
}

} // namespace service
