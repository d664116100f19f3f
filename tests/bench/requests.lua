-- For wrk: sends the requests of a file in turn. A line is `METHOD PATH KEY [BODY]`. KEY is `-` if there is none, or begins with
-- `cookie:`, which the value of Cookie follows. The arguments are the file, the value of Host, the average number of ms that a
-- connection waits before each request, and perhaps the value of Accept-Encoding.
local requests = {}
local next_request = 0

function init(args)
    for line in io.lines(args[1]) do
        local method, path, key, body = line:match("^(%S+) (%S+) (%S+) ?(.*)$")
        local headers = { ["Host"] = args[2], ["Accept-Encoding"] = args[4] }
        local cookie = key:match("^cookie:(.*)$")
        if cookie then headers["Cookie"] = cookie elseif key ~= "-" then headers["Authorization"] = "Bearer " .. key end
        if body ~= "" then headers["Content-Type"] = "application/json" else body = nil end
        requests[#requests + 1] = wrk.format(method, path, headers, body)
    end
    local pause = tonumber(args[3])
    if pause > 0 then
        delay = function() return math.random(pause / 2, pause * 3 / 2) end
    end
end

function request()
    next_request = next_request % #requests + 1
    return requests[next_request]
end
