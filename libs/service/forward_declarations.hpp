#pragma once

// The classes that the `Deps` of several services refer to. A handler's file includes the header of each
// class that it uses.

namespace auth {
class ApiKeys;
}

namespace blobs {
class Attachments;
}

namespace core {
class Clock;
class KeyedLimiter;
class ThreadPool;
} // namespace core

namespace crypto {
class Keyring;
}

namespace observe {
class Logger;
}

namespace outbound_webhooks {
struct Api;
}

namespace pg {
class Database;
}

namespace redis {
class Quota;
}

namespace tenancy {
class Directory;
struct TenantAdmin;
} // namespace tenancy
