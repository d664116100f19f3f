#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace testing {

/// Plays Twilio's Messages API (`POST /2010-04-01/Accounts/{AccountSid}/Messages.json`: form body, Basic
/// authentication, the documented answers) on a free port of 127.0.0.1.
class TwilioServer {
public:
    static constexpr char const* account_sid = "AC00000000000000000000000000000001";
    static constexpr char const* auth_token = "0123456789abcdef0123456789abcdef";
    static constexpr char const* from = "+18885550100";

    TwilioServer();
    ~TwilioServer();
    TwilioServer(TwilioServer const&) = delete;
    TwilioServer& operator=(TwilioServer const&) = delete;

    /// `http://127.0.0.1:PORT`
    std::string url() const;

    /// From now on every message is refused with this status and this code of Twilio's error dictionary; 201
    /// accepts again.
    void refuse_with(unsigned status, int code = 0);

    /// From now on every answer comes `delay` after its request, also to requests that wait already.
    void delay(std::chrono::milliseconds delay);

    /// From now on answers are not what is documented: 200 with `body`. "" is as documented again.
    void answer_nonsense(std::string body);

    using Form = std::map<std::string, std::string>;

    /// The forms of messages that were accepted, in order. A request that was not as documented is not among
    /// them.
    std::vector<Form> accepted() const;

    /// The traceparent that each of those came with, "" for none.
    std::vector<std::string> traces() const;

    /// Requests so far, answered or not.
    unsigned requests() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace testing
