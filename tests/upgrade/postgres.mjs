// A private PostgreSQL. Connections over its socket need a password, except the superuser's.
import { execFile } from 'node:child_process'
import { chownSync, mkdirSync } from 'node:fs'
import { userInfo } from 'node:os'
import { promisify } from 'node:util'
import { Process, eventually, run } from './processes.mjs'

export const binaries = '/usr/lib/postgresql/15/bin'
const execute = promisify(execFile)
const isRoot = userInfo().uid === 0

// The account that runs PostgreSQL, which refuses to run as root. Undefined means our own account.
export const account = isRoot ? 'postgres' : undefined

// Makes a folder that belongs to that account.
export async function makeFolder(folder) {
    mkdirSync(folder, { mode: 0o700 })
    if (!isRoot) return
    const { stdout } = await execute('id', ['-u', account])
    chownSync(folder, Number(stdout), -1)
}

const hba = 'local all postgres trust\\nlocal replication postgres trust\\nlocal all all scram-sha-256\\n'

export class Postgres {
    // `folder`: the server's own folder, which this function makes. `settings` override the defaults. `initdb`: more arguments of initdb. `log`: a
    // file.
    static async start(folder, { settings = [], initdb = [], log = `${folder}.log` } = {}) {
        const postgres = new Postgres(folder, settings, log), { data } = postgres
        await makeFolder(folder)
        await run([`${binaries}/initdb`, '-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync',
            '--no-instructions', ...initdb], { log, user: account })
        await run(['sh', '-c', `printf '${hba}' > ${data}/pg_hba.conf`], { log, user: account })
        return postgres.open()
    }

    // A standby that streams from `primary`, made by pg_basebackup. Options as for `start`.
    static async follow(primary, folder, { settings = [], log = `${folder}.log` } = {}) {
        const postgres = new Postgres(folder, settings, log)
        await makeFolder(folder)
        await run([`${binaries}/pg_basebackup`, '-h', primary.folder, '-U', 'postgres', '-D', postgres.data, '--write-recovery-conf',
            '--checkpoint=fast', '--no-sync'], { log, user: account })
        return postgres.open()
    }

    constructor(folder, settings, log) {
        const all = ['listen_addresses=', 'fsync=off', 'full_page_writes=off', 'shared_buffers=64MB', 'max_connections=300',
            'log_min_messages=warning', 'log_line_prefix=%m [%d] ', ...settings].flatMap(setting => ['-c', setting])
        Object.assign(this, { folder, log, data: `${folder}/data` })
        this.argv = [`${binaries}/postgres`, '-D', this.data, '-k', folder, ...all]
    }

    launch() { this.process = new Process(this.argv, { log: this.log, user: account }) }

    async open() {
        this.launch()
        await eventually('PostgreSQL is up', () => this.sql('postgres', 'SELECT 1').catch(() => {
            if (!this.process.running) throw new Error(`PostgreSQL does not start: see ${this.log}`)
        }))
        return this
    }

    url(role, password, database) { return `postgresql://${role}:${password}@/${database}?host=${this.folder}` }
    superuserUrl(database) { return `postgresql://postgres@/${database}?host=${this.folder}` }

    // Runs SQL as the superuser, who bypasses row-level security, or as `as` = {role, password}. Returns the columns of each row.
    async sql(database, text, as) {
        const url = as ? this.url(as.role, as.password, database) : this.superuserUrl(database)
        const { stdout } = await execute('psql', ['-qAtX', '-F', '\t', '-v', 'ON_ERROR_STOP=1', url, '-c', text], { maxBuffer: 1 << 28 })
        return stdout.split('\n').filter(line => line !== '').map(line => line.split('\t'))
    }

    stop() { return this.process.stop('SIGINT') }
}
