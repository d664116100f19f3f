// Functions that the benchmarks share: processes and their CPU, load from wrk and pgbench, alternating rounds, reporting. scripts/bench
// prepares the services and runs the file of each benchmark. Rates on a shared machine fluctuate: only ratios within one run are
// meaningful.
import { execFile, execFileSync, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { promisify } from 'node:util'
import { docs, markdown, replaceRegion, write } from './report.mjs'

export const options = Object.fromEntries(process.argv.slice(2).map(a => a.replace(/^--/, '').split('=')))
export const rounds = Number(options.rounds ?? 3)
export const seconds = Number(options.seconds ?? 3)
export const run = process.env.TETRAD_RUN
export const here = new URL('.', import.meta.url).pathname
export const env = Object.fromEntries(readFileSync(`${run}/env`, 'utf8').trim().split('\n')
    .map(line => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1).replace(/^'|'$/g, '')]))
const socket = /host=([^&]+)/.exec(env.AUTH_DATABASE_URL)[1]
const postmaster = readFileSync(`${run}/pids/postgres`, 'utf8').trim()
const ticks = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))
const children = []

export const note = text => process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${text}` : `${text}\n`)
export const sleep = ms => new Promise(done => setTimeout(done, ms))
export const median = list => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)]
export const idOf = n => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`

// --- processes -------------------------------------------------------------------------------------------------------------------

// CPU seconds of a process and its threads.
export function cpuOf(pid) {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
    return (Number(fields[11]) + Number(fields[12])) / ticks
}
function childrenOf(pid) {
    return readdirSync('/proc').filter(p => /^\d+$/.test(p)).filter(p => {
        try { return readFileSync(`/proc/${p}/stat`, 'utf8').split(') ')[1].split(' ')[1] === String(pid) } catch { return false }
    })
}
function cpuOfPostgres() {
    // The parent's sums include the backends that have ended and that it has waited for. If it does so while this function adds up its
    // children, a backend would count twice or not at all. Then this function starts again.
    const ended = () => {
        const parent = readFileSync(`/proc/${postmaster}/stat`, 'utf8').split(') ')[1].split(' ')
        return (Number(parent[13]) + Number(parent[14])) / ticks
    }
    for (;;) {
        const before = ended()
        let sum = before
        for (const pid of childrenOf(postmaster)) try { sum += cpuOf(pid) } catch { /* a backend that just ended */ }
        if (ended() === before) return sum
    }
}
// CPU seconds of the processes that this one has started and that have ended, such as load generators.
function cpuOfEnded() {
    const own = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ')
    return (Number(own[13]) + Number(own[14])) / ticks
}
export const rss = pid => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024

export const redisPid = readFileSync(`${run}/pids/redis`, 'utf8').trim()

// Runs `work`, which returns `sent` and other figures. Returns these figures and the CPU µs per request of `pids` (one process, or a list), of
// PostgreSQL, and of the load generators that ended.
export async function charged(pids, work) {
    const cpuOfAll = () => [pids].flat().reduce((sum, pid) => sum + cpuOf(pid), 0)
    const cpu = cpuOfAll(), database = cpuOfPostgres(), load = cpuOfEnded()
    const { sent, ...figures } = await work()
    const each = seconds => seconds / sent * 1e6
    return { ...figures, cpu: each(cpuOfAll() - cpu), database: each(cpuOfPostgres() - database), load: each(cpuOfEnded() - load) }
}

