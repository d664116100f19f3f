// Simulates Apple's push service on its own thread: accepts every push and records the arrival time of its head by notification id.
// `workerData`: the `port`, and `arrived`, a shared counter. Any message asks for the recorded times, and clears them.
import http2 from 'node:http2'
import { parentPort, workerData } from 'node:worker_threads'
import { now } from './connections.mjs'

const { port, arrived } = workerData
let times = new Map()
const server = http2.createServer({ settings: { maxConcurrentStreams: 1000, enablePush: false } })
server.on('stream', (stream, headers) => {
    const at = now(), id = headers['apns-collapse-id']
    stream.on('error', () => {})
    stream.resume()
    stream.respond({ ':status': 200 }, { endStream: true })
    if (times.has(id)) return // a repeated push
    times.set(id, at)
    Atomics.add(arrived, 0, 1)
})
server.on('sessionError', () => {})
parentPort.on('message', () => {
    parentPort.postMessage(times)
    times = new Map()
    Atomics.store(arrived, 0, 0)
})
server.listen(port, '127.0.0.1', () => parentPort.postMessage('listening'))
