#include "observe/process_metrics.hpp"

#include <prometheus/metric_family.h>

#include <dirent.h>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

namespace observe {

namespace {

/// The shown fields of /proc/[pid]/stat (proc(5)), in the kernel's units.
struct Stat {
    double cpu_ticks = 0;
    double threads = 0;
    double start_ticks = 0; ///< clock ticks from the boot to the start of the process
    double virtual_bytes = 0;
    double resident_pages = 0;
};

std::optional<Stat> read_stat()
{
    std::ifstream file("/proc/self/stat");
    std::string line;
    if (!std::getline(file, line)) return std::nullopt;
    // The second field is the program's name in parentheses. The name may contain any characters, so the
    // third field is the one after the last parenthesis.
    auto const name_end = line.rfind(')');
    if (name_end == std::string::npos) return std::nullopt;
    std::istringstream fields(line.substr(name_end + 1));
    std::string state;
    fields >> state;
    Stat stat;
    double value = 0;
    for (int field = 4; field <= 24 && fields >> value; ++field) {
        if (field == 14 || field == 15) stat.cpu_ticks += value;
        if (field == 20) stat.threads = value;
        if (field == 22) stat.start_ticks = value;
        if (field == 23) stat.virtual_bytes = value;
        if (field == 24) stat.resident_pages = value;
    }
    return fields ? std::optional(stat) : std::nullopt;
}

/// The start time of the kernel in seconds since the epoch.
double boot_time()
{
    std::ifstream file("/proc/stat");
    std::string line;
    while (std::getline(file, line))
        if (line.starts_with("btime ")) return std::stod(line.substr(6));
    return 0;
}

double open_files()
{
    DIR* const dir = ::opendir("/proc/self/fd");
    if (dir == nullptr) return 0;
    double count = -3;                // not counted: `.`, `..` and the descriptor of this directory
    while (::readdir(dir) != nullptr) // NOLINT(concurrency-mt-unsafe): only this call uses the stream
        ++count;
    ::closedir(dir);
    return count;
}

double max_files()
{
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    return static_cast<double>(limit.rlim_cur);
}

prometheus::MetricFamily family(std::string name, std::string help, double value,
    prometheus::MetricType type = prometheus::MetricType::Gauge)
{
    prometheus::ClientMetric metric;
    if (type == prometheus::MetricType::Counter)
        metric.counter.value = value;
    else
        metric.gauge.value = value;
    return {std::move(name), std::move(help), type, {std::move(metric)}};
}

} // namespace

std::vector<prometheus::MetricFamily> ProcessMetrics::Collect() const
{
    auto const stat = read_stat();
    if (!stat) return {};
    auto const ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
    auto const page = static_cast<double>(::sysconf(_SC_PAGESIZE));
    return {
        family("process_cpu_seconds_total", "User and system CPU time spent, in seconds.",
            stat->cpu_ticks / ticks, prometheus::MetricType::Counter),
        family(
            "process_resident_memory_bytes", "Resident memory size in bytes.", stat->resident_pages * page),
        family("process_virtual_memory_bytes", "Virtual memory size in bytes.", stat->virtual_bytes),
        family("process_open_fds", "Number of open file descriptors.", open_files()),
        family("process_max_fds", "Maximum number of open file descriptors.", max_files()),
        family("process_threads", "Number of threads.", stat->threads),
        family("process_start_time_seconds", "Start time of the process since the Unix epoch, in seconds.",
            boot_time() + stat->start_ticks / ticks),
    };
}

} // namespace observe
