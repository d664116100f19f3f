#pragma once

#include <string>
#include <string_view>

namespace blobs {

/// The domain of AWS's services in a region (`eu-central-1`). Regions in China have a domain of their own.
inline std::string aws_domain(std::string_view region)
{
    return region.starts_with("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
}

} // namespace blobs
