// The base of simulated providers: a server that counts accepted messages by a mark in them, and can be unreachable for a time.
import { once } from 'node:events'

export class Provider {
    taken = new Map() // by mark: the keys of the messages with this mark, in order of arrival
    delay = 0 // ms until a response
    address = '127.0.0.1'
    #open = new Set()

    constructor(server, event = 'connection') {
        this.server = server
        server.on(event, connection => {
            this.#open.add(connection)
            connection.on('error', () => {}).once('close', () => this.#open.delete(connection))
        })
    }

    // The open connections.
    get connections() { return this.#open }

    // Listens on the same port as before, if there was one.
    async open() {
        this.server.listen(this.port ?? 0, this.address)
        await once(this.server, 'listening')
        this.server.unref()
        this.port = this.server.address().port
        return this
    }

    // Becomes unreachable: refuses new connections and cuts the open connections.
    async close() {
        const closed = new Promise(done => this.server.close(done))
        for (const connection of this.#open) connection.destroy()
        await closed
    }

    answer(say) {
        if (this.delay === 0) say()
        else setTimeout(say, this.delay)
    }

    take(mark, key) {
        if (!this.taken.has(mark)) this.taken.set(mark, [])
        this.taken.get(mark).push(key)
    }
}
