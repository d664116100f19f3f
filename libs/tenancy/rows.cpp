#include "tenancy/rows.hpp"

#include <boost/json/parse.hpp>

namespace tenancy {

boost::json::object read_object(std::string_view json)
{
    return boost::json::parse(json).as_object();
}

TenantRecord read_tenant(pg::RowReader& r)
{
    TenantRecord tenant;
    tenant.id = r.integer();
    tenant.slug = r.text();
    tenant.display_name = r.text();
    tenant.suspended = r.boolean();
    tenant.limits = Limits::from_json(read_object(r.view()));
    tenant.created_at = r.time();
    tenant.updated_at = r.time();
    tenant.erase_after = r.optional_time();
    return tenant;
}

} // namespace tenancy
