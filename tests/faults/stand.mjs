// Runs one replica of each service with a PostgreSQL and a Redis. Restarts each of them when it ends, as a supervisor does. Optionally
// puts a proxy between each service and its database. A fault can add a second replica of each service, and a standby of PostgreSQL.
import { execFileSync, spawnSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import {
    chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statfsSync, writeFileSync,
} from 'node:fs'
import { newKey, newPassword, services } from '../upgrade/cluster.mjs'
import { Postgres } from '../upgrade/postgres.mjs'
import { Process, eventually, freePort, killAll, run, sleep } from '../upgrade/processes.mjs'
import { DatabaseProxy } from './database_proxy.mjs'
import { AuthLoad } from './loads/auth-mfa.mjs'
import { BillingLoad } from './loads/billing.mjs'
import { FeedbackLoad } from './loads/feedback.mjs'
import { NotifyLoad } from './loads/notify.mjs'
import { Apple, MailServer, PurchasePlatform, Twilio } from './providers.mjs'

export const options = Object.fromEntries(process.argv.slice(2).filter(word => word.startsWith('--'))
    .map(word => word.slice(2).split('=')).map(([name, value]) => [name, value ?? true]))
export const chosen = services.filter(({ name }) => options[name])
export const say = text => console.error(`${new Date().toISOString().slice(11, 19)}  ${text}`)
export { sleep }
export const length = 1000 * Number(options.seconds ?? 5) // ms: the duration of faults that last for a time

export async function every(pause, time, work) {
    for (const end = performance.now() + time; performance.now() < end; await sleep(pause)) work()
}

// The name of a service's second replica. The first replica has the service's name.
export const second = name => `${name}-second`

// Rows of a Markdown table.
export const row = (...cells) => console.log(`| ${cells.join(' | ')} |`)
export function head(...cells) {
    row(...cells)
    console.log('|---'.repeat(cells.length) + '|')
}

const diskMegabytes = 700
const socketOf = postgres => `${postgres.folder}/.s.PGSQL.5432`

// Durable settings, as in production.
export const settings = ['fsync=on', 'full_page_writes=on', 'min_wal_size=4MB', 'max_wal_size=64MB', 'wal_keep_size=64MB', 'autovacuum_naptime=10s']

// WAL segments of 1 MB, so that a full disk affects the write-ahead log too.
const startPostgres = stand =>
    Postgres.start(`${stand.folder}/disk/postgres`, { log: stand.log('postgres'), initdb: ['--wal-segsize=1'], settings })

const childrenOf = pid => readdirSync('/proc').filter(name => /^\d+$/.test(name)).filter(name => {
    try { return readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1].split(' ')[1] === String(pid) } catch { return false }
}).map(Number)

export class Stand {
    secrets = { MASTER_KEY: newPassword(), ENCRYPTION_KEYS: newKey('k1') }
    ports = {} // of each service, by name
    opsPorts = {}
    running = {} // the processes: services by name, second replicas by `second(name)`, and `redis`
    proxies = {}
    complaints = [] // processes that ended unexpectedly
    #supervising = true

    // With `proxied`, each database is behind a proxy. With `smallDisk`, PostgreSQL's files are on a disk that can be filled.
    // `openDatabase(stand)` starts a replacement for PostgreSQL and returns it.
    constructor({ proxied = false, smallDisk = false, openDatabase } = {}) {
        Object.assign(this, { proxied, smallDisk, openDatabase: openDatabase ?? startPostgres })
        this.folder = mkdtempSync('/tmp/tetrad-faults-') // the path of a socket must be short
        chmodSync(this.folder, 0o711)
        mkdirSync(`${this.folder}/logs`)
        mkdirSync(`${this.folder}/disk`, { mode: 0o711 })
    }

    log(name) { return `${this.folder}/logs/${name}` }

