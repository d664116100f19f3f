// Two PostgreSQL nodes under Patroni with etcd, behind HAProxy, with the files of deploy/. Each node has its own loopback address, so that
// both nodes use the default ports. The cluster replaces the PostgreSQL of stand.mjs. Clients connect through HAProxy.
import { execFileSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { newPassword } from '../upgrade/cluster.mjs'
import { Postgres, account, makeFolder } from '../upgrade/postgres.mjs'
import { Process, eventually, freePort } from '../upgrade/processes.mjs'

const deploy = file => new URL(`../../deploy/${file}`, import.meta.url).pathname
const packages = [['/usr/bin/patroni', 'patroni'], ['/usr/bin/etcd', 'etcd-server'], ['/usr/sbin/haproxy', 'haproxy']]
const startsIn = 120 // seconds; copying a node takes a long time

const childrenOf = pid => readdirSync('/proc').filter(name => /^\d+$/.test(name)).filter(name => {
    try { return readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1].split(' ')[1] === String(pid) } catch { return false }
}).map(Number)

class Node {
    constructor(cluster, name, address) {
        Object.assign(this, { cluster, name, address, folder: `${cluster.stand.folder}/postgres-${name}` })
        this.log = cluster.stand.log(`patroni-${name}`)
    }

    start() {
        const { cluster, name, address, folder } = this
        this.patroni = new Process(['/usr/bin/patroni', deploy('patroni/patroni.yml')], {
            log: this.log, user: account, lastSignal: 'TERM', // Patroni then stops its PostgreSQL too
            environment: {
                PATRONI_NAME: name, PATRONI_ETCD3_HOSTS: `'127.0.0.1:${cluster.etcdPort}'`,
                PATRONI_RESTAPI_LISTEN: `${address}:8008`, PATRONI_RESTAPI_CONNECT_ADDRESS: `${address}:8008`,
                PATRONI_POSTGRESQL_LISTEN: `${address}:5432`, PATRONI_POSTGRESQL_CONNECT_ADDRESS: `${address}:5432`,
                PATRONI_POSTGRESQL_DATA_DIR: `${folder}/data`, PATRONI_POSTGRESQL_PGPASS: `${folder}/pgpass`,
                PATRONI_SUPERUSER_PASSWORD: cluster.password, PATRONI_REPLICATION_PASSWORD: cluster.password,
                PATRONI_REWIND_PASSWORD: cluster.password,
            },
        })
    }

    // Whether Patroni's REST API answers 200 to `path`.
    async answers(path) {
        const answer = await fetch(`http://${this.address}:8008${path}`, { signal: AbortSignal.timeout(2000) }).catch(() => undefined)
        await answer?.arrayBuffer().catch(() => {})
        return answer?.status === 200
    }

    // Whether PostgreSQL accepts writes, not only whether the node holds the leader lock.
    async takesWrites() {
        const answer = await fetch(`http://${this.address}:8008/patroni`, { signal: AbortSignal.timeout(2000) }).catch(() => undefined)
        const { role, state } = await answer?.json().catch(() => ({})) ?? {}
        return role === 'master' && state === 'running'
    }

    // PostgreSQL's processes. The first is the postmaster; the others end with it.
    get postgresProcesses() {
        const file = `${this.folder}/data/postmaster.pid`
        if (!existsSync(file)) return []
        const pid = Number(readFileSync(file, 'utf8').split('\n')[0])
        return existsSync(`/proc/${pid}`) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(this.folder) ? [pid, ...childrenOf(pid)] : []
    }

    killPostgres() { for (const pid of this.postgresProcesses) try { process.kill(pid, 'SIGKILL') } catch { /* the process has just ended */ } }

    killPatroni() { this.patroni.signal('SIGKILL') }

    // Simulates a machine that loses power.
    kill() {
        this.killPatroni()
        this.killPostgres()
    }

    stop() {
        if (this.patroni.running) return this.patroni.stop()
        this.killPostgres()
    }
}

