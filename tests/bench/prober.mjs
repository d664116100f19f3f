// A client at a steady pace, on a thread of its own. It keeps when each request was sent and how long its response took.
// `workerData`: `port`, `requests` (sent in turn), `rate` (requests a second). Any message ends it; it then posts its samples,
// [began, took], in ms by the clock of connections.mjs.
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
        if (status !== 200) throw new Error(`the prober was answered ${status}: ${body}`)
        samples.push([began, now() - began])
    },
})
parentPort.postMessage(samples)
parentPort.close()
