// Simulates Twilio's Messages API on its own thread: accepts every message, and answers `delay` ms after the request.
// `workerData`: the `port` and the `delay`. Any message asks for the counts since the last one: `requests`, `repeated` (requests for a
// message that had a request before), `connections`, and `most`, the maximum number of requests in flight.
import http from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'

const { port, delay } = workerData
let seen, counts
const reset = () => {
    seen = new Set()
    counts = { requests: 0, repeated: 0, connections: 0, most: 0 }
}
let inFlight = 0, number = 0
reset()

const server = http.createServer((request, response) => {
    counts.most = Math.max(counts.most, ++inFlight)
    let text = ''
    request.on('data', chunk => { text += chunk })
    request.on('end', () => {
        const to = new URLSearchParams(text).get('To')
        ++counts.requests
        if (seen.has(to)) ++counts.repeated
        seen.add(to)
        setTimeout(() => {
            --inFlight
            response.writeHead(201, { 'content-type': 'application/json' })
            response.end(JSON.stringify({ sid: `SM${String(++number).padStart(32, '0')}`, status: 'queued', to }))
        }, delay)
    })
})
server.keepAliveTimeout = 60_000
server.on('connection', () => { ++counts.connections })
parentPort.on('message', () => {
    parentPort.postMessage(counts)
    reset()
})
server.listen(port, '127.0.0.1', () => parentPort.postMessage('listening'))
