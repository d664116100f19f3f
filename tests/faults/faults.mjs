// Faults, one after the other, each while all services that were named are under load. Prints a row for each service and fault; ends
// with 1 when something that was acknowledged is lost, or something is there twice. The programs: --feedback=PATH ...; --quick, for
// the two faults that show most; --small-disk where tmpfs can be mounted; --only=WORD for faults that have it in their name.
import { eventually } from '../upgrade/processes.mjs'
import { Stand, chosen, head, on, options, row, say, sleep } from './stand.mjs'

const length = 1000 * Number(options.seconds ?? 5) // ms that a fault lasts which can last
const answersAfter = 20 // of a service, until it has recovered

async function every(pause, time, work) {
    for (const end = performance.now() + time; performance.now() < end; await sleep(pause)) work()
}

// What is done; when it ends the fault is over, and recovering begins.
const faults = {
    'kill -9 of the service': {
        async inflict(stand) {
            for (const { name } of chosen) stand.expected.add(name)
            for (const { name } of chosen) stand.kill(name)
        },
    },
    'kill -9 of PostgreSQL': {
        async inflict(stand) {
            stand.expected.add('postgres')
            stand.signalPostgres('SIGKILL')
        },
    },
    'kill -9 of Redis, back after a while': {
        async inflict(stand) {
            stand.expected.add('redis')
            stand.redisHeld = true
            stand.kill('redis')
            await sleep(length)
            stand.redisHeld = false
        },
    },
    'PostgreSQL paused 10 s': {
        async inflict(stand) {
            const paused = stand.postgresProcesses()
            for (const pid of paused) process.kill(pid, 'SIGSTOP')
            await sleep(10_000)
            for (const pid of paused) process.kill(pid, 'SIGCONT')
        },
    },
    'disk of the database full': {
        needs: 'smallDisk',
        async inflict(stand) {
            stand.expected.add('postgres')
            await every(200, length, () => stand.fillDisk())
            stand.emptyDisk()
        },
    },
    'database 100 ms away': {
        needs: 'proxied',
        async inflict({ proxies }) {
            for (const proxy of Object.values(proxies)) proxy.delay = 50
            await sleep(length)
            for (const proxy of Object.values(proxies)) proxy.delay = 0
        },
    },
    'connections to the database cut, over and over': {
        needs: 'proxied',
        async inflict({ proxies }) {
            await every(300, length, () => { for (const proxy of Object.values(proxies)) proxy.cut() })
        },
    },
    'database not to be reached': {
        needs: 'proxied',
        async inflict({ proxies }) {
            for (const proxy of Object.values(proxies)) {
                proxy.refusing = true
                proxy.cut()
            }
            await sleep(length)
            for (const proxy of Object.values(proxies)) proxy.refusing = false
        },
    },
    'connections to the database silent from now on': {
        needs: 'proxied',
        async inflict({ proxies }) { for (const proxy of Object.values(proxies)) proxy.hush() },
    },
    'providers not to be reached': {
        async inflict(stand, loads) {
            await Promise.all(loads.map(load => load.closeProviders()))
            await sleep(length)
            await Promise.all(loads.map(load => load.openProviders()))
        },
    },
}
const quick = ['kill -9 of the service', 'connections to the database cut, over and over']

const sum = (verdicts, figure) => verdicts.reduce((total, verdict) => total + (verdict[figure]?.length ?? verdict[figure] ?? 0), 0)

// Yields what came of it, for `judge`.
async function suffer(stand, loads, name) {
    for (const load of loads) load.reset()
    await Promise.all(loads.map(load => load.start()))
    const answered = (load, since) => load.figures.answeredSince(since) >= answersAfter
    const begun = performance.now()
    await eventually('the load runs', () => loads.every(load => answered(load, begun)))
    await faults[name].inflict(stand, loads)
    const over = performance.now()
    await eventually('every service has recovered', () => loads.every(load => answered(load, over)))
    await sleep(2000)
    await Promise.all(loads.map(load => load.stop()))
    stand.expected.clear()
    return loads.map(load => ({ name, load, book: load.book, figures: load.figures.copy(), over }))
}

// Prints a row; yields what is wrong.
async function judge({ name, load, book, figures, over }) {
    load.book = book
    const verdicts = await load.verify(), { service } = load
    const errors = [...figures.errors].map(([kind, n]) => `${n} × ${kind === 'socket' ? 'hung up' : kind}`).join(', ')
    row(name, service.name, ...['acknowledged', 'found', 'lost', 'doubled'].map(figure => sum(verdicts, figure)),
        `${sum(verdicts, 'unansweredFound')} of ${sum(verdicts, 'unanswered')}`, sum(verdicts, 'repeated'), errors || 'none',
        figures.recoveredAfter(over).toFixed(1), (figures.slowest / 1000).toFixed(1))
    return [
        ...figures.unexpected,
        ...verdicts.flatMap(({ what, lost }) => lost.map(mark => `${name}: ${service.name} has lost ${what} ${mark}`)),
        ...verdicts.flatMap(({ what, doubled }) => doubled.map(mark => `${name}: ${service.name} has doubled ${what} ${mark}`)),
    ]
}

await on(new Stand({ proxied: true, smallDisk: Boolean(options['small-disk']) }), async stand => {
    say('starting the services')
    await stand.start(await stand.openProviders())
    const loads = await stand.makeLoads(5)
    const outcomes = [], leftOut = []
    for (const name of Object.keys(faults)) {
        if (options.quick ? !quick.includes(name) : options.only && !name.includes(options.only)) continue
        if (faults[name].needs && !stand[faults[name].needs]) {
            leftOut.push(name)
            continue
        }
        say(name)
        outcomes.push(...await suffer(stand, loads, name))
    }
    // At the end, and once: what a worker held that was killed waits for a minute.
    say('looking for what was acknowledged')
    head('fault', 'service', 'acknowledged', 'found', 'lost', 'doubled', 'there of those unanswered', 'delivered again', 'errors seen',
        'seconds to recover', 'slowest answer, s')
    const wrong = [...loads.flatMap(load => load.figures.failures), ...stand.complaints]
    for (const outcome of outcomes) wrong.push(...await judge(outcome))
    for (const name of leftOut) row(name, 'left out: no tmpfs may be mounted here, which takes root', ...Array(9).fill(''))
    return wrong
})
