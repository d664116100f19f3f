// Processes of a test. When this process ends, for any reason, its child processes end, too. Their output is
// kept in files.
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'

const started = new Set()

export const sleep = ms => new Promise(done => setTimeout(done, ms))

// Waits until `holds` returns a truthy value, and returns it. Throws after `seconds`.
export async function eventually(what, holds, seconds = 120) {
    const deadline = Date.now() + seconds * 1000
    for (;;) {
        const result = await holds()
        if (result) return result
        if (Date.now() > deadline) throw new Error(`not within ${seconds} s: ${what}`)
        await sleep(50)
    }
}

const givenPorts = new Set()

// A free port below those that the system gives to outgoing connections: one of these could take the port
// before the caller listens on it.
export async function freePort() {
    for (;;) {
        const port = randomInt(10_000, 32_000)
        if (givenPorts.has(port)) continue
        givenPorts.add(port)
        const server = createServer()
        const free = await new Promise(known => server.once('error', () => known(false)).listen(port, () => known(true)))
        if (!free) continue
        await new Promise(closed => server.close(closed))
        return port
    }
}

// A program whose output goes to the file `log`. `user`: the account to run as (PostgreSQL refuses to run as
// root). `lastSignal`: the signal that the program gets if this process ends first.
export class Process {
    constructor(argv, { log, environment = {}, user, lastSignal = 'KILL' }) {
        this.argv = argv
        this.log = log
        const as = user ? [`--reuid=${user}`, `--regid=${user}`, '--init-groups'] : []
        const output = openSync(log, 'a')
        // Passes on only PATH and HOME, because the environment may contain settings of the services.
        const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...sanitizerOptions(), ...environment }
        this.child = spawn('setpriv', [`--pdeathsig=${lastSignal}`, ...as, '--', ...argv], { env, stdio: ['ignore', output, output] })
        closeSync(output)
        started.add(this.child)
        this.ended = new Promise(done => {
            this.child.once('error', error => done(error.message))
            this.child.once('exit', (code, signal) => {
                started.delete(this.child)
                done(this.status = code ?? signal)
            })
        })
    }

    get running() { return started.has(this.child) }

    signal(name) { this.child.kill(name) }

    // Sends a signal; returns the exit code. Throws when the program does not end within a minute.
    async stop(name = 'SIGTERM') {
        this.signal(name)
        const overdue = sleep(60_000).then(() => { throw new Error(`${this.argv[0]} does not end`) })
        overdue.catch(() => {})
        return Promise.race([this.ended, overdue])
    }
}

// Runs a program; returns its output. Throws unless it exits with 0.
export async function run(argv, options) {
    const process = new Process(argv, options)
    const status = await process.ended
    const output = readFileSync(options.log, 'utf8')
    if (status !== 0) throw new Error(`${argv.slice(0, 2).join(' ')} ended with ${status}:\n${output.slice(-2000)}`)
    return output
}

export function killAll() {
    for (const child of started) child.kill('SIGKILL')
}

function sanitizerOptions() {
    return Object.fromEntries(Object.entries(process.env).filter(([name]) => /^(A|L|T|UB)SAN_OPTIONS$/.test(name)))
}
