#pragma once

#include <string>
#include <string_view>

namespace blobs {

/// The domain of AWS' services in a region (`eu-central-1`): China has its own.
inline std::string aws_domain(std::string_view region)
{
    return region.starts_with("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
}

} // namespace blobs
