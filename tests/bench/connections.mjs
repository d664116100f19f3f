// A minimal HTTP client, for load whose requests depend on earlier answers. It sends one request at a time on each socket. It needs less
// CPU than fetch, which would compete with the measured service. auth-mfa.mjs also measures the highest rate of this client.
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

// Milliseconds of a clock that all threads and processes of the machine share.
export const now = () => Number(process.hrtime.bigint()) / 1e6

// A request with a JSON body, or without a body.
export function compose(method, host, path, key, body) {
    const text = body === undefined ? '' : JSON.stringify(body)
    return `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
}

export class Connection {
    #socket
    #text = ''
    #waiting

    // `from` is the local address.
    constructor(port, from) {
        this.#socket = connect({ host: '127.0.0.1', port, localAddress: from, noDelay: true }).setEncoding('latin1')
        this.#socket.on('data', chunk => this.#read(chunk))
        this.#socket.on('error', error => this.#end(error))
        this.#socket.on('close', () => this.#end(new Error('the connection was closed')))
        this.opened = once(this.#socket, 'connect')
    }

    // Sends a request. Returns the answer: `status`, `head` and `body`.
    send(request) {
        return new Promise((done, failed) => {
            if (this.#socket.destroyed) throw new Error('the connection was closed')
            this.#waiting = { done, failed }
            this.#socket.write(request, 'latin1')
        })
    }

    // Sends a request. Returns the JSON of the answer, which must have the status `expected`.
    async ask(expected, ...request) {
        const { status, body } = await this.send(compose(...request))
        if (status !== expected) throw new Error(`${request[0]} ${request[2]}: ${status} ${body}`)
        return JSON.parse(body)
    }

    close() {
        this.#socket.destroy()
    }

    #read(chunk) {
        this.#text += chunk
        const end = this.#text.indexOf('\r\n\r\n')
        if (end < 0) return
        const length = Number(/\r\ncontent-length: (\d+)/i.exec(this.#text)?.[1] ?? 0)
        if (this.#text.length < end + 4 + length) return
        const text = this.#text, { done } = this.#waiting
        this.#text = ''
        this.#waiting = undefined
        done({ status: Number(text.slice(9, 12)), head: text.slice(0, end), body: text.slice(end + 4) })
    }

    #end(error) {
        this.#waiting?.failed(error)
        this.#waiting = undefined
    }
}

// Connection i sends the requests of `next(i)`, until `next(i)` returns undefined or `length` seconds have passed. Calls `take(answer, i)`
// for each answer. Returns `sent`, the `rate` until the last answer, and `own`: the generator's CPU µs per request.
export async function drive(port, count, { next, take, length = Infinity, from = () => undefined }) {
    const connections = Array.from({ length: count }, (_, i) => new Connection(port, from(i)))
    await Promise.all(connections.map(connection => connection.opened))
    const cpu = process.cpuUsage(), begun = performance.now(), end = begun + length * 1000
    let sent = 0
    await Promise.all(connections.map(async (connection, i) => {
        let request
        while (performance.now() < end && (request = next(i)) !== undefined) {
            take(await connection.send(request), i)
            ++sent
        }
    }))
    const rate = sent / (performance.now() - begun) * 1000
    const { user, system } = process.cpuUsage(cpu)
    for (const connection of connections) connection.close()
    return { sent, rate, own: (user + system) / sent }
}

// Sends the requests of `next()` at `rate` a second, for `length` seconds or until `ends()`, without waiting for answers. Calls
// `take(answer, due, began)` for each answer; `due` and `began` are the planned and the actual time of sending, by `now()`. `from(n)`: the
// local address of the n-th connection. Returns `sent`, the number of requests.
export async function pace(port, { rate, length, next, take, ends = () => false, from = () => undefined }) {
    const idle = [], all = [], pending = new Set()
    let failure, sent = 0
    const open = () => {
        all.push(new Connection(port, from(all.length)))
        return all.at(-1)
    }
    const ask = async due => {
        const connection = idle.pop() ?? open()
        await connection.opened
        const request = next(), began = now()
        take(await connection.send(request), due, began)
        idle.push(connection)
    }
    const start = due => {
        const asked = ask(due).catch(error => { failure ??= error }).finally(() => pending.delete(asked))
        pending.add(asked)
    }
    const begun = now(), total = Math.round(rate * length)
    const dueAt = n => begun + n / rate * 1000
    while (sent < total && !failure && !ends()) {
        while (sent < total && dueAt(sent) <= now()) start(dueAt(sent++))
        await sleep(1)
    }
    await Promise.all(pending)
    for (const connection of all) connection.close()
    if (failure) throw failure
    return { sent }
}
