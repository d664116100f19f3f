#include "user_data/export.hpp"

#include "pg/database.hpp"

#include <utility>

namespace user_data {

void ExportPage::add(std::string_view type, std::string_view object)
{
    lines.append(R"({"type":")").append(type).append("\",").append(object.substr(1)).append("\n");
}

Export::Export(pg::Database& database, core::Scope scope, core::UserId user_id, std::vector<ExportPart> parts,
    pg::Scopes visible)
    : database_(database), scope_(std::move(scope)), user_id_(std::move(user_id)), parts_(std::move(parts)),
      visible_(std::move(visible))
{
}

asio::awaitable<std::string> Export::next()
{
    while (part_ < parts_.size()) {
        auto page = co_await database_.read(
            visible_, [this](pg::Tx& tx) { return parts_[part_](tx, scope_, user_id_, position_); });
        if (!page.next) ++part_;
        position_ = std::move(page.next).value_or(std::string());
        // An empty piece would end the body.
        if (!page.lines.empty()) co_return std::move(page.lines);
    }
    co_return std::string();
}

} // namespace user_data
