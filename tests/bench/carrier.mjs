// A simulated carrier in its own process (tests/support/carrier_server.mjs), and its control.
import { once } from 'node:events'
import { start, stop } from './lib.mjs'

const program = new URL('../support/carrier_server.mjs', import.meta.url).pathname

export class CarrierProcess {
    // `name`: 'fcm' or 'apns'. `options`: as of carrier_server.mjs, for this carrier.
    static async open(name, options) {
        const carrier = new CarrierProcess()
        carrier.child = start('node', [program, JSON.stringify({ [name]: options })], {}, undefined, 'pipe')
        const [line] = await once(carrier.child.stdout.setEncoding('utf8'), 'data')
        Object.assign(carrier, { name, pid: carrier.child.pid, control: JSON.parse(line).control })
        return carrier
    }

    async ask(what, body) {
        const response = await fetch(`${this.control}/${this.name}/${what}`, body && { method: 'POST', body: JSON.stringify(body) })
        if (!response.ok) throw new Error(`${what}: ${response.status} ${await response.text()}`)
        return response.json()
    }

    behave(way) { return this.ask('behave', way) }
    forget() { return this.ask('forget', {}) }
    tally(message) { return this.ask(`tally${message ? `?message=${message}` : ''}`) }
    counts() { return this.ask('counts') }
    stop() { return stop(this.child) }
}
