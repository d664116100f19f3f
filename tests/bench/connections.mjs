// HTTP over sockets of our own, one request at a time on each: for load whose requests depend on the answers before them, without the
// cost of fetch, which would take the machine from what is measured. What it can do at most is measured too.
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

// Milliseconds by a clock that all threads and processes of the machine share.
export const now = () => Number(process.hrtime.bigint()) / 1e6

export class Connection {
    #socket
    #text = ''
    #waiting

    // `from`: the local address it comes from.
    constructor(port, from) {
        this.#socket = connect({ host: '127.0.0.1', port, localAddress: from, noDelay: true }).setEncoding('latin1')
        this.#socket.on('data', chunk => this.#read(chunk))
        this.#socket.on('error', error => this.#end(error))
        this.#socket.on('close', () => this.#end(new Error('the connection was closed')))
        this.opened = once(this.#socket, 'connect')
    }

    // The answer: `status`, `head` and `body`.
    send(request) {
        return new Promise((done, failed) => {
            if (this.#socket.destroyed) throw new Error('the connection was closed')
            this.#waiting = { done, failed }
            this.#socket.write(request, 'latin1')
        })
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

// Connection i sends what `next(i)` gives, until that is nothing or `length` seconds have passed; `take(answer, i)` is told each answer.
// How many were `sent`, how many a second until the last answer, and our own CPU µs for each.
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

// Sends what `next()` gives, `rate` times a second for `length` seconds or until `ends()`, whether those before were answered or not.
// `take(answer, due, began)` is told each answer, and when its request was due and was sent by `now()`. `from(n)`: the local address of
// the n-th connection. How many were `sent`.
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
