// Sends ten times the load that each service can handle, from the sandbox of one tenant, without waiting for responses. At the same time the
// production environment of that tenant and another tenant send their usual load. Then opens 10,000 slow connections. Ends with status 1 if
// a response is neither a success nor 503 with Retry-After, or if a figure misses its bound.
// Options: --feedback=PATH ... (the services' programs), --seconds=N (duration of each measurement), --only-flood, --only-slow.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { now, pace } from '../bench/connections.mjs'
import { eventually } from '../upgrade/processes.mjs'
import { Report } from './report.mjs'
import { kindsOf, writeOf } from './requests.mjs'
import { Stand, chosen, head, on, options, row, say, sleep } from './stand.mjs'

const length = Number(options.seconds ?? 10)
const times = 10
const slowConnections = Number(options.connections ?? 10_000)
const slowProbe = 20 // requests per second of the normal client during slow connections
const share = 20 // each probe sends this fraction of the best rate: 1/20
const mostOffered = 12_000 // requests per second; more would only wait in the generator, each on its own connection
const leastTimes = 3 // a flood must be at least this many times the best rate
// Delay to the database, in ms each way. It limits the best rate to about a thousand writes per second, so that two cores can offer ten times
// that rate. An event of billing takes more round trips than a thread or a send.
const distanceOf = (service, kind) => kind === 'alone' ? 1 : service === 'billing' ? 75 : 100
// Numbers of connections for measuring the best rate. A connection that waits for a response sends nothing, so a distant database needs more
// connections.
const connectionsFor = { alone: [32, 128], batched: [512, 1024] }

const worker = (file, workerData) => new Worker(new URL(file, import.meta.url), { workerData })
const message = async from => (await once(from, 'message'))[0]
const generate = data => message(worker('generator.mjs', data))
const percentile = (list, p) => list.length ? [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * p))] : NaN
const ms = value => Number.isNaN(value) ? '' : value.toFixed(0)
const ofBest = (rate, best) => `${(rate / best).toFixed(2)} ×`

// The callers of a service: the environment that floods, the other environment of its tenant, and another tenant.
async function callersOf(stand, service) {
    const [[demo], [other]] = [await stand.makeLoads(0, [service]), await stand.makeLoads(0, [service], 'other')]
    return { flooding: await demo.caller('sandbox'), sibling: await demo.caller('production'), other: await other.caller('production') }
}

// Sends writes at a moderate rate. Returns the response times of successes, and the other responses.
async function probe(port, caller, kind, rate) {
    const took = [], strange = []
    let n = 0, acknowledged = 0
    const end = now() + length * 1000
    await pace(port, {
        rate, length, next: () => writeOf(caller, kind, n++),
        take: ({ status, body }, due) => {
            if (status >= 300) return void strange.push(`${status} ${body}`)
            took.push(now() - due)
            if (now() <= end) acknowledged++
        },
    })
    return { p99: percentile(took, 0.99), strange, sent: n, acknowledged: acknowledged / length }
}

async function watchMemory(stand, name, work) {
    const before = stand.status(name).rss
    let most = before
    let failure
    const timer = setInterval(() => {
        try { most = Math.max(most, stand.status(name).rss) } catch (error) { failure = error }
    }, 250)
    const result = await work().finally(() => clearInterval(timer))
    if (failure) throw failure
    return { before, most, result }
}

async function bestRate(port, caller, kind) {
    let best = 0
    for (const connections of connectionsFor[kind]) best = Math.max(best, (await generate({ port, caller, kind, length, connections })).acknowledged)
    return best
}

