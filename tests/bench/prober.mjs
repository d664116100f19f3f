// A client with a constant rate, on its own thread. It records the time of each request and the duration until its response.
// `workerData`: `port`, `requests` (sent in turn), `rate` (requests a second). Any message stops it. Then it posts its samples,
// [began, took], in ms of the clock of connections.mjs.
import { parentPort, workerData } from 'node:worker_threads'
import { now, pace } from './connections.mjs'

const { port, requests, rate } = workerData
const samples = []
let sent = 0, ended = false
parentPort.on('message', () => { ended = true })
await pace(port, {
    rate, length: Infinity, ends: () => ended,
    next: () => requests[sent++ % requests.length],
    take({ status, body }, due, began) {
        if (status !== 200) throw new Error(`the prober got ${status}: ${body}`)
        samples.push([began, now() - began])
    },
})
parentPort.postMessage(samples)
parentPort.close()
