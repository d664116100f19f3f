// Two replicas of each service behind HAProxy, with their own PostgreSQL and Redis, as in production: with deploy/haproxy.cfg, passwords,
// and keys that can be rotated.
import { randomBytes, randomInt } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { Postgres } from './postgres.mjs'
import { Process, eventually, freePort, killAll, run } from './processes.mjs'

const configuration = new URL('../../deploy/haproxy.cfg', import.meta.url).pathname

export const services = [
    { name: 'feedback', database: 'feedback', host: 'feedback.localhost', port: 8101, opsPort: 9101 },
    { name: 'auth-mfa', database: 'auth_mfa', host: 'auth.localhost', port: 8102, opsPort: 9102 },
    { name: 'notify', database: 'notify', host: 'notify.localhost', port: 8103, opsPort: 9103 },
    { name: 'billing', database: 'billing', host: 'billing.localhost', port: 8104, opsPort: 9104 },
]
export const serviceNamed = name => services.find(service => service.name === name)

export const newPassword = () => randomBytes(24).toString('hex')
export const newKey = id => `${id}:${randomBytes(32).toString('base64')}`

export class Cluster {
    // `programs`: the path of each service's executable, by its name.
    constructor(programs) {
        this.programs = programs
        this.folder = mkdtempSync('/tmp/tetrad-upgrade-') // a socket's path must be short
        chmodSync(this.folder, 0o711) // the user that runs PostgreSQL must reach its folder
        // Each replica has its own address, like a machine, so that all can use the default ports.
        const network = `127.${randomInt(16, 255)}.${randomInt(1, 255)}`
        this.replicas = [{ server: 'a', address: `${network}.1` }, { server: 'b', address: `${network}.2` }]
        this.running = new Map() // `${service}/${server}` to its Process
        this.owners = {} // the role that owns each service's database, and its password
        this.roles = {} // the role that the service connects as, and its password
        this.secrets = { MASTER_KEY: newPassword(), ENCRYPTION_KEYS: newKey('k1') } // settings with which each replica is started
        this.onReplaced = async () => {} // called after each replaced replica, before the next one stops
        this.restarts = Object.fromEntries(services.map(({ name }) => [name, 0]))
    }

    // `extra`: more settings of each service, by its name.
    async start(extra) {
        this.extra = extra
        mkdirSync(`${this.folder}/logs`)
        this.postgres = await Postgres.start(`${this.folder}/postgres`)
        await this.startRedis()
        for (const service of services) await this.makeDatabase(service)
        await this.startProxy()
        // Start auth-mfa first: the other services fetch its keys when they start.
        const issuer = serviceNamed('auth-mfa'), others = services.filter(service => service !== issuer)
        const both = service => Promise.all(this.replicas.map(replica => this.startReplica(service, replica)))
        await both(issuer)
        await Promise.all(others.map(both))
    }

    async stop() {
        try {
            await Promise.all([...this.running.values()].map(process => process.stop()))
            await this.proxy?.stop()
            await this.redis?.stop()
            await this.postgres?.stop()
        } finally {
            killAll()
        }
    }

    forget() { rmSync(this.folder, { recursive: true, force: true }) }

    log(name) { return `${this.folder}/logs/${name}` }

    // --- databases and proxy -------------------------------------------------------------------------------------------------

    async startRedis() {
        this.redisPort = await freePort()
        this.redisPassword = newPassword()
        this.redis = new Process(['redis-server', '--port', String(this.redisPort), '--bind', '127.0.0.1', '--save', '', '--appendonly',
            'no', '--dir', this.folder, '--requirepass', this.redisPassword], { log: this.log('redis') })
        await eventually('Redis answers', () => this.redisCommand('PING').catch(() => {
            if (!this.redis.running) throw new Error(`Redis does not start: see ${this.log('redis')}`)
        }))
    }

    redisCommand(...words) { return this.redisCommandAs(this.redisPassword, ...words) }

    async redisCommandAs(password, ...words) {
        const output = await run(['redis-cli', '-p', String(this.redisPort), ...words],
            { log: this.log(`redis-cli-${randomBytes(6).toString('hex')}`), environment: { REDISCLI_AUTH: password } })
        if (!/^(OK|PONG)/.test(output)) throw new Error(`Redis answers ${output}`)
        return output
    }

    // One role owns the tables. The service connects as another role, which owns nothing.
    async makeDatabase({ name, database }) {
        const owner = this.owners[name] = { role: `${database}_owner`, password: newPassword() }
        const role = this.roles[name] = { role: `${database}_service`, password: newPassword() }
        for (const statement of [
            `CREATE ROLE ${owner.role} LOGIN CREATEROLE PASSWORD '${owner.password}'`,
            `CREATE ROLE ${role.role} LOGIN PASSWORD '${role.password}'`,
            `CREATE DATABASE ${database} OWNER ${owner.role}`,
        ]) await this.postgres.sql('postgres', statement)
        await this.postgres.sql(database, `GRANT ALL ON SCHEMA public TO ${owner.role}`)
        await this.migrate(name)
    }

