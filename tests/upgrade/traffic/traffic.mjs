// The shared part of all services' traffic: clients that run until `stop`, and the check of acknowledged writes.
import { Client, Figures } from '../client.mjs'
import { eventually, sleep } from '../processes.mjs'

// Whether the response is 401. Any status except 200 and 401 is a failure.
export async function refuses(client, method, path, options) {
    const answer = await client.send(method, path, { ...options, expected: [200, 401] })
    return answer.error === 'UNAUTHORIZED'
}

export class Traffic {
    constructor(cluster, service) {
        Object.assign(this, { cluster, service, figures: new Figures(), host: `demo.${service.host}` })
        this.run = Math.random().toString(36).slice(2, 8)
        this.number = 0
        this.loops = []
    }

    // A unique text for a written object.
    mark(what) { return `${what} ${this.run}-${++this.number}` }

    client({ port = this.cluster.port, host = this.host } = {}) { return new Client(port, host, this.figures) }

    // Sends a request with the current master key.
    operate(client, method, path, options) { return client.send(method, path, { token: this.masterKey, ...options }) }

    refusesMasterKey(key) { return refuses(this.admin, 'GET', '/v1/admin/tenants/demo', { token: key }) }

    // Creates the tenant. All traffic uses its production environment.
    async provision(limits = {}) {
        this.masterKey = this.cluster.secrets.MASTER_KEY
        this.admin = this.client()
        await this.operate(this.admin, 'PUT', `/v1/admin/tenants/${this.host.split('.')[0]}`, { body: { displayName: 'Demo', limits } })
    }
    async mintKey() { this.key = await this.newKey('production') }
    async newKey(environment) {
        return (await this.operate(this.admin, 'POST', '/v1/keys', { body: { environment, kind: 'secret' } })).key
    }

    // The tenant's host in an environment.
    hostIn(environment) { return environment === 'sandbox' ? this.host.replace('.', '-sandbox.') : this.host }

    // Starts a client that runs `steps` in turn, with `pause` ms between them, until `stop`. A step that throws counts as a failure.
    loop(pause, ...steps) {
        const client = this.client()
        this.loops.push((async () => {
            while (!this.stopping) {
                for (const step of steps) {
                    try {
                        await step(client)
                    } catch (error) {
                        if (!error.isCounted) this.figures.failures.push(error.stack)
                    }
                    await sleep(pause)
                    if (this.stopping) break
                }
            }
            client.close()
        })())
    }

    async start() {
        this.stopping = false
        this.loops = []
        this.loop(100, client => this.operate(client, 'GET', '/v1/admin/tenants/demo'))
        await this.work()
    }

    // Waits until at least `more` further requests were answered.
    serve(more) {
        const until = this.figures.requests + more
        return eventually(`${this.service.name} answers`, () => this.figures.requests >= until)
    }

    // Lets every client finish its current step.
    async stop() {
        this.stopping = true
        await Promise.all(this.loops)
    }

    // Checks that every acknowledged write exists once, and that nothing else exists. `found`: the marks in the database.
    compare(what, acknowledged, found) {
        const times = new Map()
        for (const mark of found) times.set(mark, (times.get(mark) ?? 0) + 1)
        const wrong = []
        for (const mark of acknowledged) {
            const n = times.get(mark) ?? 0
            if (n !== 1) wrong.push(`${this.service.name}: ${what} ${mark} was acknowledged and exists ${n} times`)
            times.delete(mark)
        }
        // If no request failed, every write was acknowledged. Any other mark is then an error.
        if (this.figures.failures.length === 0)
            for (const mark of times.keys()) wrong.push(`${this.service.name}: ${what} ${mark} exists but was not acknowledged`)
        return wrong
    }

    async column(sql) { return (await this.cluster.postgres.sql(this.service.database, sql)).map(([value]) => value) }
}