async function flood(stand, { name }, kind, { flooding, sibling, other }, report) {
    const port = stand.ports[name], best = await bestRate(port, flooding, kind)
    const beat = Math.max(2, best / share), rate = Math.ceil(Math.min(times * best, mostOffered))
    const probes = () => Promise.all([sibling, other].map(caller => probe(port, caller, kind, beat)))
    const alone = await probes()
    const { before, most, result: [load, beside] } = await watchMemory(stand, name,
        () => Promise.all([generate({ port, caller: flooding, kind, length, rate }), probes()]))
    const refused = load.answers[503] ?? []
    const all = load.acknowledged + beside.reduce((sum, { acknowledged }) => sum + acknowledged, 0)
    row(name, kind, 2 * distanceOf(name, kind), best.toFixed(0), load.offered.toFixed(0),
        load.acknowledged.toFixed(0), ofBest(load.acknowledged, best), all.toFixed(0), ofBest(all, best), refused.length,
        ms(percentile(refused, 0.5)), ms(percentile(refused, 0.99)), before.toFixed(0), most.toFixed(0),
        ...beside.flatMap((probed, i) => [ms(alone[i].p99), ms(probed.p99), `${probed.strange.length} of ${probed.sent}`]))
    const fault = `flood of writes, ${kind}`
    report.atLeast(fault, name, 'offered / best rate', load.offered / best, 0.9 * times, leastTimes)
    report.atLeast(fault, name, 'acknowledged to all / best rate', all / best, 0.8, 0.4)
    report.figure(fault, name, 'ms until a refusal, median', percentile(refused, 0.5), 15, 150)
    for (const [i, who] of ['the same tenant\'s production', 'the other tenant'].entries()) {
        report.figure(fault, name, `p99 of ${who}, during the flood / alone`, beside[i].p99 / alone[i].p99, 2, 10)
        report.figure(fault, name, `requests of ${who} refused`, beside[i].strange.length, 0, 0)
    }
    return [
        ...load.noRetryAfter > 0 ? [`${fault}: ${name}: ${load.noRetryAfter} responses with 503 had no Retry-After`] : [],
        ...load.strange.map(answer => `${fault}: ${name}: the flooding environment got ${answer}`),
        ...alone.flatMap(({ strange }) => strange.slice(0, 3)).map(answer => `${fault}: ${name}: a probe got ${answer} before the flood`),
        ...beside.flatMap(({ strange }) => strange.slice(0, 3)).map(answer => `${fault}: ${name}: a probe got ${answer} during the flood`),
    ]
}

async function slow(stand, { name }, { sibling, other }) {
    const port = stand.ports[name], beat = name === 'auth-mfa' ? 4 : slowProbe // a sign-in hashes a password
    const calm = await probe(port, other, 'alone', beat)
    const path = /^POST (\S+)/.exec(writeOf(sibling, 'alone', 0))[1]
    const clients = worker('slow.mjs', { port, count: slowConnections, host: sibling.host, token: sibling.token ?? 'none', path })
    const ask = () => {
        const answer = message(clients)
        clients.postMessage('')
        return answer
    }
    let most = 0
    await eventually(`${slowConnections} connections are open`, async () => {
        most = Math.max(most, (await ask()).open)
        return most >= 0.95 * slowConnections
    })
    const { before, most: memory, result: beside } = await watchMemory(stand, name, () => probe(port, other, 'alone', beat))
    const { open, cutOff } = await ask()
    await clients.terminate()
    row(name, most, open, cutOff, before.toFixed(0), memory.toFixed(0), ms(calm.p99), ms(beside.p99), `${beside.strange.length} of ${beside.sent}`)
    return beside.strange.slice(0, 3).map(answer => `${name}: during slow connections a client got ${answer}`)
}

await on(new Stand({ proxied: true }), async stand => {
    say('starting the services')
    await stand.start(await stand.openProviders())
    const wrong = [], callers = new Map(), report = new Report()
    for (const each of chosen) callers.set(each, await callersOf(stand, each))
    console.log(`Each measurement takes ${length} s.\n`)
    head('service', 'writes', 'ms to the database and back', 'best, per second', 'offered',
        'acknowledged to the flood', 'of the best', 'to all', 'of the best', '503', 'median time of a 503, ms', 'p99', 'MB before', 'MB at most',
        'p99 of its production alone, ms', 'during the flood', 'refused',
        'p99 of another tenant alone, ms', 'during the flood', 'refused')
    for (const each of options['only-slow'] ? [] : chosen) {
        for (const kind of kindsOf(each.name)) {
            stand.proxies[each.name].delay = distanceOf(each.name, kind)
            say(`${each.name}: ${times} times its best rate, ${kind}`)
            wrong.push(...await flood(stand, each, kind, callers.get(each), report))
            await sleep(4000) // longer than any request waits in a queue
        }
    }
    console.log()
    head('service', 'slow connections', `after ${length} s`, 'cut off', 'MB with them', 'MB at most', 'p99 of a client alone, ms', 'during slow connections', 'refused')
    for (const each of options['only-flood'] ? [] : chosen) {
        say(`${each.name}: ${slowConnections} slow connections`)
        stand.proxies[each.name].delay = distanceOf(each.name, 'alone')
        wrong.push(...await slow(stand, each, callers.get(each)))
    }
    report.print()
    return [...wrong, ...report.wrong, ...stand.complaints]
})
