-- For wrk: sends the requests of a file in turn. A line has tab-separated parts: METHOD PATH HOST HEADER VALUE BODY. HEADER is `-` if there
-- is none. The argument is the file. After the last request, the script starts again with the first.
local requests = {}
local next_request = 0

function init(args)
    for line in io.lines(args[1]) do
        local method, path, host, header, value, body = line:match("^([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t(.*)$")
        local headers = { ["Host"] = host }
        if header ~= "-" then headers[header] = value end
        if body ~= "" then headers["Content-Type"] = "application/json" else body = nil end
        requests[#requests + 1] = wrk.format(method, path, headers, body)
    end
end

function request()
    next_request = next_request % #requests + 1
    return requests[next_request]
end