    async start(extra = {}) {
        this.extra = extra
        if (this.smallDisk) {
            execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskMegabytes}m,mode=711`, 'tetrad-faults', `${this.folder}/disk`])
        }
        this.postgres = await this.openDatabase(this)
        this.redisPort = await freePort()
        this.redisPassword = newPassword()
        this.startRedis()
        await eventually('Redis answers', () => this.redisAnswers())
        this.writeKeys()
        for (const service of chosen) await this.prepareService(service)
        for (const service of chosen) this.startService(service)
        await Promise.all(chosen.map(service => this.ready(service)))
        this.supervisor = this.supervise()
    }

    stop() { return this.stopped ??= this.#end() }
    async #end() {
        this.#supervising = false
        await this.supervisor
        try {
            await Promise.all(chosen.flatMap(({ name }) => [name, second(name)]).map(replica => this.running[replica]?.stop()))
            await this.running.redis?.stop()
            await this.postgres?.stop()
        } finally {
            killAll()
            if (this.smallDisk) execFileSync('umount', ['--lazy', `${this.folder}/disk`])
        }
    }

    forget() { rmSync(this.folder, { recursive: true, force: true }) }

    // --- processes -----------------------------------------------------------------------------------------------------------

    startRedis() {
        this.running.redis = new Process(['redis-server', '--port', String(this.redisPort), '--bind', '127.0.0.1', '--save', '',
            '--appendonly', 'yes', '--dir', this.folder, '--requirepass', this.redisPassword], { log: this.log('redis') })
    }

    redisAnswers() {
        try {
            return execFileSync('redis-cli', ['-p', String(this.redisPort), 'PING'],
                { encoding: 'utf8', env: { ...process.env, REDISCLI_AUTH: this.redisPassword }, stdio: ['ignore', 'pipe', 'ignore'] })
                .startsWith('PONG')
        } catch { return false }
    }

    // Writes the key set for user tokens that the other services need to start. No token is signed with its key, because only auth-mfa
    // receives user tokens, and auth-mfa has its own keys.
    writeKeys() {
        const jwk = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })
        writeFileSync(`${this.folder}/jwks.json`, JSON.stringify({ keys: [{ ...jwk, kid: '1', alg: 'ES256', use: 'sig' }] }))
    }

    async prepareService({ name, database }) {
        const password = newPassword(), owner = `${database}_owner`, role = `${database}_service`
        for (const statement of [
            `CREATE ROLE ${owner} LOGIN CREATEROLE PASSWORD '${password}'`,
            `CREATE ROLE ${role} LOGIN PASSWORD '${password}'`,
            `CREATE DATABASE ${database} OWNER ${owner}`,
        ]) await this.postgres.sql('postgres', statement)
        await this.postgres.sql(database, `GRANT ALL ON SCHEMA public TO ${owner}`)
        await run([options[name], 'migrate'],
            { log: this.log(`${name}-migrate`), environment: { DATABASE_URL: this.postgres.url(owner, password, database) } })
        this.ports[name] = await freePort()
        this.opsPorts[name] = await freePort()
        let url = this.postgres.url(role, password, database)
        if (this.proxied) {
            this.proxies[name] = await new DatabaseProxy().start(socketOf(this.postgres))
            url = `postgresql://${role}:${password}@127.0.0.1:${this.proxies[name].port}/${database}`
        }
        this.extra[name] = { DATABASE_URL: url, ...this.extra[name] }
    }

    startService({ name, host }, replica = name, more = {}) {
        const environment = {
            PORT: String(this.ports[replica]), OPS_PORT: String(this.opsPorts[replica]), BASE_HOST: host, THREADS: '2', LOG_LEVEL: 'warn',
            REDIS_URL: `redis://:${this.redisPassword}@127.0.0.1:${this.redisPort}`, OUTBOUND_ALLOW_PRIVATE: 'true',
            BLOB_DIR: `${this.folder}/blobs-${name}`,
            ...(name !== 'auth-mfa' && { JWKS_FILE: `${this.folder}/jwks.json`, JWT_ISSUER_HOST: 'auth.localhost' }),
            ...this.secrets, ...this.extra[name], ...more,
        }
        this.running[replica] = new Process([options[name], 'serve'], { log: this.log(replica), environment })
    }

    // The status of /readyz, or undefined without an answer.
    async readiness(replica) {
        const answer = await fetch(`http://127.0.0.1:${this.opsPorts[replica]}/readyz`).catch(() => undefined)
        await answer?.arrayBuffer()
        return answer?.status
    }

    ready({ name }, replica = name) {
        return eventually(`${name} is ready`, async () => {
            const status = await this.readiness(replica)
            if (!this.running[replica].running) throw new Error(`${name} does not start (${this.running[replica].status}). See ${this.log(replica)}`)
            return status === 200
        })
    }

    // Starts a second replica of every service, with its own additional `environment`.
    async startSecondReplicas(environment) {
        await Promise.all(chosen.map(async service => {
            const replica = second(service.name)
            this.ports[replica] ??= await freePort()
            this.opsPorts[replica] ??= await freePort()
            this.startService(service, replica, environment)
            await this.ready(service, replica)
        }))
    }
    async stopSecondReplicas() {
        await Promise.all(chosen.map(async ({ name }) => {
            const replica = this.running[second(name)], early = !replica.running, status = await replica.stop()
            delete this.running[second(name)]
            if (early || status !== 0) this.complaints.push(`the second ${name} ended with ${status}. See ${replica.log}`)
        }))
    }

    // Restarts processes that have ended. A fault that ends one on purpose adds its name to `expected` first.
    async supervise() {
        for (; this.#supervising; await sleep(50)) {
            for (const service of chosen) {
                if (this.running[service.name].running) continue
                this.#note(service.name, this.running[service.name])
                this.startService(service)
            }
            if (!this.running.redis.running && !this.redisHeld) {
                this.#note('redis', this.running.redis)
                this.startRedis()
            }
            if (this.postgres.process && !this.postgres.process.running && !this.postgresHeld) {
                this.#note('postgres', this.postgres.process)
                this.postgres.launch()
                await sleep(500)
            }
        }
    }

    expected = new Set()
    #note(name, process) {
        if (!this.expected.has(name)) this.complaints.push(`${name} ended with ${process.status}. See ${process.log}`)
    }

    // --- faults --------------------------------------------------------------------------------------------------------------

    // Forwards new connections to `postgres`. Open connections stay where they are.
    leadProxiesTo(postgres) { for (const proxy of Object.values(this.proxies)) proxy.socket = socketOf(postgres) }
    cutConnections() { for (const proxy of Object.values(this.proxies)) proxy.cut() }

    kill(name) { this.running[name].signal('SIGKILL') }

    postgresProcesses() {
        const { pid } = this.postgres.process.child
        return [pid, ...childrenOf(pid)]
    }
    signalPostgres(signal) {
        for (const pid of this.postgresProcesses()) try { process.kill(pid, signal) } catch { /* the process has just ended */ }
    }

    // Fills the rest of PostgreSQL's disk, including space that PostgreSQL has freed since the last call.
    fillDisk() {
        const { bavail, bsize } = statfsSync(`${this.folder}/disk`)
        // PostgreSQL may take some of the space first. Then this call fills half of it, and the next call the rest.
        for (let blocks = bavail; blocks >= 1; blocks = Math.floor(blocks / 2)) {
            const { status } = spawnSync('fallocate', ['-l', String(blocks * bsize), `${this.folder}/disk/ballast-${this.ballast + 1}`])
            if (status !== 0) continue
            this.ballast++
            return
        }
    }
    ballast = 0
    emptyDisk() {
        for (; this.ballast > 0; this.ballast--) rmSync(`${this.folder}/disk/ballast-${this.ballast}`)
    }

    // --- observation ---------------------------------------------------------------------------------------------------------

    status(name) {
        const { pid } = this.running[name].child
        const text = readFileSync(`/proc/${pid}/status`, 'utf8')
        if (!text.includes('VmRSS')) throw new Error(`${name} has ended. See ${this.log(name)}`)
        return {
            rss: Number(/VmRSS:\s+(\d+)/.exec(text)[1]) / 1024, threads: Number(/Threads:\s+(\d+)/.exec(text)[1]),
            descriptors: readdirSync(`/proc/${pid}/fd`).length,
        }
    }

    // The last log lines of the services.
    logged(count = 10) {
        return chosen.filter(({ name }) => existsSync(this.log(name))).flatMap(({ name }) =>
            readFileSync(this.log(name), 'utf8').trim().split('\n').slice(-count).map(line => `${name}: ${line}`))
    }

    // --- load ----------------------------------------------------------------------------------------------------------------

    // Starts the simulated providers. Returns the settings with their addresses, for the services.
    async openProviders() {
        const all = [new Apple(), new MailServer(), new Twilio(), new PurchasePlatform()]
        const [apple, mail, twilio, purchases] = await Promise.all(all.map(each => each.open()))
        this.providers = { apple, mail, twilio, purchases }
        const at = ({ port }) => `http://127.0.0.1:${port}`
        const texts = {
            SMS_PROVIDER: 'twilio', TWILIO_BASE_URL: at(twilio), TWILIO_ACCOUNT_SID: 'AC1', TWILIO_AUTH_TOKEN: 'secret',
            TWILIO_FROM: '+14155550100', SMS_SENDER_VERIFIED: 'true', SMS_SENDER_PER_MINUTE: '100000',
        }
        const emails = {
            EMAIL_PROVIDER: 'smtp', SMTP_URL: `smtp://127.0.0.1:${mail.port}`, EMAIL_FROM: 'Tetrad <tetrad@example.com>',
        }
        return {
            feedback: emails,
            'auth-mfa': { ...texts, ...emails, REGISTRATIONS_PER_HOUR: '100000' },
            notify: { ...texts, ...emails, APNS_BASE_URL: at(apple) },
            billing: { PURCHASES_API_URL: at(purchases) },
        }
    }

    // Prepares the load of each service in `of`, as tenant `slug`. `pause` is the time in ms between a client's requests. `replicaOf(name)`
    // returns the name of the replica of a service that receives the load.
    async makeLoads(pause, of = chosen, slug = 'demo', replicaOf = name => name) {
        const classes = { feedback: FeedbackLoad, 'auth-mfa': AuthLoad, notify: NotifyLoad, billing: BillingLoad }
        const loads = of.map(service => {
            // `replicas` is empty, because the load uses one replica, which knows its own changes at once.
            const stand = this
            const cluster = {
                port: this.ports[replicaOf(service.name)], secrets: this.secrets, replicas: [],
                get postgres() { return stand.postgres }, // changes with a failover
            }
            return Object.assign(new classes[service.name](cluster, service, this.providers),
                { pause, host: `${slug}.${service.host}` })
        })
        for (const load of loads) {
            await load.prepare()
            load.reset()
        }
        return loads
    }
}

// Runs `scenario(stand)`, which returns a list of failures, and ends the process: with status 1 if there are any.
export async function on(stand, scenario) {
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stand.stop().finally(() => process.exit(130)))
    let wrong = []
    try {
        wrong = await scenario(stand)
    } catch (error) {
        wrong.push(error.stack)
    }
    await stand.stop().catch(error => wrong.push(error.stack))
    for (const line of wrong.slice(0, 40)) console.error(line)
    if (wrong.length > 0) {
        console.error(`${wrong.length} failures; logs: ${stand.folder}/logs`)
        for (const line of stand.logged()) console.error(line)
        process.exit(1)
    }
    stand.forget()
    process.exit(0)
}