// Starts a process, which ends with the benchmark. Its log goes to the file `log`, or its errors to those of the benchmark. `output`:
// its standard output if there is no file, as in `stdio` of spawn().
export function start(command, args, environment = {}, log = undefined, output = 'ignore') {
    // Removes the prefixed settings of the measured services from the environment.
    const ours = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(FEEDBACK|AUTH|NOTIFY)_/.test(name)))
    const file = log && openSync(log, 'a')
    const child = spawn(command, args, { env: { ...ours, ...environment }, stdio: file ? ['ignore', file, file] : ['ignore', output, 'inherit'] })
    if (file) closeSync(file)
    children.push(child)
    return child
}
export function stop(child) {
    return new Promise(done => {
        child.once('exit', done)
        child.kill('SIGTERM')
    })
}
export async function answers(url, headers = {}) {
    for (let i = 0; i < 2000; i++) {
        try {
            const r = await fetch(url, { headers })
            await r.arrayBuffer()
            if (r.status < 500) return
        } catch { /* not yet */ }
        await sleep(5)
    }
    throw new Error(`${url} does not answer`)
}
export async function startBareServer(threads) {
    const child = start(`${process.env.BUILD}/tests/bench/bare_server`, ['--port', '8198', '--threads', String(threads)])
    await answers('http://127.0.0.1:8198/')
    return child
}

// --- load ------------------------------------------------------------------------------------------------------------------------

export const listFile = name => `${run}/requests-${name}`
const execute = promisify(execFile)

// Runs wrk for one round. Returns the requests per second, the 99th percentile in ms, and the CPU µs per request of `pid` and of
// PostgreSQL. `file` lists the requests. `pause` is the average number of ms that a connection waits before each request. With `refused`,
// every answer must be an error.
export function wrk(url, file, pid, { host = 'feedback.localhost', connections = 64, pause = 0, length = seconds, refused = false, coding } = {}) {
    return charged(pid, async () => {
        const { stdout: out } = await execute('wrk', ['-t1', `-c${connections}`, `-d${length}s`, '--latency', '-s', `${here}requests.lua`,
            url, '--', file, host, String(pause), ...(coding ? [coding] : [])])
        const failed = Number(/Non-2xx or 3xx responses: (\d+)/.exec(out)?.[1] ?? 0)
        const sent = Number(/(\d+) requests in/.exec(out)[1])
        const errors = /Socket errors: (.*)/.exec(out)?.[1]
        if (errors || (refused ? failed !== sent : failed)) throw new Error(`${url} ${file}: ${failed} of ${sent} failed; ${errors ?? ''}`)
        const [, late, unit] = /^\s+99%\s+([\d.]+)(us|ms|s)\b/m.exec(out)
        return { sent, rate: Number(/Requests\/sec:\s+([\d.]+)/.exec(out)[1]), p99: Number(late) * { us: 0.001, ms: 1, s: 1000 }[unit] }
    })
}