    databaseUrl(name) {
        const { role, password } = this.roles[name]
        return this.postgres.url(role, password, serviceNamed(name).database)
    }

    async startProxy() {
        this.port = await freePort()
        const [a, b] = this.replicas
        const environment = {
            TETRAD_LISTEN: `127.0.0.1:${this.port}`, TETRAD_DOMAIN: 'localhost', TETRAD_REPLICA_A: a.address,
            TETRAD_REPLICA_B: b.address, HAPROXY_SOCKET: `${this.folder}/haproxy`,
        }
        this.proxy = new Process(['/usr/sbin/haproxy', '-db', '-f', configuration], { log: this.log('haproxy'), environment })
        await eventually('HAProxy answers', () => this.ask('show info').catch(() => {
            if (!this.proxy.running) throw new Error(`HAProxy does not start:\n${readFileSync(this.log('haproxy'), 'utf8')}`)
        }))
    }

    // Sends a command to HAProxy's socket.
    ask(command) {
        return new Promise((done, failed) => {
            let answer = ''
            connect(`${this.folder}/haproxy`).setEncoding('utf8').on('data', text => { answer += text })
                .once('end', () => done(answer)).once('error', failed).end(`${command}\n`)
        })
    }

    // HAProxy's status of a replica: `UP`, `DOWN` or a transition such as `UP 1/3`.
    async statusOf(service, replica) {
        const [head, ...rows] = (await this.ask('show stat')).replace(/^# /, '').split('\n').map(line => line.split(','))
        const column = name => head.indexOf(name)
        return rows.find(row => row[0] === service.name && row[1] === replica.server)?.[column('status')]
    }

    // --- replicas ------------------------------------------------------------------------------------------------------------

    environment(service, replica) {
        return {
            PORT: String(service.port), OPS_PORT: String(service.opsPort), BIND: replica.address, BASE_HOST: service.host, THREADS: '2',
            DATABASE_URL: this.databaseUrl(service.name), REDIS_URL: `redis://:${this.redisPassword}@127.0.0.1:${this.redisPort}`,
            JWKS_URL: `http://auth.localhost:${this.port}/.well-known/jwks.json`, JWT_ISSUER_HOST: 'auth.localhost',
            TRUSTED_PROXIES: '127.0.0.0/8', DRAIN_DELAY_MS: '3000', OUTBOUND_ALLOW_PRIVATE: 'true', LOG_LEVEL: 'warn',
            ...this.extra[service.name], ...this.secrets,
        }
    }

    async startReplica(service, replica) {
        const process = new Process([this.programs[service.name], 'serve'],
            { log: this.log(`${service.name}-${replica.server}`), environment: this.environment(service, replica) })
        this.running.set(`${service.name}/${replica.server}`, process)
        await eventually(`${service.name} ${replica.server} is up`, async () => {
            if (!process.running) throw new Error(`${service.name} does not start:\n${readFileSync(process.log, 'utf8').slice(-2000)}`)
            return await this.statusOf(service, replica) === 'UP'
        })
    }

    // Restarts the replicas one after the other, as in docs/operations/upgrades.md: SIGTERM, wait for the exit, start the new replica, wait
    // until HAProxy uses it.
    async restart(service) {
        for (const replica of this.replicas) {
            const status = await this.running.get(`${service.name}/${replica.server}`).stop()
            if (status !== 0) throw new Error(`${service.name} ${replica.server} ended with ${status}`)
            await eventually(`HAProxy has seen ${service.name} ${replica.server} end`,
                async () => (await this.statusOf(service, replica)).startsWith('DOWN'))
            await this.startReplica(service, replica)
            this.restarts[service.name]++
            await this.onReplaced(service)
        }
    }

    async restartAll() { await Promise.all(services.map(service => this.restart(service))) }

    // Runs a command of a service's program with the settings of the replicas, and returns the log of the
    // command.
    verb(name, verb, environment = {}) {
        const service = serviceNamed(name)
        return run([this.programs[name], verb], {
            log: this.log(`${name}-${verb}-${randomBytes(4).toString('hex')}`),
            environment: { ...this.environment(service, this.replicas[0]), LOG_LEVEL: 'info', ...environment },
        })
    }

    // Migrates the database, as its owner.
    migrate(name) {
        const { role, password } = this.owners[name]
        return run([this.programs[name], 'migrate'], {
            log: this.log(`${name}-migrate-${randomBytes(4).toString('hex')}`),
            environment: { DATABASE_URL: this.postgres.url(role, password, serviceNamed(name).database) },
        })
    }

    // The log lines of all replicas (warnings and errors).
    complaints() {
        const logs = services.flatMap(({ name }) => this.replicas.map(({ server }) => `${name}-${server}`)).filter(name => existsSync(this.log(name)))
        return logs.flatMap(name => readFileSync(this.log(name), 'utf8').split('\n').filter(Boolean).map(line => `${name}: ${line}`))
    }
}
