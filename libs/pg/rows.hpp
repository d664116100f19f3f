#pragma once

#include <cstddef>
#include <memory>
#include <utility>

using PGresult = struct pg_result; // as libpq-fe.h declares it

namespace pg {

/// A row of a Rows. It keeps the result alive. Read it with RowReader.
struct Row {
    std::shared_ptr<PGresult> result;
    int number;
};

/// The rows of a statement's result. Copies share the result.
class Rows {
public:
    Rows() = default;

    /// Takes ownership of `result`.
    explicit Rows(PGresult* result);

    std::size_t size() const noexcept;

    bool empty() const noexcept { return size() == 0; }

    std::size_t columns() const noexcept;

    /// The number of rows that an INSERT, UPDATE or DELETE changed.
    std::size_t affected_rows() const noexcept;

    Row operator[](std::size_t number) const noexcept { return {result_, static_cast<int>(number)}; }

    Row front() const noexcept { return (*this)[0]; } ///< precondition: not empty

    class Iterator {
    public:
        explicit Iterator(Row row) : row_(std::move(row)) {}

        Row operator*() const noexcept { return row_; }

        Iterator& operator++() noexcept
        {
            ++row_.number;
            return *this;
        }

        bool operator==(Iterator const& other) const noexcept { return row_.number == other.row_.number; }

    private:
        Row row_;
    };

    Iterator begin() const noexcept { return Iterator((*this)[0]); }

    Iterator end() const noexcept { return Iterator((*this)[size()]); }

private:
    std::shared_ptr<PGresult> result_;
};

} // namespace pg
