#pragma once

#include "core/clock.hpp"
#include "core/scope.hpp"
#include "core/user_id.hpp"

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace core {
class Uuid;
}

namespace pg {

/// The value of one parameter (`$n`) of a statement, in PostgreSQL's text form. Conversions are implicit, so
/// that calls can be written as `tx.run(sql, {scope.id, id, title, tags})`. PostgreSQL's text cannot contain
/// U+0000: `run` throws std::invalid_argument for a parameter that contains it.
class Param {
public:
    // These functions are not inline, because a statement makes many parameters: inline code would make the
    // files with statements slow to compile.
    Param(Param const&);
    Param(Param&&) noexcept;
    Param& operator=(Param const&);
    Param& operator=(Param&&) noexcept;
    ~Param();

    Param(std::nullptr_t) : null_(true) {}

    Param(std::nullopt_t) : null_(true) {}

    Param(std::string text);

    Param(std::string_view text);
    Param(char const* text);

    Param(std::same_as<bool> auto b) : text_(b ? "t" : "f") {}

    Param(std::signed_integral auto n) : text_(decimal(std::int64_t{n})) {}

    Param(std::unsigned_integral auto n)
        requires(!std::same_as<decltype(n), bool>)
        : text_(decimal(std::uint64_t{n}))
    {
    }

    Param(core::ScopeId id) : Param(core::number(id)) {}

    Param(core::TenantId id) : Param(core::number(id)) {}

    Param(core::UserId const& id) : Param(id.text()) {}

    Param(core::Uuid const& id);

    /// An id whose type holds a UUID.
    template <class Id>
        requires requires(Id const& id) {
            { id.uuid() } -> std::same_as<core::Uuid const&>;
        }
    Param(Id const& id) : Param(id.uuid())
    {
    }

    /// A timestamptz in microseconds. `Time::max()` becomes `infinity`, `Time::min()` becomes `-infinity`.
    Param(core::Time time);
    Param(std::vector<std::string> const& texts);    ///< text[], uuid[], ...: quoted and escaped
    Param(std::vector<std::int64_t> const& numbers); ///< bigint[]
    Param(std::span<core::ScopeId const> ids);       ///< bigint[]
    Param(std::span<core::TenantId const> ids);      ///< bigint[]

    Param(std::vector<core::ScopeId> const& ids) : Param(std::span(ids)) {}

    Param(std::vector<core::TenantId> const& ids) : Param(std::span(ids)) {}

    /// An array whose elements may be NULL. An element that is itself an array is sent as its text. So a
    /// text[] can contain one array for each row of a batch, for example the row's tags. The SQL converts
    /// each element back, for example with `q.tags::text[]`.
    static Param array(std::span<Param const> elements);
    /// bytea
    static Param bytes(std::string_view raw);

    template <class T> Param(std::optional<T> const& v) : Param(v ? Param(*v) : Param(nullptr)) {}

    char const* c_str() const noexcept { return null_ ? nullptr : text_.c_str(); }

    std::string const& text() const noexcept { return text_; }

    bool is_null() const noexcept { return null_; }

private:
    static std::string decimal(std::int64_t number);
    static std::string decimal(std::uint64_t number);

    std::string text_;
    bool null_ = false;
};

/// Builds the text of an array parameter.
class ArrayText {
public:
    void add(Param const& element);

    Param param() &&;

private:
    std::string text_ = "{";
};

using Params = std::initializer_list<Param>;

/// The parameters of a statement whose text depends on the request, for example on the filters of a list.
///
///     if (filter.status) sql += " AND status = " + params.add(*filter.status);
class ParamList {
public:
    ParamList(Params first) : params_(first) {}

    /// Adds a parameter and returns its place in the text, such as `$2`.
    std::string add(Param value)
    {
        params_.push_back(std::move(value));
        return '$' + std::to_string(params_.size());
    }

    operator std::span<Param const>() const noexcept { return params_; }

private:
    std::vector<Param> params_;
};

/// Returns one array parameter that contains one value of each row: the result of `member(row)`. For
/// statements over `unnest($1::text[], ...)`: `column(rows, [](auto const& r) { return r.title; })`.
template <class Rows, class Member> Param column(Rows const& rows, Member member)
{
    ArrayText array;
    for (auto const& row : rows)
        array.add(member(row));
    return std::move(array).param();
}

} // namespace pg
