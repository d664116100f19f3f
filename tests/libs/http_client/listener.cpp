#include "listener.hpp"

#include <cerrno>
#include <netinet/in.h>
#include <sys/socket.h>
#include <system_error>

namespace testing {

Listener listen_nearby()
{
    int const socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(socket, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(socket, 64) != 0 ||
        ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0)
        throw std::system_error(errno, std::system_category(), "cannot listen on 127.0.0.1");
    return {socket, ntohs(address.sin_port)};
}

} // namespace testing
