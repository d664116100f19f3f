#pragma once

// The classes that the `Deps` of several services refer to. A handler's file includes the header of each
// class that it uses.

namespace auth {
class ApiKeys;
}

namespace blobs {
class Attachments;
class BlobStore;
} // namespace blobs

namespace core {
class Clock;
class KeyedLimiter;
class ThreadPool;
} // namespace core

namespace crypto {
class Keyring;
}

namespace http_client {
class Client; // NOLINT(bugprone-forward-declaration-namespace): two libraries have a Client
}

namespace observe {
class Logger;
class Metrics;
} // namespace observe

namespace outbound_webhooks {
struct Api;
}

namespace pg {
class Database;
}

namespace redis {
class Client; // NOLINT(bugprone-forward-declaration-namespace)
class Quota;
} // namespace redis

namespace tenancy {
class Directory;
struct TenantAdmin;
} // namespace tenancy

namespace user_data {
class UserData;
}
