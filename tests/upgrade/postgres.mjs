// A private PostgreSQL with passwords: who connects over its socket has to show one, the superuser excepted.
import { execFile } from 'node:child_process'
import { chownSync, mkdirSync } from 'node:fs'
import { userInfo } from 'node:os'
import { promisify } from 'node:util'
import { Process, eventually, run } from './processes.mjs'

const binaries = '/usr/lib/postgresql/15/bin'
const execute = promisify(execFile)
const isRoot = userInfo().uid === 0

export class Postgres {
    // `folder`: its own, which it makes. `settings` win over those from here, `initdb` are more arguments of it, `log` is a file.
    static async start(folder, { settings = [], initdb = [], log = `${folder}.log` } = {}) {
        const postgres = new Postgres(folder)
        mkdirSync(folder, { mode: 0o700 })
        if (isRoot) {
            const { stdout } = await execute('id', ['-u', 'postgres'])
            chownSync(folder, Number(stdout), -1)
        }
        const data = `${folder}/data`, user = isRoot ? 'postgres' : undefined
        await run([`${binaries}/initdb`, '-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync',
            '--no-instructions', ...initdb], { log, user })
        await run(['sh', '-c', `printf 'local all postgres trust\\nlocal all all scram-sha-256\\n' > ${data}/pg_hba.conf`], { log, user })
        const all = ['listen_addresses=', 'fsync=off', 'full_page_writes=off', 'shared_buffers=64MB', 'max_connections=300',
            'log_min_messages=warning', 'log_line_prefix=%m [%d] ', ...settings].flatMap(setting => ['-c', setting])
        postgres.launch = () => {
            postgres.process = new Process([`${binaries}/postgres`, '-D', data, '-k', folder, ...all], { log, user })
        }
        postgres.launch()
        await eventually('PostgreSQL is up', () => postgres.sql('postgres', 'SELECT 1').catch(() => {
            if (!postgres.process.running) throw new Error(`PostgreSQL does not start: see ${log}`)
        }))
        return postgres
    }

    constructor(folder) { this.folder = folder }

    url(role, password, database) { return `postgresql://${role}:${password}@/${database}?host=${this.folder}` }

    // As the superuser, whom row-level security does not bind; or as `as` = {role, password}. Yields the rows' columns.
    async sql(database, text, as) {
        const url = as ? this.url(as.role, as.password, database) : `postgresql://postgres@/${database}?host=${this.folder}`
        const { stdout } = await execute('psql', ['-qAtX', '-F', '\t', '-v', 'ON_ERROR_STOP=1', url, '-c', text], { maxBuffer: 1 << 28 })
        return stdout.split('\n').filter(line => line !== '').map(line => line.split('\t'))
    }

    stop() { return this.process.stop('SIGINT') }
}
