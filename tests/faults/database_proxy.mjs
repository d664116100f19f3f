// A proxy between a service and its database: connections to a TCP port are forwarded to PostgreSQL's socket. They can be delayed,
// cut or silenced.
import { createServer, connect } from 'node:net'

class Pipe {
    #queue = []

    constructor(proxy, from, to) { Object.assign(this, { proxy, from, to }) }

    open() { this.from.on('data', piece => this.#carry(piece)) }

    // Pieces keep their order, even if their delays differ.
    #carry(piece) {
        if (this.from.silent) return
        if (this.proxy.delay === 0 && this.#queue.length === 0) return void this.to.write(piece)
        this.#queue.push(piece)
        setTimeout(() => this.to.destroyed || this.to.write(this.#queue.shift()), this.proxy.delay)
    }
}

export class DatabaseProxy {
    delay = 0 // ms, each way
    refusing = false // new connections are closed at once
    cuts = 0
    #pairs = new Set()

    // `socket` is the path of PostgreSQL's socket.
    async start(socket) {
        this.socket = socket
        this.server = createServer({ noDelay: true }, near => this.#join(near))
        await new Promise(listening => this.server.listen(0, '127.0.0.1', listening))
        this.server.unref()
        this.port = this.server.address().port
        return this
    }

    #join(near) {
        if (this.refusing) return near.resetAndDestroy()
        const far = connect(this.socket), pair = [near, far]
        this.#pairs.add(pair)
        for (const [from, to] of [[near, far], [far, near]]) {
            new Pipe(this, from, to).open()
            from.on('error', () => {}).once('close', () => {
                this.#pairs.delete(pair)
                if (!from.silent) to.destroy()
            })
        }
    }

    // Resets every connection, even in the middle of a message, as a faulty router does.
    cut() {
        for (const [near, far] of this.#pairs) {
            this.cuts++
            near.resetAndDestroy()
            far.destroy()
        }
    }

    // Open connections stay open and carry no more data, as behind a firewall that has dropped their state. New connections work.
    hush() {
        for (const pair of this.#pairs) for (const end of pair) end.silent = true
    }
}
