// Generates the load of one tenant on its own thread, so that it does not delay concurrent measurements. `workerData`: `port`;
// `caller` and `kind` of write (requests.mjs); `length` in seconds. With `rate`, requests are sent at that rate without waiting for
// responses; otherwise `connections` send requests and wait for each response. Posts the results; `offered` and `acknowledged` are rates.
import { parentPort, workerData } from 'node:worker_threads'
import { drive, now, pace } from '../bench/connections.mjs'
import { networks, writeOf } from './requests.mjs'

const { port, caller, kind, length, rate, connections } = workerData
const begun = now(), end = begun + length * 1000
const answers = {} // the response times by status
const strange = [] // responses that overload does not explain
let sent = 0, sentInTime = 0, acknowledged = 0, noRetryAfter = 0

function take({ status, head, body }, since) {
    (answers[status] ??= []).push(now() - since)
    if (status < 300 && now() <= end) acknowledged++
    if (status === 503 && !/\r\nretry-after: \d+/i.test(head)) noRetryAfter++
    if (status >= 300 && status !== 503 && strange.length < 3) strange.push(`${status} ${body}`)
}

function next() {
    if (now() <= end) sentInTime++
    return writeOf(caller, kind, sent++)
}
if (rate) await pace(port, { rate, length, next, from: networks, take: (answer, _, sentAt) => take(answer, sentAt) })
else {
    const asked = []
    await drive(port, connections, {
        length, from: networks,
        next: i => { asked[i] = now(); return next() },
        take: (answer, i) => take(answer, asked[i]),
    })
}
parentPort.postMessage({ offered: sentInTime / length, acknowledged: acknowledged / length, answers, noRetryAfter, strange })
