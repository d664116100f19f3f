#pragma once

#include <cstddef>
#include <memory>

using PGresult = struct pg_result; // as libpq-fe.h declares it

namespace pg {

/// A row of a Rows, valid as long as that lives. Read it with RowReader.
struct Row {
    PGresult const* result;
    int number;
};

/// What a coalesced statement yielded, in PostgreSQL's binary form. Copies share the rows.
class Rows {
public:
    Rows() = default;

    /// Owns `result`.
    explicit Rows(PGresult* result);

    std::size_t size() const noexcept;

    bool empty() const noexcept { return size() == 0; }

    Row operator[](std::size_t number) const noexcept { return {result_.get(), static_cast<int>(number)}; }

    class Iterator {
    public:
        explicit Iterator(Row row) : row_(row) {}

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