export class PatroniCluster extends Postgres {
    static async start(stand) {
        for (const [file, name] of packages) if (!existsSync(file)) throw new Error(`${file} is missing. Install Debian's package ${name}.`)
        const cluster = new PatroniCluster(`${stand.folder}/patroni`, [], stand.log('patroni'))
        await cluster.#start(stand)
        return cluster
    }

    async #start(stand) {
        this.stand = stand
        this.password = newPassword()
        await this.#startEtcd()
        const network = `127.${randomInt(16, 255)}.${randomInt(1, 255)}`
        this.nodes = await Promise.all(['a', 'b'].map(async (name, i) => {
            const node = new Node(this, name, `${network}.${1 + i}`)
            await makeFolder(node.folder)
            return node
        }))
        const [first, other] = this.nodes
        first.start()
        await eventually('the first node leads', () => this.#alive(first) && first.takesWrites(), startsIn)
        other.start()
        await this.ready()
        await this.#startProxy()
    }

    // Fails at once if a node ends during its start.
    #alive(node) {
        if (!node.patroni.running) throw new Error(`Patroni does not start. See ${node.log}`)
        return true
    }

    async #startEtcd() {
        const [clients, peers] = [await freePort(), await freePort()], at = port => `http://127.0.0.1:${port}`
        this.etcdPort = clients
        this.etcd = new Process(['/usr/bin/etcd', '--data-dir', `${this.stand.folder}/etcd`, '--listen-client-urls', at(clients),
            '--advertise-client-urls', at(clients), '--listen-peer-urls', at(peers), '--initial-advertise-peer-urls', at(peers),
            '--initial-cluster', `default=${at(peers)}`, '--logger', 'zap', '--log-level', 'warn'], { log: this.stand.log('etcd') })
        await eventually('etcd answers', async () => {
            if (!this.etcd.running) throw new Error(`etcd does not start. See ${this.etcd.log}`)
            return (await fetch(`${at(clients)}/health`).catch(() => undefined))?.ok
        })
    }

    async #startProxy() {
        this.port = await freePort()
        const [a, b] = this.nodes
        this.proxy = new Process(['/usr/sbin/haproxy', '-db', '-f', deploy('haproxy-postgres.cfg')], {
            log: this.stand.log('haproxy-postgres'),
            environment: {
                POSTGRES_LISTEN: `127.0.0.1:${this.port}`, POSTGRES_NODE_A: a.address, POSTGRES_NODE_B: b.address,
                HAPROXY_SOCKET: `${this.stand.folder}/haproxy-postgres`,
            },
        })
        // Before its first checks HAProxy considers both nodes up.
        await eventually('HAProxy forwards to the primary', async () => {
            if (!this.proxy.running) throw new Error(`HAProxy does not start. See ${this.proxy.log}`)
            return (await this.#upNodes()).length === 1
        })
    }

    // The names of the nodes that HAProxy considers up.
    async #upNodes() {
        let answer = ''
        await new Promise(done => connect(`${this.stand.folder}/haproxy-postgres`).setEncoding('utf8').on('data', text => { answer += text })
            .once('error', done).once('close', done).end('show stat\n'))
        return this.nodes.map(({ name }) => name).filter(name => new RegExp(`^postgres,${name},.*,UP[ ,]`, 'm').test(answer))
    }

    url(role, password, database) { return `postgresql://${role}:${password}@127.0.0.1:${this.port}/${database}` }
    superuserUrl(database) { return this.url('postgres', this.password, database) }

    // The leading node.
    primary() {
        return eventually('a node leads', async () => {
            for (const node of this.nodes) if (await node.answers('/primary') && await node.takesWrites()) return node
        })
    }

    // Waits until one node leads and the other is its synchronous standby.
    ready() {
        return eventually('there is a synchronous standby', async () => {
            const [one, other] = this.nodes
            return await one.answers('/primary') && await other.answers('/sync') || await other.answers('/primary') && await one.answers('/sync')
        }, startsIn)
    }

    async stop() {
        await Promise.all(this.nodes.map(node => node.stop()))
        await this.proxy?.stop()
        await this.etcd.stop()
        for (const { folder } of this.nodes) rmSync(`${folder}/data`, { recursive: true, force: true })
    }
}
