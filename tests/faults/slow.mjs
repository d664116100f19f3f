// Slow clients, on their own thread: half of them send the head of a request, the others a body, one byte every two seconds. A client that
// is cut off reconnects. `workerData`: `port`, `count`, `host`, `token`, `path`. Any message asks for the numbers of connections that are
// open and that were cut off.
import { connect } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'
import { networks } from './requests.mjs'

const { port, count, host, token, path } = workerData
const pause = 2000 // ms between two bytes
const openAt = 2 // ms between two new connections
const open = new Set()
let cutOff = 0

function crawl(i) {
    const socket = connect({ host: '127.0.0.1', port, localAddress: networks(i) })
    let timer
    socket.once('connect', () => {
        open.add(socket)
        socket.write(i % 2 ? `GET / HTTP/1.1\r\nHost: ${host}\r\nX-Slow: `
            : `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 10000\r\n\r\n`)
        timer = setInterval(() => socket.write('x'), pause)
    })
    socket.resume().on('error', () => {}).once('close', () => {
        clearInterval(timer)
        if (open.delete(socket)) cutOff++
        setTimeout(crawl, 100, i)
    })
}

for (let i = 0; i < count; i++) setTimeout(crawl, i * openAt, i)
parentPort.on('message', () => parentPort.postMessage({ open: open.size, cutOff }))
