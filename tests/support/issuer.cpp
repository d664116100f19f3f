#include "support/issuer.hpp"

#include "auth/token_claims.hpp"
#include "core/id.hpp"

#include <boost/json/serialize.hpp>

#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>
#include <unistd.h>

namespace testing {

namespace {

namespace json = boost::json;

void apply(json::object& to, json::object const& changes)
{
    for (auto const& [name, value] : changes) {
        if (value.is_null())
            to.erase(name);
        else
            to[name] = value;
    }
}

void write_new(std::string const& path, std::string const& text)
{
    int const fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) throw std::system_error(errno, std::generic_category(), path);
    auto const written = ::write(fd, text.data(), text.size());
    ::close(fd);
    if (written != static_cast<ssize_t>(text.size()))
        throw std::runtime_error(path + " could not be written");
}

} // namespace

Issuer::Issuer(core::Clock const& clock, std::string issuer_host)
    : Issuer(clock, std::move(issuer_host), crypto::SigningKey::generate())
{
}

Issuer::Issuer(core::Clock const& clock, std::string issuer_host, crypto::SigningKey key)
    : clock_(clock), issuer_host_(std::move(issuer_host))
{
    add(std::move(key));
}

crypto::SigningKey Issuer::key_from_file(std::string const& path)
{
    std::ifstream file(path, std::ios::binary);
    if (file) {
        std::string const pem{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
        return crypto::SigningKey::from_pem(pem);
    }
    auto key = crypto::SigningKey::generate();
    write_new(path, key.to_pem().reveal());
    return key;
}

boost::json::object Issuer::claims(TokenFor const& user) const
{
    core::Time const now = clock_.now();
    return {{"iss", "https://" + auth::token::authority(issuer_host_, user.tenant, user.environment)},
        {"sub", user.subject}, {"aud", auth::token::audience}, {"iat", core::unix_seconds(now)},
        {"exp", core::unix_seconds(now + user.lifetime)}, {"jti", core::Uuid::v7().to_string()},
        {"sid", core::Uuid::v7().to_string()}, {"tenant", user.tenant},
        {"env", core::to_string(user.environment)}, {"role", user.role}, {"email", user.email},
        {"amr", json::array{"pwd"}}};
}

std::string Issuer::token(TokenFor const& user, boost::json::object const& changes) const
{
    json::object all = claims(user);
    apply(all, changes);
    return sign(all);
}

std::string Issuer::erasure_token(
    TokenFor const& user, std::string const& service, boost::json::object const& changes) const
{
    json::object all = claims(user);
    for (auto const* name : {"sid", "role", "email", "amr"})
        all.erase(name);
    all["aud"] = service;
    all["exp"] = core::unix_seconds(clock_.now() + auth::token::max_erasure_lifetime);
    apply(all, changes);
    return sign(all, {{"typ", auth::token::erasure_type}});
}

std::string Issuer::sign(boost::json::object const& claims, boost::json::object const& header) const
{
    json::object all{{"typ", auth::token::type}, {"kid", kid()}};
    apply(all, header);
    return keys_.back().key.sign(std::move(all), claims);
}

std::string Issuer::jwks() const
{
    json::array keys;
    for (auto const& key : keys_)
        keys.push_back(key.key.public_jwk(key.kid));
    return json::serialize(json::object{{"keys", std::move(keys)}});
}

void Issuer::rotate()
{
    add(crypto::SigningKey::generate());
}

void Issuer::retire_old()
{
    keys_.erase(keys_.begin(), keys_.end() - 1);
}

void Issuer::add(crypto::SigningKey key)
{
    std::string kid = key.thumbprint();
    keys_.push_back({std::move(kid), std::move(key)});
}

} // namespace testing
