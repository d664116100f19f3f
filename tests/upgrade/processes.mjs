// Processes of a test: each ends with this one, whatever becomes of it, and what it printed is kept.
import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'

const started = new Set()

export const sleep = ms => new Promise(done => setTimeout(done, ms))

// Waits until `holds` yields something true, which is returned. The deadline is for what never comes.
export async function eventually(what, holds, seconds = 120) {
    const deadline = Date.now() + seconds * 1000
    for (;;) {
        const result = await holds()
        if (result) return result
        if (Date.now() > deadline) throw new Error(`it did not come to this in ${seconds} s: ${what}`)
        await sleep(50)
    }
}

export async function freePort() {
    const server = createServer()
    await new Promise(listening => server.listen(0, '127.0.0.1', listening))
    const { port } = server.address()
    await new Promise(closed => server.close(closed))
    return port
}

// A program whose output goes to the file `log`. As `user`, where PostgreSQL refuses to be run as root. `lastSignal` is what it gets
// when this process ends first.
export class Process {
    constructor(argv, { log, environment = {}, user, lastSignal = 'KILL' }) {
        this.argv = argv
        this.log = log
        const as = user ? [`--reuid=${user}`, `--regid=${user}`, '--init-groups'] : []
        const output = openSync(log, 'a')
        // Nothing of our own environment but what finds programs: settings of a run of the services may be in it.
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

    // SIGTERM, or another; yields the exit code. One that does not end in a minute is a failure.
    async stop(name = 'SIGTERM') {
        this.signal(name)
        const overdue = sleep(60_000).then(() => { throw new Error(`${this.argv[0]} does not end`) })
        overdue.catch(() => {})
        return Promise.race([this.ended, overdue])
    }
}

// Runs a program to its end, which has to be a good one; yields what it printed.
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