// Direct access to PostgreSQL as the superuser. Row-level security does not apply to this role.
export function database(name) {
    const connection = ['-h', socket, '-U', 'postgres']
    const sql = text => execFileSync('psql', ['-qAtX', '-v', 'ON_ERROR_STOP=1', ...connection, '-d', name, '-c', text],
        { encoding: 'utf8', maxBuffer: 1 << 28 }).trim()
    // Runs pgbench for one round: for `seconds`, or `transactions` in total.
    const pgbench = (script, transactions, clients = 8) => {
        const file = `${run}/pgbench.sql`
        writeFileSync(file, script)
        const length = transactions ? ['-t', String(Math.ceil(transactions / clients))] : ['-T', String(seconds)]
        const cpu = cpuOfPostgres(), load = cpuOfEnded()
        const out = execFileSync('pgbench', ['-n', '-M', 'prepared', '-c', String(clients), '-j', '1', ...length, '-f', file,
            ...connection, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
        const total = Number(/transactions actually processed: (\d+)/.exec(out)[1])
        const each = seconds => seconds / total * 1e6
        return { rate: Number(/tps = ([\d.]+)/.exec(out)[1]), database: each(cpuOfPostgres() - cpu), load: each(cpuOfEnded() - load) }
    }
    return { sql, pgbench }
}

// SQL for an id that grows with time, as the services' ids do.
export const freshId = "(lpad(to_hex((extract(epoch FROM clock_timestamp()) * 1000)::bigint), 12, '0') || " +
    "substr(replace(gen_random_uuid()::text, '-', ''), 13))::uuid"

// Actions of the operator: calls to a service at `base` with the master key, and inserting tenants into its database.
export function operator(base, sql) {
    async function call(method, path, body, headers = {}) {
        const r = await fetch(base + path, {
            method,
            headers: { authorization: `Bearer ${env.MASTER_KEY}`, 'content-type': 'application/json', ...headers },
            body: body && JSON.stringify(body),
        })
        if (!r.ok) throw new Error(`${method} ${path}: ${r.status} ${await r.text()}`)
        return r.json()
    }
    function insertTenants(prefix, count, limits = {}) {
        sql(`INSERT INTO tenants (slug, display_name, status, limits, created_at, updated_at)
             SELECT '${prefix}-' || n, 'Bench', 'active', '${JSON.stringify(limits)}', now(), now() FROM generate_series(1, ${count}) n`)
    }
    // Creates a key for each scope, in order of the scopes. `kind` is for services with several kinds of keys.
    async function mintKeys(prefix, count, kind) {
        const keys = []
        for (let n = 1; n <= count; n++) {
            if (n % 50 === 1) note(`keys: ${n} of ${count}`)
            for (const environment of ['production', 'sandbox']) {
                const tenant = { 'x-tenant-slug': `${prefix}-${n}`, 'x-tenant-env': environment }
                keys.push((await call('POST', '/v1/keys', { environment, kind }, tenant)).key)
            }
        }
        return keys
    }
    return { call, insertTenants, mintKeys }
}

// Runs the contenders in turn, `times` times; with `swaps`, every second time in the reverse order. Returns the figures of each round of
// each contender.
export async function inTurn(label, contenders, { times = rounds, swaps = false } = {}) {
    const results = Object.fromEntries(Object.keys(contenders).map(name => [name, []]))
    for (let round = 0; round < times; round++) {
        const order = Object.entries(contenders)
        for (const [name, contender] of swaps && round % 2 ? order.reverse() : order) {
            note(`${label}: round ${round + 1} of ${times}, ${name}`)
            results[name].push(await contender(round))
        }
    }
    return results
}

// The median of each figure of each contender.
export const medians = results => Object.fromEntries(Object.entries(results).map(([name, list]) => [name, Object.fromEntries(
    Object.keys(list[0]).map(figure => [figure, median(list.map(r => r[figure]))]))]))

// The median of the ratios of a figure in the rounds of two contenders. A disturbance that lasts for several rounds affects both.
export const medianRatio = (list, peers, figure) => median(list.map((r, i) => r[figure] / peers[i][figure]))

// Runs the contenders in turn, `rounds` times. Returns the median of each figure of each contender.
export const alternate = async (label, contenders) => medians(await inTurn(label, contenders))

// --- reporting -------------------------------------------------------------------------------------------------------------------

const parts = [] // the parts of the report; see report.mjs
export const addText = text => parts.push(text)
export const addTable = (head, rows) => parts.push({ head, rows })

// Runs the measurements and prints their tables, even if one of them fails. With --write, and if none fails, writes them to the page.
// `conditions`: how the figures were measured.
export async function report(name, measure, conditions = `servers, load and PostgreSQL on the same machine; medians of ${rounds} alternating rounds of ${seconds} s`) {
    const writes = 'write' in options
    if (writes) replaceRegion(readFileSync(new URL('benchmarks.md', docs), 'utf8'), name, '') // fails now rather than after the measurement
    addText(`${cpus()[0].model}, ${cpus().length} cores, ${(totalmem() / 2 ** 30).toFixed(0)} GiB; ${conditions}.`)
    try {
        await measure()
        if (writes) write(name, parts)
    } finally {
        note('')
        console.log(markdown(parts) + '\n')
        for (const child of children) child.kill('SIGKILL')
    }
}
