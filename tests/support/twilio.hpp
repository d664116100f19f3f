#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace testing {

/// Implements Twilio's Messages API (`POST /2010-04-01/Accounts/{AccountSid}/Messages.json`: form body, Basic
/// authentication, the documented responses) on a free port of 127.0.0.1.
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

    /// Makes every later message be refused with this status and this code of Twilio's error dictionary. With
    /// the status 201, messages are accepted again.
    void refuse_with(unsigned status, int code = 0);

    /// Makes every response be sent `delay` after its request, also for requests that are already waiting.
    void delay(std::chrono::milliseconds delay);

    /// Makes every later response be 200 with `body`, to test responses that Twilio does not document. ""
    /// restores the documented responses.
    void answer_nonsense(std::string body);

    using Form = std::map<std::string, std::string>;

    /// Returns the forms of accepted messages in the order of their requests. Malformed requests are not
    /// included.
    std::vector<Form> accepted() const;

    /// The traceparent header of each accepted message; "" if absent.
    std::vector<std::string> traces() const;

    /// The number of requests so far, answered or not.
    unsigned requests() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace testing
